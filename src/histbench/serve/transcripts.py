"""Pages, turns and search of a transcript: what its reader gives, replayed as session updates.

    /session/{id}/transcript                   forward from the first record, unless it is said how
    /workspace/{ws}/session/{id}/transcript    the same, for the session in that workspace
    /session/{id}/turn-index, /search          where to go

A forward page hands the state of its replay on in its cursor, so that calls and results on two
pages stay one call.  A backward page begins with none.  A call whose result is not on the page
stays in progress: nobody here knows whether its writer is gone.

A page past the hard limit is refused with the record that it begins with: what lies before that
record can still be asked for.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from histbench.errors import HistbenchError, LimitExceeded, SnapshotUnavailable
from histbench.serve.desk import Desk
from histbench.serve.message import Answer, Call, json_bytes
from histbench.serve.parameters import Parameter
from histbench.serve.refusals import refusal
from histbench.serve.sessions import Session
from histbench.serve.settings import KIB
from histbench.serve.wire import (
    Noted,
    SearchAnswer,
    SearchHitAnswer,
    SessionUpdate,
    TranscriptAnswer,
    TranscriptGap,
    Turn,
    TurnIndexAnswer,
)
from histbench.transcript.replay import Replayed, ReplayState, replay_updates
from histbench.transcript.select import DEFAULT_LIMIT, MAX_LIMIT
from histbench.transcript_file.pages import TranscriptPage
from histbench.transcript_file.reader import TranscriptReader

__all__ = [
    "SEARCH_PARAMETERS",
    "TRANSCRIPT_PARAMETERS",
    "TURN_PARAMETERS",
    "check_owner",
    "noted",
    "page_too_large",
    "replayed_page",
    "search",
    "stamped",
    "transcript",
    "turn_index",
]

_CURSOR = "invalid_transcript_cursor"
_LIMIT = Parameter(
    name="limit",
    code="invalid_transcript_limit",
    minimum=1,
    maximum=MAX_LIMIT,
    default=DEFAULT_LIMIT,
    description="How many records a page aims at.",
)


def _text(name: str, description: str, *, code: str = _CURSOR, most: int = 200) -> Parameter:
    return Parameter(name=name, kind="text", code=code, max_length=most, description=description)


_SNAPSHOT = _text("snapshot", "The state that a turn index was given for.", most=64 * KIB)

TRANSCRIPT_PARAMETERS = (
    _LIMIT,
    Parameter(
        name="direction",
        kind="choice",
        code=_CURSOR,
        choices=("forward", "backward"),
        description="From the first record on (the default), or back from the last.",
    ),
    _text("beforeRecordId", "Backward, from before this record."),
    _text("afterRecordId", "Forward, from behind this record."),
    _text("atRecordId", "Forward, around this turn; its id is from a turn index."),
    _text("cursor", "The nextCursor of the page before; nothing else but limit.", most=64 * KIB),
    _SNAPSHOT,
)

TURN_PARAMETERS = (
    Parameter(
        name="start", code=_CURSOR, description="The first turn's ordinal; only with a snapshot."
    ),
    Parameter(
        name="limit",
        code="invalid_transcript_limit",
        minimum=1,
        maximum=MAX_LIMIT,
        default=DEFAULT_LIMIT,
        description="How many turns.",
    ),
    _SNAPSHOT,
)

SEARCH_PARAMETERS = (
    Parameter(
        name="text",
        kind="text",
        code="empty_search",
        max_length=500,
        required=True,
        description="What a record must show, whatever its case.",
    ),
    Parameter(
        name="limit",
        code="invalid_transcript_limit",
        minimum=1,
        maximum=MAX_LIMIT,
        default=20,
        description="How many records.",
    ),
    _text("before", "Only records before this one; the `next` of the page before."),
)


def transcript(desk: Desk, call: Call) -> Answer:
    """The page that was asked for.

    Raises:
        UsageError, InvalidCursor, SnapshotUnavailable, StorageError: see `TranscriptReader.page`.
    """
    session = desk.sessions.find(call.path["id"], workspace=call.path.get("workspace"))
    query = {
        "direction": call.text("direction"),
        "before_record_id": call.text("beforeRecordId"),
        "after_record_id": call.text("afterRecordId"),
        "at_record_id": call.text("atRecordId"),
        "cursor": call.text("cursor"),
        "snapshot": call.text("snapshot"),
    }
    if not any(query.values()):
        query["direction"] = "forward"
    limit = call.integer("limit") or DEFAULT_LIMIT
    with desk.transcripts.borrow(session.path) as reader:
        try:
            page = reader.page(limit, **query)  # type: ignore[arg-type]
        except LimitExceeded as error:
            return page_too_large(desk, error)
        check_owner(session, page.session_id)
        backward = query["direction"] == "backward" or query["before_record_id"] is not None
        body = json_bytes(_answer(desk, reader, session, page, backward=backward))
    frozen = query["cursor"] is not None or query["snapshot"] is not None
    return Answer(body=body, keep="frozen" if frozen else "newest")


def check_owner(session: Session, session_id: str | None) -> None:
    """Raise SnapshotUnavailable when the records name another session than their file does."""
    if session_id not in {None, session.session_id}:
        raise SnapshotUnavailable("the records are of another session", found=session_id)


def page_too_large(desk: Desk, error: LimitExceeded) -> Answer:
    """The refusal of a page, with where a client can go on.

    Raises:
        LimitExceeded: the error itself, when it is another.
    """
    if error.code != "transcript_page_too_large":
        raise error
    more: dict[str, Any] = {"pageBytes": error.found, "maxBytes": desk.settings.page_hard}
    if error.where.record is not None:
        more["continueBeforeRecordId"] = error.where.record
    return refusal(error, more=more)


def replayed_page(desk: Desk, page: TranscriptPage, *, state: ReplayState | None) -> Replayed:
    """The updates of a page's records; its calls stay open."""
    return replay_updates(
        page.records,
        state=state,
        finalize=not page.has_more,
        gap_children=() if page.gap is None else (page.gap.child_id,),
        max_updates=desk.settings.load_updates,
        max_bytes=desk.settings.page_hard,
    )


def stamped(replayed: Replayed) -> tuple[SessionUpdate, ...]:
    """Updates in the envelope of an event."""
    return tuple(SessionUpdate(data=update) for update in replayed.updates)


def noted(replayed: Replayed) -> Any:
    """What could not be shown of a page, or nothing."""
    found = tuple(
        Noted(code=each.code, record_id=each.record_id or UNSET, detail=each.detail)
        for each in replayed.diagnostics
    )
    return found or UNSET


def _answer(
    desk: Desk,
    reader: TranscriptReader,
    session: Session,
    page: TranscriptPage,
    *,
    backward: bool,
) -> TranscriptAnswer:
    carried = page.replay if isinstance(page.replay, Mapping) else None
    state = None if carried is None else ReplayState.from_json(carried)
    replayed = replayed_page(desk, page, state=state)
    shown = page.records[: replayed.consumed]
    cursor = None if replayed.partial else page.next_cursor
    if cursor is not None and not backward:
        cursor = _with_state(reader, cursor, replayed.state)
    return TranscriptAnswer(
        session_id=session.session_id,
        events=stamped(replayed),
        has_more=page.has_more,
        next_cursor=cursor or UNSET,
        start_time=page.start_time or UNSET,
        last_updated=page.last_updated,
        first_record_id=shown[0].record_id if shown else UNSET,
        last_record_id=shown[-1].record_id if shown else UNSET,
        partial=True if replayed.partial else UNSET,
        replay_error=replayed.error or UNSET,
        target_record_id=page.target_record_id or UNSET,
        has_older=UNSET if page.has_older is None else page.has_older,
        gap=UNSET
        if page.gap is None
        else TranscriptGap(
            child_record_id=page.gap.child_id, missing_record_id=page.gap.missing_parent_id
        ),
        diagnostics=noted(replayed),
    )


def _with_state(reader: TranscriptReader, cursor: str, state: ReplayState) -> str:
    """A forward cursor that carries the replay's state; without it where it does not fit."""
    try:
        return reader.with_replay(cursor, state.to_json())
    except HistbenchError:
        # Calls across the next bound are then shown as two; a page is worth more.
        return cursor


def turn_index(desk: Desk, call: Call) -> Answer:
    """A page of the session's turns.

    Raises:
        UsageError, InvalidCursor, SnapshotUnavailable, StorageError: see `TranscriptReader.turns`.
    """
    session = desk.sessions.find(call.path["id"])
    with desk.transcripts.borrow(session.path) as reader:
        page = reader.turns(
            call.integer("start"), call.integer("limit") or DEFAULT_LIMIT, call.text("snapshot")
        )
        check_owner(session, page.session_id)
    answer = TurnIndexAnswer(
        session_id=session.session_id,
        snapshot=page.snapshot,
        total_turns=page.total_turns,
        start=page.start,
        turns=tuple(
            Turn(
                ordinal=turn.ordinal,
                turn_id=turn.turn_id,
                kind=turn.kind,
                prompt_id=turn.prompt_id or UNSET,
                timestamp=turn.timestamp or UNSET,
                label=turn.label,
                detail=turn.detail,
            )
            for turn in page.turns
        ),
    )
    frozen = call.text("snapshot") is not None
    return Answer(body=json_bytes(answer), keep="frozen" if frozen else "newest")


def search(desk: Desk, call: Call) -> Answer:
    """The newest records that show a text.

    Raises:
        UsageError, InvalidCursor, StorageError: see `TranscriptReader.search`.
    """
    session = desk.sessions.find(call.path["id"])
    with desk.transcripts.borrow(session.path) as reader:
        page = reader.search(
            str(call.text("text")), call.integer("limit") or 1, call.text("before")
        )
    answer = SearchAnswer(
        session_id=session.session_id,
        hits=tuple(
            SearchHitAnswer(
                record_id=hit.record_id,
                type=hit.type,
                timestamp=hit.timestamp or UNSET,
                preview=hit.preview,
            )
            for hit in page.hits
        ),
        next=page.next_before or UNSET,
        has_more=page.next_before is not None,
    )
    return Answer(body=json_bytes(answer))
