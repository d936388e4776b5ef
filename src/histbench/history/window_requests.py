"""What a HistoryWindow asks for, and what it shows when it was not given it.

A request names the session, the generation and its own number, so that a reply can be told from
one to an earlier request, an earlier connection or another session: a reply counts only if its
request is the very one that the window still waits for.
"""

from typing import Literal

from msgspec import Struct

__all__ = ["Fault", "PageRequest", "RequestKind", "Requests"]

# newest: the log's newest page; older, newer: the page next to the window on that side.
RequestKind = Literal["newest", "older", "newer"]


class PageRequest(Struct, frozen=True, kw_only=True):
    """A page that the window wants; the four last fields are `select_page`'s arguments."""

    session_id: str
    generation: int
    number: int
    kind: RequestKind
    before_seq: int | None
    max_messages: int
    max_events: int | None
    max_bytes: int | None

    def parameters(self) -> dict[str, int]:
        """The request as the wire has it (docs: history, "Requests"), what is not set left out."""
        named = {
            "beforeSeq": self.before_seq,
            "maxMessages": self.max_messages,
            "maxEvents": self.max_events,
            "maxBytes": self.max_bytes,
        }
        return {name: value for name, value in named.items() if value is not None}


class Fault(Struct, frozen=True, kw_only=True):
    """Why a wanted page is not in the window; it is shown until a retry or a better reply.

    Codes: `page_discontinuous` (it does not end where the window begins), `page_empty` (nothing in
    it although there is more), `gap_unrepaired` (the host does not serve what it has announced),
    `history_rewritten` (the host now tells other events for seqs that the window held; the window
    has taken the host's), `request_failed` (no reply; `message` is the driver's).
    """

    code: str
    message: str
    kind: RequestKind


class Requests:
    """The requests of one window, at most one of each kind, and the faults of those that failed."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.generation = 0
        self.waiting: dict[RequestKind, PageRequest] = {}
        self.faults: dict[RequestKind, Fault] = {}
        self._number = 0
        self._unsent: list[PageRequest] = []

    def begin(self) -> None:
        """Start a new generation: no earlier request is waited for."""
        self.generation += 1
        self.waiting, self.faults, self._unsent = {}, {}, []

    def ask(
        self,
        kind: RequestKind,
        *,
        before_seq: int | None,
        max_messages: int,
        max_events: int | None,
        max_bytes: int | None,
    ) -> None:
        """Want this page, unless one of its kind is under way."""
        if kind in self.waiting:
            return
        self.faults.pop(kind, None)
        self._number += 1
        request = PageRequest(
            session_id=self.session_id,
            generation=self.generation,
            number=self._number,
            kind=kind,
            before_seq=before_seq,
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
        )
        self.waiting[kind] = request
        self._unsent.append(request)

    def take(self) -> list[PageRequest]:
        """The requests to send now, each handed out once."""
        unsent, self._unsent = self._unsent, []
        return [request for request in unsent if self.waiting.get(request.kind) == request]

    def settle(self, request: PageRequest) -> bool:
        """Stop waiting for a request; False when it was not waited for."""
        if self.waiting.get(request.kind) != request:
            return False
        del self.waiting[request.kind]
        return True

    def cancel(self, *kinds: RequestKind) -> None:
        """Wait no longer for requests of these kinds; what they were to repair is no fault."""
        for kind in kinds:
            self.waiting.pop(kind, None)
            self.faults.pop(kind, None)

    def fail(self, kind: RequestKind, code: str, message: str) -> None:
        """Keep a fault of this kind in sight."""
        self.faults[kind] = Fault(code=code, message=message, kind=kind)
