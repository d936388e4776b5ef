"""TranscriptView: what a client shows of one session, and which page it wants next.

It does no I/O: a driver tells it what happened, hands on the requests it takes from `take_requests`
and reads it.  States: `closed`, `opening` (a load is wanted), `open`.

    input                  what it does
    ---------------------  --------------------------------------------------------------------
    open(), also again     a new generation: a load is wanted; what is shown stays until it comes
    load_older()           wants the page before what is shown; the reader is then at that end
    receive(request, ...)  an answer; ignored unless its request is still waited for
    fail(request, ...)     a refusal, or no answer
    receive_updates(...)   live: what was appended, with the watermark behind it
    follow()               the reader is at the newest end again, whatever has to be loaded for it
    retry(), pass_over()   after a failure: the same page again, or what lies before the record
                           that no page can hold
    close()                everything is dropped

One request is under way at a time.  A page is prepended whole or not at all.  Of what is shown
already nothing is shown twice, and a watermark that was passed is not passed again.

The boundary is the oldest record that is shown: the next page ends before it.  A cursor, which
freezes what it pages, is used while there is one; where the daemon refuses it, the boundary says
the same (nothing starts over).  A page that says that there is more, and gives no new way to it, is
a failure: `has_older` changes by pages that fit, never by an empty one.

Bounds.  An older page that would pass `max_blocks` or `max_bytes` is not shown, and no more are
asked for (`capacity_reached`); the first page always is.  Live updates push out the oldest records,
whole ones, as long as the reader is at the newest end; a reader at the older end keeps what was
loaded, and the newer end is let go instead (`has_newer`) until `follow`.

Pages that nobody asked for, to fill a window, end after `MAX_AUTOMATIC` and after any failure.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from histbench.errors import UsageError
from histbench.transcript.blocks import Block, Blocks, record_of
from histbench.transcript.select import DEFAULT_LIMIT, check_limit
from histbench.transcript.view_requests import (
    Answer,
    RequestKind,
    ViewFailure,
    ViewRequest,
    read_answer,
    update_of,
)

__all__ = ["MAX_AUTOMATIC", "MAX_BLOCKS", "MAX_BYTES", "TranscriptView"]

# What a browser holds without trouble, found by those who first had it.
MAX_BLOCKS, MAX_BYTES = 50_000, 128 << 20
# Pages asked for by nobody, in a row.
MAX_AUTOMATIC = 8
# Trimming goes somewhat further than it must, so that it is not done for every update.
_TRIMMED_TO = 0.9

_CURSOR_REFUSED = "invalid_transcript_cursor"


class TranscriptView:
    """The client's state of one session; see the module.

    Args:
        session_id: whose transcript it is.
        page_size: records to ask for, 1 to 500.
        max_blocks: at least 1.
        max_bytes: of all updates' JSON, at least 1.

    Raises:
        UsageError: `invalid_transcript_limit`, `bad_view_bound`.
    """

    def __init__(
        self,
        session_id: str,
        *,
        page_size: int = DEFAULT_LIMIT,
        max_blocks: int = MAX_BLOCKS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if max_blocks < 1 or max_bytes < 1:
            raise UsageError("a view has to show something", code="bad_view_bound")
        self.session_id = session_id
        self.state: Literal["closed", "opening", "open"] = "closed"
        self.generation = 0
        self._page_size = check_limit(page_size)
        self._bounds = (max_blocks, max_bytes)
        self._number = 0
        self._waiting: ViewRequest | None = None
        self._unsent: list[ViewRequest] = []
        self._forget()

    def _forget(self) -> None:
        self._blocks = Blocks()
        self._boundary: str | None = None
        self._cursor: str | None = None
        self.last_event_id = 0
        self.epoch: str | None = None
        self.has_older = False
        self.has_newer = False
        self.capacity_reached = False
        self.failure: ViewFailure | None = None
        self._notices: dict[str, int] = {}
        self._reader_at: Literal["older", "newer"] = "newer"
        self._automatic = 0

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is shown, oldest first; not to be changed."""
        return tuple(self._blocks.blocks)

    @property
    def byte_size(self) -> int:
        """The bytes of all updates' JSON."""
        return self._blocks.size

    @property
    def boundary(self) -> str | None:
        """The record that the next older page ends before."""
        return self._boundary

    @property
    def loading(self) -> RequestKind | None:
        """What is under way."""
        return self._waiting.kind if self._waiting else None

    @property
    def notices(self) -> Mapping[str, int]:
        """How often something was skipped: `malformed_event`, `already_shown`."""
        return MappingProxyType(self._notices)

    @property
    def can_load_older(self) -> bool:
        """Whether asking for an older page would be of use."""
        latched = self.failure is not None and not self.failure.retryable
        return (
            self.state == "open"
            and self.has_older
            and not (self.capacity_reached or latched or self._waiting)
        )

    def take_requests(self) -> list[ViewRequest]:
        """The requests to send now, each handed out once."""
        unsent, self._unsent = self._unsent, []
        return [request for request in unsent if request is self._waiting]

    def open(self) -> None:
        """Begin, or begin anew: after a lost stream, a resync, or at the newest end again."""
        self.generation += 1
        self.state = "opening"
        self.failure = None
        self._want("load")

    def close(self) -> None:
        """Forget everything; what is still under way will be ignored."""
        self.generation += 1
        self.state = "closed"
        self._waiting, self._unsent = None, []
        self._forget()

    def load_older(self, *, automatic: bool = False) -> bool:
        """Want the page before what is shown; whether it is under way now.

        Args:
            automatic: nobody asked; then it ends after some pages, and after a failure.
        """
        if not self.can_load_older:
            return False
        if automatic and (self.failure is not None or self._automatic >= MAX_AUTOMATIC):
            return False
        self._automatic = self._automatic + 1 if automatic else 0
        if not automatic:
            self._reader_at = "older"
        return self._want_older()

    def follow(self) -> None:
        """Be at the newest end again."""
        self._reader_at = "newer"
        if self.state == "open" and self.has_newer:
            self.open()

    def retry(self) -> None:
        """Ask again for the page that a failure tells of."""
        if self.failure is None or self._waiting is not None or self.state == "closed":
            return
        failure, self.failure = self.failure, None
        if failure.kind == "load":
            self._want("load")
        else:
            self._want_older()

    def pass_over(self) -> None:
        """Go on before the record that no page can hold, and show that it is missing."""
        if self.failure is None or self.failure.beyond is None or self.state != "open":
            return
        self._boundary, self._cursor = self.failure.beyond, None
        missing = Blocks(self._blocks.next_ordinal)
        missing.add("unavailable", None, self.failure.beyond)
        self._blocks.prepend(missing)
        self.failure = None
        self._want_older()

    def _want_older(self) -> bool:
        if self._cursor is None and self._boundary is None:
            self._failed("no_anchor", "nothing that is shown names a record", kind="older")
            return False
        self._want("older")
        return True

    def _want(self, kind: RequestKind) -> None:
        self._number += 1
        older = kind == "older"
        self._waiting = ViewRequest(
            session_id=self.session_id,
            generation=self.generation,
            number=self._number,
            kind=kind,
            limit=self._page_size,
            cursor=self._cursor if older else None,
            before_record_id=self._boundary if older and self._cursor is None else None,
        )
        self._unsent = [self._waiting]

    def _settle(self, request: ViewRequest) -> bool:
        if self._waiting is None or request != self._waiting:
            return False
        self._waiting = None
        return True

    def fail(
        self,
        request: ViewRequest,
        code: str = "request_failed",
        message: str = "no answer",
        *,
        status: int | None = None,
        beyond: str | None = None,
    ) -> bool:
        """Learn that a page will not come; whether it was waited for.

        Args:
            request: which one.
            code: the daemon's, or the driver's.
            message: for people.
            status: of HTTP; None where the connection failed.
            beyond: the daemon's `continueBeforeRecordId`.
        """
        if not self._settle(request):
            return False
        failure = ViewFailure.of_status(request.kind, code, message, status, beyond)
        if request.cursor is not None and self._boundary is not None and not failure.retryable:
            # Whatever the daemon has against the cursor: the boundary names the same page.
            self._cursor = None
            if code == _CURSOR_REFUSED:
                self._want("older")
                return True
        self.failure = failure
        return True

    def _failed(self, code: str, message: str, *, kind: RequestKind) -> None:
        self.failure = ViewFailure(code=code, message=message, kind=kind, retryable=False)

    def receive(self, request: ViewRequest, answer: Mapping[str, Any]) -> bool:
        """Take an answer as the daemon sent it; whether anything is shown by it."""
        if not self._settle(request):
            return False
        page = read_answer(answer)
        fault = _fault_of(page, self.session_id)
        if page is None or fault is not None:
            self._failed(fault or "page_malformed", "the page cannot be shown", kind=request.kind)
            return False
        return self._load(page) if request.kind == "load" else self._prepend(request, page)

    def _load(self, page: Answer) -> bool:
        shown = Blocks(self._blocks.next_ordinal)
        notices = self._notices
        self._forget()
        self._notices = notices
        self._fold(shown, page.updates)
        self._blocks = shown
        self.state = "open"
        self.last_event_id, self.epoch = page.last_event_id, page.epoch
        self.has_older = page.has_more
        self._boundary, self._cursor = page.first_record_id, page.next_cursor
        # A whole first page is shown however large it is; then there is no room for another.
        self.capacity_reached = self._is_over(shown)
        return True

    def _prepend(self, request: ViewRequest, page: Answer) -> bool:
        boundary = page.first_record_id or self._boundary
        moved = boundary != self._boundary or page.next_cursor not in {None, request.cursor}
        if page.has_more and not moved:
            self._failed("page_stalled", "there is more, and no way to it", kind="older")
            return False
        older = Blocks(self._blocks.next_ordinal)
        shown = self._blocks.record_ids()
        fresh = [each for each in page.updates if _record(each) not in shown]
        self._note("already_shown", len(page.updates) - len(fresh))
        self._fold(older, fresh)
        if self._is_over(self._blocks, older):
            self.capacity_reached = True
            return False
        self._blocks.prepend(older)
        self.failure = None
        self.has_older = page.has_more
        self._boundary, self._cursor = boundary, page.next_cursor
        return True

    def receive_updates(
        self,
        events: Iterable[Mapping[str, Any]],
        *,
        last_event_id: int | None = None,
        generation: int,
    ) -> bool:
        """Take what was appended; whether it is shown.

        Args:
            events: what a stream's frames hold, or the session updates in them, oldest first.
            last_event_id: the watermark behind them; None where the stream has none.
            generation: the view's when the stream was opened.
        """
        if self.state != "open" or generation != self.generation:
            return False
        if last_event_id is not None:
            if last_event_id <= self.last_event_id:
                return False
            self.last_event_id = last_event_id
        if self.has_newer:
            return False
        updates = [update_of(event) for event in events]
        if self._reader_at == "older":
            appended = Blocks()
            for update in updates:
                appended.take(update)
            self.has_newer = self._is_over(self._blocks, appended)
            if self.has_newer:
                return False
        self._fold(self._blocks, updates)
        if self._is_over(self._blocks):
            self._make_room()
        return True

    def _make_room(self) -> None:
        max_blocks, max_bytes = self._bounds
        wanted = max(1, int(max_blocks * _TRIMMED_TO)), max(1, int(max_bytes * _TRIMMED_TO))
        dropped = False
        while self._is_over(self._blocks) and self._blocks.drop_oldest(*wanted):
            dropped = True
        if dropped:
            named = self._blocks.blocks[0].record_ids
            self._boundary, self._cursor = named[0] if named else None, None
            self.has_older = True
            self.capacity_reached = False
            if self._waiting is not None and self._waiting.kind == "older":
                # It would end before what was dropped.
                self._waiting = None

    def _fold(self, blocks: Blocks, updates: Iterable[Any]) -> None:
        self._note("malformed_event", sum(not blocks.take(update) for update in updates))

    def _note(self, code: str, count: int) -> None:
        if count:
            self._notices[code] = self._notices.get(code, 0) + count

    def _is_over(self, *shown: Blocks) -> bool:
        max_blocks, max_bytes = self._bounds
        blocks = sum(len(each.blocks) for each in shown)
        return blocks > max_blocks or sum(each.size for each in shown) > max_bytes


def _fault_of(page: Answer | None, session_id: str) -> str | None:
    """Why a page cannot be shown."""
    if page is None:
        return "page_malformed"
    if page.session_id not in {None, session_id}:
        return "page_foreign"
    return "page_partial" if page.partial else None


def _record(update: Any) -> str | None:
    return record_of(update) if isinstance(update, dict) else None
