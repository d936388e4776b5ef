"""Appending to a session log: one durable batch at a time, by one writer at a time.

Nothing is on disk before the first batch.  It is published together with the header, as a file
that appears whole or not at all; each later batch is one checksummed zstd frame (or plain lines),
written behind the last, synced, and taken back whole when anything fails.  When `append` returns,
the batch survives a crash; when it raises, the log is as before.

Delta runs are packed within a batch, never across two, since a batch is never rewritten.

The next seq is read from the *file* when a log is opened, and before each batch the file must
still end as this writer left it: the same file, the same length, the same last bytes.  The lock
keeps out every writer that knows it; this check finds the ones that do not, before and after each
append, and from then on the writer refuses to go on.  (Facts: session history, sections 3 and 8.)
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from histbench.errors import InvalidLog, Place, StorageError, UsageError
from histbench.events import Event
from histbench.store.batch import batch_lines, check_batch, compress_frame
from histbench.store.catalog import check_vacant
from histbench.store.durable import append_at, make_folders, publish_new, storage_error
from histbench.store.header import header_line
from histbench.store.index_keeper import IndexKeeper
from histbench.store.layout import LOG_NAMES, session_folder
from histbench.store.lock import lock_file, open_locked, same_file
from histbench.store.page_index import PageIndex
from histbench.store.scan import LogSource
from histbench.store.survey import Survey, survey_log

__all__ = ["LogWriter"]

# How much of its own last write a writer remembers, to know it again.
_REMEMBERED_BYTES = 64


class LogWriter:
    """A log open for appending; `create` or `open` make one, a `with` block closes it.

    Not thread-safe and not lazy: see `batching` for live producers.  `path` is the log, `next_seq`
    the seq that the next event must have.
    """

    def __init__(
        self,
        path: Path,
        *,
        header_bytes: bytes,
        compressed: bool,
        pack_chunks: bool,
        sync: bool,
    ) -> None:
        self.path = path
        self.next_seq = 0
        self._header_bytes = header_bytes
        self._compressed = compressed
        self._pack_chunks = pack_chunks
        self._sync = sync
        self._descriptor: int | None = None
        self._length = 0
        self._remembered = b""
        self._unsynced = False
        self._closed = False
        self._fault: str | None = None
        self._index = IndexKeeper(path)

    @classmethod
    def create(
        cls,
        root: str | os.PathLike[str],
        *,
        session_id: str,
        created_at: int,
        cwd: str | None = None,
        compression: str = "zstd",
        pack_chunks: bool = True,
        sync: bool = True,
        **header_fields: Any,
    ) -> Self:
        """A writer for a new session under `root`; the disk is not touched before the first batch.

        Args:
            root: the folder of all projects.
            session_id: any non-empty text; `layout` says how it becomes a folder name.
            created_at: milliseconds since the epoch.
            cwd: the session's working folder, which decides the project folder.
            compression: `zstd`, or `none` for plain lines.
            pack_chunks: False stores one event a line, for looking at with other tools.
            sync: False leaves it to `flush`, `close` and the operating system when batches become
                durable; a crash may then lose or tear them.
            header_fields: `parent_session`, `seed_length`, `origin`, `delegation_depth`,
                `agent_preset`.

        Raises:
            UsageError: `session_id`, `compression`.
            StorageError: `session_exists` when the root holds a log of this session already.
        """
        if compression not in LOG_NAMES:
            raise UsageError(
                "unknown compression",
                code="compression",
                found=compression,
                expected=" or ".join(LOG_NAMES),
            )
        folder = session_folder(Path(root), session_id, cwd)
        check_vacant(Path(root), session_id)
        header = header_line(session_id=session_id, created_at=created_at, cwd=cwd, **header_fields)
        return cls(
            folder / LOG_NAMES[compression],
            header_bytes=header,
            compressed=compression == "zstd",
            pack_chunks=pack_chunks,
            sync=sync,
        )

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, pack_chunks: bool = True, sync: bool = True
    ) -> Self:
        """A writer that continues the log at `path`, in the compression that the file has.

        Raises:
            StorageError: `log_locked` when another writer has it open, `file_not_found`, ...
            InvalidLog: `torn_tail` when the log must be repaired first; any damage on the way.
        """
        path = Path(path)
        descriptor = open_locked(path)
        try:
            with LogSource(path, descriptor=descriptor) as source:
                writer = cls._continuing(path, source, pack_chunks=pack_chunks, sync=sync)
        except BaseException:
            os.close(descriptor)
            raise
        return writer

    @classmethod
    def _continuing(cls, path: Path, source: LogSource, *, pack_chunks: bool, sync: bool) -> Self:
        index = PageIndex.of(source)
        try:
            survey = survey_log(source, index=index)
            if survey.torn is not None:
                raise InvalidLog(
                    "the log ends in a torn record; repair it before appending",
                    code="torn_tail",
                    where=Place(file=str(path), line=survey.torn.line, byte=survey.torn.byte),
                )
            writer = cls(
                path,
                header_bytes=b"",
                compressed=survey.compressed,
                pack_chunks=pack_chunks,
                sync=sync,
            )
            writer._adopt(source, survey)
            writer._index.adopt(source, survey, index)
        finally:
            if index is not None:
                index.close()
        return writer

    def _adopt(self, source: LogSource, survey: Survey) -> None:
        self._descriptor = source.descriptor
        self._length = survey.file_bytes
        self.next_seq = survey.next_seq
        start = max(0, self._length - _REMEMBERED_BYTES)
        self._remembered = source.read_at(start, self._length - start)

    def append(self, events: Iterable[Event]) -> None:
        """Store `events`, in one batch, durably (unless `sync` is off); none is no batch.

        Raises:
            InvalidEvent: `append_seq` when a seq does not continue the log, `append_event` when a
                value is no event that can be read back.
            InvalidJson: an event holds something that JSON cannot.
            StorageError: the bytes could not be stored (`disk_full`, `permission_denied`, ...);
                `log_changed` when somebody else wrote to the file.  The log is as before.
            UsageError: `writer_closed`, `writer_failed`.
        """
        batch = list(events)
        self._check_usable()
        if not batch:
            return
        check_batch(batch, next_seq=self.next_seq, path=self.path)
        lines = batch_lines(batch, pack_chunks=self._pack_chunks)
        data = compress_frame(lines) if self._compressed else lines
        if self._descriptor is None:
            self._publish(data)
        else:
            self._append(self._descriptor, data)
        self._remembered = (self._remembered + data)[-_REMEMBERED_BYTES:]
        self._unsynced = not self._sync
        self.next_seq += len(batch)
        self._index.appended(batch, content_bytes=len(lines), length=self._length)

    def _check_usable(self) -> None:
        if self._closed:
            raise UsageError("the writer is closed", code="writer_closed")
        if self._fault is not None:
            raise UsageError(
                f"the writer cannot go on: {self._fault}; open the log anew",
                code="writer_failed",
                where=Place(file=str(self.path)),
            )

    def _publish(self, data: bytes) -> None:
        header = compress_frame(self._header_bytes) if self._compressed else self._header_bytes
        made = not self.path.parent.exists()
        make_folders(self.path.parent)
        try:
            self._descriptor = publish_new(
                self.path,
                header + data,
                sync=self._sync,
                before_link=lambda descriptor: lock_file(descriptor, self.path),
            )
        except BaseException:
            if made:
                with contextlib.suppress(OSError):
                    self.path.parent.rmdir()
            raise
        self._length = len(header) + len(data)
        self._index.published(self._descriptor, len(header))

    def _append(self, descriptor: int, data: bytes) -> None:
        self._check_tail(descriptor)
        try:
            append_at(descriptor, data, length=self._length, path=self.path, sync=self._sync)
        except StorageError as error:
            if error.code == "rollback_failed":
                self._fault = error.message
            raise
        length = self._length + len(data)
        if os.fstat(descriptor).st_size != length:
            self._fault = "another writer wrote into its batch"
            raise self._changed("another program wrote to the log at the same moment")
        self._length = length

    def _check_tail(self, descriptor: int) -> None:
        """The file must end as this writer left it."""
        try:
            size = os.fstat(descriptor).st_size
            start = max(0, self._length - _REMEMBERED_BYTES)
            tail = os.pread(descriptor, self._length - start, start)
        except OSError as error:
            raise storage_error(error, self.path) from error
        if not same_file(descriptor, self.path):
            self._fault = "the file was replaced or removed"
        elif size != self._length:
            self._fault = "another writer changed the log's length"
        elif tail != self._remembered[-len(tail) :]:
            self._fault = "another writer changed the log's end"
        if self._fault is not None:
            raise self._changed(self._fault, found=size)

    def _changed(self, reason: str, found: int | None = None) -> StorageError:
        return StorageError(
            f"the log is not as this writer left it: {reason}",
            code="log_changed",
            where=Place(file=str(self.path), byte=self._length, seq=self.next_seq),
            found=found,
            expected=f"{self._length} bytes",
        )

    def flush(self) -> None:
        """Make every appended batch durable; only with `sync=False` is there anything to do.

        Raises:
            StorageError: the disk did not take them.
        """
        if self._descriptor is not None and self._unsynced:
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                raise storage_error(error, self.path) from error
            self._unsynced = False

    def close(self) -> None:
        """Flush and let go of the log; a writer that never appended leaves nothing behind."""
        if self._closed:
            return
        self._closed = True
        if self._descriptor is not None:
            try:
                self.flush()
            finally:
                os.close(self._descriptor)
                self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
