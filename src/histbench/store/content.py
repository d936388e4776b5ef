"""The content of a session file as a stream of byte chunks, whatever it is wrapped in.

What a file is, is decided by its first bytes, never by its name: a zstd magic number opens a
stream of frames, anything else is text.  Every frame is decompressed on its own, its checksum
verified, in chunks of at most 1 MiB; the bounds of `limits` are applied to what comes out before
more is asked for.

A torn last frame gives what its whole blocks hold.  A complete frame that does not decompress, or
whose checksum or content size is not true, is damage and refused with the byte it starts at.
"""

from collections.abc import Callable, Iterator

import zstandard
from msgspec import Struct

from histbench.errors import InvalidLog, LimitExceeded, Place
from histbench.store.frames import PIECE_BYTES, FrameWalk, is_zstd
from histbench.store.limits import DEFAULT_LIMITS, Limits

__all__ = ["Chunk", "ContentReader", "Read"]

Read = Callable[[int], bytes]

_READ_BYTES = 256 * 1024

# Magic numbers that people hand in by mistake, for an error that names what the file is.
_OTHER_FORMATS = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PAR1", "Parquet"),
    (b"SQLite format 3\x00", "an SQLite database"),
)


class Chunk(Struct, frozen=True):
    """Some content, and the byte of the file where it, or the frame that holds it, starts."""

    byte: int
    data: bytes


class ContentReader:
    """Chunks of a file's content, in order, for one pass.

    `compressed` tells what was found; after the last chunk, `torn_at` is the start of a torn last
    frame or None, and `file_bytes` the length of the file.  A text file has no torn frame; whether
    its last line is torn is for the reader of lines to say.

    Raises (while iterating):
        InvalidLog: damage, with the byte; `not_a_log` for another file format.
        LimitExceeded: `expands_too_far` past the ratio rule, `zstd_window`.
    """

    def __init__(self, read: Read, *, offset: int = 0, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._head = read(_READ_BYTES)
        self._read = read
        self.start = offset
        self.compressed = is_zstd(self._head)
        self.torn_at: int | None = None
        self.frames = 0
        self.file_bytes = offset

    def __iter__(self) -> Iterator[Chunk]:
        return self._frames() if self.compressed else self._text()

    def _next(self, _size: int) -> bytes:
        if self._head:
            head, self._head = self._head, b""
            return head
        return self._read(_READ_BYTES)

    def _text(self) -> Iterator[Chunk]:
        for magic, name in _OTHER_FORMATS:
            if self._head.startswith(magic):
                raise InvalidLog(
                    f"this is {name}, not a session log",
                    code="not_a_log",
                    where=Place(byte=self.start),
                    expected="JSON lines, or zstd frames of JSON lines",
                )
        while data := self._next(_READ_BYTES):
            yield Chunk(self.file_bytes, data)
            self.file_bytes += len(data)

    def _frames(self) -> Iterator[Chunk]:
        walk = FrameWalk(self._next, offset=self.start, limits=self._limits)
        decompressor = zstandard.ZstdDecompressor(max_window_size=self._limits.window_bytes)
        content_bytes = 0
        while (frame := walk.next_frame()) is not None:
            if frame.skippable:
                continue
            self.frames += 1
            frame_bytes = 0
            # A small frame that tells its size goes right into its place, not through a window.
            at_once = 0 < (frame.content_bytes or 0) <= PIECE_BYTES
            ended = False
            stream = decompressor.decompressobj()
            for piece in walk.pieces():
                try:
                    if at_once and walk.end == walk.offset:
                        data, ended = decompressor.decompress(piece), True
                    else:
                        data = stream.decompress(piece)
                        ended, at_once = stream.eof, False
                except zstandard.ZstdError as error:
                    raise _damaged(frame.start, str(error)) from error
                frame_bytes += len(data)
                content_bytes += len(data)
                if frame.content_bytes is not None and frame_bytes > frame.content_bytes:
                    raise _damaged(frame.start, "it holds more than it says")
                self._check_ratio(content_bytes, walk.offset - self.start, frame.start)
                if data:
                    yield Chunk(frame.start, data)
            if walk.torn:
                self.torn_at = frame.start
            elif not ended:
                raise _damaged(frame.start, "it does not end where it says")
        if walk.torn and self.torn_at is None:
            # Not even the header of the last frame is whole.
            self.torn_at = walk.end
        self.file_bytes = walk.offset

    def _check_ratio(self, content_bytes: int, file_bytes: int, frame_start: int) -> None:
        limits = self._limits
        if content_bytes > limits.free_bytes and content_bytes > limits.ratio * file_bytes:
            raise LimitExceeded(
                "the file expands too far",
                code="expands_too_far",
                where=Place(byte=frame_start),
                found=content_bytes,
                expected=f"at most {limits.ratio} bytes for each of its {file_bytes} bytes so far",
            )


def _damaged(start: int, reason: str) -> InvalidLog:
    return InvalidLog(
        f"the zstd frame failed validation: {reason}",
        code="zstd_frame",
        where=Place(byte=start),
    )
