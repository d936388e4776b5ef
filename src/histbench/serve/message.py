"""A request and its answer as plain values: what the operations see of HTTP, and no more.

    socket -> app (Starlette) -> guard -> routing -> parameters -> an operation -> content -> socket

Every step to the right of `app` is a function of these values, so a test can call it without a
socket, and the path of a page from request line to bytes reads in one direction.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from histbench import jsontext

__all__ = ["JSON", "Answer", "Call", "Head", "json_bytes"]

JSON = "application/json"

_encoder = msgspec.json.Encoder()


class Head(Struct, frozen=True, kw_only=True):
    """The head of a request as it came; header names in lower case, values as sent.

    `path` is still percent-encoded and without the query.  A header that came twice has all its
    values, in order.
    """

    method: str
    path: bytes
    query: bytes
    headers: Mapping[str, tuple[str, ...]]

    def header(self, name: str) -> str | None:
        """The value of a header that came exactly once; None otherwise."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


class Call(Struct, frozen=True, kw_only=True):
    """An operation to be answered: its path's values, its checked parameters, its body.

    A parameter that was not given has its default, or is None.
    """

    head: Head
    path: Mapping[str, str]
    values: Mapping[str, Any]
    body: Mapping[str, Any]

    def integer(self, name: str) -> int | None:
        """A parameter that is an integer."""
        value = self.values[name]
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str | None:
        """A parameter that is text."""
        value = self.values[name]
        return value if isinstance(value, str) else None


class Answer(Struct, frozen=True, kw_only=True):
    """A whole response before its content encoding.

    `keep` says whether the same request will always be answered with the same bytes ("frozen"),
    or with others as soon as somebody writes ("newest").
    """

    status: int = 200
    body: bytes = b""
    media_type: str = JSON
    headers: Mapping[str, str] = {}
    keep: Literal["frozen", "newest"] = "newest"


def json_bytes(value: Any) -> bytes:
    """JSON text of a value that may hold Structs, and strings that only JavaScript has."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        # Half of a surrogate pair, which is written as an escape.
        return jsontext.encode(msgspec.to_builtins(value))
