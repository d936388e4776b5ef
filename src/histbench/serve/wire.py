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
