"""From sample pages to a dictionary, by zstd's trainer.

The trainer looks for the segments that cover most of what the samples repeat, and puts the best
ones last, where references to them are shortest.  What it makes is in zstd's own format: a magic
number, an id, entropy tables, then the segments.  Magic and id are cut off, and the rest is raw
content; that makes the tables some 100 bytes of nothing, and pages at level 3 one percent smaller
than with them (docs: decision 008).

The same samples give the same bytes with one version of the library; another one may choose
otherwise, so a dictionary is kept as a file and never trained twice to be had again.
"""

from collections.abc import Iterable, Sequence

import zstandard

from histbench.dictionaries.dictionary import (
    MAX_DICTIONARY_BYTES,
    MIN_DICTIONARY_BYTES,
    ZSTD_DICTIONARY_MAGIC,
    Dictionary,
)
from histbench.errors import InvalidData, UsageError

__all__ = ["DEFAULT_DICTIONARY_BYTES", "train_dictionary"]

DEFAULT_DICTIONARY_BYTES = 64 * 1024

# The magic number and the id of a dictionary, 4 bytes each.
_PREFIX_BYTES = 8


def train_dictionary(
    samples: Iterable[bytes], *, size: int = DEFAULT_DICTIONARY_BYTES
) -> Dictionary:
    """The dictionary of at most `size` bytes for pages like the samples.

    Raises:
        UsageError: `dictionary_size`.
        InvalidData: `too_few_samples`.
    """
    if not MIN_DICTIONARY_BYTES <= size <= MAX_DICTIONARY_BYTES:
        raise UsageError(
            "no dictionary has this size",
            code="dictionary_size",
            found=size,
            expected=f"{MIN_DICTIONARY_BYTES} to {MAX_DICTIONARY_BYTES:,} bytes",
        )
    pages: list[bytes | bytearray | memoryview] = list(samples)
    try:
        # One thread: with more, which candidate wins is a race.
        trained = zstandard.train_dictionary(size + _PREFIX_BYTES, pages, threads=0).as_bytes()
    except (zstandard.ZstdError, ValueError) as error:
        raise _too_few(pages) from error
    if not trained.startswith(ZSTD_DICTIONARY_MAGIC) or (
        len(trained) < _PREFIX_BYTES + MIN_DICTIONARY_BYTES
    ):
        raise _too_few(pages)
    return Dictionary.of(trained[_PREFIX_BYTES:])


def _too_few(pages: Sequence[bytes | bytearray | memoryview]) -> InvalidData:
    return InvalidData(
        "this is too little to learn from",
        code="too_few_samples",
        found=f"{len(pages)} pages, {sum(map(len, pages)):,} bytes",
        expected="some dozens of pages that have something in common",
    )
