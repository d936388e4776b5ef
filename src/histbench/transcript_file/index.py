"""The index of one transcript: found beside it, proved, made to grow with it, or made anew.

The sidecar `NAME.records` may be deleted at any time.  What is checked before it is believed: that
it is of the file that is open (device and inode), that the file has not become shorter than what
was read, and that both ends of that part are still the same.  Whoever reads a record by it checks
that the record is the one that it names.  What does not hold makes the index anew: a damaged one
costs time.

Several processes may use one sidecar; each addition is a transaction of a few ten MiB of the file.
Where none can be kept (a folder that is read-only, a full disk, a lock that is never let go), this
process has an index of its own in a temporary file.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from histbench.errors import Place, StorageError
from histbench.transcript_file.entries import Entries, Oddity
from histbench.transcript_file.growth import Growth, id_text
from histbench.transcript_file.source import Reached, Source

__all__ = ["INDEX_SUFFIX", "Progress", "RecordIndex", "index_path"]

INDEX_SUFFIX = ".records"

# A file that SQLite makes for this process and removes by itself.
_PRIVATE = ""

# Called with the place that is reached and the place to go to.
Progress = Callable[[int, int], None]


def index_path(transcript: Path) -> Path:
    """The sidecar of a transcript."""
    return transcript.with_name(transcript.name + INDEX_SUFFIX)


class RecordIndex:
    """The index of `source`.  `refresh` before anything else; for one thread at a time.

    `covered` is up to where the records are known, `torn` what stands behind that.
    """

    def __init__(self, source: Source, *, progress: Progress | None = None) -> None:
        self._source = source
        self._progress = progress or (lambda _at, _to: None)
        self._path = str(index_path(source.path))
        self._entries: Entries | None = None
        self._proved = False
        self._seen: tuple[int, int] | None = None
        self.covered = 0
        self.torn: Oddity | None = None

    @property
    def entries(self) -> Entries:
        """The tables."""
        if self._entries is None:
            self._entries = Entries(self._path)
        return self._entries

    @property
    def private(self) -> bool:
        """Whether it is this process's own, because none could be kept beside the transcript."""
        return self._path == _PRIVATE

    def close(self) -> None:
        """Let go of the tables."""
        if self._entries is not None:
            self._entries.close()
            self._entries = None

    def refresh(self) -> None:
        """Cover what the transcript holds now.

        Raises:
            StorageError: the transcript cannot be read, or not even a temporary file can be made
                (`index_unusable`).
        """
        state = self._source.end(), self._source.modified_ns()
        if state == self._seen and self._proved:
            return
        for attempt in range(3):
            try:
                self._grow(state[0])
                break
            except (sqlite3.Error, LookupError) as error:
                self._recover(error, attempt)
        self._seen = state

    def forget(self) -> None:
        """What the index says did not hold: make it anew at the next `refresh`."""
        self._recover(LookupError(), 0)
        self._seen = None

    def _recover(self, error: Exception, attempt: int) -> None:
        """Make the sidecar anew once, if it is damaged; else go on without one."""
        self.close()
        self._proved = False
        # Tables that are not ours are an error of the query; a lock or a full disk is not.
        damaged = (
            not isinstance(error, sqlite3.OperationalError)
            or error.sqlite_errorcode == sqlite3.SQLITE_ERROR
        )
        if self.private or attempt == 2:
            raise StorageError(
                "no index of the transcript can be made",
                code="index_unusable",
                where=Place(file=str(self._source.path)),
            ) from error
        if damaged and attempt == 0:
            with contextlib.suppress(OSError):
                Path(self._path).unlink()
        else:
            self._path = _PRIVATE

    def _grow(self, end: int) -> None:
        entries, source = self.entries, self._source
        about = entries.about()
        if not self._holds(about, end):
            self._start_anew(end)
            about = entries.about()
        self._proved = True
        self.covered = about["covered"]
        step = source.step
        while self.covered < end:
            stop = min(end, self.covered + step)
            reached = self._add(stop)
            if reached == self.covered:
                # Torn, or a line longer than a step.
                if stop == end:
                    break
                step *= 2
            self.covered = reached
            self._progress(reached, end)
        self.torn = source.torn if self.covered < end else None

    def _add(self, stop: int) -> int:
        """Add the records before `stop`, if no other process has; gives where the index ends."""
        entries, source = self.entries, self._source
        entries.begin()
        try:
            since = self.reached()
            covered = since.covered
            if covered < stop:
                Growth(entries).add(source.scan(since, stop))
                covered = source.covered
                digest = source.digest(covered)
                entries.tell(covered=covered, resume=source.resume, digest=digest)
            entries.commit()
        except BaseException:
            entries.rollback()
            raise
        return covered

    def reached(self) -> Reached:
        """How far the index goes."""
        about = self.entries.about()
        last = self.entries.last_entry(about["covered"])
        return Reached(
            covered=about["covered"],
            resume=about["resume"],
            last_id=None if last is None else id_text(last.record_id),
        )

    def _holds(self, about: dict[str, Any], end: int) -> bool:
        """Whether an index is one of this transcript as it is."""
        covered = about.get("covered")
        device, inode = self._source.identity()
        return (
            isinstance(covered, int)
            and 0 <= covered <= end
            and (about.get("device"), about.get("inode")) == (str(device), str(inode))
            and about.get("digest") == self._source.digest(covered)
        )

    def _start_anew(self, end: int) -> None:
        entries = self.entries
        entries.begin()
        try:
            # Another process may have done it while this one waited.
            if not self._holds(entries.about(), end):
                entries.create()
                device, inode = self._source.identity()
                digest = self._source.digest(0)
                # As text: an inode may be larger than SQLite's integers.
                entries.tell(
                    device=str(device), inode=str(inode), covered=0, resume=0, digest=digest
                )
            entries.commit()
        except BaseException:
            entries.rollback()
            raise
