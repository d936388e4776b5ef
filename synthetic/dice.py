"""Seeded chance that gives the same draws on every Python, platform and hash seed.

Everything random in this package is drawn through `Dice`.  Two rules make a draw portable:

* only `random.Random.random()` is called: it is the one method whose sequence the Python
  documentation promises to keep for a given integer seed (53-bit Mersenne Twister output);
* a draw becomes an integer by `int(random() * n)`, one IEEE 754 multiplication.  No `choice`,
  `shuffle` or `gauss` (their algorithms have changed between versions), no `math` functions
  (they come from the platform's C library).

Distributions are tables of integers: `weighted` draws from cumulative weights, `quantile` reads a
list of evenly spaced quantiles.  Independent streams (words, gaps, ids ...) are separate `Dice`
with their own label, so that one model drawing more often does not shift another.
"""

import hashlib
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeVar

__all__ = ["Dice", "quantile_table"]

T = TypeVar("T")

# 32 bits at a time: what fits a 53-bit draw.
_WORD = 1 << 32


class Dice:
    """A stream of draws named by `seed` and `labels`; the same names give the same stream."""

    __slots__ = ("random",)

    def __init__(self, seed: int, *labels: str) -> None:
        name = "/".join((str(seed), *labels)).encode()
        # hashlib, because hash() of a string changes with PYTHONHASHSEED.
        number = int.from_bytes(hashlib.sha256(name).digest()[:8], "big")
        source = random.Random(number)
        self.random: Callable[[], float] = source.random

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        return int(self.random() * n)

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + int(self.random() * (high - low + 1))

    def one_of(self, values: Sequence[T]) -> T:
        """One of `values`, each with the same chance."""
        return values[int(self.random() * len(values))]

    def percent(self, chance: int) -> bool:
        """True in `chance` of 100 draws."""
        return self.random() * 100 < chance

    def weighted(self, weights: Sequence[int]) -> int:
        """An index into `weights`, drawn in proportion to them."""
        marks = list(accumulate(weights))
        return bisect_right(marks, int(self.random() * marks[-1]))

    def quantile(self, quantiles: Sequence[int]) -> int:
        """A value of the distribution with these evenly spaced quantiles (first = minimum)."""
        position = self.random() * (len(quantiles) - 1)
        left = int(position)
        low, high = quantiles[left], quantiles[left + 1]
        return low + int((position - left) * (high - low + 1)) if high > low else low

    def uuid(self) -> str:
        """A version 4 UUID."""
        a, b, c, d = (self.below(_WORD) for _ in range(4))
        text = f"{a:08x}{b:08x}{c:08x}{d:08x}"
        variant = "89ab"[int(text[16], 16) & 3]
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"


def quantile_table(quantiles: Sequence[int], size: int) -> list[int]:
    """`size` evenly spaced values of the distribution that `quantiles` describe, ascending.

    For draws in a hot loop: `table[int(random() * size)]` costs one call.
    """
    steps = len(quantiles) - 1
    table = []
    for n in range(size):
        left, rest = divmod(n * steps, size)
        low, high = quantiles[left], quantiles[left + 1]
        table.append(low + (high - low) * rest // size)
    return table
