"""Two results files side by side, differences of environment, settings and input first.

A number only means something against another from the same environment: seconds need the same
processor, Python and gc policy, compressed bytes the same compression library.  Plain bytes and
counts are the same everywhere; they tell what changed in the forms, and times what the machine did
besides.  `limits` puts limits on what is compared here.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from histbench.results.model import METRIC_UNITS, Input, Results, Series, SeriesKey, Summary

__all__ = ["Change", "Comparison", "Difference", "compare_results"]

# They differ between any two runs and explain nothing by themselves.
_VOLATILE = frozenset({"cpu_freq", "load_avg_1min"})

# Of two runs each, one says nothing about the other.
_MIN_RUNS = 3


class Difference(msgspec.Struct, frozen=True):
    """One thing that is not the same in both files; None where a file does not have it."""

    name: str
    before: str | int | float | bool | None
    after: str | int | float | bool | None


class Change(msgspec.Struct, frozen=True):
    """One series in both files, by its summaries; None where a file has no values for it."""

    key: SeriesKey
    unit: str
    before: Summary | None
    after: Summary | None

    @property
    def fraction(self) -> float | None:
        """Growth of the median: 0.01 is one per cent more; None where it cannot be told."""
        if self.before is None or self.after is None:
            return None
        if self.before.median == self.after.median:
            return 0.0
        if not self.before.median:
            return float("inf")
        # Not a quotient less one: ten in a thousand must be exactly one per cent.
        return (self.after.median - self.before.median) / self.before.median

    @property
    def within_spread(self) -> bool | None:
        """Whether the medians lie no further apart than both MADs together.

        Such a change says nothing.  None where a file has fewer than three runs to tell it by.
        """
        if self.before is None or self.after is None:
            return None
        if min(self.before.runs, self.after.runs) < _MIN_RUNS:
            return None
        return abs(self.after.median - self.before.median) <= self.before.mad + self.after.mad


class Comparison(msgspec.Struct, frozen=True):
    """All that two results files have to say about each other; inputs differ by their SHA-256."""

    environment: tuple[Difference, ...]
    settings: tuple[Difference, ...]
    inputs: tuple[Difference, ...]
    changes: tuple[Change, ...]


def compare_results(before: Results, after: Results) -> Comparison:
    """Every difference of environment, settings and inputs, and every series of either file."""
    left, right = before.series(), after.series()
    keys = list(left) + [key for key in right if key not in left]
    changes = tuple(_change(key, left.get(key), right.get(key)) for key in keys)
    return Comparison(
        environment=tuple(_differences(before.environment, after.environment)),
        settings=tuple(_differences(before.settings, after.settings)),
        inputs=tuple(_differences(_digests(before.inputs), _digests(after.inputs))),
        changes=changes,
    )


def _change(key: SeriesKey, before: Series | None, after: Series | None) -> Change:
    known = before or after
    return Change(
        key=key,
        unit=known.unit if known else METRIC_UNITS[key.metric],
        before=before.summary if before else None,
        after=after.summary if after else None,
    )


def _differences(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Difference]:
    for name in sorted(before.keys() | after.keys()):
        if name not in _VOLATILE and before.get(name) != after.get(name):
            yield Difference(name, _plain(before.get(name)), _plain(after.get(name)))


def _plain(value: object) -> str | int | float | bool | None:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str | int | float | None) else str(value)


def _digests(inputs: Sequence[Input]) -> dict[str, str]:
    return {each.name: each.sha256 for each in inputs}
