"""Entropy of a sequence of symbols, as it was counted: what an ideal coder of that order needs.

Order 0 knows how often each symbol occurs, order 1 how often it occurs after each other one.
Both are given their counts for nothing, and neither sees what lies further back: a compressor that
finds long repetitions goes below, and one that must tell its counts stays above.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

__all__ = ["Entropy", "entropy_of"]


class Entropy(Struct, frozen=True, kw_only=True):
    """How many symbols there were, and the whole bytes that each order needs for all of them."""

    symbols: int
    order_0: int
    order_1: int


def entropy_of(symbols: NDArray[np.int64] | NDArray[np.uint8]) -> Entropy:
    """The entropy of a sequence; the first symbol costs nothing under order 1.

    >>> entropy_of(np.array([0, 1] * 32))
    Entropy(symbols=64, order_0=8, order_1=0)
    """
    _, numbered = np.unique(symbols, return_inverse=True)
    alone = _bits(numbered)
    # Of pairs, less that of their first halves.
    width = int(numbered.max(initial=0)) + 1
    before, after = numbered[:-1].astype(np.int64), numbered[1:]
    together = _bits(before * width + after) - _bits(before)
    return Entropy(
        symbols=len(symbols), order_0=_bytes(alone), order_1=_bytes(min(alone, together))
    )


def _bits(symbols: NDArray[np.int64]) -> float:
    if not len(symbols):
        return 0.0
    _, counts = np.unique(symbols, return_counts=True)
    return float(len(symbols) * np.log2(len(symbols)) - np.sum(counts * np.log2(counts)))


def _bytes(bits: float) -> int:
    # The sums above differ in their last digits from one processor to the next.
    return int(np.ceil(round(bits, 3) / 8))
