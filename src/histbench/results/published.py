"""The figures that the design notes published, as data, to stand beside our own.

They were measured on a private sample of the notes' authors: 416,756 logical events, 580 ordinary
ones and 116 packed rows; the projection kept 228,129 events.  gzip and Brotli were Node's
defaults, level 6 and quality 11.  Only the profiles made to that description are held against
them: `transport` has the sample's cardinalities, `published` its statistics as well.
"""

from collections.abc import Mapping

__all__ = ["PUBLISHED_BYTES", "PUBLISHED_PROFILES", "PUBLISHED_RECORDS"]

PUBLISHED_PROFILES = frozenset({"transport", "published"})

# (form, encoding) -> wire bytes
PUBLISHED_BYTES: Mapping[tuple[str, str], int] = {
    ("raw", "identity"): 69_433_638,
    ("raw", "gzip-6"): 4_190_226,
    ("raw", "br-11"): 1_972_998,
    ("projection", "identity"): 38_427_209,
    ("projection", "gzip-6"): 2_324_688,
    ("projection", "br-11"): 957_350,
    ("packed", "identity"): 6_362_724,
    ("packed", "gzip-6"): 1_154_206,
    ("packed", "br-11"): 528_145,
}

# form -> records on the wire
PUBLISHED_RECORDS: Mapping[str, int] = {"raw": 416_756, "projection": 228_129, "packed": 696}
