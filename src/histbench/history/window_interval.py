"""The records that a window holds: one interval of a log that grows and shrinks at both ends.

Rows stay rows.  Live events come one by one; some hundred of them at a time are made records as a
log would hold them, so that a long stream does not cost an object a token.  An end is trimmed by
whole records: what is left is at least what was to be kept, and at most one record more.
"""

from collections import deque
from collections.abc import Iterable, Sequence

from histbench.coalesce import Coalescer
from histbench.history.page import PageRecord
from histbench.log import EventLog
from histbench.records import Plain, delta_of_plain

__all__ = ["Interval", "records_between"]

# Enough that a row pays, few enough that reading the window meanwhile costs nothing.
_LOOSE_RECORDS = 512


class Interval:
    """Records that cover `[from_seq, to_seq)`."""

    def __init__(self) -> None:
        self.from_seq = 0
        self.to_seq = 0
        self._records: deque[PageRecord] = deque()
        # Live events at the newer end, not yet coalesced.
        self._loose: list[PageRecord] = []

    def __len__(self) -> int:
        return self.to_seq - self.from_seq

    def records(self) -> tuple[PageRecord, ...]:
        """The records in order."""
        self._settle_loose()
        return tuple(self._records)

    def replace(self, records: Iterable[PageRecord], from_seq: int, to_seq: int) -> None:
        """Hold these records and nothing else."""
        self._records, self._loose = deque(records), []
        self.from_seq, self.to_seq = from_seq, to_seq

    def prepend(self, records: Sequence[PageRecord], from_seq: int) -> None:
        """Grow at the older end by records that cover `[from_seq, self.from_seq)`."""
        self._records.extendleft(reversed(records))
        self.from_seq = from_seq

    def extend(self, records: Sequence[PageRecord], to_seq: int) -> None:
        """Grow at the newer end by records that cover `[self.to_seq, to_seq)`."""
        self._settle_loose()
        self._records.extend(records)
        self.to_seq = to_seq

    def append(self, record: PageRecord) -> None:
        """Grow at the newer end by one live event."""
        self._loose.append(record)
        self.to_seq = record.end_seq
        if len(self._loose) >= _LOOSE_RECORDS:
            self._settle_loose()

    def drop_oldest(self, keep: int) -> bool:
        """Trim the older end while at least `keep` events are left; whether anything went."""
        self._settle_loose()
        before = self.from_seq
        while self._records and len(self) - self._records[0].count >= keep:
            self.from_seq = self._records.popleft().end_seq
        return self.from_seq != before

    def drop_newest(self, keep: int) -> bool:
        """Trim the newer end while at least `keep` events are left; whether anything went."""
        self._settle_loose()
        before = self.to_seq
        while self._records and len(self) - self._records[-1].count >= keep:
            self.to_seq = self._records.pop().seq
        return self.to_seq != before

    def agrees(self, records: Sequence[PageRecord], from_seq: int, to_seq: int) -> bool:
        """Whether these records, which cover `[from_seq, to_seq)`, tell the same where they overlap."""
        start, stop = max(from_seq, self.from_seq), min(to_seq, self.to_seq)
        if start >= stop:
            return True
        return _canonical(self.records(), start, stop) == _canonical(records, start, stop)

    def _settle_loose(self) -> None:
        if self._loose:
            coalescer = Coalescer()
            coalescer.extend(self._loose)
            self._records.extend(coalescer.finish())
            self._loose = []


def records_between(records: Iterable[PageRecord], from_seq: int, to_seq: int) -> list[PageRecord]:
    """What of these records lies in `[from_seq, to_seq)`; rows at its ends are cut, however short."""
    between: list[PageRecord] = []
    for record in records:
        start = max(0, from_seq - record.seq)
        stop = min(record.count, to_seq - record.seq)
        if stop - start == record.count:
            between.append(record)
        elif stop > start and not isinstance(record, Plain):
            between.append(record.cut(start, stop))
    return between


def _canonical(records: Sequence[PageRecord], from_seq: int, to_seq: int) -> EventLog:
    """The events between as a log; deltas that stand alone may be part of a row elsewhere."""
    between = records_between(records, from_seq, to_seq)
    deltas = (delta_of_plain(each) if isinstance(each, Plain) else each for each in between)
    return EventLog.from_records(
        record if delta is None else delta for record, delta in zip(between, deltas, strict=True)
    )
