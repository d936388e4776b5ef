"""A whole record, put together from the fragments it was appended in.

The first fragment says what the record is: every field that it has is its own, and later fragments
only add fields it lacks.  Three fields differ:

    message parts    of all fragments, in order
    usageMetadata    the last
    timestamp        the latest that can be read as a time

A fragment that repeats another byte for byte was written twice and says nothing new.  A fragment
that names another parent than the first did is overruled (`parent_conflict`).
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from histbench.errors import InvalidJson, InvalidTranscript
from histbench.transcript.head import RecordHead, read_head, read_json
from histbench.transcript.parts import parts_of

__all__ = [
    "Diagnostic",
    "RecordHead",
    "TranscriptRecord",
    "merge_fragments",
    "read_head",
    "time_of",
]


class Diagnostic(Struct, frozen=True, kw_only=True):
    """Something odd that was read over; docs/errors.md lists the codes."""

    code: str
    record_id: str | None = None
    detail: str = ""


class TranscriptRecord(Struct, frozen=True, kw_only=True):
    """One logical record, whole.

    `value` is the merged JSON value, `raw` the fragments as they are stored, and `source_bytes`
    their length together.
    """

    record_id: str
    parent_id: str | None
    session_id: str | None
    type: str
    subtype: str | None
    timestamp: str | None
    value: dict[str, Any]
    source_bytes: int
    raw: tuple[bytes, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def merge_fragments(raws: Sequence[bytes]) -> TranscriptRecord:
    """The record whose fragments these are, in the order of the file; one is the usual number.

    Raises:
        InvalidJson, InvalidTranscript: a fragment is no record (`read_head`), there is none
            (`no_fragment`), or two have different ids (`mixed_fragments`).
    """
    if not raws:
        raise InvalidTranscript("a record of no fragments", code="no_fragment")
    head = read_head(raws[0])
    diagnostics = [_diagnostic("invalid_utf8", head)] if head.repaired else []
    value = _value(raws[0], head, diagnostics)
    timestamps = [head.timestamp]
    seen = {raws[0]}
    for raw in raws[1:]:
        later = read_head(raw)
        if later.record_id != head.record_id:
            raise InvalidTranscript(
                "fragments of two records",
                code="mixed_fragments",
                found=later.record_id,
                expected=head.record_id,
            )
        if raw in seen:
            diagnostics.append(_diagnostic("fragment_repeated", head))
            continue
        seen.add(raw)
        if later.parent_id != head.parent_id:
            diagnostics.append(_diagnostic("parent_conflict", head, str(later.parent_id)))
        if later.repaired:
            diagnostics.append(_diagnostic("invalid_utf8", head))
        timestamps.append(later.timestamp)
        value = _merged(value, _value(raw, head, diagnostics))
    timestamp = max(timestamps, key=_time_or_never)
    if timestamp is not None and time_of(timestamp) is None:
        diagnostics.append(_diagnostic("timestamp_unreadable", head, timestamp[:40]))
    if len(raws) > 1 and timestamp is not None:
        value["timestamp"] = timestamp
    return TranscriptRecord(
        record_id=head.record_id,
        parent_id=head.parent_id,
        session_id=head.session_id,
        type=head.type,
        subtype=head.subtype,
        timestamp=timestamp,
        value=value,
        source_bytes=sum(map(len, raws)),
        raw=tuple(raws),
        diagnostics=tuple(diagnostics),
    )


def _value(raw: bytes, head: RecordHead, diagnostics: list[Diagnostic]) -> dict[str, Any]:
    """The value of a fragment; what its head says where nobody can hold the rest.

    That are numbers out of every range, and nesting as deep as the stack goes: how deep that is
    depends on who calls, so a head may have been read where the value cannot be.
    """
    try:
        value: dict[str, Any] = read_json(raw)[0]
    except InvalidJson as error:
        diagnostics.append(_diagnostic(error.code, head))
        return {"uuid": head.record_id, "parentUuid": head.parent_id, "type": head.type}
    return value


def _merged(first: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    value = {**later, **first}
    if "usageMetadata" in later:
        value["usageMetadata"] = later["usageMetadata"]
    added = parts_of(later)
    if added:
        message = first.get("message")
        if not isinstance(message, dict):
            value["message"] = later["message"]
        else:
            name = "content" if "content" in message and "parts" not in message else "parts"
            value["message"] = {**message, name: [*parts_of(first), *added]}
    return value


def _time_or_never(timestamp: str | None) -> float:
    time_ms = None if timestamp is None else time_of(timestamp)
    return float("-inf") if time_ms is None else time_ms


def time_of(timestamp: str) -> int | None:
    """The milliseconds since 1970 that an ISO 8601 text names, in UTC where it names no zone.

    >>> time_of("1970-01-01T00:00:01.5Z")
    1500
    """
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round((moment - _EPOCH).total_seconds() * 1000)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _diagnostic(code: str, head: RecordHead, detail: str = "") -> Diagnostic:
    return Diagnostic(code=code, record_id=head.record_id, detail=detail)
