"""What a reader hands out, as frozen values: pages, turns, hits, and what was appended."""

from msgspec import Struct

from histbench.transcript import Gap, TranscriptRecord
from histbench.transcript.turns import TurnPreview

__all__ = ["Appended", "AppendedRecord", "SearchHit", "SearchPage", "TranscriptPage", "TurnPage"]


class TranscriptPage(Struct, frozen=True, kw_only=True):
    """Records of the active chain, oldest first.

    Attributes:
        records: a page of them.
        next_cursor: what the page that follows in the same direction is asked with.
        has_more: whether there is one.
        session_id: the session that the file is of.
        start_time: the timestamp of the file's first record that has one, as written.
        last_updated: when the file was last written to, in ISO 8601, UTC.
        end: the place up to which the page's state reaches; what is appended stands behind it.
        gap: the record that the chain begins with, if it names a parent that is not there.
        target_record_id: the turn that an anchored page was asked for.
        has_older: of an anchored page: whether records come before it.
        replay: what the replay of the page before left open, for a forward page.
    """

    records: tuple[TranscriptRecord, ...]
    next_cursor: str | None
    has_more: bool
    session_id: str | None
    start_time: str | None
    last_updated: str
    end: int
    gap: Gap | None = None
    target_record_id: str | None = None
    has_older: bool | None = None
    replay: object = None


class TurnPage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Some of the turns of a snapshot, which `snapshot` names for the next request."""

    session_id: str | None
    snapshot: str
    total_turns: int
    start: int
    turns: tuple[TurnPreview, ...]


class SearchHit(Struct, frozen=True, kw_only=True, rename="camel"):
    """A record that shows what was searched for, and the text around it."""

    record_id: str
    type: str
    timestamp: str | None
    preview: str


class SearchPage(Struct, frozen=True, kw_only=True, rename="camel"):
    """The newest hits.

    `next_before` is the record to search on before, None where the chain's beginning was reached:
    a search looks through so many bytes at a time, so a page may hold few hits, or none.
    """

    hits: tuple[SearchHit, ...]
    next_before: str | None


class AppendedRecord(Struct, frozen=True, kw_only=True):
    """One physical record, and the place behind it; `hidden` is what a side task does not show."""

    place: int
    record: TranscriptRecord
    hidden: bool = False


class Appended(Struct, frozen=True, kw_only=True):
    """What stands behind a place, in the order of the file, whatever chain it is on."""

    records: tuple[AppendedRecord, ...]
    place: int
    has_more: bool
