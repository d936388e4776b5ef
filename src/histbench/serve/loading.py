"""`POST /session/{id}/load`: the newest history, and the place behind it where events go on.

Page and place are of one state of the file, read at once: nothing that is appended meanwhile is in
neither or in both.  With `historyPageSize` the answer holds one page.  Without, it holds page after
page back to the first record, as far as the daemon's envelope goes; what does not fit is told by a
`history_truncated` event in front, with the record that older pages come before.

Nothing is started or attached: the daemon reads files.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from histbench.errors import LimitExceeded, StorageError, UsageError
from histbench.serve.desk import Desk
from histbench.serve.epoch import epoch_of
from histbench.serve.message import Answer, Call, json_bytes
from histbench.serve.sessions import Session
from histbench.serve.settings import Settings
from histbench.serve.transcripts import (
    check_owner,
    noted,
    page_too_large,
    replayed_page,
    stamped,
)
from histbench.serve.wire import LoadAnswer, SessionUpdate, Truncated, TruncatedEvent
from histbench.transcript.select import MAX_LIMIT
from histbench.transcript_file.pages import TranscriptPage
from histbench.transcript_file.reader import TranscriptReader

__all__ = ["load"]

_OPTIONS = (
    "cwd",
    "historyPageSize",
    "compactedReplayMode",
    "liveReplayMode",
    "approvalMode",
    "sourceType",
    "sourceId",
)
_MODES = ("full", "summary")
_ATTEMPTS = 5
# Hardly any record has more; one with some hundred parts makes the answer `partial`.
_UPDATES_A_RECORD = 20


def load(desk: Desk, call: Call) -> Answer:
    """The session as it is.

    Raises:
        UsageError: `invalid_transcript_limit`, `unknown_parameter`, `bad_parameter`,
            `invalid_compacted_replay_mode`, `invalid_live_replay_mode`.
        SnapshotUnavailable, StorageError: see `TranscriptReader.page`.
    """
    size = _options(call.body)
    session = desk.sessions.find(call.path["id"])
    with desk.transcripts.borrow(session.path) as reader:
        try:
            answer = _load(desk, reader, session, size)
        except LimitExceeded as error:
            return page_too_large(desk, error)
    return Answer(body=json_bytes(answer))


def _options(body: Mapping[str, Any]) -> int | None:
    """The page size that a body asks for."""
    unknown = body.keys() - set(_OPTIONS)
    if unknown:
        raise UsageError("unknown option", code="unknown_parameter", expected=", ".join(_OPTIONS))
    size = body.get("historyPageSize")
    if size is not None and not (type(size) is int and 1 <= size <= MAX_LIMIT):
        raise UsageError(
            "bad historyPageSize",
            code="invalid_transcript_limit",
            found=size,
            expected=f"an integer from 1 to {MAX_LIMIT}",
        )
    if body.get("compactedReplayMode", "full") not in _MODES:
        raise UsageError("no such mode", code="invalid_compacted_replay_mode")
    if body.get("liveReplayMode", "full") not in _MODES:
        raise UsageError("no such mode", code="invalid_live_replay_mode")
    for name in ("cwd", "approvalMode", "sourceType", "sourceId"):
        if not isinstance(body.get(name, ""), str):
            raise UsageError(f"bad {name}", code="bad_parameter", expected="text")
    return size


def _load(desk: Desk, reader: TranscriptReader, session: Session, size: int | None) -> LoadAnswer:
    page, epoch = _newest(reader, session, size or _whole_limit(desk.settings))
    check_owner(session, page.session_id)
    last_event_id = page.end
    replayed = replayed_page(desk, page, state=None)
    events = stamped(replayed)
    anchor = page.records[0].record_id if page.records else None
    error = replayed.error
    if size is None and error is None:
        events, anchor, page = _older(desk, reader, page, events, anchor)
    marker: tuple[TruncatedEvent, ...] = ()
    if size is None and page.has_more:
        marker = (TruncatedEvent(data=_truncated(desk, len(events), anchor)),)
    header = session.header
    return LoadAnswer(
        session_id=session.session_id,
        workspace_cwd=header["cwd"] if isinstance(header.get("cwd"), str) else UNSET,
        created_at=header.get("createdAt", page.start_time or UNSET),
        compacted_replay=(*marker, *events),
        history_has_more=page.has_more,
        history_anchor_record_id=anchor or UNSET,
        last_event_id=last_event_id,
        event_epoch=epoch,
        partial=True if error is not None else UNSET,
        replay_error=error or UNSET,
        diagnostics=noted(replayed),
    )


def _newest(reader: TranscriptReader, session: Session, limit: int) -> tuple[TranscriptPage, str]:
    """The newest page, and the epoch of the file that it is from."""
    for _ in range(_ATTEMPTS):
        before = reader.identity
        page = reader.page(limit, "backward")
        if reader.identity == before:
            return page, epoch_of(session, before)
    raise StorageError("the file is replaced again and again", code="changed_while_read")


def _older(
    desk: Desk,
    reader: TranscriptReader,
    page: TranscriptPage,
    events: tuple[SessionUpdate, ...],
    anchor: str | None,
) -> tuple[tuple[SessionUpdate, ...], str | None, TranscriptPage]:
    """Page after page of the same state in front of `events`, while all of it fits."""
    settings = desk.settings
    parts = [events]
    updates, size = len(events), len(json_bytes(events))
    while page.next_cursor is not None:
        older = reader.page(_whole_limit(settings), cursor=page.next_cursor)
        replayed = replayed_page(desk, older, state=None)
        shown = stamped(replayed)
        updates += len(shown)
        size += len(json_bytes(shown))
        if replayed.partial or updates > settings.load_updates or size > settings.load_bytes:
            break
        parts.append(shown)
        page = older
        anchor = page.records[0].record_id if page.records else anchor
    return tuple(event for part in reversed(parts) for event in part), anchor, page


def _whole_limit(settings: Settings) -> int:
    """The limit of pages of which the first always fits the envelope of a whole load."""
    return max(1, min(MAX_LIMIT, settings.load_updates // _UPDATES_A_RECORD))


def _truncated(desk: Desk, retained: int, anchor: str | None) -> Truncated:
    return Truncated(
        retained_events=retained,
        max_events=desk.settings.load_updates,
        max_bytes=desk.settings.load_bytes,
        record_id=anchor or UNSET,
    )
