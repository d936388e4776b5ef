"""One value of a recording: what a line, an array element or a server-sent event carries.

Text that is no JSON is an item too (`[DONE]`, a comment, a log line that got in between): nothing
that a recording holds is passed over.  What cannot even be kept as text is refused with its place:
bytes that are not UTF-8, and JSON nested deeper than any reader follows.
"""

from typing import Any

from msgspec import Struct

from histbench.errors import InvalidJson, Place
from histbench.jsontext import decode, encode

__all__ = ["Item", "item_of", "text_of"]

# A stored event puts the value three levels deeper than the recording did.
_NESTING_TO_TRY = 300

_KEPT_AS_TEXT = frozenset({"invalid_json", "number_out_of_range"})


class Item(Struct, kw_only=True):
    """A JSON `value`, or `text` where there is none, and where it stood.

    `event` is the name that a server-sent event gives it.  `frame` holds what of its envelope the
    value does not repeat: `event`, `id`, `retry`, `comment`, or `json`, the field that was JSON in
    a string.  `size` is the length of its JSON text, of which `padding` are blanks before the
    closing brace.
    """

    value: Any = None
    text: str | None = None
    line: int
    byte: int | None
    event: str | None = None
    frame: dict[str, str] | None = None
    size: int = 0
    padding: int = 0

    @property
    def place(self) -> Place:
        """For errors and diagnostics."""
        return Place(line=self.line, byte=self.byte)


def item_of(raw: bytes, line: int, byte: int | None) -> Item:
    """The item that `raw` holds, without blanks around it.

    Raises:
        InvalidJson: `invalid_utf8`, `too_deep`, with line and byte.
    """
    try:
        value = decode(raw)
        if len(raw) > _NESTING_TO_TRY and raw.count(b"[") + raw.count(b"{") > _NESTING_TO_TRY:
            encode({"data": {"value": {"": [value]}}})
    except InvalidJson as error:
        if error.code not in _KEPT_AS_TEXT:
            error.where.byte = None
            raise error.at(line=line, byte=byte) from None
    else:
        padding = 0
        if raw.endswith(b" }"):
            before = raw[:-1].rstrip(b" ")
            # Blanks that follow a line end are somebody's layout.
            padding = 0 if before.endswith(b"\n") else len(raw) - 1 - len(before)
        return Item(value=value, line=line, byte=byte, size=len(raw), padding=padding)
    return Item(text=text_of(raw, line, byte), line=line, byte=byte)


def text_of(raw: bytes, line: int, byte: int | None) -> str:
    """`raw` as text; InvalidJson (`invalid_utf8`) when it is none."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        where = Place(line=line, byte=byte)
        raise InvalidJson("text is not UTF-8", code="invalid_utf8", where=where) from error
