"""Selecting a page: a stretch of logical events that begins at a message, taken from the newest end.

The window is all events before `before_seq`, or all of them.  Walking back through it, the
`max_messages`-th message (`messages`) says where the page begins: at its cut.  With fewer messages
the page is the whole window.  `has_more` tells whether the log has events before the page, so the
next older page is asked for with `before_seq` = this page's `from_seq`, and pages chain without gap
or overlap whatever they were asked for with (facts: session history, section 4; docs: history).

One turn can be far larger than any client takes, so two budgets may move the beginning closer to
the end: `max_events` counts events, `max_bytes` the page's packed length (`budget`).  They cut
wherever they fall, inside a row too, and the page then says which one did (`HistoryPage.cut`).

Only records are walked, from the newest backwards, and only the events that can be messages are
looked into.  The page depends on the events alone: a log is canonical, however it was stored.
"""

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from histbench.errors import UsageError
from histbench.events import MAX_SAFE_INTEGER
from histbench.history.budget import LEAST_EVENT_BYTES, start_within
from histbench.history.messages import is_message, message_cut
from histbench.history.page import HistoryPage, PageCut
from histbench.log import EventLog
from histbench.records import Record

__all__ = ["DEFAULT_MAX_MESSAGES", "check_page_request", "select_page"]

# What the original's host takes when nothing is said, and what its client always asks for.
DEFAULT_MAX_MESSAGES = 50


def select_page(
    log: EventLog,
    *,
    before_seq: int | None = None,
    max_messages: int = DEFAULT_MAX_MESSAGES,
    max_events: int | None = None,
    max_bytes: int | None = None,
) -> HistoryPage:
    """The newest page of the events before `before_seq`, or of the log.

    Args:
        log: a dense log.
        before_seq: exclusive; past the log's end it means the end.
        max_messages: at least 1; with its sources, the oldest message counted begins the page.
        max_events: at most so many events, at least 1; None for no such limit.
        max_bytes: at most so many bytes of the packed form, unless one event alone has more.

    Raises:
        UsageError: `bad_before_seq`, `bad_max_messages`, `bad_max_events`, `bad_max_bytes`.
        InvalidLog: the log is not dense (`seq_gap`).
    """
    check_page_request(before_seq, max_messages, max_events, max_bytes)
    log.check_dense()
    end = log.to_seq if before_seq is None else min(before_seq, log.to_seq)
    if end <= log.from_seq:
        return HistoryPage(records=(), has_more=False, from_seq=end, to_seq=end)
    start = max(_message_start(log.records(), end, max_messages), log.from_seq)
    cut: PageCut | None = None
    if max_events is not None and end - start > max_events:
        start, cut = end - max_events, "events"
    if max_bytes is not None and end - start > max(1, max_bytes // LEAST_EVENT_BYTES):
        # Nothing longer fits; whatever lies before need not be looked at.
        start, cut = end - max(1, max_bytes // LEAST_EVENT_BYTES), "bytes"
    page = _page_between(log, start, end, cut)
    if max_bytes is None:
        return page
    start, cut = start_within(page, max_bytes)
    return (
        page if (start, cut) == (page.from_seq, page.cut) else _page_between(log, start, end, cut)
    )


def _page_between(log: EventLog, start: int, end: int, cut: PageCut | None) -> HistoryPage:
    return HistoryPage(
        records=log.records(start, end),
        has_more=start > log.from_seq,
        from_seq=start,
        to_seq=end,
        cut=cut,
    )


def _message_start(records: Sequence[Record], end: int, max_messages: int) -> int:
    """Where the page begins that ends before `end`: at a message's cut, or with the first record."""
    messages = 0
    for number in range(bisect_left(records, end, key=attrgetter("seq")) - 1, -1, -1):
        if is_message(records[number]):
            messages += 1
            cut = message_cut(records[number]) if messages == max_messages else None
            if cut is not None:
                return cut
    return records[0].seq


def check_page_request(
    before_seq: int | None,
    max_messages: int,
    max_events: int | None,
    max_bytes: int | None,
) -> None:
    """Raise UsageError unless these are what a page can be asked for with; see `select_page`."""
    for name, value, least in (
        ("before_seq", before_seq, 0),
        ("max_messages", max_messages, 1),
        ("max_events", max_events, 1),
        ("max_bytes", max_bytes, 1),
    ):
        if value is None and name != "max_messages":
            continue
        if type(value) is not int or not least <= value <= MAX_SAFE_INTEGER:
            raise UsageError(
                f"bad {name}",
                code=f"bad_{name}",
                found=value,
                expected=f"an integer of at least {least}",
            )
