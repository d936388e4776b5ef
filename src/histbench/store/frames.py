"""The frames of a zstd stream, walked without decompressing them.

A file is frames one after the other (RFC 8878, section 3.1), each either

    zstd frame       28 B5 2F FD, frame header, blocks, [4 bytes of checksum]
    skippable frame  5x 2A 4D 18, length (4 bytes), that many bytes nobody reads

    frame header     descriptor, [window], [dictionary id: 1, 2, 4], [content size: 1, 2, 4, 8]
    descriptor       bits 7-6 content size flag, 5 single segment, 4 unused, 3 reserved,
                     2 checksum flag, 1-0 dictionary id flag
    block            3 bytes: bit 0 last, bits 1-2 type (raw, RLE, compressed, reserved),
                     bits 3-23 size; then `size` bytes, or 1 byte for RLE

The walk knows where each frame ends before a decompressor has seen it.  That is what tells a torn
frame (the file ends inside the last one: a crash while writing) from a damaged one (anything
else: refused with the byte), and a reader that stops after the first frame from one that is right.
A tail of nothing but NUL bytes counts as torn: a power cut may leave a file longer than its data.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from histbench.errors import InvalidLog, LimitExceeded, Place
from histbench.store.limits import DEFAULT_LIMITS, Limits

__all__ = ["BLOCK_BYTES", "FRAME_MAGIC", "PIECE_BYTES", "Frame", "FrameWalk", "is_zstd"]

FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
# The first byte of a skippable frame is 50 to 5F, the other three are these.
_SKIPPABLE_TAIL = b"\x2a\x4d\x18"

# No block holds or expands to more (RFC 8878, section 3.1.1.2.4).
BLOCK_BYTES = 128 * 1024

# How many blocks one piece may hold, and so what a piece expands to at most.
_PIECE_BLOCKS = 8
PIECE_BYTES = _PIECE_BLOCKS * BLOCK_BYTES

_READ_BYTES = 256 * 1024

_DICTIONARY_BYTES = (0, 1, 2, 4)
_RLE, _RESERVED = 1, 3


class Frame(Struct, frozen=True, kw_only=True):
    """The header of one frame: where it starts in the file and what it says of itself."""

    start: int
    header: bytes
    skippable: bool
    # Payload length of a skippable frame; None when a zstd frame does not tell.
    content_bytes: int | None
    checksum: bool


def is_zstd(head: bytes) -> bool:
    r"""Whether a file that starts with `head` is a zstd stream, by its first magic number.

    >>> is_zstd(b"\x28\xb5\x2f\xfd"), is_zstd(b'{"type"')
    (True, False)
    """
    return _magic_kind(head[:4]) is not None


def _magic_kind(magic: bytes) -> bool | None:
    """True for a skippable frame, False for a zstd frame, None for neither."""
    if magic == FRAME_MAGIC:
        return False
    if len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == _SKIPPABLE_TAIL:
        return True
    return None


class FrameWalk:
    """Frames of a byte stream in order: `next_frame`, then `pieces` to its end, and again.

    `offset` is the byte of the file that the stream stands at; `end` the end of the last complete
    frame.  `torn` is set when the stream ends inside a frame.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        *,
        offset: int = 0,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._read = read
        self._limits = limits
        self._buffer = b""
        self._at = 0
        self._frame: Frame | None = None
        self.offset = offset
        self.end = offset
        self.torn = False

    def next_frame(self) -> Frame | None:
        """The next frame's header, or None at the end of the stream (then see `torn`).

        Raises:
            InvalidLog: `zstd_magic`, `zstd_reserved_bit` or `zstd_dictionary`, with the byte.
            LimitExceeded: `zstd_window`, a frame that needs more memory than it may have.
        """
        if self._frame is not None:
            for _ in self.pieces():
                pass
        if self.torn:
            return None
        start = self.offset
        magic = self._take(4)
        if not magic:
            return None
        skippable = _magic_kind(magic)
        if skippable is None:
            self._no_frame(magic, start)
            return None
        length = self._take(4) if skippable else self._take(1)
        if skippable:
            if self._is_short(length, 4):
                return None
            size = int.from_bytes(length, "little")
            frame = Frame(
                start=start, header=b"", skippable=True, content_bytes=size, checksum=False
            )
        elif self._is_short(length, 1):
            return None
        else:
            parsed = self._zstd_header(start, length)
            if parsed is None:
                return None
            frame = parsed
        self._frame = frame
        return frame

    def _no_frame(self, magic: bytes, start: int) -> None:
        if len(magic) < 4 and (
            FRAME_MAGIC.startswith(magic)
            or (magic[0] & 0xF0 == 0x50 and _SKIPPABLE_TAIL.startswith(magic[1:]))
        ):
            self.torn = True
            return
        if not magic.strip(b"\0") and self._only_nul_follows():
            self.torn = True
            return
        raise InvalidLog(
            "no zstd frame starts here",
            code="zstd_magic",
            where=Place(byte=start),
            found=magic.hex(" "),
            expected=FRAME_MAGIC.hex(" "),
        )

    def _only_nul_follows(self) -> bool:
        while chunk := self._take(_READ_BYTES):
            if chunk.strip(b"\0"):
                return False
        return True

    def _zstd_header(self, start: int, descriptor: bytes) -> Frame | None:
        flags = descriptor[0]
        if flags & 0x08:
            raise InvalidLog(
                "the frame header sets a reserved bit",
                code="zstd_reserved_bit",
                where=Place(byte=start + 4),
            )
        single_segment = bool(flags & 0x20)
        window_size = 0 if single_segment else 1
        dictionary_size = _DICTIONARY_BYTES[flags & 3]
        content_flag = flags >> 6
        content_size = 1 << content_flag if content_flag else int(single_segment)
        wanted = window_size + dictionary_size + content_size
        rest = self._take(wanted)
        if self._is_short(rest, wanted):
            return None
        dictionary = int.from_bytes(rest[window_size : window_size + dictionary_size], "little")
        if dictionary:
            raise InvalidLog(
                "the frame needs a dictionary",
                code="zstd_dictionary",
                where=Place(byte=start),
                found=dictionary,
                expected="a frame without one",
            )
        content_bytes = None
        if content_size:
            content_bytes = int.from_bytes(rest[wanted - content_size :], "little")
            if content_size == 2:
                # A size of two bytes is stored less 256, which one byte could have told.
                content_bytes += 256
        window = _window_bytes(rest[0]) if window_size else content_bytes or 0
        if window > self._limits.window_bytes:
            raise LimitExceeded(
                "the frame's window is too large",
                code="zstd_window",
                where=Place(byte=start),
                found=window,
                expected=f"at most {self._limits.window_bytes} bytes",
            )
        return Frame(
            start=start,
            header=FRAME_MAGIC + descriptor + rest,
            skippable=False,
            content_bytes=content_bytes,
            checksum=bool(flags & 0x04),
        )

    def pieces(self) -> Iterator[bytes]:
        """The rest of the current frame in pieces of whole blocks; empty for a skippable frame.

        The first piece starts with the frame's magic number.  No piece expands past PIECE_BYTES.
        When the stream ends inside the frame, the blocks that are whole still come, and `torn` is
        set.

        Raises:
            InvalidLog: `zstd_reserved_block` or `zstd_block_size`, with the byte of the block.
        """
        frame = self._frame
        if frame is None:
            return
        self._frame = None
        if frame.skippable:
            self._skip(frame.content_bytes or 0)
            return
        parts = [frame.header]
        blocks = 0
        last = False
        while not last:
            block = self._block()
            if block is None:
                break
            last = bool(block[0] & 1)
            parts.append(block)
            blocks += 1
            if blocks == _PIECE_BLOCKS and not last:
                yield b"".join(parts)
                parts, blocks = [], 0
        if last and frame.checksum:
            checksum = self._take(4)
            if not self._is_short(checksum, 4):
                parts.append(checksum)
        if not self.torn:
            self.end = self.offset
        if parts:
            yield b"".join(parts)

    def _skip(self, size: int) -> None:
        while size > 0:
            chunk = self._take(min(size, _READ_BYTES))
            if self._is_short(chunk, 1):
                return
            size -= len(chunk)
        self.end = self.offset

    def _block(self) -> bytes | None:
        """One block with its header; None, and `torn`, when the stream ends first."""
        start = self.offset
        header = self._take(3)
        if self._is_short(header, 3):
            return None
        value = int.from_bytes(header, "little")
        kind, size = value >> 1 & 3, value >> 3
        if kind == _RESERVED:
            raise InvalidLog(
                "a block of the reserved type",
                code="zstd_reserved_block",
                where=Place(byte=start),
            )
        if size > BLOCK_BYTES:
            raise InvalidLog(
                "a block larger than any may be",
                code="zstd_block_size",
                where=Place(byte=start),
                found=size,
                expected=f"at most {BLOCK_BYTES} bytes",
            )
        wanted = 1 if kind == _RLE else size
        content = self._take(wanted)
        if self._is_short(content, wanted):
            return None
        return header + content

    def _is_short(self, taken: bytes, wanted: int) -> bool:
        if len(taken) < wanted:
            self.torn = True
        return self.torn

    def _take(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end of the stream."""
        while len(self._buffer) - self._at < size:
            chunk = self._read(_READ_BYTES)
            if not chunk:
                break
            self._buffer = self._buffer[self._at :] + chunk
            self._at = 0
        taken = self._buffer[self._at : self._at + size]
        self._at += len(taken)
        self.offset += len(taken)
        return taken


def _window_bytes(descriptor: int) -> int:
    """RFC 8878, section 3.1.1.1.2: a power of two from 1 KiB and eighths of it."""
    base = 1 << (10 + (descriptor >> 3))
    return base + (base >> 3) * (descriptor & 7)
