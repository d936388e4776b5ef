"""A history page: the records that cover exactly one interval of a session's events.

`from_seq` (inclusive) and `to_seq` (exclusive) are the watermarks that stitching, repair and
deduplication go by; the records cover the interval without gap or overlap, which is checked when
a page is made from outside.  Records of a page are ordinary events or rows in any spelling
(`rows.RowHead`); a page that was decoded keeps the rows it was sent, however short.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from histbench.errors import InvalidPage, Place
from histbench.events import MAX_SAFE_INTEGER, Event
from histbench.fold.elided import MarkedEvent
from histbench.jsontext import decode
from histbench.log import EventLog
from histbench.records import Plain, record_events
from histbench.rows import RowHead

__all__ = [
    "HistoryPage",
    "PageCut",
    "PageRecord",
    "Projections",
    "check_cover",
    "whole_page",
]

PageRecord = Plain | RowHead

# Why a page begins where no message asked it to: a budget of events or of bytes ended it, or its
# one event is by itself larger than the budget of bytes.
PageCut = Literal["events", "bytes", "oversize"]


class Projections(Struct, frozen=True, kw_only=True):
    """What a host derived from the log up to `as_of_seq` (-1: from nothing), for the newest page.

    `values` is JSON text; this project passes it on and does not look inside.
    """

    as_of_seq: int
    values: bytes

    def value(self) -> Any:
        """The derived values, parsed."""
        return decode(self.values)


class HistoryPage(Struct, frozen=True, kw_only=True):
    """Records that cover `[from_seq, to_seq)`; `has_more` tells of older events.

    `covered` is False only for a page of a lossy form, whose records have gaps.  `projections`
    come with the newest page only.  `cut` is None for a page that begins at a message or at the
    start of the log (docs: history, "Budgets").
    """

    records: tuple[PageRecord, ...]
    has_more: bool
    from_seq: int
    to_seq: int
    covered: bool = True
    projections: Projections | None = None
    cut: PageCut | None = None

    def events(self) -> list[Event]:
        """The logical events, new dicts in order."""
        return [event for record in self.records for event in record_events(record)]


def whole_page(log: EventLog) -> HistoryPage:
    """All of a log as one page.

    Raises:
        InvalidLog: the log is not dense (`seq_gap`).
    """
    log.check_dense()
    return HistoryPage(
        records=log.records(), has_more=False, from_seq=log.from_seq, to_seq=log.to_seq
    )


def check_cover(records: Sequence[PageRecord | MarkedEvent], from_seq: int, to_seq: int) -> None:
    """Raise InvalidPage unless the records cover `[from_seq, to_seq)` exactly.

    Codes: `page_interval` (inverted or too large), `page_gap`, `page_overlap`, `page_end`; the place is the seq
    of the first record that does not fit.
    """
    if not 0 <= from_seq <= to_seq <= MAX_SAFE_INTEGER + 1:
        raise InvalidPage(
            "bad interval",
            code="page_interval",
            found=[from_seq, to_seq],
            expected="0 <= fromSeq <= toSeq, at most one past the largest seq",
        )
    due = from_seq
    for record in records:
        if record.seq != due:
            raise InvalidPage(
                "records do not follow each other",
                code="page_gap" if record.seq > due else "page_overlap",
                where=Place(seq=record.seq),
                found=record.seq,
                expected=str(due),
            )
        due = record.end_seq
    if due != to_seq:
        raise InvalidPage(
            "records do not end at toSeq",
            code="page_end",
            where=Place(seq=due),
            found=due,
            expected=str(to_seq),
        )
