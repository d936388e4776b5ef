"""Dictionaries: what small pages have in common, known to both sides before the first page.

    pages of other logs -> sample_pages -> train_dictionary -> Dictionary
    page bytes + Dictionary -> dcz -> page bytes, on the side that has the same Dictionary

A compressor finds repetitions within what it is given, and a page of a few hundred events holds
most of its keys, types and idioms once.  A dictionary is text that such pages repeat; it is named
by its SHA-256, and an encoded page says which one it needs (`dcz`).

A dictionary is made of passages of the logs that it was trained on.  Whoever has it can read them,
so that it is to be guarded as those logs are.
"""

from histbench.dictionaries.dcz import (
    DCZ_HEADER_BYTES,
    DCZ_LEVEL,
    DCZ_MAX_BODY,
    DczEncoder,
    dcz_encoding,
    decode_dcz,
)
from histbench.dictionaries.dictionary import MAX_DICTIONARY_BYTES, Dictionary
from histbench.dictionaries.files import read_dictionary, write_dictionary
from histbench.dictionaries.samples import MAX_SAMPLES, sample_pages, share_samples
from histbench.dictionaries.training import DEFAULT_DICTIONARY_BYTES, train_dictionary

__all__ = [
    "DCZ_HEADER_BYTES",
    "DCZ_LEVEL",
    "DCZ_MAX_BODY",
    "DEFAULT_DICTIONARY_BYTES",
    "MAX_DICTIONARY_BYTES",
    "MAX_SAMPLES",
    "DczEncoder",
    "Dictionary",
    "dcz_encoding",
    "decode_dcz",
    "read_dictionary",
    "sample_pages",
    "share_samples",
    "train_dictionary",
    "write_dictionary",
]
