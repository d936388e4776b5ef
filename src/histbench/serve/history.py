"""`/session/{id}/history` and the same for a subagent: a page of a session log in one of the forms.

Pages are `select_page`'s (docs: history).  The daemon has budgets of its own, which a request may
lower and never raise; a page that one of them ended says so in `cut`, and chains like any other.
"""

from typing import Any

from histbench.errors import LimitExceeded, UsageError
from histbench.history import FORMS, HistoryPage, authorise_subagent, encode_page, find_descriptor
from histbench.history.select import DEFAULT_MAX_MESSAGES
from histbench.serve.desk import Desk
from histbench.serve.epoch import epoch_of
from histbench.serve.message import Answer, Call
from histbench.serve.parameters import Parameter
from histbench.serve.sessions import Session, revision_of
from histbench.serve.settings import MIB
from histbench.store import LogFile

__all__ = ["HISTORY_PARAMETERS", "SUBAGENT_PARAMETERS", "history", "subagent_history"]

# Three times the largest published sample, packed; its raw form has 65 MB.
MAX_EVENTS = 500_000
MAX_BYTES = 32 * MIB

# A child's descriptor stands among its first events; it is looked for in stretches of so many.
_DESCRIPTOR_EVENTS = 4096

HISTORY_PARAMETERS = (
    Parameter(
        name="beforeSeq",
        code="bad_before_seq",
        description="End before this seq; the newest page without it.",
    ),
    Parameter(
        name="maxMessages",
        code="bad_max_messages",
        minimum=1,
        default=DEFAULT_MAX_MESSAGES,
        description="Begin at so many messages from the end, with what the first was made from.",
    ),
    Parameter(
        name="maxEvents",
        code="bad_max_events",
        minimum=1,
        description=f"At most so many events; never more than {MAX_EVENTS:,}.",
    ),
    Parameter(
        name="maxBytes",
        code="bad_max_bytes",
        minimum=1,
        description=f"At most so many bytes of the packed form; never more than {MAX_BYTES:,}.",
    ),
    Parameter(
        name="form",
        kind="choice",
        code="unknown_form",
        choices=tuple(FORMS),
        default="packed",
        description="How the page is spelled.",
    ),
)

SUBAGENT_PARAMETERS = (
    Parameter(
        name="mode",
        kind="choice",
        code="bad_request",
        choices=("one-shot", "continuable"),
        required=True,
        description="The mode in which the parent started the child.",
    ),
    *HISTORY_PARAMETERS,
)


def history(desk: Desk, call: Call) -> Answer:
    """The page that was asked for.

    Raises:
        UsageError: `history_not_found` for a session that has a transcript instead.
        LimitExceeded: `page_too_large`, one event alone that is longer than any client takes.
        HistbenchError: the session is not there, or its log is damaged.
    """
    session = _log_of(desk.sessions.find(call.path["id"]))
    asked = epoch_of(session, session.identity), tuple(sorted(call.values.items()))

    def make() -> Answer:
        with desk.logs.borrow(session.path) as log:
            return _page(desk, call, log)

    return desk.pages.answer(asked, revision_of(session.path), make)


def subagent_history(desk: Desk, call: Call) -> Answer:
    """The same of a child, for the parent that started it.

    Raises:
        As `history`, and what `authorise_subagent` raises.
    """
    child_id = call.path["child"]
    session = _log_of(desk.sessions.find(child_id))
    with desk.logs.borrow(session.path) as log:
        authorise_subagent(
            parent_id=call.path["id"],
            child_id=child_id,
            mode=str(call.text("mode")),
            header=log.header,
            descriptor=_descriptor(log),
        )
        return _page(desk, call, log)


def _log_of(session: Session) -> Session:
    if session.kind != "log":
        raise UsageError(
            "the session is no log: it has a transcript and no history", code="history_not_found"
        )
    return session


def _descriptor(log: LogFile) -> Any:
    start = 0
    while True:
        stretch = log.interval(start, start + _DESCRIPTOR_EVENTS)
        found = find_descriptor(stretch)
        if found is not None or stretch.to_seq < start + _DESCRIPTOR_EVENTS:
            return found
        start = stretch.to_seq


def _page(desk: Desk, call: Call, log: LogFile) -> Answer:
    before_seq = call.integer("beforeSeq")
    page = log.page(
        before_seq=before_seq,
        max_messages=call.integer("maxMessages") or DEFAULT_MAX_MESSAGES,
        max_events=min(call.integer("maxEvents") or MAX_EVENTS, MAX_EVENTS),
        max_bytes=min(call.integer("maxBytes") or MAX_BYTES, MAX_BYTES),
    )
    body = encode_page(page, str(call.text("form")))
    if len(body) > desk.settings.history_hard:
        raise LimitExceeded(
            "the page is too large",
            code="page_too_large",
            found=len(body),
            expected=f"at most {desk.settings.history_hard} bytes; ask for fewer events",
        )
    return Answer(body=body, keep="frozen" if _is_frozen(page, before_seq) else "newest")


def _is_frozen(page: HistoryPage, before_seq: int | None) -> bool:
    # What lies before a seq that the log has reached is there for good.
    return before_seq is not None and before_seq == page.to_seq
