"""The head of a record: what it is and what it follows, read without its payload.

A record is a JSON object with `uuid`, `parentUuid` and `type`.  It is appended once, whole or in
fragments: several objects with one uuid, of which the first says what the record is.

    head            said by
    --------------  ------------------------------------------------------------------------------
    record_id       uuid, a text that is not empty
    parent_id       parentUuid, null at a root.  Where a root names its logicalParentUuid (a file
                    that was compacted), that is its parent: an edge that was written, not guessed
    leaf_rank       2 main conversation; 1 side record (isSidechain); 0 bookkeeping, which never
                    ends a chain: session_artifact_*, session_sources_snapshot, managed_session_*
                    and types that nobody knows.  They may all lie *on* a chain, as parents
    tool_result     type tool_result, or a user's record with tool_result blocks
    turn_start      type user, no tool result, not written in the user's name (isMeta,
                    isCompactSummary), and of no subtype of `NO_TURN_START`
    page_start      assistant or turn start, but no realtime_message: a safe cut for tool pairs
    navigation      what a person would jump to: `prompt`, `realtime` or `scheduled` (a cron turn
                    that shows a text); None where there is nothing to be seen
    side_task       a system's session_source whose payload's sourceType is side_task: what comes
                    before it is another session's (`chain`)
    inherited       copied from another session, which forkedFrom names

Bytes that are no UTF-8 are read as U+FFFD, as the programs that wrote the file read them; the head
says so (`repaired`).  Nothing of a record's bytes is ever changed.
"""

import json
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from histbench.errors import InvalidJson, InvalidTranscript, Place
from histbench.jsontext import check_utf8, decode
from histbench.transcript.parts import (
    display_text,
    has_attachment,
    has_result,
    in_users_name,
    parts_of,
    shown_text,
)

__all__ = ["NO_TURN_START", "Navigation", "RecordHead", "read_head", "read_json"]

Navigation = Literal["prompt", "realtime", "scheduled"]

# Subtypes of a user's record that continue a turn, or that begin one nobody asked for.
NO_TURN_START = frozenset(
    {
        "agent_mention",
        "agent_message",
        "cron",
        "goal_runtime",
        "mid_turn_user_message",
        "notification",
    }
)
_KNOWN_TYPES = frozenset({"assistant", "system", "tool_result", "user"})
_BOOKKEEPING = frozenset(
    {"session_artifact_event", "session_artifact_snapshot", "session_sources_snapshot"}
)
_BOOKKEEPING_PREFIX = "managed_session_"
_SOURCE = "session_source"


class RecordHead(Struct, frozen=True, kw_only=True):
    """What one physical record says about itself; see the module."""

    record_id: str
    parent_id: str | None
    session_id: str | None
    type: str
    subtype: str | None
    timestamp: str | None
    leaf_rank: int
    turn_start: bool
    page_start: bool
    tool_result: bool
    navigation: Navigation | None
    side_task: bool = False
    inherited: bool = False
    repaired: bool = False

    @property
    def conversation(self) -> bool:
        """Whether the record belongs to the main conversation, so that a chain may end with it."""
        return self.leaf_rank == 2

    @property
    def side(self) -> bool:
        """Whether it belongs to a side conversation, which is a file's own where it has no other."""
        return self.leaf_rank == 1


class _Wire(Struct, rename="camel"):
    uuid: str = ""
    parent_uuid: str | UnsetType | None = UNSET
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    type: str | UnsetType = UNSET
    subtype: str | None = None
    timestamp: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    forked_from: Raw | None = None
    message: Raw | UnsetType = UNSET
    system_payload: Raw | UnsetType = UNSET


class _Block(Struct):
    type: str | None = None


class _Message(Struct):
    content: list[_Block] | UnsetType = UNSET


# Takes any number, for what has to be read beside it.
_numberless_decoder = json.JSONDecoder(parse_int=len, parse_float=len)
_wire_decoder = msgspec.json.Decoder(_Wire)
_message_decoder = msgspec.json.Decoder(_Message)
# Where msgspec is stricter than a reader of these files may be, or cannot say why it refuses.
_UNSURE = (msgspec.DecodeError, RecursionError, UnicodeEncodeError)


def read_head(raw: bytes) -> RecordHead:
    r"""The head of one JSON text.

    Raises:
        InvalidJson: it is not JSON, or nests too deeply (see `jsontext.decode`).
        InvalidTranscript: it is JSON, but `not_an_object`, has neither uuid nor parent
            (`not_a_record`), or one that is none (`record_id`, `record_parent`, `record_type`,
            `record_session`).

    >>> read_head(b'{"uuid":"b","parentUuid":"a","type":"assistant"}').page_start
    True
    """
    try:
        wire = _wire_decoder.decode(raw)
        # What was skipped may hold numbers that nobody can; a head does not depend on them.
        check_utf8(raw)
        if wire.uuid and wire.session_id != "" and UNSET not in (wire.parent_uuid, wire.type):
            return _head_of_wire(wire)
    except (*_UNSURE, InvalidJson):
        pass
    return _read_slowly(raw)


def _read_slowly(raw: bytes) -> RecordHead:
    try:
        value, repaired = read_json(raw)
    except InvalidJson as error:
        if error.code != "number_out_of_range":
            raise
        value, repaired = _read_without_numbers(raw)
    return _head_of_value(value, repaired=repaired)


def _read_without_numbers(raw: bytes) -> tuple[Any, bool]:
    try:
        text, repaired = raw.decode(), False
    except UnicodeDecodeError:
        text, repaired = raw.decode("utf-8", "replace"), True
    try:
        return _numberless_decoder.decode(text), repaired
    except RecursionError:
        raise InvalidJson("nested too deeply", code="too_deep") from None


def read_json(raw: bytes) -> tuple[Any, bool]:
    """The value of a record's JSON text, and whether bytes that are no UTF-8 were replaced.

    Raises:
        InvalidJson: it is not JSON that anyone can hold.
    """
    try:
        return decode(raw), False
    except InvalidJson as error:
        if error.code != "invalid_utf8":
            raise
    return decode(raw.decode("utf-8", "replace")), True


def _head_of_wire(wire: _Wire) -> RecordHead:
    # Only what a user's record holds decides anything; tool results, the big ones, are peeked at.
    value: dict[str, Any] = {"type": wire.type}
    carries_result = False
    if wire.type == "user":
        carries_result = _peek_result(wire.message)
        value |= {"isMeta": wire.is_meta, "isCompactSummary": wire.is_compact_summary}
        if not carries_result:
            for name, part in (("message", wire.message), ("systemPayload", wire.system_payload)):
                if isinstance(part, Raw):
                    value[name] = decode(bytes(part))
    elif wire.subtype == _SOURCE and isinstance(wire.system_payload, Raw):
        value["systemPayload"] = decode(bytes(wire.system_payload))
    return _head(
        wire.uuid,
        wire.parent_uuid or wire.logical_parent_uuid or None,
        value,
        session_id=wire.session_id,
        subtype=wire.subtype,
        timestamp=wire.timestamp,
        side=wire.is_sidechain is True,
        carries_result=carries_result,
        inherited=wire.forked_from is not None,
    )


def _peek_result(message: Raw | UnsetType) -> bool:
    if message is UNSET:
        return False
    try:
        blocks = _message_decoder.decode(message).content
    except _UNSURE:
        return False
    return blocks is not UNSET and any(block.type == "tool_result" for block in blocks)


def _head_of_value(value: Any, *, repaired: bool) -> RecordHead:
    if not isinstance(value, dict):
        raise InvalidTranscript("not a JSON object", code="not_an_object", found=value)
    if "uuid" not in value and "parentUuid" not in value:
        raise InvalidTranscript(
            "an object that is no record", code="not_a_record", found=value.get("type")
        )
    record_id = value.get("uuid")
    if not isinstance(record_id, str) or not record_id or not _is_text(record_id):
        raise InvalidTranscript(
            "a record without an id", code="record_id", found=record_id, expected="a uuid"
        )
    where = Place(record=record_id)
    parent_id, logical = value.get("parentUuid", UNSET), value.get("logicalParentUuid")
    if parent_id is not None and not _is_text(parent_id):
        raise InvalidTranscript(
            "a record that does not say what it follows",
            code="record_parent",
            where=where,
            expected="parentUuid, a text or null",
        )
    session_id, kind = value.get("sessionId"), value.get("type")
    if not _is_text(kind):
        raise InvalidTranscript(
            "a record without a type", code="record_type", where=where, found=kind
        )
    if session_id is not None and (not _is_text(session_id) or not session_id):
        raise InvalidTranscript(
            "a session id that is none", code="record_session", where=where, found=session_id
        )
    subtype, timestamp = value.get("subtype"), value.get("timestamp")
    return _head(
        record_id,
        parent_id or (logical if _is_text(logical) else None) or None,
        value,
        session_id=session_id,
        subtype=subtype if _is_text(subtype) else None,
        timestamp=timestamp if _is_text(timestamp) else None,
        side=value.get("isSidechain") is True,
        carries_result=kind == "user" and has_result(parts_of(value)),
        inherited=value.get("forkedFrom") is not None,
        repaired=repaired,
    )


def _head(
    record_id: str,
    parent_id: str | None,
    value: dict[str, Any],
    *,
    session_id: str | None,
    subtype: str | None,
    timestamp: str | None,
    side: bool,
    carries_result: bool,
    inherited: bool,
    repaired: bool = False,
) -> RecordHead:
    kind = value["type"]
    asked = kind == "user" and not carries_result
    turn_start = asked and subtype not in NO_TURN_START and not in_users_name(value)
    realtime = subtype == "realtime_message"
    return RecordHead(
        record_id=record_id,
        parent_id=parent_id,
        session_id=session_id,
        type=kind,
        subtype=subtype,
        timestamp=timestamp,
        leaf_rank=_leaf_rank(kind, subtype, side=side),
        turn_start=turn_start,
        page_start=(turn_start or kind == "assistant") and not realtime,
        tool_result=carries_result or kind == "tool_result",
        navigation=_navigation(value, subtype, turn_start=turn_start) if asked else None,
        side_task=kind == "system" and subtype == _SOURCE and _begins_side_task(value),
        inherited=inherited,
        repaired=repaired,
    )


def _leaf_rank(kind: str, subtype: str | None, *, side: bool) -> int:
    if kind not in _KNOWN_TYPES:
        return 0
    if subtype is not None and (subtype in _BOOKKEEPING or subtype.startswith(_BOOKKEEPING_PREFIX)):
        return 0
    return 1 if side else 2


def _begins_side_task(value: dict[str, Any]) -> bool:
    payload = value.get("systemPayload")
    return isinstance(payload, dict) and payload.get("sourceType") == "side_task"


def _navigation(
    value: dict[str, Any], subtype: str | None, *, turn_start: bool
) -> Navigation | None:
    if subtype == "cron":
        return "scheduled" if display_text(value).strip() else None
    if not turn_start or not (shown_text(value).strip() or has_attachment(parts_of(value))):
        return None
    return "realtime" if subtype == "realtime_message" else "prompt"


def _is_text(value: Any) -> bool:
    """Whether it is a string that can be stored and sent: half of a surrogate pair cannot."""
    if not isinstance(value, str):
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False
