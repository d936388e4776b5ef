r"""The markers of the `lean` form: what stands in an event's JSON for what its page holds already.

    {"":n}           a string: the text of the record that begins at seq n
    {"":[n,d,...]}   a string: the texts of several records, joined; each d is the distance from
                     the first seq of the record before
    {"":"a-b"}       in an array: the integers from a to b, a < b

A record of these is a row, or an ordinary event that is a delta.  In a lean event no other object
has an empty key, so nothing of a user's can be taken for a marker: an event that has one is sent
as it is.

Markers are found in raw JSON, without parsing it.  An unescaped `""` is an empty string wherever
it stands, since two strings never touch; followed by a colon it is an empty key.  The empty
string has no other spelling, so counting empty keys counts every marker, however it is spelled.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

import msgspec

__all__ = [
    "copy_marker",
    "find_markers",
    "has_empty_key",
    "integers",
    "named_records",
    "range_marker",
]

_POSITIVE = rb"[1-9][0-9]{0,15}"
_NUMBER = rb"(?:0|%b)" % _POSITIVE
_MARKER = re.compile(
    rb'\{"":(?:(?P<one>%b)|\[(?P<several>%b(?:,%b)+)\]|"(?P<first>%b)-(?P<last>%b)")\}'
    % (_NUMBER, _NUMBER, _POSITIVE, _NUMBER, _NUMBER)
)
_EMPTY_KEY = re.compile(rb'""[ \t\n\r]*:')
_BACKSLASH = ord("\\")


def find_markers(raw: bytes) -> list[re.Match[bytes]] | None:
    r"""The markers in valid JSON text; None when an empty key is not part of one.

    Which one a match is, its group tells: `one`, `several`, or `first` and `last`.

    >>> [marker["one"] for marker in find_markers(b'{"a":{"":12},"b":[{"":"1-3"}]}')]
    [b'12', None]
    """
    found = []
    for empty in _EMPTY_KEY.finditer(raw):
        start = empty.start() - 1
        if raw[start] == _BACKSLASH:
            # The end of a string whose last character is a quote.
            continue
        marker = _MARKER.match(raw, start)
        if marker is None or (marker.lastgroup == "last" and raw[start - 1] not in b"[,"):
            return None
        found.append(marker)
    return found


def has_empty_key(raw: bytes) -> bool:
    r"""Whether an object of valid JSON text has an empty key.

    >>> has_empty_key(b'{"":1}'), has_empty_key(b'{"a\\"":""}')
    (True, False)
    """
    return b'""' in raw and any(
        raw[empty.start() - 1] != _BACKSLASH for empty in _EMPTY_KEY.finditer(raw)
    )


def copy_marker(seqs: Sequence[int]) -> bytes:
    """The marker for the joined texts of the records that begin at `seqs`, in ascending order.

    >>> copy_marker([7]), copy_marker([7, 10, 12])
    (b'{"":7}', b'{"":[7,3,2]}')
    """
    if len(seqs) == 1:
        return b'{"":%d}' % seqs[0]
    steps = [later - earlier for earlier, later in pairwise(seqs)]
    return b'{"":[%b]}' % b",".join([b"%d" % number for number in (seqs[0], *steps)])


def named_records(marker: re.Match[bytes]) -> list[int]:
    """The seqs that a copy's marker names; the inverse of `copy_marker`."""
    one = marker["one"]
    return [int(one)] if one else list(accumulate(map(int, marker["several"].split(b","))))


def range_marker(first: int, last: int) -> bytes:
    """The marker for the integers from `first` to `last`."""
    return b'{"":"%d-%d"}' % (first, last)


def integers(first: int, last: int) -> bytes:
    """What a range's marker stands for.

    >>> integers(8, 11)
    b'8,9,10,11'
    """
    return msgspec.json.encode(list(range(first, last + 1)))[1:-1]
