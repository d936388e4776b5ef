"""What a field of a record holds, or nothing: a record's writer may have put anything anywhere.

Every value that the replay looks at is read through these, so that a string where a list belongs
reads as an empty list and never as an exception.
"""

from typing import Any

from histbench.events import MAX_SAFE_INTEGER
from histbench.jsontext import js_number

__all__ = ["count_of", "first_text", "list_of", "object_of", "text_of"]


def object_of(value: object) -> dict[str, Any]:
    """`value` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """`value` when it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str | None:
    """`value` when it is a string that is not empty."""
    return value if isinstance(value, str) and value else None


def first_text(value: dict[str, Any], *keys: str) -> str | None:
    """The first of these fields that holds a string that is not empty."""
    for key in keys:
        found = value.get(key)
        if found and isinstance(found, str):
            return found
    return None


def count_of(value: object) -> int | None:
    """`value` as a whole number from 0 to 2^53 - 1, fractions cut; None when it is no such number.

    >>> count_of(3.0), count_of(2.5), count_of(-1), count_of(True)
    (3, 2, None, None)
    """
    number = js_number(value)
    return int(number) if number is not None and 0 <= number <= MAX_SAFE_INTEGER else None
