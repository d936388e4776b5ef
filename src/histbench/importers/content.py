"""The content of any recording as chunks of text bytes, whatever it is wrapped in.

The first bytes decide, never the name: zstd frames and gzip members are expanded in pieces of at
most 1 MiB, under the same bounds as session files (`store.limits`); anything else is text.  A
UTF-8 byte order mark is passed over; text in UTF-16 is refused by name.  A wrapper that ends too
early gives what it holds, and says where (`torn_at`).
"""

import zlib
from collections.abc import Iterator
from typing import Protocol

from histbench.errors import InvalidLog, InvalidStream, LimitExceeded, Place
from histbench.store.content import Chunk, ContentReader, Read
from histbench.store.limits import MIB, Limits

__all__ = ["IMPORT_LIMITS", "Content", "Replay"]

# One value must be held as text and as Python objects, within 200 MB in all.
IMPORT_LIMITS = Limits(line_bytes=32 * MIB)

_READ_BYTES = 256 * 1024
_PIECE_BYTES = MIB
_GZIP = b"\x1f\x8b"
# With the gzip header and trailer, its checksum verified.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS

_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class _Readable(Protocol):
    name: str

    def read(self, size: int, /) -> bytes: ...


class Replay:
    """Reads like `source`, with `head` given back first."""

    def __init__(self, head: bytes, source: _Readable | None = None) -> None:
        self._head = head
        self._source = source
        self.name = "<stream>" if source is None else source.name

    def read(self, size: int) -> bytes:
        """At most `size` bytes, none at the end."""
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return b"" if self._source is None else self._source.read(size)


class Content:
    """Chunks of text bytes, for one pass.

    `exact` tells whether a chunk's `byte` is its own place in the file, or that of the wrapper
    around it.  After the last chunk `torn_at` is where a wrapper ends too early, or None, and
    `cut_bytes` what was left out at the end: the beginning of a character that was cut off.

    Raises (while iterating):
        InvalidStream: `unknown_format` for another kind of file, `wrong_encoding` for UTF-16,
            `damaged_gzip`.
        InvalidLog: damage in a zstd frame.
        LimitExceeded: `expands_too_far`, `zstd_window`.
    """

    def __init__(self, read: Read, *, limits: Limits = IMPORT_LIMITS) -> None:
        head = read(_READ_BYTES)
        self._head = head
        self._source = read
        self._limits = limits
        self.torn_at: int | None = None
        self.cut_bytes = b""
        self.file_bytes = 0
        self._frames: ContentReader | None = (
            None if head.startswith(_GZIP) else ContentReader(self._read, limits=limits)
        )
        self.exact = self._frames is not None and not self._frames.compressed

    def __iter__(self) -> Iterator[Chunk]:
        chunks = iter(self._gunzip() if self._frames is None else self._plain(self._frames))
        first = next(chunks, None)
        if first is None:
            return
        if first.data.startswith(_WIDE_MARKS):
            raise InvalidStream(
                "the text is UTF-16",
                code="wrong_encoding",
                where=Place(byte=0),
                found=first.data[:2],
                expected="UTF-8",
            )
        if first.data.startswith(_MARK):
            shift = len(_MARK)
            first = Chunk(first.byte + shift * self.exact, first.data[shift:])
        yield self._whole(first)
        yield from map(self._whole, chunks)

    def _whole(self, chunk: Chunk) -> Chunk:
        """A chunk that ends with a whole character; the beginning of another goes to the next."""
        if self.cut_bytes:
            byte = chunk.byte - len(self.cut_bytes) * self.exact
            chunk = Chunk(byte, self.cut_bytes + chunk.data)
        cut = _cut_character(chunk.data)
        self.cut_bytes = chunk.data[len(chunk.data) - cut :]
        return Chunk(chunk.byte, chunk.data[:-cut]) if cut else chunk

    def _plain(self, frames: ContentReader) -> Iterator[Chunk]:
        try:
            yield from frames
        except InvalidLog as error:
            if error.code != "not_a_log":
                raise
            message = error.message.replace("a session log", "a recording")
            raise InvalidStream(message, code="unknown_format", where=error.where) from error
        self.torn_at, self.file_bytes = frames.torn_at, frames.file_bytes

    def _gunzip(self) -> Iterator[Chunk]:
        stream = zlib.decompressobj(_GZIP_WINDOW)
        member = content_bytes = 0
        data = b""
        while data or (data := self._next()):
            try:
                out = stream.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                raise InvalidStream(
                    f"the gzip member is damaged: {error}",
                    code="damaged_gzip",
                    where=Place(byte=member),
                ) from error
            content_bytes += len(out)
            self._check_ratio(content_bytes, member)
            if out:
                yield Chunk(member, out)
            data = stream.unconsumed_tail
            if stream.eof:
                # Another member, or the zeros that tapes and some writers leave behind.
                data = stream.unused_data.lstrip(b"\0") or self._next().lstrip(b"\0")
                member = self.file_bytes - len(data)
                stream = zlib.decompressobj(_GZIP_WINDOW)
                if not data:
                    return
        self.torn_at = member

    def _read(self, size: int) -> bytes:
        head, self._head = self._head, b""
        return head or self._source(size)

    def _next(self) -> bytes:
        data = self._read(_READ_BYTES)
        self.file_bytes += len(data)
        return data

    def _check_ratio(self, content_bytes: int, member: int) -> None:
        limits = self._limits
        if content_bytes > limits.free_bytes and content_bytes > limits.ratio * self.file_bytes:
            raise LimitExceeded(
                "the file expands too far",
                code="expands_too_far",
                where=Place(byte=member),
                found=content_bytes,
                expected=f"at most {limits.ratio} bytes for each of its {self.file_bytes} so far",
            )


def _cut_character(data: bytes) -> int:
    """How many bytes at the end begin a character that does not end."""
    for back in range(1, min(3, len(data)) + 1):
        lead = data[-back]
        if lead >= 0xC0:
            needed = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return back if back < needed else 0
        if lead < 0x80:
            return 0
    return 0
