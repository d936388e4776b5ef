"""A session log as a transcript: the events that a person would call records, one chain of them.

    event                                       record
    user/message, appended                      user; subtype `injected` unless the user wrote it
    assistant/message, appended                 assistant
    tool/result, appended                       tool_result
    a run of deltas of an unfinished step       assistant: one record for each block, texts joined
    usage of an unfinished step                 assistant without parts
    other chunks                                none: bookkeeping of the stream
    every other event                           system, the event's type as subtype

Ids are `seq:<n>`, n being the seq of the event, or of a run's first delta.  Each record follows the
one before it.  A record's `value` is a chat record, so that whatever reads those reads these, with
the event as it was under `event`.

Deltas of a step whose message came are covered by it.  Whether the message comes is known when it
does, or when the step ends without: `step/end`, `turn/end`, or the start of another step.  Until
then the records behind the first such delta wait, because a run stands before them.  A retry
discards what its step has streamed so far.
"""

from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import Any

from msgspec import Struct

from histbench.errors import InvalidLog, Place
from histbench.events import named_step
from histbench.jsontext import js_number
from histbench.log import EventLog
from histbench.records import Plain, Record, delta_of_plain, record_events, record_json
from histbench.rows import CHUNK_TYPE, RowHead
from histbench.transcript.head import RecordHead
from histbench.transcript.log_values import (
    chunk_kind,
    is_appended,
    iso_text,
    value_of_event,
    value_of_run,
)
from histbench.transcript.parts import has_attachment, parts_of, shown_text
from histbench.transcript.record import TranscriptRecord

__all__ = ["LogRecord", "LogRecords", "records_of_log"]

_Step = tuple[int | float, int | float]

_ENDS_STEP, _ENDS_TURN = "step/end", "turn/end"
# No step is open when one of these comes, whatever is missing before it.
_ENDS_ALL = frozenset({"step/start", "turn/start", "session/end-seed"})
_BOUNDARIES = _ENDS_ALL | {_ENDS_STEP, _ENDS_TURN, "llm/retry", "assistant/message"}
# Chunks that say nothing which their message, or the deltas beside them, do not.
_BOOKKEEPING = frozenset({"block-start", "block-end", "finish"})


class LogRecord(Struct, frozen=True, kw_only=True):
    """A record of a log, its head, and the events it was made of: `from_seq <= seq < to_seq`."""

    record: TranscriptRecord
    head: RecordHead
    from_seq: int
    to_seq: int


class _Held(Struct):
    """What will be one record; `step` is set while its step's message may still cover it."""

    step: _Step | None
    sources: list[Plain | RowHead]
    run: bool = False
    covered: bool = False


class LogRecords:
    """Takes the records of a log in order and gives transcript records as they are complete.

    It may begin anywhere in a log: `resume_seq` and `last_id` of one instance are what another one
    needs to go on where this one stands.
    """

    def __init__(self, session_id: str | None = None, *, last_id: str | None = None) -> None:
        """Records of `session_id`; the first follows the record `last_id`, if any."""
        self._session_id = session_id
        self._last_id = last_id
        self._held: deque[_Held] = deque()
        self._open: dict[_Step, list[_Held]] = {}
        self._runs: dict[tuple[Any, ...], _Held] = {}
        self._next_seq: int | None = None

    @property
    def last_id(self) -> str | None:
        """The id of the last complete record."""
        return self._last_id

    @property
    def resume_seq(self) -> int | None:
        """The seq of the first event that is in no complete record; None before the first event."""
        return self._held[0].sources[0].seq if self._held else self._next_seq

    def add(self, records: Iterable[Plain | RowHead]) -> list[LogRecord]:
        """The records that are complete with these, oldest first.

        Raises:
            InvalidLog: a seq is not the one before plus one (`seq_gap`).
        """
        complete: list[LogRecord] = []
        for record in records:
            self._check_seq(record)
            self._add(record)
            while self._held and self._held[0].step is None:
                complete += self._made(self._held.popleft())
        return complete

    def tail(self) -> list[LogRecord]:
        """What would be complete if the log ended here; the next `add` does not know of it.

        Later events may take such a record away, or add to it under the same id.
        """
        last_id = self._last_id
        made = [record for held in self._held for record in self._made(held)]
        self._last_id = last_id
        return made

    def _check_seq(self, record: Plain | RowHead) -> None:
        if self._next_seq is not None and record.seq != self._next_seq:
            raise InvalidLog(
                "seqs are not contiguous",
                code="seq_gap",
                where=Place(seq=record.seq),
                found=record.seq,
                expected=str(self._next_seq),
            )
        self._next_seq = record.end_seq

    def _add(self, record: Plain | RowHead) -> None:
        if isinstance(record, RowHead):
            self._add_delta(record, record)
        elif record.type == CHUNK_TYPE:
            self._add_chunk(record)
        else:
            if record.type in _BOUNDARIES:
                self._settle(record)
            self._held.append(_Held(step=None, sources=[record]))

    def _add_delta(self, delta: RowHead, source: Plain | RowHead) -> None:
        # A call's name may stand on its first delta only, so that it is not what tells a block.
        block = (delta.turn, delta.step, delta.index, delta.kind.delta, delta.call_id)
        run = self._runs.get(block)
        if run is None:
            run = self._runs[block] = self._hold((delta.turn, delta.step), source)
            run.run = True
        else:
            run.sources.append(source)

    def _add_chunk(self, record: Plain) -> None:
        delta = delta_of_plain(record)
        if delta is not None:
            self._add_delta(delta, record)
            return
        data = record.event().get("data")
        kind, step = chunk_kind(data), named_step(data)
        if kind == "usage" and step is not None:
            self._hold(step, record)
        elif kind not in _BOOKKEEPING:
            # A delta that no row may hold, or a chunk nobody has heard of.
            self._held.append(_Held(step=None, sources=[record]))

    def _hold(self, step: _Step, source: Plain | RowHead) -> _Held:
        held = _Held(step=step, sources=[source])
        self._held.append(held)
        self._open.setdefault(step, []).append(held)
        return held

    def _settle(self, record: Plain) -> None:
        """Decide about what waits for this event."""
        if record.type in _ENDS_ALL:
            self._decide(list(self._open), covered=False)
            return
        event = record.event()
        data = event.get("data")
        step = named_step(data)
        if record.type == _ENDS_TURN:
            turn = js_number(data.get("turn")) if isinstance(data, dict) else None
            self._decide([each for each in self._open if each[0] == turn], covered=False)
        elif step is not None and step in self._open:
            covers = record.type == "llm/retry" or is_appended(event)
            if covers or record.type == _ENDS_STEP:
                self._decide([step], covered=record.type != _ENDS_STEP)

    def _decide(self, steps: list[_Step], *, covered: bool) -> None:
        for step in steps:
            for held in self._open.pop(step):
                held.step, held.covered = None, covered
        if steps:
            ended = set(steps)
            for block in [block for block in self._runs if block[:2] in ended]:
                del self._runs[block]

    def _made(self, held: _Held) -> list[LogRecord]:
        """The record that this becomes, none when its message covers it."""
        if held.covered:
            return []
        first, last = held.sources[0], held.sources[-1]
        record_id = f"seq:{first.seq}"
        value = _value(held)
        kind, subtype = value["type"], value.get("subtype")
        timestamp = iso_text(first.time0 if isinstance(first, RowHead) else first.time)
        raw = tuple(chain.from_iterable(map(_stored, held.sources)))
        record = TranscriptRecord(
            record_id=record_id,
            parent_id=self._last_id,
            session_id=self._session_id,
            type=kind,
            subtype=subtype,
            timestamp=timestamp,
            value={
                "uuid": record_id,
                "parentUuid": self._last_id,
                "sessionId": self._session_id,
                "timestamp": timestamp,
                **value,
            },
            source_bytes=sum(map(len, raw)),
            raw=raw,
        )
        self._last_id = record_id
        head = _head(record)
        return [LogRecord(record=record, head=head, from_seq=first.seq, to_seq=last.end_seq)]


def records_of_log(log: EventLog) -> list[TranscriptRecord]:
    """All records of a log, which ends here: deltas of a step without an end are records too.

    Raises:
        InvalidLog: the seqs are not contiguous (`seq_gap`).
    """
    session_id = (log.header or {}).get("id")
    records = LogRecords(session_id if isinstance(session_id, str) else None)
    return [made.record for made in [*records.add(log.records()), *records.tail()]]


def _value(held: _Held) -> dict[str, Any]:
    if held.run:
        deltas = (
            each if isinstance(each, RowHead) else delta_of_plain(each) for each in held.sources
        )
        return value_of_run([delta for delta in deltas if delta is not None])
    (event,) = record_events(held.sources[0])
    return value_of_event(event)


def _stored(source: Plain | RowHead) -> list[bytes]:
    return [record_json(source)] if isinstance(source, Record) else source.event_jsons()


def _head(record: TranscriptRecord) -> RecordHead:
    turn_start = record.type == "user" and record.subtype is None
    return RecordHead(
        record_id=record.record_id,
        parent_id=record.parent_id,
        session_id=record.session_id,
        type=record.type,
        subtype=record.subtype,
        timestamp=record.timestamp,
        leaf_rank=2,
        turn_start=turn_start,
        page_start=turn_start or record.type == "assistant",
        tool_result=record.type == "tool_result",
        navigation="prompt" if turn_start and _is_seen(record.value) else None,
    )


def _is_seen(value: dict[str, Any]) -> bool:
    return bool(shown_text(value).strip()) or has_attachment(parts_of(value))
