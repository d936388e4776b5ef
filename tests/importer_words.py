"""What the samples of recordings are made of: words, and the carriers that they come in."""

import json
from typing import Any

from msgspec import Struct

__all__ = [
    "ALL_BLOCKS",
    "ARGUMENTS",
    "MODEL",
    "THOUGHTS",
    "WORDS",
    "Sample",
    "as_array",
    "as_lines",
    "as_sse",
    "joined",
]

WORDS = ["Half", " a", " pear", ",", "", " \ud83c", "\udf50", " and\n", "\u2028tea."]
THOUGHTS = ["Fruit", " first", ".", " Then…"]
ARGUMENTS = ["", '{"ci', 'ty": "', "Łódź", '"}']

MODEL = "demo-1"


class Sample(Struct, frozen=True, kw_only=True):
    """A recording's values, its format, and what its blocks come to as (kind, text).

    `events` are names for server-sent events, where the format has any.
    """

    format: str
    values: list[Any]
    blocks: list[tuple[str, str]]
    events: list[str] | None = None
    clock: str = "synthetic"


def as_lines(values: list[Any]) -> bytes:
    """JSON lines, as JavaScript and Python print them by turns."""
    return "".join(
        json.dumps(value, separators=(",", ":") if number % 2 else None) + "\n"
        for number, value in enumerate(values)
    ).encode()


def as_array(values: list[Any]) -> bytes:
    """One pretty-printed array with a byte order mark."""
    return b"\xef\xbb\xbf" + json.dumps(values, indent=2, ensure_ascii=True).encode()


def as_sse(values: list[Any], events: list[str] | None = None, *, done: bool = True) -> bytes:
    """Server-sent events, with names where there are some."""
    out = []
    for number, value in enumerate(values):
        if events is not None:
            out.append(f"event: {events[number]}\n")
        out.append(f"data: {json.dumps(value)}\n\n")
    if done:
        out.append("data: [DONE]\n\n")
    return "".join(out).encode()


def joined(parts: list[str]) -> str:
    """Fragments put together as UTF-16 does it: halves of a character that meet are one."""
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# What a sample with every kind of block comes to.
ALL_BLOCKS = [
    ("reasoning", "".join(THOUGHTS)),
    ("text", joined(WORDS)),
    ("tool-call", "".join(ARGUMENTS)),
]
