"""The lossy completed-step projection: the rival that packing was measured against.

A step is completed when its append `assistant/message` is in the interval.  Of its deltas only the
first that carries a token is kept; of a step without such a message (interrupted, or still
running) every event is.  Provenance (`sourceEventSeqs`) is dropped everywhere, everything else
stays, in order, under its own seq (facts: session history, section 6).
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from histbench.coalesce import plain_members
from histbench.events import Event, named_step
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import Plain, delta_of_plain, record_events
from histbench.rows import RowHead

__all__ = ["project_completed_steps", "project_records"]

Step = tuple[int | float, int | float]


def project_completed_steps(events: Iterable[Event]) -> list[Event]:
    """The events that the projection keeps."""
    records = project_records(EventLog.from_events(events).records())
    return [event for record in records for event in record_events(record)]


def project_records(records: Sequence[Plain | RowHead]) -> Iterator[Plain | RowHead]:
    """The records that the projection keeps; a row of a completed step is cut to one member."""
    completed = {step for record in records if (step := _completed_step(record)) is not None}
    begun: set[Step] = set()
    for record in records:
        row = delta_of_plain(record) if isinstance(record, Plain) else record
        if row is None:
            yield _without_provenance(record) if isinstance(record, Plain) else record
            continue
        step = (row.turn, row.step)
        if step not in completed:
            yield record
            continue
        token = None if step in begun else row.first_token()
        if token is not None:
            begun.add(step)
            yield from plain_members(row.cut(token, token + 1))


def _completed_step(record: Plain | RowHead) -> Step | None:
    """The step that this record completes, if it is an append assistant message."""
    if not isinstance(record, Plain) or record.type != "assistant/message":
        return None
    event = record.event()
    return named_step(event.get("data")) if event.get("surfaceOp") == "append" else None


def _without_provenance(record: Plain) -> Plain:
    if b'"sourceEventSeqs"' not in record.raw:
        return record
    event = record.event()
    event.pop("sourceEventSeqs", None)
    return msgspec.structs.replace(record, raw=encode(event))
