"""Limits on what may grow from one results file to the next, for a check that can fail.

A limit reads `METRIC>N%`, or `METRIC[WORD,...]>N%` for some series only: those that have each word
as their input, form, encoding or stage.  It is exceeded by every series whose median in the second
file is more than N per cent above that in the first, and by every series that the first has and
the second lacks: leaving a form out is no way to pass.

A limit is refused, instead of held or exceeded by accident,

- where no series of either file falls under it: a check that looks at nothing is a slip of the pen;
- where a series that does is of another input (SHA-256) than its namesake;
- where the environments differ in what the metric depends on (`NEEDS`).

The caller may ask for the last two all the same (`mixed`).
"""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from histbench.errors import InvalidResults, UsageError
from histbench.results.compare import Change, Comparison
from histbench.results.model import METRIC_UNITS, SeriesKey

__all__ = ["NEEDS", "Breach", "Limit", "find_breaches", "parse_limit"]

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

_LIMIT = re.compile(
    r"\s*(?P<metric>[a-z_]+)\s*(?:\[(?P<words>[^\[\]]+)\])?\s*>\s*(?P<percent>\d+(?:\.\d+)?)\s*%\s*"
)


class Limit(msgspec.Struct, frozen=True):
    """No series of `metric` that has all of `words` may grow by more than `fraction`."""

    text: str
    metric: str
    words: frozenset[str]
    fraction: float

    def covers(self, key: SeriesKey) -> bool:
        """Whether the limit is one on this series."""
        names = {key.input, key.form, key.encoding, key.stage}
        return key.metric == self.metric and self.words <= names


class Breach(msgspec.Struct, frozen=True):
    """One series that exceeds a limit."""

    limit: Limit
    change: Change


def parse_limit(text: str) -> Limit:
    """The limit that `text` states; UsageError (`bad_limit`) if it states none.

    >>> parse_limit("bytes[packed, identity]>1%").fraction
    0.01
    """
    match = _LIMIT.fullmatch(text)
    words = [word.strip() for word in match["words"].split(",")] if match and match["words"] else []
    if match is None or match["metric"] not in METRIC_UNITS or not all(words):
        raise UsageError(
            "not a limit",
            code="bad_limit",
            found=text,
            expected=f"METRIC>N% or METRIC[WORD,...]>N% with METRIC one of {', '.join(METRIC_UNITS)}",
        )
    return Limit(
        text=text.strip(),
        metric=match["metric"],
        words=frozenset(words),
        fraction=float(Fraction(match["percent"]) / 100),
    )


def find_breaches(
    comparison: Comparison, limits: Iterable[Limit], *, mixed: bool = False
) -> tuple[Breach, ...]:
    """The series that exceed one of `limits`, limit by limit and in the order of the comparison.

    Raises:
        UsageError: `unmatched_limit`, if no series of either file falls under a limit.
        InvalidResults: `inputs_differ`, `environments_differ`, if a limit would be put on numbers
            that cannot be held against each other; not raised when `mixed` is set.
    """
    breaches = []
    for limit in limits:
        covered = [change for change in comparison.changes if limit.covers(change.key)]
        if not covered:
            raise UsageError(
                f"limit {limit.text} is one on nothing in these files", code="unmatched_limit"
            )
        for change in covered:
            if change.before is None:
                continue
            if not mixed:
                _check_comparable(limit, change, comparison)
            if change.fraction is None or change.fraction > limit.fraction:
                breaches.append(Breach(limit, change))
    return tuple(breaches)


def _check_comparable(limit: Limit, change: Change, comparison: Comparison) -> None:
    # An input that one file lacks is no other input: its figures are missing, and that exceeds.
    other = {each.name for each in comparison.inputs if each.before and each.after}
    if change.key.input in other:
        raise InvalidResults(
            f"limit {limit.text} across different inputs",
            code="inputs_differ",
            found=f"two files called {change.key.input}",
            expected="the same SHA-256 in both, or --mixed",
        )
    in_the_way = {each.name for each in comparison.environment} & _needs(change.key)
    if in_the_way:
        raise InvalidResults(
            f"limit {limit.text} across different environments",
            code="environments_differ",
            found=", ".join(sorted(in_the_way)),
            expected="the same in both files, or --mixed",
        )


def _needs(key: SeriesKey) -> frozenset[str]:
    family = key.encoding.partition("-")[0]
    return NEEDS[key.metric] | _NEEDS_OF_ENCODING.get(family, frozenset())
