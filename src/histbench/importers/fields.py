"""Fields of foreign values, taken without trusting them: what has another type is not there."""

from datetime import UTC, datetime
from typing import Any

from histbench.jsontext import js_number

__all__ = ["at", "count_at", "list_at", "milliseconds", "number_at", "object_at", "text_at"]


def at(value: Any, *path: str | int) -> Any:
    """What `path` leads to; None where it leads nowhere.

    >>> at({"a": [{"b": 1}]}, "a", 0, "b"), at({"a": []}, "a", 0)
    (1, None)
    """
    if len(path) == 1 and type(value) is dict:
        return value.get(path[0])
    for key in path:
        if isinstance(key, str):
            if not isinstance(value, dict):
                return None
            value = value.get(key)
        else:
            if not isinstance(value, list) or key >= len(value):
                return None
            value = value[key]
    return value


def object_at(value: Any, *path: str | int) -> dict[str, Any]:
    """The object there, or an empty one."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, *path: str | int) -> list[Any]:
    """The array there, or an empty one."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def text_at(value: Any, *path: str | int) -> str | None:
    """The string there."""
    found = at(value, *path)
    return found if isinstance(found, str) else None


def number_at(value: Any, *path: str | int) -> int | float | None:
    """The number there."""
    return js_number(at(value, *path))


def count_at(value: Any, *path: str | int) -> int | None:
    """The non-negative integer there."""
    found = at(value, *path)
    if type(found) is not int:
        found = js_number(found)
    return found if type(found) is int and found >= 0 else None


def milliseconds(text: object) -> int | None:
    """An ISO 8601 time with its zone as milliseconds since the epoch.

    >>> milliseconds("1970-01-01T00:00:01.5Z"), milliseconds("yesterday")
    (1500, None)
    """
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
