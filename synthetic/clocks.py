"""The gaps between streamed deltas: bursts, as a provider flushes them.

The shape is taken from the gaps in recorded logs of the same harness (about 4,900 of them): 63 %
are 0 ms, 14 % are 1 ms, and nearly all others cluster around 28 ms.  Tokens arrive in flushes.
A flush is one wait followed by more deltas at 0 or 1 ms, mostly up to five, once in a while a backlog
of dozens; the first of them takes 1 ms in 37 % of the flushes and a later one in about 11 %.  Waits
are drawn independently, so the gaps have the distribution of the recorded ones and no more order
than a flush gives them.  A few waits are stalls of up to seconds.
"""

from synthetic.dice import Dice, quantile_table

__all__ = ["Gaps"]

# Quantiles (0, 2.5 %, 5 % ... 100 %) of the recorded waits, in ms.
_WAITS = (
    2, 2, 8, 14, 17, 19, 20, 21, 22, 23, 24, 25, 25, 25, 26, 26, 26, 27, 27, 27, 28,
    28, 28, 28, 28, 29, 29, 30, 32, 36, 40, 42, 44, 46, 48, 53, 57, 61, 72, 89, 150,
)  # fmt: skip
# Per 10,000 flushes.
_STALLS = 15
_STALL_MS = [60, 130, 170, 240, 420, 900, 2600]


# Deltas after the one that waited, and how often each number occurs in 1,139 recorded flushes.
_BURSTS = {
    0: 173, 1: 148, 2: 187, 3: 253, 4: 170, 5: 174, 6: 5, 7: 9, 8: 3, 9: 2, 10: 1, 11: 2, 12: 1,
    14: 1, 18: 1, 21: 1, 22: 1, 29: 1, 34: 1, 55: 1, 56: 1, 76: 1, 93: 1, 115: 1,
}  # fmt: skip

# Percentages of 1 ms among those deltas.
_FIRST_IS_ONE, _LATER_IS_ONE = 37, 11

# Two patterns of the rarest burst on average.
_PATTERNS = 2278
_WAIT_ENTRIES = 1024


class Gaps:
    """Endless gaps in ms, from one seeded stream."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._waits = quantile_table(_WAITS, _WAIT_ENTRIES)
        lengths, shares = list(_BURSTS), list(_BURSTS.values())
        self._bursts = [
            [int(dice.percent(_LATER_IS_ONE if n else _FIRST_IS_ONE)) for n in range(length)]
            for length in (lengths[dice.weighted(shares)] for _ in range(_PATTERNS))
        ]
        self._left: list[int] = []

    def take(self, count: int) -> list[int]:
        """The next `count` gaps; a flush goes on where the last call left it."""
        random = self._dice.random
        waits, bursts = self._waits, self._bursts
        gaps = self._left
        while len(gaps) < count:
            if random() * 10_000 < _STALLS:
                gaps.append(self._dice.quantile(_STALL_MS))
            else:
                gaps.append(waits[int(random() * _WAIT_ENTRIES)])
            gaps += bursts[int(random() * _PATTERNS)]
        self._left = gaps[count:]
        del gaps[count:]
        return gaps
