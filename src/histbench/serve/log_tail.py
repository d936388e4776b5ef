"""What is appended to one session log, read once and framed for everyone who follows it.

The end of a log is found from its page index, so starting to follow costs no reading of the log.
From there on every look at the file reads what came since: whole frames, or whole lines.  A writer
in the middle of a batch is waited for.  Positions are seqs, which survive a restart of the daemon,
and the epoch names the file: its device, its inode and what its header says.

A file that was replaced, cut or removed ends this tail with `SourceChanged`; a new one has to be
made.  So does a file in which the next record does not continue the last.
"""

from collections.abc import Iterator

from histbench.errors import HistbenchError
from histbench.history import HistoryPage, encode_page
from histbench.log import EventLog, LogBuilder
from histbench.serve.epoch import epoch_of
from histbench.serve.frames import Frame, ResyncReason, frame_text
from histbench.serve.sessions import Session
from histbench.serve.settings import KIB, Settings
from histbench.store.limits import DEFAULT_LIMITS
from histbench.store.scan import BlockScan, LogSource
from histbench.store.segments import Segments, StaleIndexError

__all__ = ["LogTail", "SourceChanged", "log_frames"]

# Read at one look, at first: what a fast writer appends between two looks, many times over.
_WINDOW_BYTES = 256 * KIB


class SourceChanged(Exception):  # noqa: N818  (a signal between two modules, never an answer)
    """The file is not the one any more whose tail was read."""

    def __init__(self, reason: ResyncReason) -> None:
        super().__init__(reason)
        self.reason: ResyncReason = reason


class LogTail:
    """The tail of a session's log; for one thread at a time.

    `epoch` names the file, `position` is the seq behind all that `read` has returned.
    """

    def __init__(self, session: Session, settings: Settings) -> None:
        """Find the end of the log.

        Raises:
            HistbenchError: the log cannot be followed, for what is wrong in it.
        """
        self.path = session.path
        self._settings = settings
        self._source = LogSource(session.path)
        try:
            status = self._source.stat()
            self._identity = status.st_dev, status.st_ino
            self.epoch = epoch_of(session, self._identity)
            self._offset, self.position = self._last_segment()
        except BaseException:
            self._source.close()
            raise
        self._seen: tuple[int, int] | None = None
        self._window = _WINDOW_BYTES

    def _last_segment(self) -> tuple[int, int]:
        """Byte and seq behind the last segment of the index, which is read to prove them."""
        for trusted in (True, False):
            segments = Segments(self._source, limits=DEFAULT_LIMITS, trust_index=trusted)
            try:
                if not len(segments):
                    return segments.bounds(0)[0], 0
                last = len(segments) - 1
                segments.read(last, keep_from=segments.entry(last).to_seq)
                return segments.entry(last).end, segments.entry(last).to_seq
            except StaleIndexError:
                continue
            finally:
                segments.close()
        raise SourceChanged("source_unreadable")

    def read(self) -> list[Frame]:
        """Frames of what was appended since the last call; empty when nothing was.

        Raises:
            SourceChanged: the file was replaced, cut, removed or damaged.
        """
        size = self._size()
        if size is None:
            return []
        try:
            log = self._read_to(size)
        except HistbenchError as error:
            raise SourceChanged("source_unreadable") from error
        return list(log_frames(log, self._settings))

    def _size(self) -> int | None:
        """How long the file is now; None when it has not changed."""
        try:
            there = self.path.stat()
        except OSError as error:
            raise SourceChanged("source_removed") from error
        if (there.st_dev, there.st_ino) != self._identity:
            raise SourceChanged("source_replaced")
        if there.st_size < self._offset:
            raise SourceChanged("source_truncated")
        seen, self._seen = self._seen, (there.st_size, there.st_mtime_ns)
        return None if seen == self._seen else there.st_size

    def _read_to(self, size: int) -> EventLog:
        """The whole records between what was read and `size`, at most one window of them."""
        builder = LogBuilder()
        while self._offset < size:
            stop = min(size, self._offset + self._window)
            scan = BlockScan(self._source.reader(self._offset, stop), offset=self._offset)
            blocks = list(scan)
            cut = stop if scan.torn is None else scan.torn.cut
            if cut == self._offset:
                if stop == size:
                    return builder.build()
                # One frame or line is longer than the window.
                self._window *= 2
                continue
            # The header may share its frame with records.
            skip = 1 if self._offset == 0 else 0
            for block in blocks:
                if block.byte < cut:
                    for line in block.lines[skip:]:
                        self._add(builder, line)
                    skip = 0
            self._offset, self._window = cut, _WINDOW_BYTES
            if cut < size:
                # There is more: the next look must not take the file for unchanged.
                self._seen = None
            break
        return builder.build()

    def _add(self, builder: LogBuilder, line: bytes) -> None:
        if not line.strip():
            return
        record = builder.add_line(line)
        if record.seq != self.position:
            raise SourceChanged("source_unreadable")
        self.position = record.end_seq

    def close(self) -> None:
        """Let go of the file."""
        self._source.close()


def log_frames(log: EventLog, settings: Settings) -> Iterator[Frame]:
    """A stretch of a log as frames, none larger than the settings allow unless one event is."""
    for start in range(log.from_seq, log.to_seq, settings.frame_events):
        stop = min(start + settings.frame_events, log.to_seq)
        yield from _split(log, start, stop, settings.frame_bytes)


def _split(log: EventLog, start: int, stop: int, most_bytes: int) -> Iterator[Frame]:
    page = HistoryPage(
        records=log.records(start, stop), has_more=start > 0, from_seq=start, to_seq=stop
    )
    data = encode_page(page)
    if len(data) <= most_bytes or stop - start == 1:
        yield Frame(start, stop, frame_text("records", data, last_event_id=stop))
        return
    middle = (start + stop) // 2
    yield from _split(log, start, middle, most_bytes)
    yield from _split(log, middle, stop, most_bytes)
