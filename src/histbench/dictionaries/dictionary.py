"""A dictionary: bytes that both sides have, and their SHA-256, which is its only name.

The bytes are raw content (RFC 9842, section 2.1.4; RFC 8878, section 5): text to refer back to, with
nothing in front of it.  A dictionary in zstd's own format, which begins with a magic number, is
refused: tools that recognise the number would read it otherwise than both ends of a connection do.

In HTTP fields the name is a byte sequence (RFC 9651): Base64 between colons.
"""

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Self

from msgspec import Struct

from histbench.errors import InvalidData, LimitExceeded, short

__all__ = [
    "DIGEST_BYTES",
    "MAX_DICTIONARY_BYTES",
    "MIN_DICTIONARY_BYTES",
    "ZSTD_DICTIONARY_MAGIC",
    "Dictionary",
    "read_field",
]

DIGEST_BYTES = 32

# The compressor uses no content of less than 8 bytes; this is the least that a trainer makes.
MIN_DICTIONARY_BYTES = 256
# A reader loads it before its first page.  Past a quarter of this, larger ones gain a few percent.
MAX_DICTIONARY_BYTES = 1024 * 1024

ZSTD_DICTIONARY_MAGIC = b"\x37\xa4\x30\xec"

_FIELD_CHARACTERS = len(b64encode(bytes(DIGEST_BYTES))) + 2


class Dictionary(Struct, frozen=True):
    """`content`, and its SHA-256 as 32 bytes; `of` makes one that is what it says."""

    content: bytes
    digest: bytes

    @classmethod
    def of(cls, content: bytes, *, digest: bytes | None = None) -> Self:
        """The dictionary with this content.

        Args:
            content: raw bytes.
            digest: the SHA-256 that they are said to have; None where nobody says.

        Raises:
            LimitExceeded: `dictionary_too_large`.
            InvalidData: `dictionary_too_small`, `dictionary_format`, `dictionary_mismatch`.
        """
        if len(content) > MAX_DICTIONARY_BYTES:
            raise LimitExceeded(
                "the dictionary is too large",
                code="dictionary_too_large",
                expected=f"at most {MAX_DICTIONARY_BYTES:,} bytes",
            )
        if len(content) < MIN_DICTIONARY_BYTES:
            raise InvalidData(
                "this is too little for a dictionary",
                code="dictionary_too_small",
                found=len(content),
                expected=f"at least {MIN_DICTIONARY_BYTES} bytes",
            )
        if content.startswith(ZSTD_DICTIONARY_MAGIC):
            raise InvalidData(
                "the dictionary is in zstd's own format",
                code="dictionary_format",
                expected="raw content, as `histbench dictionary train` makes it",
            )
        found = sha256(content).digest()
        if digest is not None and not hmac.compare_digest(found, digest):
            raise InvalidData(
                "the dictionary is another than was named",
                code="dictionary_mismatch",
                found=found.hex(),
                expected=digest.hex(),
            )
        return cls(content, found)

    @property
    def name(self) -> str:
        """The SHA-256 in hexadecimal, as files and paths have it."""
        return self.digest.hex()

    @property
    def field(self) -> str:
        """The SHA-256 as an HTTP field has it.

        >>> Dictionary(b"", bytes(32)).field
        ':AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:'
        """
        return f":{b64encode(self.digest).decode()}:"


def read_field(text: str) -> bytes:
    """The SHA-256 in an HTTP field.

    >>> read_field(Dictionary(b"", bytes(32)).field) == bytes(32)
    True

    Raises:
        InvalidData: `dictionary_field`.
    """
    text = text.strip(" ")
    try:
        if len(text) != _FIELD_CHARACTERS or not text[0] == text[-1] == ":":
            raise ValueError("another length, or no colons")  # noqa: TRY301  (one refusal below)
        return b64decode(text[1:-1].encode("ascii"), validate=True)
    except ValueError as error:
        raise InvalidData(
            "this names no dictionary",
            code="dictionary_field",
            found=short(text),
            expected="a SHA-256 in Base64 between colons",
        ) from error
