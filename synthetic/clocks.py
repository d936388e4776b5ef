"""The gaps between streamed deltas: bursts, as a provider flushes them.

The shape is taken from the gaps in recorded logs of the same harness (about 4,900 of them): 63 %
are 0 ms, 14 % are 1 ms, and nearly all others cluster around 28 ms.  Tokens arrive in flushes.
A flush is one wait followed by up to five more deltas at 0 or 1 ms; the first of these takes 1 ms
in 37 % of the flushes and a later one in about 9 %.  Once in a while a stall of up to seconds is
followed by its backlog, dozens of deltas at once.
"""

from synthetic.dice import Dice, quantile_table

__all__ = ["Gaps"]

# Deltas after the one that waited, by how often (per 1,000 flushes); from the recorded logs.
_BURST = {0: 152, 1: 130, 2: 164, 3: 222, 4: 149, 5: 153, 6: 12, 7: 10, 9: 8}
_FIRST_IS_ONE, _LATER_IS_ONE = 37, 9
# Quantiles (0, 2.5 %, 5 % ... 100 %) of the waits, in ms.
_WAITS = [
    2, 2, 8, 14, 17, 19, 20, 21, 22, 23, 24, 25, 25, 25, 26, 26, 26, 27, 27, 27, 28,
    28, 28, 28, 28, 29, 29, 30, 32, 36, 40, 42, 44, 46, 48, 53, 57, 61, 72, 89, 150,
]  # fmt: skip
# Per 10,000 flushes.
_STALLS = 15
_STALL_MS = [60, 130, 170, 240, 420, 900, 2600]
_BACKLOG = [8, 14, 22, 34, 56, 115]

_PATTERNS = 2048
_WAIT_ENTRIES = 1024


class Gaps:
    """Endless gaps in ms from one seeded stream."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._waits = quantile_table(_WAITS, _WAIT_ENTRIES)
        lengths = list(_BURST)
        shares = list(_BURST.values())
        self._bursts = [self._burst(lengths[dice.weighted(shares)]) for _ in range(_PATTERNS)]
        self._left: list[int] = []

    def _burst(self, length: int) -> list[int]:
        percent = self._dice.percent
        return [int(percent(_LATER_IS_ONE if n else _FIRST_IS_ONE)) for n in range(length)]

    def take(self, count: int) -> list[int]:
        """The next `count` gaps; a flush goes on where the last call left it."""
        random = self._dice.random
        waits, bursts = self._waits, self._bursts
        gaps = self._left
        while len(gaps) < count:
            if random() * 10_000 < _STALLS:
                gaps.append(self._dice.quantile(_STALL_MS))
                gaps += self._burst(self._dice.quantile(_BACKLOG))
                continue
            gaps.append(waits[int(random() * _WAIT_ENTRIES)])
            gaps += bursts[int(random() * _PATTERNS)]
        self._left = gaps[count:]
        del gaps[count:]
        return gaps
