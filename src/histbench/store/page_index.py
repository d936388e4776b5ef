"""The page index: a sidecar that tells a reader where in a log it may start.

    <log>.index = header (64 bytes), then one entry (64 bytes) for each segment of the log

A *segment* is a stretch of whole frames (or whole lines) that starts and ends at a record's bound
and holds at least 128 KiB of lines.  Segments tile the log from behind its header line; what the last writers
appended after the last segment is short and is read from the file.  All numbers little-endian:

    header   "HBINDEX1", device, inode, body start (8 bytes each), hash of the log's first bytes
             up to the body start (12), 16 zero bytes, CRC-32 of all before
    entry    start byte, end byte, first seq, end seq, lowest cut (8 bytes each), messages,
             KiB of lines (4 each), hash of the segment's bytes (12), CRC-32 of all before

Hashes are BLAKE2b of 12 bytes.  Fixed sizes make an index as cheap to read from its end as the log
is: the newest page costs two reads here, and an entry for a seq is found by halving.

An index is only a hint.  It is ignored when the device, the inode, the header's hash or the size of
the log speak against it; and whoever starts where it says checks the segment's hash, and then
reads the records as if there were no index, seqs included (`log_file`).  So a stale, damaged or
forged index can make a reader slow, never wrong.  It may be deleted at any time.
"""

import contextlib
import os
import stat
import struct
import zlib
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from histbench.errors import StorageError
from histbench.store.durable import replace_file
from histbench.store.scan import LogSource

__all__ = [
    "INDEX_SUFFIX",
    "SEGMENT_BYTES",
    "IndexEntry",
    "PageIndex",
    "append_entry",
    "digest_of",
    "digest_of_bytes",
    "index_path",
    "remove_index",
    "write_index",
]

INDEX_SUFFIX = ".index"

# Of lines, before compression: small enough that a page costs little more than itself, large enough
# that the index of a log of 40 million events is half a megabyte, of which a page reads a few entries.
SEGMENT_BYTES = 128 * 1024

_MAGIC = b"HBINDEX1"
_RECORD_BYTES = 64
_DIGEST_BYTES = 12
_HEADER = struct.Struct("<8sQQQ12s16x")
_ENTRY = struct.Struct("<QQQQQII12s")
_CRC = struct.Struct("<I")

_READ_BYTES = 1024 * 1024
# A page asks for a few neighbouring entries: they are read together.
_BLOCK_ENTRIES = 64


class IndexEntry(Struct, frozen=True, kw_only=True):
    """One segment: bytes `[start, end)`, seqs `[from_seq, to_seq)`, and what a pager asks.

    `lowest_cut` is the least cut of its messages (`messages`), `to_seq` when it has none;
    `content_kib` the length of its lines before compression, rounded up.
    """

    start: int
    end: int
    from_seq: int
    to_seq: int
    lowest_cut: int
    messages: int
    content_kib: int
    digest: bytes

    def pack(self) -> bytes:
        """The entry's 64 bytes."""
        return _sealed(
            _ENTRY.pack(
                self.start,
                self.end,
                self.from_seq,
                self.to_seq,
                self.lowest_cut,
                self.messages,
                self.content_kib,
                self.digest,
            )
        )

    @classmethod
    def unpack(cls, data: bytes) -> "IndexEntry | None":
        """The entry in these 64 bytes; None when they are damaged or make no sense."""
        body = _unsealed(data)
        if body is None:
            return None
        start, end, from_seq, to_seq, lowest_cut, messages, content_kib, digest = _ENTRY.unpack(
            body
        )
        if not (start < end and from_seq < to_seq and lowest_cut <= to_seq):
            return None
        return cls(
            start=start,
            end=end,
            from_seq=from_seq,
            to_seq=to_seq,
            lowest_cut=lowest_cut,
            messages=messages,
            content_kib=content_kib,
            digest=digest,
        )


def _sealed(body: bytes) -> bytes:
    return body + _CRC.pack(zlib.crc32(body))


def _unsealed(data: bytes) -> bytes | None:
    body, seal = data[: -_CRC.size], data[-_CRC.size :]
    if len(data) != _RECORD_BYTES or seal != _CRC.pack(zlib.crc32(body)):
        return None
    return body


def index_path(log: Path) -> Path:
    """The sidecar of a log."""
    return log.with_name(log.name + INDEX_SUFFIX)


def digest_of(source: LogSource, start: int, end: int) -> bytes:
    """The hash of the log's bytes `[start, end)`."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    while start < end:
        data = source.read_at(start, min(_READ_BYTES, end - start))
        if not data:
            break
        digest.update(data)
        start += len(data)
    return digest.digest()


def digest_of_bytes(data: bytes) -> bytes:
    """`digest_of` the log's bytes that were read already."""
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _header(source: LogSource, body_start: int) -> bytes:
    status = source.stat()
    digest = digest_of(source, 0, body_start)
    return _sealed(_HEADER.pack(_MAGIC, status.st_dev, status.st_ino, body_start, digest))


def write_index(source: LogSource, body_start: int, entries: Iterable[IndexEntry]) -> bool:
    """Replace the log's index; False, and nothing changed, where the folder takes no file."""
    if source.path is None:
        return False
    data = _header(source, body_start) + b"".join(entry.pack() for entry in entries)
    try:
        replace_file(index_path(source.path), [data], sync=False)
    except StorageError:
        # An index that cannot be kept costs time only.
        return False
    return True


def append_entry(log: Path, entry: IndexEntry) -> bool:
    """Add one entry behind the last; False when the index does not end where the entry starts."""
    try:
        descriptor = os.open(
            index_path(log), os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        )
    except OSError:
        return False
    try:
        size = os.fstat(descriptor).st_size
        last = os.pread(descriptor, _RECORD_BYTES, size - _RECORD_BYTES)
        if size == _RECORD_BYTES:
            body = _unsealed(last)
            end = _HEADER.unpack(body)[3] if body is not None else None
        else:
            previous = IndexEntry.unpack(last)
            end = previous.end if previous is not None else None
        if size % _RECORD_BYTES or end != entry.start:
            return False
        return os.write(descriptor, entry.pack()) == _RECORD_BYTES
    except OSError:
        return False
    finally:
        os.close(descriptor)


def remove_index(log: Path) -> None:
    """Delete the log's index, if there is one and it can be deleted."""
    with contextlib.suppress(OSError):
        index_path(log).unlink()


class PageIndex:
    """The entries of a log's index, read from the sidecar when asked for; `close` it after.

    `body_start` is where the first record starts: 0 where the header shares its frame with records.
    """

    def __init__(self, descriptor: int, length: int, body_start: int) -> None:
        self._descriptor = descriptor
        self._length = length
        self._block: tuple[int, bytes] | None = None
        self.body_start = body_start

    @classmethod
    def of(cls, source: LogSource) -> "PageIndex | None":
        """The index of an open log; None when there is none, or it is stale or damaged."""
        if source.path is None:
            return None
        try:
            # NONBLOCK: opening a pipe that was put there must not hang.
            descriptor = os.open(
                index_path(source.path),
                os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK,
            )
        except OSError:
            return None
        index = cls._checked(descriptor, source)
        if index is None:
            os.close(descriptor)
        return index

    @classmethod
    def _checked(cls, descriptor: int, source: LogSource) -> "PageIndex | None":
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size < _RECORD_BYTES:
            return None
        head = os.pread(descriptor, _RECORD_BYTES, 0)
        body = _unsealed(head)
        if body is None:
            return None
        _, _, _, body_start, _ = _HEADER.unpack(body)
        log_size = source.stat().st_size
        if body_start > min(log_size, _READ_BYTES) or head != _header(source, body_start):
            return None
        # Whatever was half written behind the last whole entry does not count.
        index = cls(descriptor, status.st_size // _RECORD_BYTES - 1, body_start)
        if index._length and (index.entry(index._length - 1) is None or index.covered > log_size):
            return None
        return index

    @property
    def covered(self) -> int:
        """The byte of the log up to which segments reach."""
        last = self.entry(self._length - 1)
        return self.body_start if last is None else last.end

    def __len__(self) -> int:
        return self._length

    def entry(self, number: int) -> IndexEntry | None:
        """The entry of segment `number`; None when there is none, or it is damaged."""
        if not 0 <= number < self._length:
            return None
        block, place = divmod(number, _BLOCK_ENTRIES)
        if self._block is None or self._block[0] != block:
            size = _BLOCK_ENTRIES * _RECORD_BYTES
            data = os.pread(self._descriptor, size, _RECORD_BYTES + block * size)
            self._block = block, data
        at = place * _RECORD_BYTES
        return IndexEntry.unpack(self._block[1][at : at + _RECORD_BYTES])

    def close(self) -> None:
        """Let go of the sidecar."""
        os.close(self._descriptor)
