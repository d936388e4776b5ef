"""How seconds are taken: one clock, a quiet collector, and an order that favours nobody.

1. Within a round every arm has its turn, and the rounds alternate the order (A B C, C B A, ...):
   a drift of the machine then falls on all arms alike instead of on those that come last.
2. Before each turn everything alive is collected once and frozen, so that the collector's cost
   during the turn is that of what the turn allocates, not of what other arms left behind.
3. The collector stays on unless the caller says otherwise: allocation-heavy stages are up to 1.8
   times slower with it (Python 3.11), and that is what a client pays.  The policy is recorded.
4. Every sample is kept, and nothing is traced meanwhile: tracemalloc slows parsing 4 to 6 times.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import ParamSpec, TypeVar

__all__ = ["Stopwatch", "alternating", "collector", "settle"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Arm = TypeVar("Arm")


class Stopwatch:
    """Seconds by stage, of one turn of one arm; calls may nest.

    >>> watch = Stopwatch()
    >>> watch.time("stage", len, "abc"), list(watch.seconds)
    (3, ['stage'])
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(
        self,
        stage: str,
        call: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """The result of the call, its duration kept as that of `stage`."""
        start = perf_counter()
        result = call(*args, **kwargs)
        elapsed = perf_counter() - start
        # The clock ticks in nanoseconds; the digits behind are those of a float difference.
        self.seconds[stage] = round(elapsed, 9)
        return result


def alternating(arms: Sequence[Arm], runs: int, *, warm_up: int = 0) -> Iterator[tuple[int, Arm]]:
    """Each arm once a run, forwards in even runs and backwards in odd ones.

    Runs count from 0; those below are for warming up, and what they take is no sample.

    >>> list(alternating("ab", 2))
    [(0, 'a'), (0, 'b'), (1, 'b'), (1, 'a')]
    """
    for run in range(-warm_up, runs):
        for arm in arms if run % 2 == 0 else reversed(arms):
            yield run, arm


@contextmanager
def collector(*, enabled: bool) -> Iterator[None]:
    """The garbage collector on or off for all turns of a measurement, and afterwards as it was."""
    before = gc.isenabled()
    frozen = gc.get_freeze_count()
    (gc.enable if enabled else gc.disable)()
    try:
        yield
    finally:
        # What the caller froze before stays frozen, with what was alive during the turns.
        if not frozen:
            gc.unfreeze()
        (gc.enable if before else gc.disable)()


def settle() -> None:
    """Before a turn: collect what is alive now, and take it out of the collector's sight.

    It stays out until `collector` ends, so that the next turn's collection is a small one.
    """
    gc.collect()
    gc.freeze()
