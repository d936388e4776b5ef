"""Two results files side by side, differences of environment and input first.

A number only means something against another from the same environment: seconds need the same
processor, Python and gc policy, compressed bytes the same compression library.  `NEEDS` says for
each metric which keys of the environment must agree before a limit may be put on it; a limit
across a difference is refused unless the caller asks for it, instead of passing or failing by
accident.  Plain byte counts and counts need nothing: they are the same everywhere.

A limit reads `METRIC>N%`: it is passed by every series of that metric whose median in the second
file is more than N per cent above that in the first, and by every series that the first has and
the second lacks.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from histbench.errors import InvalidResults, UsageError
from histbench.results.model import METRIC_UNITS, Input, Results, Series, SeriesKey, Summary

__all__ = [
    "NEEDS",
    "Breach",
    "Change",
    "Comparison",
    "Difference",
    "Limit",
    "compare_results",
    "find_breaches",
    "parse_limit",
]

NEEDS: Mapping[str, frozenset[str]] = {
    "seconds": frozenset(
        {
            "cpu_model_name",
            "gc",
            "library.brotli",
            "library.msgspec",
            "library.zlib",
            "library.zstd",
            "platform",
            "python_implementation",
            "python_version",
        }
    ),
    "peak_bytes": frozenset({"library.msgspec", "python_implementation", "python_version"}),
    "bytes": frozenset(),
    "count": frozenset(),
}

# Compressed bytes need the library that wrote them, told by the first word of the encoding.
_NEEDS_OF_ENCODING: Mapping[str, frozenset[str]] = {
    "gzip": frozenset({"library.zlib"}),
    "br": frozenset({"library.brotli"}),
    "zstd": frozenset({"library.zstd"}),
}

# They differ between any two runs and explain nothing by themselves.
_VOLATILE = frozenset({"cpu_freq", "load_avg_1min"})

_LIMIT = re.compile(r"\s*([a-z_]+)\s*>\s*(\d+(?:\.\d+)?)\s*%\s*")


class _Value(msgspec.Struct, frozen=True):
    pass


class Difference(_Value, frozen=True):
    """One thing that is not the same in both files; None where a file does not have it."""

    name: str
    before: str | int | float | bool | None
    after: str | int | float | bool | None


class Change(_Value, frozen=True):
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


class Comparison(_Value, frozen=True):
    """All that two results files have to say about each other."""

    environment: tuple[Difference, ...]
    inputs: tuple[Difference, ...]
    changes: tuple[Change, ...]


class Limit(_Value, frozen=True):
    """No series of `metric` may grow by more than `fraction`."""

    text: str
    metric: str
    fraction: float


class Breach(_Value, frozen=True):
    """One series that passed a limit."""

    limit: Limit
    change: Change


def compare_results(before: Results, after: Results) -> Comparison:
    """Every difference of environment and inputs, and every series of either file."""
    left, right = before.series(), after.series()
    keys = list(left) + [key for key in right if key not in left]
    changes = tuple(_change(key, left.get(key), right.get(key)) for key in keys)
    return Comparison(
        environment=tuple(_differences(before.environment, after.environment)),
        inputs=tuple(_input_differences(before.inputs, after.inputs)),
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
    return value if isinstance(value, str | int | float | None) else str(value)


def _input_differences(before: Sequence[Input], after: Sequence[Input]) -> Iterator[Difference]:
    left = {each.name: each.sha256 for each in before}
    right = {each.name: each.sha256 for each in after}
    for name in [*left, *(name for name in right if name not in left)]:
        if left.get(name) != right.get(name):
            yield Difference(name, left.get(name), right.get(name))


def parse_limit(text: str) -> Limit:
    """The limit that `text` states; UsageError (`bad_limit`) if it states none.

    >>> parse_limit("bytes>1%").fraction
    0.01
    """
    match = _LIMIT.fullmatch(text)
    if match is None or match[1] not in METRIC_UNITS:
        raise UsageError(
            "not a limit",
            code="bad_limit",
            found=text,
            expected=f"METRIC>N% with METRIC one of {', '.join(METRIC_UNITS)}",
        )
    return Limit(text=text.strip(), metric=match[1], fraction=float(Fraction(match[2]) / 100))


def find_breaches(
    comparison: Comparison, limits: Iterable[Limit], *, mixed: bool = False
) -> tuple[Breach, ...]:
    """The series that pass one of `limits`, in the order of the comparison.

    Raises:
        InvalidResults: `environments_differ`, if a limit would be put on numbers from two
            environments that its metric does not survive; not raised when `mixed` is set.
    """
    stated = tuple(limits)
    differing = {difference.name for difference in comparison.environment}
    breaches = []
    for change in comparison.changes:
        for limit in stated:
            if limit.metric != change.key.metric or change.before is None:
                continue
            in_the_way = differing & _needs(change.key)
            if in_the_way and not mixed:
                raise InvalidResults(
                    f"limit {limit.text} across different environments",
                    code="environments_differ",
                    found=", ".join(sorted(in_the_way)),
                    expected="the same in both files, or --mixed",
                )
            if change.fraction is None or change.fraction > limit.fraction:
                breaches.append(Breach(limit, change))
    return tuple(breaches)


def _needs(key: SeriesKey) -> frozenset[str]:
    family = key.encoding.partition("-")[0]
    return NEEDS[key.metric] | _NEEDS_OF_ENCODING.get(family, frozenset())
