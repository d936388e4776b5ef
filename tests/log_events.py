"""A session's events one by one, and the records of a transcript that they are read as."""

from collections.abc import Sequence
from typing import Any

from histbench.events import Event
from histbench.log import EventLog
from histbench.transcript.session_log import LogRecord, LogRecords

__all__ = ["answer", "chunk", "event", "made", "said", "text"]


def made(events: Sequence[Event]) -> list[LogRecord]:
    """The records of these events as a log, complete or not."""
    records = LogRecords("s")
    return [*records.add(EventLog.from_events(events).records()), *records.tail()]


def event(seq: int, kind: str, data: Any, **fields: Any) -> Event:
    """One event at second `seq`."""
    return {"type": kind, "seq": seq, "time": 1000 * seq, "data": data, **fields}


def chunk(seq: int, kind: str, step: int = 1, index: int = 0, **fields: Any) -> Event:
    """One chunk of a step."""
    data = {"turn": 1, "step": step, "chunk": {"type": kind, "index": index, **fields}}
    return event(seq, "assistant/chunk", data)


def text(seq: int, word: str, **where: int) -> Event:
    """One delta of a text."""
    return chunk(seq, "text-delta", text=word, **where)


def answer(seq: int, *blocks: Any, step: int = 1, **fields: Any) -> Event:
    """The message that ends a step's stream."""
    data = {"turn": 1, "step": step, "message": {"role": "assistant", "content": blocks}, **fields}
    return event(seq, "assistant/message", data, surfaceOp="append")


def said(records: Sequence[LogRecord]) -> list[tuple[str, Any]]:
    """Each record's id and, where it is an answer, its parts."""
    return [
        (each.record.record_id, each.record.value.get("message", {}).get("parts"))
        for each in records
    ]
