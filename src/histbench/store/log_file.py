"""A stored log opened for looking at parts of it: its newest page, or the page before a seq.

With a page index, the cost is that of the page: the segments that hold it are found from the index
and read; nothing else is.  Without one, the first call makes one, and keeps it beside the log where
the folder allows.  What an index says is believed only as far as the log bears it out
(`segments`); when it does not, the index is forgotten and made anew, once.

A log whose seqs do not run on from 0, an authored fixture say, cannot be indexed: it is read whole.

A segment larger than a few megabytes is a foreign file in one frame.  It is read twice, once for
where the page starts and once for the page, so that memory stays with the page.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from histbench.errors import HistbenchError, Place, StorageError, UsageError
from histbench.history.messages import message_cut
from histbench.history.page import HistoryPage
from histbench.history.select import DEFAULT_MAX_MESSAGES, check_page_request, select_page
from histbench.log import Diagnostic, EventLog, LogBuilder
from histbench.records import Plain
from histbench.rows import CHUNK_TYPE
from histbench.store.limits import DEFAULT_LIMITS, MIB, Limits
from histbench.store.lock import same_file
from histbench.store.reading import read_log
from histbench.store.scan import LogScan, LogSource
from histbench.store.segments import Piece, Segments, StaleIndexError

__all__ = ["LogFile", "open_log"]

# Up to here a segment's records are kept while the page's start is looked for.
_KEPT_BYTES = 4 * MIB


def open_log(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> "LogFile":
    """The log at `path`, opened for reading parts of it.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, ...
        InvalidLog: `empty_log`, `not_a_log`, `no_header`, `log_version`.
    """
    return LogFile(Path(path), limits=limits)


class LogFile:
    """An open log; a context manager.  For one thread at a time.

    `header` is its header.  What writers append, and a repair that replaces the file, is seen by
    the next call.
    """

    def __init__(self, path: Path, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self._limits = limits
        self._source: LogSource | None = None
        self._segments: Segments | None = None
        self._whole: EventLog | None = None
        self._revision: tuple[int, ...] | None = None
        self.header: dict[str, Any] = {}
        self._open()

    def _open(self) -> LogSource:
        self.close()
        source = LogSource(self.path)
        try:
            self.header = LogScan(source.reader(0), limits=self._limits).header
        except BaseException as error:
            source.close()
            if isinstance(error, HistbenchError):
                error.at(file=str(self.path))
            raise
        self._source = source
        return source

    def tail(self, before_seq: int | None = None, *, min_messages: int = 50) -> EventLog:
        """The newest events before `before_seq`, back to where the page of that many messages is cut.

        Counting back from the end (or from `before_seq`), messages are appended `user/message` and
        `assistant/message` events; at the `min_messages`-th, the page is cut at the least of its
        seq and its `sourceEventSeqs`.  With fewer messages the page goes back to the start.  A log
        with gaps in its seqs has no such pages; it is returned whole.

        Raises:
            UsageError: `bad_interval`, a negative seq or less than one message.
            InvalidLog, InvalidJson, InvalidRow, InvalidEvent: the log is damaged.
            StorageError: `changed_while_read`, ...
        """
        if min_messages < 1 or (before_seq is not None and before_seq < 0):
            raise UsageError(
                "no such page",
                code="bad_interval",
                found=[before_seq, min_messages],
                expected="a seq of 0 or more, and at least one message",
            )
        return self._read(before_seq, wanted=min_messages, cut=None)

    def page(
        self,
        *,
        before_seq: int | None = None,
        max_messages: int = DEFAULT_MAX_MESSAGES,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> HistoryPage:
        """`select_page` of the log in the file, at the cost of the page.

        Raises:
            As `select_page`, and as `tail`.
        """
        check_page_request(before_seq, max_messages, max_events, max_bytes)
        log = self._read(
            before_seq, wanted=max_messages, cut=None, max_events=max_events, max_bytes=max_bytes
        )
        if max_events is None and max_bytes is None and self._whole is None:
            # What was read is the page already.
            end = log.to_seq if log else before_seq or 0
            return HistoryPage(
                records=log.records(),
                has_more=log.from_seq > 0,
                from_seq=log.from_seq if log else end,
                to_seq=end,
            )
        page = select_page(
            log,
            before_seq=before_seq,
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
        )
        # `select_page` saw the part that was read, and takes it for the log, which starts at seq 0.
        return (
            page if self._whole is not None else structs.replace(page, has_more=page.from_seq > 0)
        )

    def interval(self, from_seq: int, to_seq: int) -> EventLog:
        """The events with `from_seq <= seq < to_seq`, as far as the log has them.

        Raises:
            As `tail`.
        """
        if not 0 <= from_seq <= to_seq:
            raise UsageError("no such interval", code="bad_interval", found=[from_seq, to_seq])
        return self._read(to_seq, wanted=0, cut=from_seq)

    def _read(
        self,
        before_seq: int | None,
        *,
        wanted: int,
        cut: int | None,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> EventLog:
        for attempt in range(2):
            segments = self._current(trust_index=attempt == 0)
            if segments is None:
                return self._of_whole(before_seq, wanted=wanted, cut=cut)
            try:
                budget = _Budget(before_seq, max_events, max_bytes)
                return self._walk(segments, before_seq, budget, wanted=wanted, cut=cut)
            except StaleIndexError:
                self._forget()
        raise StorageError(
            "the log changes while it is read",
            code="changed_while_read",
            where=Place(file=str(self.path)),
        )

    def _current(self, *, trust_index: bool) -> Segments | None:
        """The segments of the log as it is now; None when it has to be read whole."""
        source = self._source
        if source is None or source.descriptor is None:
            raise UsageError("the log file is closed", code="log_closed")
        if not same_file(source.descriptor, self.path) and self.path.exists():
            source = self._open()
        revision = source.revision()
        if revision != self._revision:
            self._forget()
            try:
                self._segments = Segments(source, limits=self._limits, trust_index=trust_index)
            except HistbenchError:
                # No store's log: the lenient reader takes it, or says what is wrong and where.
                self._whole = read_log(self.path, limits=self._limits)
            self._revision = revision
        return self._segments

    def _forget(self) -> None:
        if self._segments is not None:
            self._segments.close()
        self._segments = self._whole = self._revision = None

    def _of_whole(self, before_seq: int | None, *, wanted: int, cut: int | None) -> EventLog:
        log = self._whole
        if log is None or not log.dense or log.from_seq:
            return log if log is not None else EventLog(())
        stop = len(log) if before_seq is None else min(before_seq, len(log))
        log = log[:stop]
        if cut is None:
            _, cut = _count_back(log, wanted, before_seq)
        return log[cut or 0 :]

    def _walk(
        self,
        segments: Segments,
        before_seq: int | None,
        budget: "_Budget",
        *,
        wanted: int,
        cut: int | None,
    ) -> EventLog:
        if before_seq == 0:
            return EventLog((), header=self.header)
        last = number = len(segments) if before_seq is None else segments.find(before_seq)
        pieces: list[Piece] = []
        while True:
            if cut is None and segments.is_large(number, _KEPT_BYTES):
                cuts = segments.last_cuts(number, wanted, before_seq=before_seq)
                cut = cuts[0] if len(cuts) == wanted else None
                wanted -= len(cuts)
                piece = segments.read(number, keep_from=cut)
            else:
                piece = segments.read(number, keep_from=cut)
                if cut is None:
                    found, cut = _count_back(piece.log, wanted, before_seq)
                    wanted -= found
            if piece.to_seq > piece.from_seq:
                if pieces:
                    linked = piece.to_seq == pieces[-1].from_seq
                elif before_seq is None:
                    linked = True
                else:
                    # The log may end before the seq asked for: in the rest, or before an empty one.
                    at_end = last == len(segments)
                    linked = piece.from_seq < before_seq and (at_end or piece.to_seq >= before_seq)
                if not linked or (number == 0 and piece.from_seq != 0):
                    raise StaleIndexError
                pieces.append(piece)
                if budget.spent(piece) or (cut is not None and cut >= piece.from_seq):
                    break
            if number == 0:
                break
            number -= 1
        return self._joined(pieces, before_seq, cut)

    def _joined(self, pieces: list[Piece], before_seq: int | None, cut: int | None) -> EventLog:
        builder = LogBuilder()
        diagnostics: list[Diagnostic] = []
        for piece in reversed(pieces):
            diagnostics += piece.log.diagnostics
            for record in piece.log.records():
                if isinstance(record, Plain) and record.type == CHUNK_TYPE:
                    # A single delta at a seam may belong to the next piece's run.
                    builder.add_line(record.raw)
                else:
                    builder.add_record(record)
        log = builder.build(header=self.header, diagnostics=diagnostics)
        stop = log.to_seq if before_seq is None else min(before_seq, log.to_seq)
        start = max(log.from_seq, cut or 0)
        return log[start - log.from_seq : max(start, stop) - log.from_seq]

    def close(self) -> None:
        """Let go of the file and its index."""
        self._forget()
        if self._source is not None:
            self._source.close()
            self._source = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Budget:
    """What a page may hold at most; once the newest pieces pass it, older ones cannot matter."""

    def __init__(
        self, before_seq: int | None, max_events: int | None, max_bytes: int | None
    ) -> None:
        self._before = before_seq
        self._events = max_events
        self._bytes = max_bytes

    def spent(self, piece: Piece) -> bool:
        """Take the piece off the budget; whether nothing is left."""
        inside = [
            record
            for record in piece.log.records()
            if self._before is None or record.end_seq <= self._before
        ]
        if self._events is not None:
            self._events -= sum(record.count for record in inside)
        if self._bytes is not None:
            # Less than any form of a page needs for the same records.
            self._bytes -= sum(
                len(record.raw if isinstance(record, Plain) else record.texts) for record in inside
            )
        return any(left is not None and left < 0 for left in (self._events, self._bytes))


def _count_back(log: EventLog, wanted: int, before_seq: int | None) -> tuple[int, int | None]:
    """How many messages before `before_seq` were met, and the cut of the `wanted`-th if it was."""
    found = 0
    for record in reversed(log.records()):
        if before_seq is not None and record.seq >= before_seq:
            continue
        cut = message_cut(record)
        if cut is not None:
            found += 1
            if found == wanted:
                return found, cut
    return found, None
