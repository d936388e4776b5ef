"""What a TranscriptView asks a daemon for, what it understands of the answers, and its failures.

A request names the session, the generation and a number, so that an answer counts only if it is to
the very request that is waited for.  Answers are read as the daemon sends them (docs: transcript);
what is missing or of another type in one is as if it were not there.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from histbench.transcript.blocks import Update, record_of

__all__ = ["Answer", "RequestKind", "ViewFailure", "ViewRequest", "read_answer", "update_of"]

# load: the newest page with its watermark; older: the page before what is shown.
RequestKind = Literal["load", "older"]

# Statuses that asking again may change; no status is a connection that failed.
_PASSING = frozenset({408, 429})


class ViewRequest(Struct, frozen=True, kw_only=True):
    """A page that the view wants."""

    session_id: str
    generation: int
    number: int
    kind: RequestKind
    limit: int
    cursor: str | None = None
    before_record_id: str | None = None

    def parameters(self) -> dict[str, Any]:
        """A load's body, or an older page's query."""
        if self.kind == "load":
            return {"historyPageSize": self.limit}
        if self.cursor is not None:
            return {"cursor": self.cursor, "limit": self.limit}
        return {"beforeRecordId": self.before_record_id, "limit": self.limit}


class ViewFailure(Struct, frozen=True, kw_only=True):
    """Why a wanted page is not shown.

    A failure that is not `retryable` stays until `TranscriptView.retry`.  Besides the daemon's
    codes: `request_failed`, `page_partial` (a part of it could not be made), `page_foreign` (of
    another session), `page_stalled` (more is said to come, and no way to it), `page_malformed`,
    `no_anchor` (nothing that is shown names a record).  `beyond` is a record that no page can hold;
    what comes before it can be had.
    """

    code: str
    message: str
    kind: RequestKind
    retryable: bool
    beyond: str | None = None

    @classmethod
    def of_status(
        cls, kind: RequestKind, code: str, message: str, status: int | None, beyond: str | None
    ) -> "ViewFailure":
        """The failure that a refusal is."""
        retryable = status is None or status >= 500 or status in _PASSING
        return cls(code=code, message=message, kind=kind, retryable=retryable, beyond=beyond)


class Answer(Struct, frozen=True, kw_only=True):
    """A load's or a page's answer; `updates` may hold what is no update, for a notice."""

    session_id: str | None
    updates: list[Any]
    has_more: bool
    next_cursor: str | None
    first_record_id: str | None
    partial: bool
    last_event_id: int
    epoch: str | None


def read_answer(value: Any) -> Answer | None:
    """What an answer says; None for what is none."""
    if not isinstance(value, Mapping):
        return None
    loaded = "compactedReplay" in value
    events = [*_list(value, "compactedReplay"), *_list(value, "liveJournal")]
    events = events if loaded else _list(value, "events")
    updates, marker = [], None
    for event in events:
        kind = event.get("type") if isinstance(event, Mapping) else None
        if kind == "history_truncated":
            marker = event.get("data")
        else:
            updates.append(update_of(event) if kind == "session_update" else None)
    left_out = isinstance(marker, Mapping)
    first = _text(value, "firstRecordId") or _first_record(updates)
    if loaded and left_out and first is None:
        first = _text(marker, "recordId")
    last = value.get("lastEventId")
    return Answer(
        session_id=_text(value, "sessionId"),
        updates=updates,
        has_more=left_out or value.get("historyHasMore" if loaded else "hasMore") is True,
        next_cursor=_text(value, "nextCursor"),
        first_record_id=first or _text(value, "historyAnchorRecordId"),
        partial=value.get("partial") is True or _text(value, "replayError") is not None,
        last_event_id=last if type(last) is int else 0,
        epoch=_text(value, "eventEpoch"),
    )


def update_of(event: Any) -> Any:
    """The update in an event of a stream or an answer; anything else as it is."""
    wrapped = isinstance(event, Mapping) and event.get("type") == "session_update"
    return event.get("data") if wrapped else event


def _first_record(updates: list[Update | None]) -> str | None:
    named = (record_of(update) for update in updates if isinstance(update, dict))
    return next((each for each in named if each is not None), None)


def _list(value: Mapping[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    return list(found) if isinstance(found, list | tuple) else []


def _text(value: Any, name: str) -> str | None:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) and found else None
