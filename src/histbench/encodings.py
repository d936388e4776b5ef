"""Content encodings: bytes to fewer bytes and back, one table, one contract.

Contract.  `encode(data)` is deterministic for one library build; `decode(encode(data),
max_bytes=len(data))` gives `data` back.  `decode` takes exactly one complete stream: cut short,
damaged or followed by more bytes it is InvalidData.  It never holds more than `max_bytes` of
output (plus one block of the library's), so a few kB that expand to gigabytes end in
LimitExceeded and not in the memory of the host.

Names.  A name holds its level, because `br-5` and `br-11` differ more from each other than
either does from gzip; the parameters that a name does not hold stand in `parameters`.  Levels are
always passed: brotli's default quality is 11, which takes minutes on a raw page.

zstandard is behind `encode_zstd` and `decode_zstd` alone, so that the `compression.zstd` of
Python 3.14 can take its place there; both also take a dictionary (`dictionaries`).
"""

import gzip
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

import brotli
import msgspec
import zstandard

from histbench.errors import InvalidData, LimitExceeded, UsageError

__all__ = [
    "ENCODINGS",
    "Encoding",
    "decode_zstd",
    "encode_zstd",
    "find_encoding",
    "invalid_encoding",
    "zstd_encoding",
]

# zlib's window (15) plus 16: a gzip header and trailer around the deflate stream.
_GZIP_WINDOW = 31
# The library's own default, stated because sizes depend on it.
_BROTLI_WINDOW = 22


class Decode(Protocol):
    """`data` decoded; never more than `max_bytes` of it."""

    def __call__(self, data: bytes, *, max_bytes: int) -> bytes: ...


class Encoding(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table: a pair of functions and all that is needed to name what they did.

    `encode(data)` gives the encoded bytes.  `decode(data, max_bytes=...)` raises LimitExceeded
    (`encoding_too_large`) past the bound and InvalidData (`invalid_encoding`) for anything that
    is not one whole stream.  `slow` marks encoders that take minutes on a raw page.  `dictionary`
    is the SHA-256 of what both functions need beside the bytes, None where they need nothing.
    """

    name: str
    library: str
    parameters: Mapping[str, int]
    encode: Callable[[bytes], bytes]
    decode: Decode
    slow: bool = False
    dictionary: str | None = None


def _too_large(name: str, max_bytes: int) -> LimitExceeded:
    return LimitExceeded(
        f"{name} data expands past the limit",
        code="encoding_too_large",
        expected=f"at most {max_bytes:,} bytes",
    )


def invalid_encoding(name: str, problem: str) -> InvalidData:
    """The error of bytes that are not one whole stream of the encoding called `name`."""
    return InvalidData(f"not one complete {name} stream: {problem}", code="invalid_encoding")


def _identity_encode(data: bytes) -> bytes:
    return data


def _identity_decode(data: bytes, *, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise _too_large("identity", max_bytes)
    return data


def _gzip_encode(data: bytes, *, level: int) -> bytes:
    # A time stamp would make two runs over one page differ.
    return gzip.compress(data, level, mtime=0)


def _gzip_decode(data: bytes, *, max_bytes: int) -> bytes:
    stream = zlib.decompressobj(_GZIP_WINDOW)
    try:
        # One byte more than allowed tells "exactly full" from "too large" without another call.
        decoded = stream.decompress(data, max_bytes + 1)
    except zlib.error as exc:
        raise invalid_encoding("gzip", str(exc)) from exc
    if len(decoded) > max_bytes:
        raise _too_large("gzip", max_bytes)
    if not stream.eof:
        raise invalid_encoding("gzip", "it ends early")
    if stream.unused_data:
        raise invalid_encoding("gzip", f"{len(stream.unused_data)} bytes follow it")
    return decoded


def _brotli_encode(data: bytes, *, quality: int) -> bytes:
    encoded: bytes = brotli.compress(data, quality=quality, lgwin=_BROTLI_WINDOW)
    return encoded


def _brotli_decode(data: bytes, *, max_bytes: int) -> bytes:
    stream = brotli.Decompressor()
    try:
        # The limit is soft: the buffer that crosses it is still handed over whole.
        decoded: bytes = stream.process(data, output_buffer_limit=max_bytes + 1)
    except brotli.error as exc:
        raise invalid_encoding("brotli", "damaged, or followed by more bytes") from exc
    if len(decoded) > max_bytes:
        raise _too_large("brotli", max_bytes)
    if not stream.is_finished():
        raise invalid_encoding("brotli", "it ends early")
    return decoded


def encode_zstd(
    data: bytes, *, level: int, dictionary: zstandard.ZstdCompressionDict | None = None
) -> bytes:
    """One frame that states its size and has a checksum."""
    compressor = zstandard.ZstdCompressor(
        level=level, dict_data=dictionary, write_checksum=True, write_content_size=True
    )
    return compressor.compress(data)


def decode_zstd(
    data: bytes,
    *,
    max_bytes: int,
    dictionary: zstandard.ZstdCompressionDict | None = None,
    name: str = "zstd",
) -> bytes:
    """The content of one frame; `name` stands in the errors, which are those of every decoder."""
    try:
        stated = zstandard.frame_content_size(data)
        if stated > max_bytes:
            raise _too_large(name, max_bytes)
        if stated < 0:
            # Without a stated size the library allocates whatever it is told to.
            raise invalid_encoding(name, "the frame does not state its content size")
        decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
        if stated == 0:
            # The library returns at once when it reads this size, whatever comes behind.
            return _empty_frame(decompressor, data, name)
        # Generic one-shot readers stop after the first frame without a word.
        return decompressor.decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as exc:
        raise invalid_encoding(name, str(exc)) from exc


def _empty_frame(decompressor: zstandard.ZstdDecompressor, data: bytes, name: str) -> bytes:
    stream = decompressor.decompressobj()
    decoded = stream.decompress(data)
    if not stream.eof:
        raise invalid_encoding(name, "it ends early")
    if decoded or stream.unused_data:
        raise invalid_encoding(name, "more bytes follow it than it says")
    return decoded


def _gzip(level: int) -> Encoding:
    return Encoding(
        name=f"gzip-{level}",
        library="zlib",
        parameters={"level": level, "mtime": 0},
        encode=partial(_gzip_encode, level=level),
        decode=_gzip_decode,
    )


def _brotli(quality: int, *, slow: bool = False) -> Encoding:
    return Encoding(
        name=f"br-{quality}",
        library="brotli",
        parameters={"quality": quality, "lgwin": _BROTLI_WINDOW},
        encode=partial(_brotli_encode, quality=quality),
        decode=_brotli_decode,
        slow=slow,
    )


def zstd_encoding(level: int, *, slow: bool = False) -> Encoding:
    """The row of zstd at any level; `ENCODINGS` has those that are measured unasked."""
    return Encoding(
        name=f"zstd-{level}",
        library="zstd",
        parameters={"level": level, "checksum": 1, "content_size": 1},
        encode=partial(encode_zstd, level=level),
        decode=decode_zstd,
        slow=slow,
    )


_TABLE = (
    Encoding(
        name="identity",
        library="none",
        parameters={},
        encode=_identity_encode,
        decode=_identity_decode,
    ),
    _gzip(6),
    _brotli(5),
    _brotli(11, slow=True),
    zstd_encoding(3),
    zstd_encoding(19, slow=True),
)

ENCODINGS: Mapping[str, Encoding] = {encoding.name: encoding for encoding in _TABLE}


def find_encoding(name: str) -> Encoding:
    """The encoding called `name`; UsageError (`unknown_encoding`) that lists the names otherwise.

    >>> find_encoding("gzip-6").parameters["level"]
    6
    """
    try:
        return ENCODINGS[name]
    except KeyError:
        raise UsageError(
            "no such encoding",
            code="unknown_encoding",
            found=name,
            expected=f"one of {', '.join(ENCODINGS)}",
        ) from None
