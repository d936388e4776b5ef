"""The shapes that answers have on the wire, as types: what is sent, and what the document promises.

Field names become camelCase.  A field that is unset is left out, never null.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "Capabilities",
    "ErrorBody",
    "ErrorPlace",
    "Health",
    "SessionList",
    "SessionSummary",
]

Count = Annotated[int, Meta(ge=0)]


class _Wire(Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class ErrorPlace(_Wire, frozen=True, kw_only=True):
    """Where in a session something was found."""

    line: int | UnsetType = UNSET
    byte: int | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    record: str | UnsetType = UNSET


class ErrorBody(_Wire, frozen=True, kw_only=True):
    """Every refusal.  `code` is stable; with a page that is too large come the last three."""

    error: str
    code: str
    where: ErrorPlace | UnsetType = UNSET
    page_bytes: Count | UnsetType = UNSET
    max_bytes: Count | UnsetType = UNSET
    continue_before_record_id: str | UnsetType = UNSET


class Health(_Wire, frozen=True, kw_only=True):
    """The daemon answers."""

    ok: Literal[True] = True


class Capabilities(_Wire, frozen=True, kw_only=True):
    """What this daemon can do, and its bounds."""

    v: Literal[1] = 1
    service: Literal["histbench"] = "histbench"
    version: str
    features: tuple[str, ...]
    forms: tuple[str, ...]
    encodings: tuple[str, ...]
    limits: dict[str, int]


class SessionSummary(_Wire, frozen=True, kw_only=True):
    """One session; `createdAt` and the three behind it are what a log's header says."""

    session_id: str
    kind: Literal["log", "transcript"]
    workspace: str
    file_bytes: Count
    modified_ms: int
    created_at: Any | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    parent_session: str | UnsetType = UNSET
    origin: str | UnsetType = UNSET


class SessionList(_Wire, frozen=True, kw_only=True):
    """The newest sessions, how many there are, and how often which fault was met on the way."""

    v: Literal[1] = 1
    sessions: tuple[SessionSummary, ...]
    total: Count
    has_more: bool
    faults: dict[str, int]


class SessionUpdate(_Wire, frozen=True, kw_only=True, tag_field="type", tag="session_update"):
    """One event: `data` is a session update of the Agent Client Protocol."""

    v: Literal[1] = 1
    data: dict[str, Any]


class Noted(_Wire, frozen=True, kw_only=True):
    """Something that a replay could not show as it is."""

    code: str
    record_id: str | UnsetType = UNSET
    detail: str


class TranscriptGap(_Wire, frozen=True, kw_only=True):
    """The first record of the conversation names one before it that is not there."""

    child_record_id: str
    missing_record_id: str


class TranscriptAnswer(_Wire, frozen=True, kw_only=True):
    """A page of a transcript, its events oldest first.

    The page next to it is asked for with `nextCursor`, or with the first record's id as
    `beforeRecordId`, or the last one's as `afterRecordId`.
    """

    v: Literal[1] = 1
    session_id: str
    events: tuple[SessionUpdate, ...]
    has_more: bool
    next_cursor: str | UnsetType = UNSET
    start_time: str | UnsetType = UNSET
    last_updated: str | UnsetType = UNSET
    first_record_id: str | UnsetType = UNSET
    last_record_id: str | UnsetType = UNSET
    partial: Literal[True] | UnsetType = UNSET
    replay_error: str | UnsetType = UNSET
    target_record_id: str | UnsetType = UNSET
    has_older: bool | UnsetType = UNSET
    gap: TranscriptGap | UnsetType = UNSET
    diagnostics: tuple[Noted, ...] | UnsetType = UNSET


class Turn(_Wire, frozen=True, kw_only=True):
    """One turn; `turnId` is the record that begins it."""

    ordinal: Count
    turn_id: str
    kind: str
    prompt_id: str | UnsetType = UNSET
    timestamp: str | UnsetType = UNSET
    label: str
    detail: str


class TurnIndexAnswer(_Wire, frozen=True, kw_only=True):
    """Turns `[start, start + length)` of the state that `snapshot` names."""

    v: Literal[1] = 1
    session_id: str
    snapshot: str
    total_turns: Count
    start: Count
    turns: tuple[Turn, ...]


class SearchHitAnswer(_Wire, frozen=True, kw_only=True):
    """A record that shows the text, and the text around it."""

    record_id: str
    type: str
    timestamp: str | UnsetType = UNSET
    preview: str


class SearchAnswer(_Wire, frozen=True, kw_only=True):
    """Hits, the newest first; `next` is where to search on."""

    v: Literal[1] = 1
    session_id: str
    hits: tuple[SearchHitAnswer, ...]
    has_more: bool
    next: str | UnsetType = UNSET


class Truncated(_Wire, frozen=True, kw_only=True):
    """Older history is left out here; it comes before `recordId`."""

    reason: Literal["replay_window_exceeded"] = "replay_window_exceeded"
    retained_events: Count
    max_events: Count
    max_bytes: Count
    record_id: str | UnsetType = UNSET
    full_transcript_available: Literal[True] = True


class TruncatedEvent(_Wire, frozen=True, kw_only=True, tag_field="type", tag="history_truncated"):
    """Comes before the events of a load that does not hold everything."""

    v: Literal[1] = 1
    data: Truncated


class LoadAnswer(_Wire, frozen=True, kw_only=True):
    """A session as it was at `lastEventId`; events go on from there under `eventEpoch`."""

    v: Literal[1] = 1
    session_id: str
    workspace_cwd: str | UnsetType = UNSET
    attached: Literal[False] = False
    created_at: Any | UnsetType = UNSET
    state: dict[str, Any] = {}
    compacted_replay: tuple[SessionUpdate | TruncatedEvent, ...]
    live_journal: tuple[SessionUpdate, ...] = ()
    history_has_more: bool
    history_anchor_record_id: str | UnsetType = UNSET
    last_event_id: Count
    event_epoch: str
    partial: Literal[True] | UnsetType = UNSET
    replay_error: str | UnsetType = UNSET
    diagnostics: tuple[Noted, ...] | UnsetType = UNSET
