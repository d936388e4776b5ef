r"""Runs of seqs in an event's `sourceEventSeqs`, as the markers of their first and last.

A message lists every chunk that it was made of, so on a whole session these lists are a fifth of
the packed page.  A run is replaced only where its text is what a reader prints for the range.
"""

import re
from itertools import pairwise

from histbench.events import MAX_SAFE_INTEGER
from histbench.history.lean_markers import integers, range_marker

__all__ = ["range_edits"]

# The key stands nowhere else: in a string its quotes would have backslashes before them.
_KEY = b'"sourceEventSeqs":['
_SEQS = re.compile(re.escape(_KEY) + rb"([0-9]+,[0-9,]+)\]")
_MOST_DIGITS = len(str(MAX_SAFE_INTEGER))

Edit = tuple[int, int, bytes]


def range_edits(raw: bytes, room: int) -> list[Edit]:
    r"""What to replace in an event's JSON text by range markers: (start, stop, marker).

    Args:
        raw: valid JSON.
        room: how many bytes the markers may stand for.

    >>> range_edits(b'{"sourceEventSeqs":[3,1000,1001,1002,1003]}', 99)
    [(22, 41, b'{"":"1000-1003"}')]
    """
    edits: list[Edit] = []
    if _KEY not in raw:
        return edits
    for match in _SEQS.finditer(raw):
        listed, base = match[1], match.start(1)
        for start, stop, first, last in _runs(listed):
            marker = range_marker(first, last)
            if len(marker) >= stop - start or last > MAX_SAFE_INTEGER:
                continue
            room -= stop - start
            if room < 0:
                return edits
            if listed[start:stop] == integers(first, last):
                edits.append((base + start, base + stop, marker))
    return edits


def _runs(listed: bytes) -> list[tuple[int, int, int, int]]:
    """Runs in the text of a list of integers: start, stop, first and last number."""
    ends = listed[: listed.find(b",")], listed[listed.rfind(b",") + 1 :]
    if max(map(len, ends)) <= _MOST_DIGITS:
        first, last = map(int, ends)
        if listed.count(b",") == last - first:
            # Mostly all of it is one run; no other number is looked at then.
            return [(0, len(listed), first, last)]
    texts = listed.split(b",")
    if max(map(len, texts)) > _MOST_DIGITS:
        return []
    runs = []
    start, stop, first = 0, len(texts[0]), int(texts[0])
    numbers = list(map(int, texts))
    for (before, number), text in zip(pairwise(numbers), texts[1:], strict=True):
        if number != before + 1:
            runs.append((start, stop, first, before))
            start, first = stop + 1, number
        stop += 1 + len(text)
    runs.append((start, stop, first, numbers[-1]))
    return runs
