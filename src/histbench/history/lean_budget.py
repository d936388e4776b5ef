"""What a `lean` page may expand to, bounded by what it holds.

Copies stand for at most `MOST_COPIES` times the texts that they name, each text counted once, and
ranges for at most `RANGE_BYTES` for each event.  Bytes are those of JSON text, without the quotes
of strings and with the commas of ranges.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

__all__ = ["MOST_COPIES", "RANGE_BYTES", "CopyBudget", "CopyCount", "TextSize", "range_bytes"]

# How far the ranges of a page may expand, in bytes for each event that the page covers.  Where
# every chunk is listed once, it is a seq and a comma for each.
RANGE_BYTES = 16

# How often the texts that markers name may be told, on average.  A session has three copies of a
# call's arguments (`block-end`, `assistant/message`, `tool/call`) and two of every other block.
MOST_COPIES = 8

# Two escapes of six bytes each become a character of four.
_HALVES_LESS_CHARACTER = 8


class CopyBudget:
    """An encoder's: takes copies one by one as long as they are not too many."""

    def __init__(self) -> None:
        self._named: set[int] = set()
        self._room = 0

    def take(self, records: Iterable[tuple[int, int]], size: int) -> bool:
        """Count a copy of `size` bytes, unless it is too many.

        Args:
            records: those that the copy names, each with its first seq and the bytes of its text.
            size: bytes of the copy.
        """
        named = {seq: text for seq, text in records if seq not in self._named}
        room = self._room + MOST_COPIES * sum(named.values()) - size
        if room < 0:
            return False
        self._named.update(named)
        self._room = room
        return True


class TextSize(Struct, frozen=True):
    """The bytes of a text, and whether it begins or ends with half of a surrogate pair."""

    size: int
    low_first: bool
    high_last: bool

    @classmethod
    def of(cls, text: str, size: int) -> "TextSize":
        """That of `text`, whose JSON has `size` bytes."""
        return cls(
            size=size,
            low_first="\udc00" <= text[:1] <= "\udfff",
            high_last="\ud800" <= text[-1:] <= "\udbff",
        )


class CopyCount:
    """A reader's: counts all copies of one event after the other.

    A text that no more than `MOST_COPIES` markers name cannot be told more often than that,
    whatever it says.  So texts are looked at only when one is named once more.
    """

    def __init__(self, size_of: Callable[[int], TextSize]) -> None:
        """`size_of` gives the size of the text of the record with a first seq."""
        self._size_of = size_of
        self._naming: dict[int, int] = {}
        self._most = 0
        self._uncounted: list[Sequence[int]] = []
        self._sizes: dict[int, TextSize] = {}
        self._room = 0

    def add(self, seqs: Sequence[int]) -> None:
        """Count a copy that names these records."""
        self._uncounted.append(seqs)
        for seq in seqs:
            naming = self._naming[seq] = self._naming.get(seq, 0) + 1
            self._most = max(self._most, naming)

    def is_exceeded(self) -> bool:
        """Whether the copies so far are too many."""
        if self._most > MOST_COPIES:
            for seqs in self._uncounted:
                self._count(seqs)
            self._uncounted.clear()
        return self._room < 0

    def _count(self, seqs: Sequence[int]) -> None:
        for seq in seqs:
            if seq not in self._sizes:
                self._sizes[seq] = self._size_of(seq)
                self._room += MOST_COPIES * self._sizes[seq].size
        told = [size for size in map(self._sizes.__getitem__, seqs) if size.size]
        meeting = sum(left.high_last and right.low_first for left, right in pairwise(told))
        self._room -= sum(size.size for size in told) - _HALVES_LESS_CHARACTER * meeting


def range_bytes(first: int, last: int) -> int:
    """The bytes of the integers from `first` to `last`, with commas between.

    >>> range_bytes(8, 11) == len("8,9,10,11")
    True
    """
    size = last - first
    while first <= last:
        digits = len(str(first))
        stop = min(last, 10**digits - 1)
        size += digits * (stop - first + 1)
        first = stop + 1
    return size
