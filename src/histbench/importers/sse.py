r"""Lines of a server-sent event stream to items.

The fields are those of the HTML standard (section 9.2.6): `data`, `event`, `id`, `retry`; a line
that starts with a colon is a comment; one blank after the colon belongs to the field; a blank line
ends the event, several `data` lines make one value.  Recordings are less tidy, so three things
differ: an event whose blank line is missing is still one, at the end of the file or before the
next `data` that starts a value of its own; comments and foreign lines are kept as text; an event
without data is kept for its other fields.

Not kept: blanks and line ends around fields, and the name of an event whose value repeats it in
`type`.
"""

from collections.abc import Iterable, Iterator

from histbench.errors import HistbenchError, LimitExceeded, Place
from histbench.importers.items import Item, item_of, text_of
from histbench.jsontext import decode
from histbench.store.limits import Limits

__all__ = ["read_frames"]

_FIELDS = frozenset({b"data", b"event", b"id", b"retry"})
_OPENERS = (b"{", b"[")


class _Frames:
    """The event that is being read."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._fields: dict[str, str] = {}
        self._data_bytes = 0
        self.data: list[bytes] = []
        self.place: tuple[int, int | None] = (0, None)

    def begin(self, number: int, byte: int | None) -> None:
        """An event begins where its first field stands."""
        if not self.data and not self._fields:
            self.place = (number, byte)

    def add_data(self, part: bytes) -> None:
        """One `data` line."""
        self.data.append(part)
        self._data_bytes += len(part)
        if self._data_bytes > self._limit:
            line, byte = self.place
            raise LimitExceeded(
                "the event is too long",
                code="line_too_long",
                where=Place(line=line, byte=byte),
                found=self._data_bytes,
                expected=f"at most {self._limit} bytes",
            )

    def set_field(self, name: str, value: str) -> None:
        """Another field; of several the last counts."""
        self._fields[name] = value

    def is_whole_before(self, part: bytes) -> bool:
        """Whether `part` starts another value: the blank line between the two is missing."""
        if not part.startswith(_OPENERS) or not self.data[0].startswith(_OPENERS):
            return False
        try:
            decode(b"\n".join(self.data))
        except HistbenchError:
            return False
        return True

    def take(self) -> Item | None:
        """The event, which is then empty again; None if there was nothing."""
        line, byte = self.place
        data, fields = self.data, self._fields
        self._data_bytes = 0
        if not data:
            self._fields = {}
            return Item(text="", line=line, byte=byte, frame=fields) if fields else None
        self.data = []
        item = item_of(data[0] if len(data) == 1 else b"\n".join(data), line, byte)
        if fields:
            self._fields = {}
            item.event = fields.get("event")
            value = item.value
            implied = len(fields) == 1 and isinstance(value, dict) and item.event is not None
            if not implied or value.get("type") != item.event:
                item.frame = fields
        return item


def read_frames(
    lines: Iterable[tuple[int, int | None, bytes]], *, limits: Limits
) -> Iterator[Item]:
    """The items of an event stream; a text item where there is no JSON.

    Raises (while iterating):
        InvalidJson, LimitExceeded: as `carriers.read_items`.
    """
    frame = _Frames(limits.line_bytes)
    for number, byte, line in lines:
        if line.endswith(b"\r"):
            line = line.rstrip(b"\r")  # noqa: PLW2901 - the same line without its end
        if not line:
            if (item := frame.take()) is not None:
                yield item
            continue
        name, colon, part = line.partition(b":")
        if part.startswith(b" "):
            part = part[1:]
        if name == b"data" and colon:
            if frame.data and frame.is_whole_before(part) and (item := frame.take()) is not None:
                yield item
            frame.begin(number, byte)
            frame.add_data(part)
        elif name in _FIELDS and colon:
            frame.begin(number, byte)
            frame.set_field(name.decode(), text_of(part, number, byte))
        elif colon and not name:
            comment = text_of(part, number, byte)
            yield Item(text="", line=number, byte=byte, frame={"comment": comment})
        else:
            yield Item(text=text_of(line, number, byte), line=number, byte=byte)
    if (item := frame.take()) is not None:
        yield item
