"""Storage records: a row, or an ordinary event kept as the JSON text it came in.

A log of a session has two kinds of lines.  Rows are read by `codec`'s grammar.  Everything else is
an ordinary event, of which a reader usually wants three things: its type, its seq and its time;
`Plain` has those and leaves the rest as text until somebody asks for the event.

A line is read in one of two ways.  The fast one lets msgspec check the shape while it parses and
proves the columns on their raw bytes (`raw_columns`); it accepts only what is canonical.  Anything
it is not sure of, a `1.0`, a space, a lone surrogate, goes the slow way through `jsontext` and
`codec.check_row`, which decides, and words the refusal.
"""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from histbench.codec import check_row, split_delta
from histbench.errors import InvalidEvent, InvalidRow, Place
from histbench.events import (
    DELTA_KINDS,
    KIND_BY_DELTA,
    KIND_BY_TAG,
    MAX_SAFE_INTEGER,
    DeltaKind,
    Event,
    safe_integer,
)
from histbench.jsontext import check_skipped, decode, encode_strictly, js_number
from histbench.raw_columns import proved_gaps, proved_texts
from histbench.rows import CHUNK_TYPE, ListRow, Row, RowHead

__all__ = [
    "DeltaData",
    "Plain",
    "Record",
    "StoredRow",
    "delta_of_plain",
    "event_of_json",
    "plain_of_delta",
    "read_line",
    "read_value",
    "record_events",
    "record_json",
    "row_of_delta",
    "row_of_stored",
]


class Plain(Struct, frozen=True, kw_only=True, gc=False):
    """An ordinary event: its JSON text, and the three fields that every reader needs.

    `raw` is UTF-8 JSON as it was stored, not necessarily canonical; `time` is milliseconds.
    """

    type: str
    seq: int
    time: int | float
    raw: bytes
    view: bytes | None = None

    @property
    def count(self) -> int:
        """An ordinary record holds one event."""
        return 1

    @property
    def end_seq(self) -> int:
        """One past the event's seq."""
        return self.seq + 1

    def event(self) -> Event:
        """The event, a new dict at each call."""
        event: Event = decode(self.raw)
        return event


Record = Plain | Row


class _StoredData(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    turn: int | float
    step: int | float
    index: int | float
    dt: Raw
    texts: Raw | UnsetType = UNSET
    args: Raw | UnsetType = UNSET
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class StoredRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The wire shape of a row, its columns still raw; `row_of_stored` proves and names them."""

    type: str
    seq0: int
    time0: int
    data: _StoredData


class _TextChunk(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag="text-delta"):
    index: int | float
    text: str


class _ReasoningChunk(_TextChunk, frozen=True, tag="reasoning-delta", gc=False):
    pass


class _CallChunk(Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag="tool-call-delta"):
    index: int | float
    id: str
    argumentsDelta: str  # noqa: N815 - the wire's name
    name: str | UnsetType = UNSET


class DeltaData(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The parsed `data` of a packable delta; `row_of_delta` gives its row of one member."""

    turn: int | float
    step: int | float
    chunk: _TextChunk | _ReasoningChunk | _CallChunk


class _DeltaLine(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    type: Literal["assistant/chunk"]
    seq: int
    time: int
    data: DeltaData


class _PlainLine(Struct, frozen=True, gc=False):
    type: str
    seq: int
    time: int | float


class _ChunkType(Struct, frozen=True, gc=False):
    type: str


class _ChunkData(Struct, frozen=True, gc=False):
    chunk: _ChunkType


class _ChunkLine(Struct, frozen=True, gc=False):
    data: _ChunkData


_row_decoder = msgspec.json.Decoder(StoredRow)
_delta_decoder = msgspec.json.Decoder(_DeltaLine)
_plain_decoder = msgspec.json.Decoder(_PlainLine)
_chunk_decoder = msgspec.json.Decoder(_ChunkLine)

_TEXT, _REASONING, _CALL = DELTA_KINDS
_TAGS = ", ".join(KIND_BY_TAG)

# Rows that msgspec may read at once are told by how the original begins them.
_ROW_STARTS = tuple(f'{{"type":"{tag}","seq0":'.encode() for tag in KIND_BY_TAG)
# A quote inside a string has a backslash before it, so only a delta's chunk type ends like this.
_DELTA_MARK = b'-delta","index":'

# What msgspec raises where it cannot tell: `1.0`, a lone surrogate, another shape, deep nesting.
_UNSURE = (msgspec.DecodeError, RecursionError)


def read_line(line: bytes) -> Plain | RowHead:
    """The record that one stored line holds (no newline); a single delta is a row of one member.

    Raises:
        InvalidJson: the line is not JSON, or not UTF-8.
        InvalidRow: the line has a row's tag and breaks the grammar.
        InvalidEvent: the value is no event (`event_shape`, `event_type`, `event_seq`,
            `event_time`).
    """
    if line.startswith(_ROW_STARTS):
        try:
            return row_of_stored(_row_decoder.decode(line))
        except _UNSURE:
            return read_value(decode(line), line)
    if _DELTA_MARK in line:
        try:
            parsed = _delta_decoder.decode(line)
            delta = row_of_delta(parsed.seq, parsed.time, parsed.data)
            if delta is not None:
                return delta
        except _UNSURE:
            pass
    plain = _plain_of_json(line)
    if plain is None:
        return read_value(decode(line), line)
    delta = delta_of_plain(plain)
    return plain if delta is None else delta


def event_of_json(raw: bytes, view: bytes | None = None) -> Plain:
    """The ordinary record of one event's JSON text, which may be a delta but no row.

    Raises:
        InvalidJson, InvalidRow, InvalidEvent: as `read_line`; a row is refused (`event_type`).
    """
    plain = _plain_of_json(raw)
    if plain is None:
        record = read_value(decode(raw), raw)
        if isinstance(record, Row):
            raise InvalidEvent(
                "a packed row is no event",
                code="event_type",
                where=Place(seq=record.seq0),
                found=record.kind.tag,
            )
        plain = record if isinstance(record, Plain) else plain_of_delta(record, raw)
    if view is None:
        return plain
    check_skipped(view)
    return msgspec.structs.replace(plain, view=view)


def _plain_of_json(raw: bytes) -> Plain | None:
    """The record of an event's JSON text; None for a row, or where only the slow way can tell."""
    try:
        head = _plain_decoder.decode(raw)
    except _UNSURE:
        return None
    if (
        head.type in KIND_BY_TAG
        or type(head.time) is not int
        or not 0 <= head.seq <= MAX_SAFE_INTEGER
        or not -MAX_SAFE_INTEGER <= head.time <= MAX_SAFE_INTEGER
    ):
        return None
    check_skipped(raw)
    return Plain(type=head.type, seq=head.seq, time=head.time, raw=raw)


def delta_of_plain(record: Plain) -> ListRow | None:
    """The packable delta that an ordinary record holds, as a row of one member."""
    if record.type != CHUNK_TYPE:
        return None
    try:
        if _chunk_decoder.decode(record.raw).data.chunk.type not in KIND_BY_DELTA:
            return None
        parsed = _delta_decoder.decode(record.raw)
        delta = row_of_delta(parsed.seq, parsed.time, parsed.data)
    except _UNSURE:
        delta = None
    return split_delta(record.event()) if delta is None else delta


def plain_of_delta(delta: RowHead, raw: bytes | None = None) -> Plain:
    """A row of one member as an ordinary record, with its own JSON text where there is one."""
    if raw is None:
        (raw,) = delta.event_jsons()
    return Plain(type=CHUNK_TYPE, seq=delta.seq0, time=delta.time0, raw=raw)


def read_value(value: Any, raw: bytes | None = None) -> Plain | RowHead:
    """The record that a stored JSON value holds; `raw` is its text where there is one.

    Raises:
        InvalidRow, InvalidEvent: as `read_line`.
        InvalidJson: the value is an event that JSON cannot hold.
    """
    if not isinstance(value, dict):
        raise InvalidEvent("not an event", code="event_shape", found=value, expected="an object")
    kind = value.get("type")
    if not isinstance(kind, str):
        raise InvalidEvent("bad event type", code="event_type", found=kind, expected="a string")
    if kind in KIND_BY_TAG:
        return Row.of(check_row(value, KIND_BY_TAG[kind]))
    delta = split_delta(value)
    if delta is not None:
        return delta
    seq, time = safe_integer(value.get("seq")), js_number(value.get("time"))
    if seq is None or seq < 0:
        found = value.get("seq")
        expected = "a non-negative safe integer"
        raise InvalidEvent("bad event seq", code="event_seq", found=found, expected=expected)
    if time is None:
        found = value.get("time")
        where = Place(seq=seq)
        raise InvalidEvent(
            "bad event time", code="event_time", where=where, found=found, expected="a number"
        )
    return Plain(type=kind, seq=seq, time=time, raw=encode_strictly(value) if raw is None else raw)


def row_of_stored(stored: StoredRow) -> Row:
    """The row of a parsed storage line or wire record; its columns are proved, or read.

    Raises:
        InvalidRow: a rule of the grammar is broken, or the tag is none of a row (`row_tag`).
        InvalidJson: a column is not UTF-8.
    """
    kind = KIND_BY_TAG.get(stored.type)
    if kind is None:
        raise InvalidRow("unknown row tag", code="row_tag", found=stored.type, expected=_TAGS)
    row = _proved_row(stored, kind)
    return Row.of(check_row(_value_of_stored(stored), kind)) if row is None else row


def _value_of_stored(stored: StoredRow) -> dict[str, Any]:
    """The JSON value that was parsed as `stored`."""
    value: dict[str, Any] = msgspec.structs.asdict(stored)
    value["data"] = {
        key: decode(bytes(field)) if isinstance(field, Raw) else field
        for key, field in msgspec.structs.asdict(stored.data).items()
        if field is not UNSET
    }
    return value


def _proved_row(stored: StoredRow, kind: DeltaKind) -> Row | None:
    """The row, if its columns are proved canonical; None when only the slow way can tell."""
    data = stored.data
    column, other = (data.args, data.texts) if kind.is_call else (data.texts, data.args)
    if isinstance(column, UnsetType) or other is not UNSET or (data.id is UNSET) == kind.is_call:
        return None
    if not kind.is_call and data.name is not UNSET:
        return None
    texts, gaps = bytes(column), bytes(data.dt)
    count = proved_texts(texts)
    if (
        count is None
        or not 0 <= stored.seq0 <= MAX_SAFE_INTEGER - (count - 1)
        or not -MAX_SAFE_INTEGER <= stored.time0 <= MAX_SAFE_INTEGER
        or not proved_gaps(gaps, count, stored.time0)
    ):
        return None
    turn, step, index = js_number(data.turn), js_number(data.step), js_number(data.index)
    if turn is None or step is None or index is None:
        return None
    return Row(
        kind=kind,
        seq0=stored.seq0,
        time0=stored.time0,
        turn=turn,
        step=step,
        index=index,
        call_id=data.id if isinstance(data.id, str) else None,
        name=data.name if isinstance(data.name, str) else None,
        count=count,
        gaps=gaps,
        texts=texts,
    )


def row_of_delta(seq: int, time: int, data: DeltaData) -> ListRow | None:
    """A parsed delta as a row of one member; None when a number is not a plain safe integer."""
    chunk = data.chunk
    if not (
        0 <= seq <= MAX_SAFE_INTEGER
        and -MAX_SAFE_INTEGER <= time <= MAX_SAFE_INTEGER
        and type(data.turn) is type(data.step) is type(chunk.index) is int
        and min(data.turn, data.step, chunk.index) >= -MAX_SAFE_INTEGER
        and max(data.turn, data.step, chunk.index) <= MAX_SAFE_INTEGER
    ):
        return None
    call_id = name = None
    if isinstance(chunk, _CallChunk):
        kind, call_id, text = _CALL, chunk.id, chunk.argumentsDelta
        name = chunk.name if isinstance(chunk.name, str) else None
    else:
        kind, text = _REASONING if isinstance(chunk, _ReasoningChunk) else _TEXT, chunk.text
    return ListRow(
        kind=kind,
        seq0=seq,
        time0=time,
        turn=data.turn,
        step=data.step,
        index=chunk.index,
        call_id=call_id,
        name=name,
        count=1,
        gaps=[],
        texts=[text],
    )


def record_json(record: Record) -> bytes:
    """The storage line of a record, without a newline."""
    return record.raw if isinstance(record, Plain) else record.json()


def record_events(record: Plain | RowHead) -> list[Event]:
    """The logical events of a record, as new dicts."""
    return [record.event()] if isinstance(record, Plain) else record.events()
