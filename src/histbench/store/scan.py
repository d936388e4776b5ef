"""One pass over a session file: its header, its body lines in blocks, and what its end looks like.

Everything that reads a log stands on this pass, so the rules of the end are told once:

- A record is whole when its newline is there; in a compressed log, when its frame let it out.
- What follows the last newline, an incomplete last frame, or a tail of NUL bytes is *torn*: a
  writer was stopped.  It is reported and left out, never guessed at, and never an error by itself.
- A file in which not even the header line is whole is no log: refused.

Memory is bounded by the longest line (`limits`), not by the file.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, Place, StorageError
from histbench.store.content import ContentReader
from histbench.store.durable import open_file, storage_error
from histbench.store.header import read_header_line
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lines import LineBlock, LineSplitter

__all__ = ["LogScan", "LogSource", "TornTail"]


class TornTail(Struct, frozen=True, kw_only=True):
    """What a stopped writer left behind the last whole record.

    `byte` is the end of what is sound: where the torn line starts, or the torn frame.  `line` is
    the number that the torn line would have.
    """

    byte: int
    line: int
    tail_bytes: int
    frame: bool

    def describe(self) -> str:
        """One sentence for people."""
        what = "frame" if self.frame else "line"
        return f"the file ends inside its last {what}, of which {self.tail_bytes} bytes are there"


class LogSource:
    """An open session file (or a binary stream) and the name that errors give it.

    Use as a context manager.  A path is opened read-only; a stream is used as it is and not closed.
    """

    def __init__(self, source: str | os.PathLike[str] | BinaryIO) -> None:
        self.path: Path | None = None
        if isinstance(source, str | os.PathLike):
            self.path = Path(source)
            self.name = str(self.path)
            self.descriptor: int | None = open_file(self.path)
            self._stream: BinaryIO | None = None
        else:
            self.name = str(getattr(source, "name", "<stream>"))
            self.descriptor = None
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

    def stat(self) -> os.stat_result:
        """The open file's state."""
        if self.descriptor is None:
            raise _not_a_file(self.name)
        return os.fstat(self.descriptor)

    def close(self) -> None:
        """Close what was opened here."""
        if self.descriptor is not None:
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


class LogScan:
    """The pass: construct it (that reads the header), then iterate over blocks of body lines.

    Afterwards `torn` tells about the end, `lines` how many whole lines there were (with the
    header), `frames` how many zstd frames, `file_bytes` the length.

    Raises:
        InvalidLog: `empty_log`, `no_header`, `not_a_log`, `log_version`, damage in a frame; when
            `strict` also a header that no store would write and a record torn by a frame's end.
        LimitExceeded: a line or the whole expands past `limits`.
    """

    def __init__(
        self, source: LogSource, *, strict: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._strict = strict
        self._content = ContentReader(source.read, limits=limits)
        self.compressed = self._content.compressed
        self._splitter = LineSplitter(iter(self._content), exact=not self.compressed, limits=limits)
        self._blocks = iter(self._splitter)
        self.torn: TornTail | None = None
        self._first = next(self._blocks, None)
        if self._first is None:
            raise self._headerless()
        self.header_line = self._first.lines[0]
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

    def __iter__(self) -> Iterator[LineBlock]:
        first = self._first
        if first is not None and len(first.lines) > 1:
            yield LineBlock(
                2,
                first.byte if self.compressed else first.byte + len(self.header_line) + 1,
                first.lines[1:],
                aligned=not self.compressed,
            )
        self._first = None
        yield from self._blocks
        self._finish()

    def _finish(self) -> None:
        content, splitter = self._content, self._splitter
        line = splitter.lines + 1
        if content.torn_at is not None:
            self.torn = TornTail(
                byte=content.torn_at,
                line=line,
                tail_bytes=content.file_bytes - content.torn_at,
                frame=True,
            )
        elif splitter.torn_byte is not None:
            if self.compressed and self._strict:
                raise InvalidLog(
                    "a complete frame ends inside a record",
                    code="frame_torn_record",
                    where=Place(line=line, byte=splitter.torn_byte),
                )
            self.torn = TornTail(
                byte=splitter.torn_byte,
                line=line,
                tail_bytes=len(splitter.torn)
                if not self.compressed
                else content.file_bytes - splitter.torn_byte,
                frame=False,
            )

    @property
    def lines(self) -> int:
        """How many whole lines were read so far, with the header."""
        return self._splitter.lines

    @property
    def frames(self) -> int:
        """How many zstd frames were met so far."""
        return self._content.frames

    @property
    def file_bytes(self) -> int:
        """The length of the file, known after the pass."""
        return self._content.file_bytes
