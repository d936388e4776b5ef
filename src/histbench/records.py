"""Storage records: a row, or an ordinary event kept as the JSON text it came in.

A log of a session has two kinds of lines.  Rows are read by `codec`'s grammar.  Everything else is
an ordinary event, of which a reader usually wants three things: its type, its seq and its time;
`Plain` has those and leaves the rest as text until somebody asks for the event.

A line is read in one of two ways.  The fast one lets msgspec check the shape while it parses and
proves what it skipped on its bytes (`stored_rows`, `skipped_json`); it accepts only what is
canonical.  Anything it is not sure of, a `1.0`, a space, a lone surrogate, goes the slow way
through `jsontext` and `codec`, which decide, and word the refusal.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from histbench.codec import check_row, split_delta
from histbench.errors import InvalidEvent, Place
from histbench.events import (
    DELTA_KINDS,
    KIND_BY_DELTA,
    KIND_BY_TAG,
    MAX_SAFE_INTEGER,
    Event,
    safe_integer,
)
from histbench.jsontext import decode, encode_strictly, js_number
from histbench.rows import CHUNK_TYPE, ListRow, Row, RowHead
from histbench.skipped_json import check_skipped, surely_readable
from histbench.stored_rows import StoredRow, row_of_stored

__all__ = [
    "DeltaData",
    "OrdinaryHead",
    "Plain",
    "Record",
    "delta_of_plain",
    "event_of_json",
    "is_no_delta",
    "plain_of_delta",
    "read_line",
    "read_lines",
    "read_value",
    "record_events",
    "record_json",
    "row_of_delta",
]


class OrdinaryHead(Struct, frozen=True, kw_only=True, gc=False):
    """The three fields of an ordinary event that every reader needs, and its text.

    `time` is milliseconds; what `raw` and `view` are, the kind of event says.
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


class Plain(OrdinaryHead, frozen=True, kw_only=True, gc=False):
    """An ordinary event: `raw` is UTF-8 JSON as it was stored, not necessarily canonical."""

    def event(self) -> Event:
        """The event, a new dict at each call."""
        event: Event = decode(self.raw)
        return event


Record = Plain | Row


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


# A seq and a time as msgspec may take them at once; another number goes the slow way.
_Seq = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]
_Time = Annotated[int, Meta(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]


class _PlainLine(Struct, frozen=True, gc=False):
    type: str
    seq: _Seq
    time: _Time


class _ChunkType(Struct, frozen=True, gc=False):
    type: str


class _ChunkData(Struct, frozen=True, gc=False):
    chunk: _ChunkType


class _ChunkLine(_PlainLine, frozen=True, gc=False):
    data: _ChunkData


_row_decoder = msgspec.json.Decoder(StoredRow)
_delta_decoder = msgspec.json.Decoder(_DeltaLine)
_plain_decoder = msgspec.json.Decoder(_PlainLine)
_chunk_decoder = msgspec.json.Decoder(_ChunkLine)

_TEXT, _REASONING, _CALL = DELTA_KINDS

# Rows that msgspec may read at once are told by how the original begins them.
_ROW_STARTS = tuple(f'{{"type":"{tag}","seq0":'.encode() for tag in KIND_BY_TAG)
# Deltas that msgspec may read at once, alike.  A quote inside a string has a backslash before it, so
# only a delta's chunk type ends like this; in what a writer writes it stands near the start.
_CHUNK_START = f'{{"type":"{CHUNK_TYPE}",'.encode()
_DELTA_MARK, _NEAR = b'-delta","index":', 256

# What msgspec raises where it cannot tell: `1.0`, a lone surrogate, another shape, deep nesting.
_UNSURE = (msgspec.DecodeError, RecursionError)


def read_lines(lines: Sequence[bytes]) -> list[Plain | RowHead]:
    """`read_line` of each; what can be proved of all lines at once is proved once.

    Raises:
        As `read_line`.
    """
    readable = surely_readable([line for line in lines if not line.startswith(_ROW_STARTS)])
    return [read_line(line, readable=readable) for line in lines]


def read_line(line: bytes, *, readable: bool = False) -> Plain | RowHead:
    """The record that one stored line holds (no newline); a single delta is a row of one member.

    Args:
        line: JSON text.
        readable: whether `skipped_json.surely_readable` is true of the line, if it is JSON.

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
    if line.startswith(_CHUNK_START):
        record = _chunk_of_json(line, readable=readable)
    else:
        record = _plain_of_json(line, readable=readable)
        if record is not None and record.type == CHUNK_TYPE:
            record = delta_of_plain(record) or record
    return read_value(decode(line), line) if record is None else record


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


def _plain_of_json(raw: bytes, *, readable: bool = False) -> Plain | None:
    """The ordinary record of an event's text; None for a row, or where only the slow way can tell."""
    try:
        head = _plain_decoder.decode(raw)
    except _UNSURE:
        return None
    return _plain_of_head(head, raw, readable=readable)


def _chunk_of_json(raw: bytes, *, readable: bool) -> Plain | ListRow | None:
    """The same of a chunk's text, which may hold a packable delta."""
    if raw.find(_DELTA_MARK, 0, _NEAR) > 0:
        delta = _delta_of_json(raw)
        if delta is not None:
            return delta
    try:
        head = _chunk_decoder.decode(raw)
    except _UNSURE:
        return None
    plain = _plain_of_head(head, raw, readable=readable)
    if plain is None or head.data.chunk.type not in KIND_BY_DELTA:
        return plain
    return delta_of_plain(plain) or plain


def _plain_of_head(head: _PlainLine, raw: bytes, *, readable: bool) -> Plain | None:
    if head.type in KIND_BY_TAG:
        return None
    if not readable:
        check_skipped(raw)
    return Plain(type=head.type, seq=head.seq, time=head.time, raw=raw)


def delta_of_plain(record: Plain) -> ListRow | None:
    """The packable delta that an ordinary record holds, as a row of one member."""
    if is_no_delta(record):
        return None
    return _delta_of_json(record.raw) or split_delta(record.event())


def is_no_delta(record: OrdinaryHead) -> bool:
    """Whether an event surely holds no packable delta, told from its types alone."""
    if record.type != CHUNK_TYPE:
        return True
    try:
        return _chunk_decoder.decode(record.raw).data.chunk.type not in KIND_BY_DELTA
    except _UNSURE:
        return False


def _delta_of_json(raw: bytes) -> ListRow | None:
    """The packable delta in JSON text; None where only the slow way can tell."""
    try:
        parsed = _delta_decoder.decode(raw)
    except _UNSURE:
        return None
    return row_of_delta(parsed.seq, parsed.time, parsed.data)


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
