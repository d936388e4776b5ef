"""HistoryWindow: what a client knows of one session's log, and which pages it wants next.

The window is always one interval `[from_seq, to_seq)` of the log, or empty.  It does no I/O: a
driver tells it what happened, hands on the requests it takes from `take_requests`, and reads it.
Watermarks alone say what touches what; nobody looks at the seqs of compact inputs, which have gaps.

States: `closed`, `opening` (the newest page is wanted), `open`.

    input                   what it does
    ----------------------  -------------------------------------------------------------------
    open(), also again      a new generation: all is dropped, the newest page wanted
    receive_event(event)    live frame: taken when it follows the window, kept aside when it is
                            ahead of it or the window is still opening, dropped when it is known
    log_ends_at(to_seq)     the host's word on its log (subscribed, heartbeat), for lost frames
    load_older()            wants the page that ends where the window begins
    follow(), load_newer()  want the log's end, or the page that begins where the window ends,
                            after the newer end was let go
    receive(request, page)  a reply; ignored unless its request is still waited for
    fail(request, message)  no reply will come: a fault is shown until `retry()`
    close()                 everything is dropped

Gaps.  Behind the log's end, the window wants the newest page once.  If that overlaps or touches,
the window grows by the rest of it.  If not, the window becomes that page; but a reader who has
asked for older pages keeps them, the newer end is let go (`has_newer`), and `follow` brings it back.

Faults.  A page that does not fit is dropped and told (`faults`, by kind of request).  It never
means that there is no more: `has_more` changes by pages that fit, and by trimming.

Retention.  With `retain_events`, the end that the reader did not ask at last is trimmed, down to
that many events beside the page that was asked for last.  That page is never trimmed while the
reader stays at its end; under a reader at the older end the live end is let go instead.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from histbench.errors import InvalidEvent, UsageError
from histbench.events import Event
from histbench.fold.compact import Input, compact_inputs
from histbench.history.page import HistoryPage, PageRecord, Projections
from histbench.history.select import DEFAULT_MAX_MESSAGES, check_page_request
from histbench.history.window_interval import Interval, records_between
from histbench.history.window_requests import Fault, PageRequest, RequestKind, Requests
from histbench.records import Plain, read_line, read_value, record_events
from histbench.rows import ListRow

__all__ = ["HistoryWindow"]

# Frames kept aside during a gap.  Beyond, the page that closes the gap brings them anyway.
_ASIDE_EVENTS = 4096

# Events asked for towards the newer end, where pages are not aligned to messages.
_NEWER_EVENTS = 1024

# The gap is closed when this is told, so only a retry or another page ends it.
_REWRITTEN = Fault(
    code="history_rewritten",
    message="the host tells other events than it did before",
    kind="newest",
)


class HistoryWindow:
    """The client's state of one session; see the module.

    Args:
        session_id: whose log it is; it is part of every request.
        max_messages, max_events, max_bytes: what to ask for in a page (`select_page`).
        retain_events: how much to keep beside the page asked for last; None keeps everything.
    """

    def __init__(
        self,
        session_id: str,
        *,
        max_messages: int = DEFAULT_MAX_MESSAGES,
        max_events: int | None = None,
        max_bytes: int | None = None,
        retain_events: int | None = None,
    ) -> None:
        check_page_request(None, max_messages, max_events, max_bytes)
        if retain_events is not None and retain_events < 0:
            raise UsageError("bad retain_events", code="bad_retain_events", found=retain_events)
        self.state: Literal["closed", "opening", "open"] = "closed"
        # Counts how often the window became another interval instead of growing or shrinking.
        self.epoch = 0
        self.has_more = False
        self.projections: Projections | None = None
        self._limits = (max_messages, max_events, max_bytes)
        self._retain_events = retain_events
        self._requests = Requests(session_id)
        self._interval = Interval()
        # One past the last seq that the host is known to have.
        self._known_to_seq = 0
        self._aside: dict[int, PageRecord] = {}
        # The end that the reader asked at last, and how many events that page had.
        self._reader_at: Literal["older", "newer"] = "newer"
        self._asked_events = 0
        # Whether the newer end was let go: live events then pass by.
        self._detached = False
        self._newer_events = _NEWER_EVENTS

    @property
    def session_id(self) -> str:
        """Whose log it is."""
        return self._requests.session_id

    @property
    def generation(self) -> int:
        """Counts how often the window was opened or closed; frames and requests carry it."""
        return self._requests.generation

    @property
    def from_seq(self) -> int:
        """The first seq of the window."""
        return self._interval.from_seq

    @property
    def to_seq(self) -> int:
        """One past the last seq of the window."""
        return self._interval.to_seq

    @property
    def has_newer(self) -> bool:
        """Whether the host is known to have events beyond the window."""
        return self.to_seq < self._known_to_seq

    @property
    def faults(self) -> Mapping[RequestKind, Fault]:
        """What went wrong and was not made good yet, by the kind of page that is missing."""
        return MappingProxyType(self._requests.faults)

    @property
    def waiting(self) -> tuple[PageRequest, ...]:
        """The requests whose replies would count."""
        return tuple(self._requests.waiting.values())

    def take_requests(self) -> list[PageRequest]:
        """The requests to send now, each handed out once."""
        return self._requests.take()

    def records(self) -> tuple[PageRecord, ...]:
        """The window's records, rows unexpanded; they cover `[from_seq, to_seq)`."""
        return self._interval.records()

    def events(self) -> list[Event]:
        """The window's logical events, new dicts."""
        return [event for record in self.records() for event in record_events(record)]

    def inputs(self) -> list[Input]:
        """The window's compact inputs, for a fold; their seqs say nothing of its bounds."""
        return compact_inputs(self.records())

    def open(self) -> None:
        """Begin, or begin anew after a lost connection: nothing of an earlier generation stays."""
        self._drop_all()
        self.state = "opening"
        self._want("newest")

    def close(self) -> None:
        """Forget everything; replies and frames still under way will be ignored."""
        self._drop_all()
        self.state = "closed"

    def _drop_all(self) -> None:
        self._requests.begin()
        self._interval.replace((), 0, 0)
        self.epoch += 1
        self.has_more, self.projections = False, None
        self._known_to_seq, self._aside = 0, {}
        self._reader_at, self._asked_events, self._detached = "newer", 0, False

    def log_ends_at(self, to_seq: int, *, generation: int) -> None:
        """Learn how far the host's log reaches."""
        if generation == self.generation and self.state != "closed":
            self._learn(to_seq)

    def receive_event(self, event: Event | bytes, *, generation: int) -> bool:
        """Take one live frame, a dict or its JSON text; whether the window grew by it.

        Raises:
            InvalidEvent, InvalidJson: the frame is no event, a row for example; nothing changed.
        """
        record = read_line(event) if isinstance(event, bytes) else read_value(event)
        if not isinstance(record, Plain | ListRow):
            raise InvalidEvent("a frame holds one event", code="event_type", found=record.kind.tag)
        if generation != self.generation or self.state == "closed" or record.seq < self.to_seq:
            return False
        follows = self.state == "open" and not self._detached and record.seq == self.to_seq
        if follows:
            self._interval.append(record)
            self._take_aside()
        elif not self._detached and len(self._aside) < _ASIDE_EVENTS:
            self._aside[record.seq] = record
        self._learn(record.end_seq)
        if follows:
            self._trim()
        return follows

    def load_older(self) -> None:
        """Want the page before the window, if there is one and it is not under way."""
        if self.state == "open" and self.has_more:
            self._stay_at("older")
            self._want("older")

    def load_newer(self) -> None:
        """Want the page after the window, if the newer end was let go."""
        if self.state == "open" and self._detached:
            self._stay_at("newer")
            self._newer_events = self._limits[1] or _NEWER_EVENTS
            self._want("newer")

    def follow(self) -> None:
        """Be at the log's end again, whatever has to be let go for it."""
        if self.state == "open":
            self._stay_at("newer")
            if self._detached:
                self._requests.cancel("newer")
                self._want("newest")

    def retry(self) -> None:
        """Ask again for every page that a fault tells of."""
        kinds = list(self._requests.faults)
        self._requests.faults.clear()
        if "newest" in kinds and (self.state == "opening" or self.has_newer):
            self._want("newest")
        if "older" in kinds:
            self.load_older()
        elif "newer" in kinds:
            self.load_newer()

    def fail(self, request: PageRequest, message: str = "no reply") -> bool:
        """Learn that a request will not be answered; whether it was waited for."""
        waited = self._requests.settle(request)
        if waited:
            self._requests.fail(request.kind, "request_failed", message)
        return waited

    def receive(self, request: PageRequest, page: HistoryPage) -> bool:
        """Take a reply; whether the window took anything from it.

        Raises:
            UsageError: the page is of a lossy form (`lossy_page`).
        """
        if not page.covered:
            raise UsageError("a lossy page covers no interval", code="lossy_page")
        if not self._requests.settle(request):
            return False
        if page.from_seq == page.to_seq and page.has_more:
            self._requests.fail(request.kind, "page_empty", "an empty page, and more before it")
            return False
        if request.kind == "older":
            return self._receive_older(page)
        if request.kind == "newer":
            return self._receive_newer(page)
        return self._receive_newest(page)

    def _receive_older(self, page: HistoryPage) -> bool:
        if page.to_seq != self.from_seq:
            found = f"the page ends at {page.to_seq}, the window begins at {self.from_seq}"
            self._requests.fail("older", "page_discontinuous", found)
            return False
        self._interval.prepend(page.records, page.from_seq)
        self.has_more = page.has_more
        self._asked_events = page.to_seq - page.from_seq
        self._trim()
        return True

    def _receive_newer(self, page: HistoryPage) -> bool:
        if page.from_seq > self.to_seq and self._newer_events > 1:
            # Cut by bytes: fewer events may fit.
            self._newer_events //= 2
            self._want("newer")
            return False
        if not page.from_seq <= self.to_seq < page.to_seq:
            found = (
                f"the page holds {page.from_seq} to {page.to_seq}, the window ends at {self.to_seq}"
            )
            self._requests.fail("newer", "page_discontinuous", found)
            return False
        self._detached = page.to_seq < self._known_to_seq
        self._asked_events = page.to_seq - self.to_seq
        self._grow_newer(page)
        return True

    def _receive_newest(self, page: HistoryPage) -> bool:
        self.projections = page.projections or self.projections
        if self.state == "opening":
            self.state = "open"
            self._become(page)
            return True
        if self._reader_at == "newer" or page.from_seq <= self.to_seq < page.to_seq:
            self._detached = False
        if page.to_seq <= self.to_seq:
            if self.has_newer and not self._detached:
                found = f"the newest page ends at {page.to_seq} of {self._known_to_seq}"
                self._requests.fail("newest", "gap_unrepaired", found)
            return False
        if page.from_seq <= self.to_seq:
            self._grow_newer(page)
            return True
        if self._reader_at == "older":
            self._let_go_of_newer()
            self._learn(page.to_seq)
            return False
        self._become(page)
        return True

    def _become(self, page: HistoryPage) -> None:
        """Hold this newest page instead of what was held, and what came live after it."""
        self._requests.cancel("older", "newer")
        self._interval.replace(page.records, page.from_seq, page.to_seq)
        self.epoch += 1
        self.has_more = page.has_more
        self._reader_at, self._detached = "newer", False
        self._asked_events = page.to_seq - page.from_seq
        self._forget_aside()
        self._take_aside()
        self._learn(page.to_seq)

    def _grow_newer(self, page: HistoryPage) -> None:
        """Take from a page that touches or overlaps the window what lies beyond it."""
        if not self._interval.agrees(page.records, page.from_seq, page.to_seq):
            self._known_to_seq = page.to_seq
            self._become(page)
            self._requests.faults["newest"] = _REWRITTEN
            return
        beyond = records_between(page.records, self.to_seq, page.to_seq)
        self._interval.extend(beyond, page.to_seq)
        self._forget_aside()
        self._take_aside()
        self._learn(page.to_seq)
        self._trim()

    def _take_aside(self) -> None:
        """Append the frames kept aside that now follow."""
        while (record := self._aside.pop(self.to_seq, None)) is not None:
            self._interval.append(record)

    def _forget_aside(self) -> None:
        """Drop the frames kept aside that a page has brought."""
        self._aside = {seq: each for seq, each in self._aside.items() if seq >= self.to_seq}

    def _learn(self, to_seq: int) -> None:
        """The host's log reaches at least to `to_seq`; ask for what the window lacks of it."""
        self._known_to_seq = max(self._known_to_seq, to_seq)
        if self.state != "open" or self._detached:
            return
        if self.has_newer:
            self._want("newest")
        elif self._requests.faults.get("newest") != _REWRITTEN:
            self._requests.faults.pop("newest", None)

    def _trim(self) -> None:
        if self._retain_events is None:
            return
        keep = self._retain_events + self._asked_events
        if self._reader_at == "older":
            if self._interval.drop_newest(keep):
                self._let_go_of_newer()
        elif self._interval.drop_oldest(keep):
            self.has_more = True

    def _let_go_of_newer(self) -> None:
        """Live events pass by from now on; nothing beyond the window is missing."""
        self._detached = True
        self._aside = {}
        self._requests.cancel("newest")

    def _stay_at(self, end: Literal["older", "newer"]) -> None:
        """The reader asks at this end: a page under way for the other one no longer counts."""
        self._reader_at = end
        self._requests.cancel("newer" if end == "older" else "older")

    def _want(self, kind: RequestKind) -> None:
        max_messages, max_events, max_bytes = self._limits
        before_seq = self.from_seq if kind == "older" else None
        if kind == "newer":
            # As many messages as events: only the number of events cuts, which is known here.
            max_messages = max_events = self._newer_events
            before_seq = self.to_seq + self._newer_events
        self._requests.ask(
            kind,
            before_seq=before_seq,
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
        )
