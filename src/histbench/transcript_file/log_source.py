"""A session log as a transcript: its events, made into records as they become whole.

Places are seqs.  An event may complete records that begin before it: those of a step are held until
its message comes or it ends without one (`transcript.session_log`).  So a record begins at its
first event's seq and is whole at the seq behind the event that completed it.  What is held at the
end of the log can be shown as it is, but may still change: the `tail`, which no index has.

Reading costs what the store's page index makes it cost: the segments that hold the events.
"""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from histbench.errors import InvalidTranscript, Place
from histbench.jsontext import encode
from histbench.records import Record, record_json
from histbench.store import open_log
from histbench.store.durable import storage_error
from histbench.transcript import RecordHead, TranscriptRecord
from histbench.transcript.session_log import LogRecord, LogRecords
from histbench.transcript_file.entries import Oddity
from histbench.transcript_file.growth import Scanned
from histbench.transcript_file.source import Reached

__all__ = ["SessionLogSource"]

# Events that are read at once while a log is scanned: some segments.
_EVENTS_AT_ONCE = 50_000
# A tail is kept up to this length; a step that streamed for longer is read for each request.
_KEPT_BYTES = 8 * 1024 * 1024


class SessionLogSource:
    """The log at `path`.

    Raises:
        StorageError, InvalidLog: as `store.open_log`.
    """

    step = 1_000_000

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = open_log(path)
        named = self._log.header.get("id")
        self._session_id = named if isinstance(named, str) else None
        self.covered = self.resume = 0
        self.torn: Oddity | None = None
        self._end: tuple[tuple[int, int, int], int] | None = None
        self._tail: tuple[object, list[tuple[RecordHead, TranscriptRecord]]] | None = None
        self._read: dict[int, TranscriptRecord] = {}

    def close(self) -> None:
        """Let go of the log."""
        self._log.close()

    def _status(self) -> os.stat_result:
        try:
            return self.path.stat()
        except OSError as error:
            raise storage_error(error, self.path) from error

    def identity(self) -> tuple[int, int]:
        """The device and the inode of the log."""
        status = self._status()
        return status.st_dev, status.st_ino

    def modified_ns(self) -> int:
        """When it was last written to, in nanoseconds since 1970."""
        return self._status().st_mtime_ns

    def _state(self) -> tuple[int, int, int]:
        """What changes when the log does."""
        status = self._status()
        return status.st_ino, status.st_size, status.st_mtime_ns

    def end(self) -> int:
        """The seq behind the last event."""
        state = self._state()
        if self._end is None or self._end[0] != state:
            self._end = state, self._log.tail(min_messages=1).to_seq
        return self._end[1]

    def digest(self, covered: int) -> bytes:
        """A hash of the header and of the last event before a place."""
        found = blake2b(encode(self._log.header), digest_size=16)
        for record in self._events(max(0, covered - 1), covered):
            found.update(record_json(record))
        return found.digest()

    def scan(self, since: Reached, stop: int) -> Iterator[Scanned]:
        """The records that are whole at `stop` and were not at `since.covered`."""
        records = LogRecords(self._session_id, last_id=since.last_id)
        for made, whole in self._made(records, since.resume, stop):
            yield Scanned(made.from_seq, whole, made.record.source_bytes, made.head)
        self.covered = stop
        self.resume = stop if records.resume_seq is None else records.resume_seq

    def _made(self, records: LogRecords, start: int, stop: int) -> Iterator[tuple[LogRecord, int]]:
        """The records that events make whole, and the seq behind the event that did."""
        for at in range(start, stop, _EVENTS_AT_ONCE):
            for record in self._events(at, min(stop, at + _EVENTS_AT_ONCE)):
                for made in records.add([record]):
                    yield made, record.end_seq

    def _events(self, start: int, stop: int) -> tuple[Record, ...]:
        """The log's records between two seqs.

        Raises:
            InvalidLog: `seq_gap`, its seqs are not contiguous.
        """
        part = self._log.interval(start, stop)
        # A log that does not start at 0 is given whole.
        first, last = max(start, part.from_seq), min(stop, part.to_seq)
        return part.records(first, last) if first < last else ()

    def tail(self, since: Reached, end: int) -> Sequence[tuple[RecordHead, TranscriptRecord]]:
        """The records that are held at `end`, of which `since` is the last scan."""
        if since.resume == end:
            return ()
        # A request takes several states of the log, which is the same for all of them: usually.
        state = since, end, self._state()
        if self._tail is not None and self._tail[0] == state:
            return self._tail[1]
        records = LogRecords(self._session_id, last_id=since.last_id)
        records.add(self._events(since.resume, end))
        tail = [(made.head, made.record) for made in records.tail()]
        small = sum(record.source_bytes for _, record in tail) <= _KEPT_BYTES
        self._tail = (state, tail) if small else None
        return tail

    def prepare(self, start: int, end: int, parent_id: str | None) -> None:
        """Read the records between two places, the first of which follows `parent_id`."""
        records = LogRecords(self._session_id, last_id=parent_id)
        self._read = {made.from_seq: made.record for made, _ in self._made(records, start, end)}

    def may_show(self, _places: list[tuple[int, int]], _word: bytes) -> bool:
        """Whether the record there may show a word: its deltas would have to be joined first."""
        return True

    def record(self, places: list[tuple[int, int]]) -> TranscriptRecord:
        """The record that begins and is whole at these places.

        Raises:
            InvalidTranscript: there is none.
        """
        ((start, end),) = places
        if start not in self._read:
            self.prepare(start, end, None)
        found = self._read.get(start)
        if found is None:
            raise InvalidTranscript("no record begins here", where=Place(seq=start))
        return found
