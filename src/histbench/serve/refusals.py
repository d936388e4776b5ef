"""Errors as answers: one table from code to status, and what an error may say to a stranger.

The body is `{error, code, where?, ...}`.  `where` has line, byte, seq and record id, never a file:
paths of this machine are nobody's business.  A code that the table does not name has the status of
its class.  Damage in a stored session is 422: the request was right, and asking again is no use.
What is no error of ours is 500 with nothing but that.
"""

from collections.abc import Mapping
from typing import Any

from histbench.errors import (
    HistbenchError,
    InvalidCursor,
    LimitExceeded,
    SnapshotUnavailable,
    StorageError,
    UsageError,
)
from histbench.serve.message import Answer, json_bytes

__all__ = ["INTERNAL", "STATUS", "refusal", "status_of"]

STATUS: Mapping[str, int] = {
    "unauthorized": 401,
    "host_not_allowed": 403,
    "origin_not_allowed": 403,
    "subagent_unauthorized": 403,
    "unknown_path": 404,
    "session_not_found": 404,
    "workspace_not_found": 404,
    "history_not_found": 404,
    "subagent_not_found": 404,
    "dictionary_not_found": 404,
    "file_not_found": 404,
    "is_a_directory": 404,
    "outside_root": 404,
    "method_not_allowed": 405,
    "session_conflict": 409,
    "session_archived": 409,
    "session_id": 404,
    "duplicate_session": 409,
    "opposite_suffix": 409,
    "archived_log": 409,
    "log_changed": 409,
    "changed_while_read": 409,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "too_many_streams": 503,
    "stopping": 503,
}

# By class, the most particular first.
_BY_CLASS: tuple[tuple[type[HistbenchError], int], ...] = (
    (UsageError, 400),
    (InvalidCursor, 400),
    (SnapshotUnavailable, 409),
    (LimitExceeded, 413),
    # Denied, or a failing disk: nothing that the caller could do better.
    (StorageError, 503),
    (HistbenchError, 422),
)

_HEADERS: Mapping[str, Mapping[str, str]] = {
    "unauthorized": {"www-authenticate": "Bearer"},
    "too_many_streams": {"retry-after": "5"},
    "stopping": {"retry-after": "5"},
}

INTERNAL = Answer(
    status=500, body=json_bytes({"error": "the daemon has a defect", "code": "internal"})
)


def status_of(error: HistbenchError) -> int:
    """The HTTP status of an error of ours."""
    known = STATUS.get(error.code)
    if known is not None:
        return known
    return next(status for kind, status in _BY_CLASS if isinstance(error, kind))


def refusal(
    error: HistbenchError,
    *,
    more: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """The answer that an error of ours is."""
    body: dict[str, Any] = {"error": _sentence(error), "code": error.code}
    place = {
        name: value
        for name in ("line", "byte", "seq", "record")
        if (value := getattr(error.where, name)) is not None
    }
    if place:
        body["where"] = place
    return Answer(
        status=status_of(error),
        body=json_bytes(body | dict(more or {})),
        headers={**_HEADERS.get(error.code, {}), **(headers or {})},
    )


def _sentence(error: HistbenchError) -> str:
    if isinstance(error, StorageError) or error.expected is None:
        # A file system's message may name a file.
        return error.message
    return f"{error.message} (expected {error.expected})"
