"""Walking back from a log's end until what was asked for has been read.

A request names an end (`before_seq`, or the log's), and how far back to go: to a given seq, or to
where a page of so many messages is cut.  A budget ends the walk earlier, once the newest pieces
hold more than a page may.  Segments are read from the newest backwards, each linked to the one read
before by its seqs; what does not link makes the index stale (`segments`).
"""

from collections.abc import Sequence
from typing import Any

from histbench.coalesce import Coalescer
from histbench.errors import UsageError
from histbench.history.messages import is_message, message_cut
from histbench.log import Diagnostic, EventLog, cut_records
from histbench.records import Plain
from histbench.rows import Row, RowHead
from histbench.store.limits import MIB
from histbench.store.segments import Piece, Segments, StaleIndexError

__all__ = ["PageWalk"]

# Up to here a segment's records are kept while the page's start is looked for.
_KEPT_BYTES = 4 * MIB


class PageWalk:
    """One request; `over` walks the segments of a log for it, `within` a log that was read whole.

    Args:
        before_seq: the exclusive end; None for the log's.
        start: the first seq that is wanted, if that is known.
        messages: otherwise, how many messages to go back.
        older_events: how many events before the page to bring along: they tell that there are some.
        max_events: a page's budget of events.
        max_bytes: a page's budget of bytes, in the packed form.
    """

    def __init__(
        self,
        before_seq: int | None,
        *,
        start: int | None = None,
        messages: int = 0,
        older_events: int = 0,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        if (start is None and messages < 1) or min(before_seq or 0, start or 0) < 0:
            raise UsageError(
                "no such part of a log",
                code="bad_interval",
                found=[start, before_seq, messages],
                expected="seqs of 0 or more, in order, or at least one message",
            )
        self._before = before_seq
        self._start = start
        self._messages = messages
        self._older = older_events
        self._events_left = max_events
        self._bytes_left = max_bytes
        self._pieces: list[Piece] = []

    def within(self, log: EventLog) -> EventLog:
        """The part of a log that starts at seq 0; of one with gaps, all of it."""
        if not log.dense or log.from_seq:
            return log
        stop = len(log) if self._before is None else min(self._before, len(log))
        log = log[:stop]
        if self._start is None:
            self._look_back(log.records())
        return log[self._first_seq(0) :]

    def over(self, segments: Segments, *, header: dict[str, Any]) -> EventLog:
        """The part of the log that `segments` are of, with its `header`.

        Raises:
            StaleIndexError: the index does not hold.
        """
        if self._before is not None and self._before in {0, self._start}:
            return EventLog((), header=header)
        last = number = len(segments) if self._before is None else segments.find(self._before)
        segments.will_walk(last, self._messages)
        while True:
            if self._start is None and segments.is_large(number, _KEPT_BYTES):
                cuts = segments.last_cuts(number, self._messages, before_seq=self._before)
                self._messages -= len(cuts)
                if not self._messages:
                    self._start = cuts[0]
            keep_from = None if self._start is None else self._first_seq(0)
            piece = segments.read(number, keep_from=keep_from)
            if self._start is None and not segments.is_large(number, _KEPT_BYTES):
                self._look_back(piece.records)
            if piece.to_seq > piece.from_seq:
                self._link(piece, number, at_end=last == len(segments))
                if self._is_enough(piece):
                    break
            if number == 0:
                break
            number -= 1
        return self._joined(header)

    def _first_seq(self, least: int) -> int:
        return max(least, (self._start or 0) - self._older)

    def _look_back(self, records: Sequence[Plain | RowHead]) -> None:
        """Count messages from the end; the last one that is wanted says where the page starts."""
        for record in reversed(records):
            if self._before is not None and record.seq >= self._before:
                continue
            if is_message(record):
                self._messages -= 1
                if not self._messages:
                    self._start = message_cut(record)
                    return

    def _link(self, piece: Piece, number: int, *, at_end: bool) -> None:
        """Take the piece on, if it holds the end that is asked for or leads up to the last one."""
        if self._pieces:
            linked = piece.to_seq == self._pieces[-1].from_seq
        elif self._before is None:
            linked = True
        else:
            # The log may end before the seq asked for: in the rest, or before an empty one.
            linked = piece.from_seq < self._before and (at_end or piece.to_seq >= self._before)
        # A log starts at seq 0; an index that starts later hides what comes before.
        if not linked or (number == 0 and piece.from_seq != 0):
            raise StaleIndexError
        self._pieces.append(piece)

    def _is_enough(self, piece: Piece) -> bool:
        if self._start is not None and self._first_seq(0) >= piece.from_seq:
            return True
        if self._events_left is None and self._bytes_left is None:
            return False
        inside = [
            record
            for record in piece.records
            if self._before is None or record.end_seq <= self._before
        ]
        if self._events_left is not None:
            self._events_left -= sum(record.count for record in inside)
        if self._bytes_left is not None:
            self._bytes_left -= sum(map(_least_bytes, inside))
        return any(left is not None and left < 0 for left in (self._events_left, self._bytes_left))

    def _joined(self, header: dict[str, Any]) -> EventLog:
        coalescer = Coalescer()
        diagnostics: list[Diagnostic] = []
        for piece in reversed(self._pieces):
            if piece.torn is not None:
                diagnostics.append(piece.torn.diagnostic())
            coalescer.extend(piece.records)
        records = coalescer.finish()
        if records:
            base, end = records[0].seq, records[-1].end_seq
            stop = end if self._before is None else min(self._before, end)
            records = cut_records(records, self._first_seq(base) - base, end - stop)
        return EventLog(records, header=header, diagnostics=diagnostics)


def _least_bytes(record: Plain | RowHead) -> int:
    """What a page needs for a record at least: a single delta may join a run, without envelope."""
    if isinstance(record, Plain):
        return len(record.raw)
    if isinstance(record, Row):
        return len(record.texts)
    return sum(map(len, record.text_list()))
