"""A transcript that is open, and the states of it that work is done on: now, or as it was frozen.

One file is open at a time.  When the path leads to another one, that is opened instead, and what a
cursor froze is unavailable.  Records that are not what the index says make the index anew, once;
what a cursor asks for and still cannot be proved is unavailable too, never another page.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from histbench.errors import InvalidCursor, Place, SnapshotUnavailable, StorageError
from histbench.store.durable import storage_error
from histbench.transcript.cursor import Cursor, TurnIndexToken
from histbench.transcript_file.index import Progress, RecordIndex
from histbench.transcript_file.opening import open_source
from histbench.transcript_file.snapshot import Snapshot, StaleIndexError
from histbench.transcript_file.source import Source

__all__ = ["OpenTranscript"]

T = TypeVar("T")


class OpenTranscript:
    """The transcript at `path`; for one thread at a time.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
    """

    def __init__(self, path: Path, *, progress: Progress | None = None) -> None:
        self.path = path
        self._progress = progress
        self.source: Source
        self.index: RecordIndex
        self._open()

    def _open(self) -> None:
        self.source = open_source(self.path)
        self.index = RecordIndex(self.source, progress=self._progress)

    def close(self) -> None:
        """Let go of the file and the index."""
        self.index.close()
        self.source.close()

    def of_now(self, work: Callable[[Snapshot], T]) -> T:
        """What `work` makes of the transcript as it is now."""
        return self._of(lambda: Snapshot(self.source, self.index, self.index.covered), work)

    def of_frozen(self, frozen: Cursor | TurnIndexToken, work: Callable[[Snapshot], T]) -> T:
        """What `work` makes of the state that a cursor or token froze."""
        try:
            return self._of(lambda: self._thawed(frozen), work)
        except StorageError as error:
            if error.code not in {"file_not_found", "is_a_directory", "changed_while_read"}:
                raise
            raise self._unavailable("the file is gone") from error

    def _of(self, take: Callable[[], Snapshot], work: Callable[[Snapshot], T]) -> T:
        """What `work` makes of a state, by an index that covers the file and has been proved."""
        for attempt in range(2):
            self._follow_path()
            self.index.refresh()
            try:
                return work(take())
            except (StaleIndexError, LookupError, sqlite3.Error) as error:
                if attempt:
                    raise self._changing() from error
                self.index.forget()
        raise self._changing()

    def _thawed(self, frozen: Cursor | TurnIndexToken) -> Snapshot:
        if frozen.session_id != self.index.entries.about().get("session_id"):
            raise InvalidCursor("a cursor of another session")
        if structs.astuple(frozen.file_identity) != self.source.identity():
            raise self._unavailable("another file has taken its place")
        if frozen.snapshot_size > self.index.covered:
            raise self._unavailable("the file has become shorter")
        state = Snapshot(self.source, self.index, frozen.snapshot_size)
        if state.leaf_id != frozen.leaf_id:
            raise self._unavailable("the conversation ends otherwise")
        return state

    def _follow_path(self) -> None:
        """Go over to the file that the path leads to now."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise storage_error(error, self.path) from error
        if (status.st_dev, status.st_ino) != self.source.identity():
            # If it cannot be opened, the one that is open stays so.
            left, index = self.source, self.index
            self._open()
            index.close()
            left.close()

    def _unavailable(self, message: str) -> SnapshotUnavailable:
        return SnapshotUnavailable(message, where=Place(file=str(self.path)))

    def _changing(self) -> StorageError:
        return StorageError(
            "the transcript changes while it is read",
            code="changed_while_read",
            where=Place(file=str(self.path)),
        )
