"""Dictionary-compressed Zstandard, the content coding `dcz` (RFC 9842, section 5).

    5E 2A 4D 18 20 00 00 00   the magic number: to zstd, a frame of 32 bytes to skip
    32 bytes                  the SHA-256 of the dictionary
    one zstd frame            compressed with the dictionary as raw content

The frames written here state their size and have a checksum, and those read must state it, as with
zstd (`encodings`).  The hash is looked up before anything is decompressed: without the dictionary a
frame would be refused by its checksum alone.  Up to level 19 the window of a frame is at most the
8 MiB that every receiver has.
"""

from collections.abc import Callable, Mapping

import zstandard

from histbench.dictionaries.dictionary import DIGEST_BYTES, Dictionary
from histbench.encodings import Encoding, decode_zstd, encode_zstd, invalid_encoding
from histbench.errors import InvalidData

__all__ = [
    "DCZ_HEADER_BYTES",
    "DCZ_LEVEL",
    "DCZ_MAX_BODY",
    "DczEncoder",
    "dcz_encoding",
    "decode_dcz",
]

_MAGIC = b"\x5e\x2a\x4d\x18\x20\x00\x00\x00"

DCZ_HEADER_BYTES = len(_MAGIC) + DIGEST_BYTES

# Smaller than br-5 in half its time up to this size of body, and larger from there on: what a
# dictionary saves stays the same while the page grows (docs: decision 008).
DCZ_LEVEL = 6
DCZ_MAX_BODY = 128 * 1024


class DczEncoder:
    """Encodes with one dictionary at one level up to 19; made once, for any number of threads."""

    def __init__(self, dictionary: Dictionary, *, level: int = DCZ_LEVEL) -> None:
        self.dictionary = dictionary
        self._level = level
        self._compiled = _compiled(dictionary)
        # Its hash tables, which would otherwise be made anew for every page.
        self._compiled.precompute_compress(level=self._level)

    def __call__(self, data: bytes) -> bytes:
        """The header and the frame of `data`."""
        frame = encode_zstd(data, level=self._level, dictionary=self._compiled)
        return _MAGIC + self.dictionary.digest + frame


def decode_dcz(
    data: bytes, dictionaries: Callable[[bytes], Dictionary | None], *, max_bytes: int
) -> bytes:
    """What `data` was encoded from.

    Args:
        data: one whole dcz stream.
        dictionaries: gives the dictionary with this SHA-256, or None.
        max_bytes: the most that may come out; no more is ever held.

    Raises:
        InvalidData: `invalid_encoding`, for anything that is not one whole stream;
            `unknown_dictionary`, for one that needs a dictionary which is not there.
        LimitExceeded: `encoding_too_large`.
    """
    if len(data) < DCZ_HEADER_BYTES or not data.startswith(_MAGIC):
        raise invalid_encoding("dcz", "it has another header")
    digest = data[len(_MAGIC) : DCZ_HEADER_BYTES]
    dictionary = dictionaries(digest)
    if dictionary is None:
        raise InvalidData(
            "the stream needs a dictionary that is not here",
            code="unknown_dictionary",
            found=digest.hex(),
        )
    return decode_zstd(
        data[DCZ_HEADER_BYTES:],
        max_bytes=max_bytes,
        dictionary=_compiled(dictionary),
        name="dcz",
    )


def dcz_encoding(dictionary: Dictionary, *, level: int = DCZ_LEVEL) -> Encoding:
    """The row of the table of encodings for one dictionary: `dcz-6`, its header counted."""
    known: Mapping[bytes, Dictionary] = {dictionary.digest: dictionary}

    def decode(data: bytes, *, max_bytes: int) -> bytes:
        return decode_dcz(data, known.get, max_bytes=max_bytes)

    return Encoding(
        name=f"dcz-{level}",
        library="zstd",
        parameters={
            "level": level,
            "checksum": 1,
            "content_size": 1,
            "dictionary_bytes": len(dictionary.content),
        },
        encode=DczEncoder(dictionary, level=level),
        decode=decode,
        dictionary=dictionary.name,
    )


def _compiled(dictionary: Dictionary) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(
        dictionary.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )
