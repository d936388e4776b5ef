"""What a page may be asked with: one of several beginnings, which exclude each other.

cursor             go on from the page that it came with; nothing else may be said
direction          from the end backward, or from the beginning forward
before_record_id   backward, up to that record, exclusive
after_record_id    forward, from that record, exclusive
at_record_id       forward, from where it is safe to begin before that turn
snapshot           with one of the records: in the state that a list of turns was given for
"""

from typing import Literal

from msgspec import Struct

from histbench.errors import InvalidCursor
from histbench.transcript.select import check_limit

__all__ = ["Direction", "PageRequest"]

Direction = Literal["backward", "forward"]

# As in the original: longer ids are nobody's.
_ID_CHARACTERS = 200


class PageRequest(Struct, frozen=True, kw_only=True):
    """A request for one page; `checked` before it is used."""

    limit: int
    direction: Direction | None = None
    before_record_id: str | None = None
    after_record_id: str | None = None
    at_record_id: str | None = None
    cursor: str | None = None
    snapshot: str | None = None

    def checked(self) -> "PageRequest":
        """The request.

        Raises:
            UsageError: `invalid_transcript_limit`.
            InvalidCursor: it says too much, or names a record as no record is named.
        """
        check_limit(self.limit)
        anchors = [self.before_record_id, self.after_record_id, self.at_record_id]
        named = [each for each in anchors if each is not None]
        beginnings = len(named) + (self.direction is not None) + (self.cursor is not None)
        if beginnings > 1:
            raise _bad("two beginnings of a page", "one of cursor, direction and a record id")
        if self.direction not in {None, "backward", "forward"}:
            raise _bad("no such direction", "backward or forward")
        if self.snapshot is not None and not named:
            raise _bad("a snapshot without a record to begin at", "a record id with it")
        if any(not 0 < len(each) <= _ID_CHARACTERS for each in named):
            raise _bad("no record id", f"1 to {_ID_CHARACTERS} characters")
        return self

    @property
    def backward(self) -> bool:
        """Which way the page goes, where no cursor says it; by default from the end."""
        if self.direction is not None:
            return self.direction == "backward"
        return self.after_record_id is None and self.at_record_id is None


def _bad(message: str, expected: str) -> InvalidCursor:
    return InvalidCursor(message, expected=expected)
