"""One pass over a session file: its header, its body lines in blocks, and what its end looks like.

Everything that reads a log stands on this pass, so the rules of the end are told once:

- A record is whole when its newline is there; in a compressed log, when its frame let it out.
- What follows the last newline, an incomplete last frame, or a tail of NUL bytes is *torn*: a
  writer was stopped.  It is reported and left out, never guessed at, and never an error by itself.
- A file in which not even the header line is whole is no log: refused.

Memory is bounded by the longest line (`limits`), not by the file.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, Place, StorageError
from histbench.log import Diagnostic
from histbench.store.archive import archived_blocks, split_header
from histbench.store.content import ContentReader, Read
from histbench.store.durable import open_file, storage_error
from histbench.store.header import read_header_line
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lines import LineBlock, LineSplitter

__all__ = ["BlockScan", "LogScan", "LogSource", "TornTail"]


class TornTail(Struct, frozen=True, kw_only=True):
    """What a stopped writer left behind the last whole record.

    `byte` is where the torn line starts, or the torn frame; `line` the number that the torn line
    would have.  What stands before `cut` can be kept as it is: whole frames of whole lines.
    """

    byte: int
    line: int
    tail_bytes: int
    frame: bool
    cut: int

    def diagnostic(self) -> Diagnostic:
        """The same for whoever reads the log all the same."""
        what = "frame" if self.frame else "line"
        message = (
            f"the file ends inside its last {what}, of which {self.tail_bytes} bytes are there"
        )
        return Diagnostic(code="torn_tail", message=message, line=self.line, byte=self.byte)


class LogSource:
    """An open session file (or a binary stream) and the name that errors give it.

    Use as a context manager.  A path is opened read-only; a stream, or the descriptor of a path
    that is open already, is used as it is and not closed.
    """

    def __init__(
        self, source: str | os.PathLike[str] | BinaryIO, *, descriptor: int | None = None
    ) -> None:
        self.path: Path | None = None
        self.descriptor = descriptor
        self._owned = descriptor is None
        self._stream: BinaryIO | None = None
        if isinstance(source, str | os.PathLike):
            self.path = Path(source)
            self.name = str(self.path)
            if descriptor is None:
                self.descriptor = open_file(self.path)
        else:
            self.name = str(getattr(source, "name", "<stream>"))
            self._stream = source

    def read(self, size: int) -> bytes:
        """At most `size` bytes, none at the end.

        Raises:
            StorageError: `io_error`, ...
        """
        try:
            if self.descriptor is not None:
                return os.read(self.descriptor, size)
            return self._stream.read(size) if self._stream is not None else b""
        except OSError as error:
            raise storage_error(error, self.name) from error

    def read_at(self, offset: int, size: int) -> bytes:
        """The `size` bytes at `offset` of a file, fewer at its end."""
        if self.descriptor is None:
            raise _not_a_file(self.name)
        parts = []
        try:
            while size > 0 and (part := os.pread(self.descriptor, size, offset)):
                parts.append(part)
                offset += len(part)
                size -= len(part)
        except OSError as error:
            raise storage_error(error, self.name) from error
        return b"".join(parts)

    def reader(self, offset: int, end: int | None = None, *, at_once: int | None = None) -> Read:
        """A function that reads a file from `offset` on, leaving its position alone.

        Args:
            offset: where it starts.
            end: where it ends, if that is not the file's end.
            at_once: the most that one call reads, for who may need less than they ask for.
        """
        at = offset

        def read(size: int) -> bytes:
            nonlocal at
            size = size if end is None else min(size, end - at)
            data = self.read_at(at, size if at_once is None else min(size, at_once))
            at += len(data)
            return data

        return read

    def will_read(self, start: int, end: int) -> None:
        """Let the kernel fetch the file's bytes `[start, end)` meanwhile, where it can."""
        advise = getattr(os, "posix_fadvise", None)
        if self.descriptor is not None and advise is not None and start < end:
            with contextlib.suppress(OSError):
                advise(self.descriptor, start, end - start, os.POSIX_FADV_WILLNEED)

    def stat(self) -> os.stat_result:
        """The open file's state."""
        if self.descriptor is None:
            raise _not_a_file(self.name)
        return os.fstat(self.descriptor)

    def revision(self) -> tuple[int, ...] | None:
        """What changes when the file does; None for a stream."""
        if self.descriptor is None:
            return None
        status = os.fstat(self.descriptor)
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def close(self) -> None:
        """Close what was opened here."""
        if self.descriptor is not None and self._owned:
            os.close(self.descriptor)
        self.descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, HistbenchError):
            error.at(file=self.name)


def _not_a_file(name: str) -> StorageError:
    return StorageError(
        "a stream cannot be read out of order", code="not_seekable", where=Place(file=name)
    )


class BlockScan:
    """Iterate once over blocks of lines, from byte `offset` of a log on, where a line must start.

    Of an archive, whose form is `archive_form`, the lines are those of the log inside.
    Afterwards `torn` tells about the end, `lines` how many whole lines there were, `frames` how
    many zstd frames, `file_bytes` the length of the file.

    Raises (while iterating):
        InvalidLog: damage in a frame; when `strict`, `frame_torn_record` for a record that does
            not end with the last frame.
        LimitExceeded: a line or the whole expands past `limits`.
    """

    def __init__(
        self,
        read: Read,
        *,
        offset: int = 0,
        strict: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        archive_form: str | None = None,
    ) -> None:
        self.archive_form = archive_form
        self._strict = strict
        self._content = ContentReader(read, offset=offset, limits=limits)
        self.compressed = self._content.compressed
        self._splitter = LineSplitter(iter(self._content), exact=not self.compressed, limits=limits)
        self._blocks = iter(self._splitter)
        self._aligned = offset
        self._last: int | None = None
        self.torn: TornTail | None = None

    def __iter__(self) -> Iterator[LineBlock]:
        for block in self._stored_blocks():
            if self.archive_form is None:
                yield block
            else:
                yield from archived_blocks(block, exact=not self.compressed)

    def _stored_blocks(self) -> Iterator[LineBlock]:
        for block in self._blocks:
            self._note(block)
            yield block
        self._finish()

    def _note(self, block: LineBlock) -> None:
        self._last = block.byte
        if block.aligned:
            self._aligned = block.byte

    def _finish(self) -> None:
        content, splitter = self._content, self._splitter
        line = splitter.lines + 1
        torn_at, began = content.torn_at, splitter.torn_byte
        if torn_at is not None:
            # Did the torn frame start with a record?  Its own blocks say so, or that none came.
            clean = self._aligned == torn_at or (self._last != torn_at and began in {None, torn_at})
            self.torn = TornTail(
                byte=torn_at,
                line=line,
                tail_bytes=content.file_bytes - torn_at,
                frame=True,
                cut=torn_at if clean else self._aligned,
            )
        elif began is not None:
            if self.compressed and self._strict:
                raise InvalidLog(
                    "a complete frame ends inside a record",
                    code="frame_torn_record",
                    where=Place(line=line, byte=began),
                )
            self.torn = TornTail(
                byte=began,
                line=line,
                tail_bytes=content.file_bytes - began,
                frame=False,
                cut=self._aligned if self.compressed else began,
            )

    @property
    def lines(self) -> int:
        """How many whole lines were read so far, with the header if there was one."""
        return self._splitter.lines

    @property
    def frames(self) -> int:
        """How many zstd frames were met so far."""
        return self._content.frames

    @property
    def file_bytes(self) -> int:
        """The length of the file, known after the pass."""
        return self._content.file_bytes


class LogScan(BlockScan):
    """The pass over a whole log: making it reads the header, iterating gives the body.

    Of an archive, the header is that of the log inside too.

    Raises:
        InvalidLog: `empty_log`, `no_header`, `not_a_log`, `log_version`; when `strict` also a
            header that no store would write.  Otherwise as `BlockScan`.
    """

    def __init__(
        self, read: Read, *, strict: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        super().__init__(read, strict=strict, limits=limits)
        first = next(self._blocks, None)
        if first is None:
            raise self._headerless()
        self._note(first)
        self._first: LineBlock | None = first
        self.header_line, self.archive_form = split_header(first.lines[0])
        self._stored_header_bytes = len(first.lines[0]) + 1
        self.header: dict[str, Any] = read_header_line(self.header_line, strict=strict)

    def _headerless(self) -> InvalidLog:
        if self._content.file_bytes == 0:
            return InvalidLog("the file is empty", code="empty_log", where=Place(byte=0))
        if self._content.torn_at is not None:
            return InvalidLog(
                "the zstd file is truncated before the end of its first line",
                code="no_header",
                where=Place(byte=self._content.file_bytes),
                expected="a session header line",
            )
        if self._splitter.torn:
            # The reason why it is no header is more use than the missing newline.
            read_header_line(self._splitter.torn)
        return InvalidLog(
            "the header line is not complete",
            code="no_header",
            where=Place(line=1, byte=0),
            expected="a session header line that ends with a newline",
        )

    def _stored_blocks(self) -> Iterator[LineBlock]:
        first, self._first = self._first, None
        if first is not None and len(first.lines) > 1:
            yield LineBlock(
                2,
                first.byte if self.compressed else first.byte + self._stored_header_bytes,
                first.lines[1:],
                aligned=not self.compressed,
            )
        yield from super()._stored_blocks()
