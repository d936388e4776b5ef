"""What several tests check: round trips, equal logs, refusals, and how often something is called."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from types import CodeType, FrameType
from typing import Any

import oracle
from histbench import jsontext
from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import HistbenchError, InvalidData
from histbench.log import EventLog
from histbench.records import Plain, Record

__all__ = [
    "check_refused",
    "check_round_trip",
    "check_same_log",
    "counted_calls",
    "refusal",
    "refusal_of_row",
    "same",
]


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are one: numbers by value, true never equal to 1.

    Written a second time, so that `jsontext.same` is not its own judge.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and bool(
        _printed(left) == _printed(right)
    )


def _printed(value: Any) -> Any:
    # JavaScript prints an integral double by its shortest digits, then zeros.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(Decimal(repr(value)))
    return value


def refusal(function: Callable[..., Any], *args: Any, **options: Any) -> HistbenchError:
    """The error of ours that a call ends with."""
    try:
        result = function(*args, **options)
    except HistbenchError as error:
        return error
    raise AssertionError(f"no refusal, but {result!r}")


def check_refused(
    code: str, function: Callable[..., Any], *args: Any, **options: Any
) -> HistbenchError:
    """The call is refused as invalid data with `code`, and the message is one short line."""
    error = refusal(function, *args, **options)

    assert isinstance(error, InvalidData)
    assert error.code == code
    assert len(str(error)) < 400
    assert str(error).isprintable()
    return error


def refusal_of_row(value: Any) -> str | None:
    """The rule that the oracle finds broken in a stored value."""
    try:
        oracle.decode(value)
    except oracle.Refused as refused:
        return f"row_{refused.args[0]}"
    return None


def check_round_trip(events: Sequence[Any]) -> list[Any]:
    """Packing loses nothing, gives what the oracle gives, and has nothing left to pack."""
    records = pack_chunk_runs(events)
    decoded = [event for record in records for event in decode_storage_record(record)]

    assert same(records, oracle.pack(list(events)))
    assert same(decoded, events)
    assert same(pack_chunk_runs(decoded), records)
    # The written order of keys is part of the format; the events' own order is the caller's.
    assert [list(record) for record in records] == [list(e) for e in oracle.pack(list(events))]
    return records


def check_same_log(log: EventLog, other: EventLog, events: Sequence[Any]) -> None:
    """Two logs are one, and hold `events`."""
    assert log == other
    assert other == log
    assert hash(log) == hash(other)
    assert len(log) == len(other) == len(events)
    assert same(list(log), events)
    assert same(list(other), events)
    assert [jsontext.decode(_json(r)) for r in log.records()] == [
        jsontext.decode(_json(r)) for r in other.records()
    ]


def _json(record: Record) -> bytes:
    return record.raw if isinstance(record, Plain) else record.json()


@contextmanager
def counted_calls(*functions: Any) -> Iterator[Counter[str]]:
    """How often each function is called inside; without functions, all calls under `calls`."""
    codes: dict[CodeType, str] = {each.__code__: each.__qualname__ for each in functions}
    counts: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in codes:
            counts[codes[frame.f_code]] += 1
        elif event in ("call", "c_call") and not codes:
            counts["calls"] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield counts
    finally:
        sys.setprofile(before)
