"""EventLog: an immutable sequence of logical events, held as storage records.

To whoever indexes, slices or iterates, a log is a sequence of events.  Inside it is the canonical
sequence of records (`coalesce`): rows for runs of three or more deltas, JSON text for the rest.
Nothing is expanded that nobody looks at.  Building, slicing, comparing, finding a seq and handing
out an interval touch records only; a slice that starts or ends inside a row cuts the row.  Events
are made when one is asked for, new dicts each time, so that no caller can change a log.

Positions count events from 0, whatever their seqs.  In a *dense* log each seq is the one before
plus one, and only there does an interval of seqs mean anything; `records` refuses a log that is
not dense, with the place of its first gap.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, Self, overload

from msgspec import Struct

from histbench.coalesce import Coalescer, plain_members
from histbench.codec import MIN_RUN, pack_runs
from histbench.errors import InvalidEvent, InvalidLog, Place, UsageError
from histbench.events import Event
from histbench.jsontext import same
from histbench.records import Plain, Record, read_line, read_value, record_events
from histbench.rows import ListRow, Row, RowHead

__all__ = ["Diagnostic", "EventLog", "LogBuilder", "cut_records"]


class Diagnostic(Struct, frozen=True, kw_only=True):
    """Something a reader should know about a log that was read all the same.

    `code` is stable (`torn_tail`, `synthesised_seq`, `synthesised_clock`, `seq_gap`, ...); `line`
    counts from 1, `byte` from 0.
    """

    code: str
    message: str
    line: int | None = None
    byte: int | None = None
    seq: int | None = None


class EventLog(Sequence[Event]):
    """An immutable sequence of events; see the module.  Make one with `from_events` and its kin."""

    def __init__(
        self,
        records: Iterable[Record],
        *,
        header: dict[str, Any] | None = None,
        diagnostics: Iterable[Diagnostic] = (),
    ) -> None:
        """A log of *canonical* records; every other source goes through the class methods."""
        self._records = tuple(records)
        # The row looked into last: neighbouring members are usually asked for together.
        self._expanded: tuple[int, list[Event]] | None = None
        self.header = header
        self.diagnostics = tuple(diagnostics)

    @classmethod
    def from_events(
        cls,
        events: Iterable[Event],
        *,
        header: dict[str, Any] | None = None,
        diagnostics: Iterable[Diagnostic] = (),
    ) -> Self:
        """The log of these logical events.

        Raises:
            InvalidEvent: a value is no event, or has a row's tag and is therefore none.
            InvalidJson: an event holds what JSON cannot.
        """
        builder = LogBuilder()
        for record in pack_runs(events):
            if isinstance(record, ListRow):
                builder.add_record(record)
            else:
                builder.add_event(record)
        return cls(builder.finish(), header=header, diagnostics=diagnostics)

    @classmethod
    def from_records(
        cls,
        records: Iterable[Any],
        *,
        header: dict[str, Any] | None = None,
        diagnostics: Iterable[Diagnostic] = (),
    ) -> Self:
        """The log of these storage records: JSON values as stored, or records and rows.

        Raises:
            InvalidRow: a value with a row's tag breaks the grammar.
            InvalidEvent, InvalidJson: as `from_events`.
        """
        builder = LogBuilder()
        for record in records:
            builder.add_record(record)
        return cls(builder.finish(), header=header, diagnostics=diagnostics)

    # Whoever hands all records on needs neither of these two.
    @cached_property
    def _starts(self) -> "array[int]":
        """The position of each record's first event, and the length of the log at the end."""
        return array("q", accumulate((record.count for record in self._records), initial=0))

    @cached_property
    def _gap(self) -> tuple[int, int] | None:
        """(expected, found) where a seq first is not the one before plus one."""
        return _first_gap(self._records)

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> "EventLog": ...
    def __getitem__(self, index: int | slice) -> "Event | EventLog":
        if isinstance(index, slice):
            return self._slice(index)
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"event {index} of a log of {len(self)}")
        number = bisect_right(self._starts, position) - 1
        record = self._records[number]
        if isinstance(record, Plain):
            return record.event()
        if self._expanded is None or self._expanded[0] != number:
            self._expanded = (number, record.events())
        return _copy(self._expanded[1][position - self._starts[number]])

    def _slice(self, index: slice) -> "EventLog":
        start, stop, step = index.indices(len(self))
        if step != 1:
            return EventLog.from_events(
                (self[position] for position in range(start, stop, step)), header=self.header
            )
        return EventLog(
            self._between(start, max(start, stop)),
            header=self.header,
            diagnostics=self.diagnostics,
        )

    def _between(self, start: int, stop: int) -> list[Record]:
        """The canonical records of the events at positions `start` to `stop`."""
        if start >= stop:
            return []
        starts = self._starts
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, stop - 1)
        return cut_records(self._records[first:last], start - starts[first], starts[last] - stop)

    def __iter__(self) -> Iterator[Event]:
        return chain.from_iterable(map(record_events, self._records))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EventLog):
            return NotImplemented
        # Canonical records of equal logs are equal one by one.
        return len(self._records) == len(other._records) and all(
            map(_same_record, self._records, other._records)
        )

    def __hash__(self) -> int:
        # Cheap and consistent with equality: lengths, and what heads of records are equal in.
        ends = self._records[:1] + self._records[-1:]
        return hash((len(self), len(self._records), *((r.seq, r.count) for r in ends)))

    def __repr__(self) -> str:
        span = f"seqs {self.from_seq} to {self.to_seq}" if self else "empty"
        rows = sum(1 for record in self._records if isinstance(record, Row))
        return f"<EventLog: {len(self)} events, {span}, {len(self._records)} records, {rows} rows>"

    @property
    def from_seq(self) -> int:
        """The first event's seq; 0 for an empty log."""
        return self._records[0].seq if self._records else 0

    @property
    def to_seq(self) -> int:
        """One past the last event's seq; 0 for an empty log."""
        return self._records[-1].end_seq if self._records else 0

    @property
    def dense(self) -> bool:
        """Whether each seq is the one before plus one."""
        return self._gap is None

    def check_dense(self) -> None:
        """Raise InvalidLog (`seq_gap`) with the first place where the seqs are not dense."""
        if self._gap is not None:
            expected, found = self._gap
            raise InvalidLog(
                "seqs are not contiguous",
                code="seq_gap",
                where=Place(seq=found),
                found=found,
                expected=str(expected),
            )

    def records(self, from_seq: int | None = None, to_seq: int | None = None) -> tuple[Record, ...]:
        """The canonical records of the events with `from_seq <= seq < to_seq`.

        Without bounds, all records, dense or not.

        Raises:
            InvalidLog: the log is not dense (`seq_gap`).
            UsageError: the interval does not lie within the log (`bad_interval`).
        """
        if from_seq is None and to_seq is None:
            return self._records
        self.check_dense()
        start = self.from_seq if from_seq is None else from_seq
        stop = self.to_seq if to_seq is None else to_seq
        if not self.from_seq <= start <= stop <= self.to_seq:
            raise UsageError(
                "interval outside the log",
                code="bad_interval",
                found=[start, stop],
                expected=f"within {self.from_seq} to {self.to_seq}",
            )
        return tuple(self._between(start - self.from_seq, stop - self.from_seq))

    def renumbered(self) -> "EventLog":
        """A dense log of the same events with seqs from `from_seq` on; `sourceEventSeqs` stay.

        The log itself when it is dense; otherwise with a Diagnostic `renumbered`.
        """
        if self._gap is None:
            return self
        expected, found = self._gap
        events = ({**event, "seq": seq} for seq, event in enumerate(self, self.from_seq))
        note = Diagnostic(
            code="renumbered",
            message=f"seqs were not contiguous (seq {found} where {expected} was due); renumbered",
            seq=found,
        )
        return EventLog.from_events(
            events, header=self.header, diagnostics=(*self.diagnostics, note)
        )


class LogBuilder:
    """Builds a log from a stream of lines, events or records, in the memory of the packed form."""

    def __init__(self) -> None:
        self._coalescer = Coalescer()
        self._next_seq: int | None = None

    @property
    def next_seq(self) -> int | None:
        """One past the seq of the last event added; None before the first."""
        return self._next_seq

    def add_line(self, line: bytes) -> Plain | RowHead:
        """Append the record of one stored line (no newline), and return it.

        Raises:
            InvalidJson, InvalidRow, InvalidEvent: nothing was appended.
        """
        record = read_line(line)
        self._add(record, line)
        return record

    def add_event(self, event: Event) -> None:
        """Append one logical event.

        Raises:
            InvalidEvent, InvalidJson: nothing was appended.
        """
        record = read_value(event)
        if isinstance(record, Row):
            raise InvalidEvent(
                "a packed row is no event",
                code="event_type",
                where=Place(seq=record.seq0),
                found=record.kind.tag,
            )
        self._add(record)

    def add_record(self, record: Any) -> None:
        """Append one storage record: a JSON value, or a record or row.

        Raises:
            InvalidRow, InvalidEvent, InvalidJson: nothing was appended.
        """
        self._add(record if isinstance(record, Plain | RowHead) else read_value(record))

    def _add(self, record: Plain | RowHead, raw: bytes | None = None) -> None:
        self._coalescer.add(record, raw)
        self._next_seq = record.end_seq

    def finish(self) -> list[Record]:
        """The canonical records of everything added; the builder is empty again."""
        return self._coalescer.finish()

    def build(
        self,
        *,
        header: dict[str, Any] | None = None,
        diagnostics: Iterable[Diagnostic] = (),
    ) -> EventLog:
        """The log of everything added; the builder is empty again."""
        return EventLog(self.finish(), header=header, diagnostics=diagnostics)


def cut_records(records: Sequence[Record], before: int, behind: int) -> list[Record]:
    """The canonical records without their first `before` and last `behind` events.

    `records` is canonical.  Only the records at the ends are looked at, and what is left of a row
    there may be too short to be one.
    """
    low, high = 0, len(records)
    while low < high and before >= records[low].count:
        before -= records[low].count
        low += 1
    while low < high and behind >= records[high - 1].count:
        high -= 1
        behind -= records[high].count
    if low == high:
        return []
    first, last = records[low], records[high - 1]
    if high - low == 1:
        return _cut_record(first, before, first.count - behind)
    return [
        *_cut_record(first, before, first.count),
        *records[low + 1 : high - 1],
        *_cut_record(last, 0, last.count - behind),
    ]


def _cut_record(record: Record, start: int, stop: int) -> list[Record]:
    """Members `start` to `stop` of one record, if there are any."""
    if start >= stop:
        return []
    if isinstance(record, Plain) or stop - start == record.count:
        return [record]
    row = record.cut(start, stop)
    return [row] if row.count >= MIN_RUN else plain_members(row)


def _first_gap(records: Sequence[Record]) -> tuple[int, int] | None:
    """(expected, found) where a seq first is not the one before plus one."""
    if not records:
        return None
    expected = records[0].seq
    for record in records:
        if record.seq != expected:
            return expected, record.seq
        expected = record.end_seq
    return None


def _same_record(left: Record, right: Record) -> bool:
    if left == right:
        return True
    if isinstance(left, Plain) and isinstance(right, Plain):
        return same(left.event(), right.event())
    return False


def _copy(event: Event) -> Event:
    data = event["data"]
    return {**event, "data": {**data, "chunk": dict(data["chunk"])}}
