"""One input of one results file, with its figures at hand by stage, form and encoding.

Nothing is computed here that a results file does not imply: medians, spreads, ratios, savings.
Where a figure was not taken, it is None, and a sentence or table has to say so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from histbench.results import STAGES, Input, Results, Series, SeriesKey, Summary

__all__ = ["UNSTABLE", "Measured", "Source", "gather", "is_unstable"]

# A spread (MAD) of more than a tenth of the median: a noisy machine's usual share, by the advice
# of pyperf's `check`; such a figure may not be leant on.
UNSTABLE = 0.1

# A results file's label, "" where there is only one, and what it holds.
Source = tuple[str, Results]


def is_unstable(summary: Summary) -> bool:
    """Whether the runs lie too far apart for their median to be leant on."""
    return summary.mad > summary.median * UNSTABLE


class Measured:
    """The series of one input; `label` tells its results file where the name alone does not."""

    def __init__(
        self,
        results: Results,
        described: Input,
        *,
        label: str = "",
        series: Mapping[SeriesKey, Series],
    ) -> None:
        self.results = results
        self.described = described
        self.label = label
        self._series = series
        # A stage fixes the metric, so these three are enough.
        self._by_stage = {(key.stage, key.form, key.encoding): each for key, each in series.items()}
        self.forms = tuple(dict.fromkeys(key.form for key in series if key.form))

    @property
    def name(self) -> str:
        """The input's name, and its results file's where several have an input of that name."""
        return f"{self.described.name} ({self.label})" if self.label else self.described.name

    def encodings(self, stage: str = "wire") -> tuple[str, ...]:
        """The encodings that `stage` has samples or holes for, in their order."""
        return tuple(dict.fromkeys(key.encoding for key in self._series if key.stage == stage))

    def keys(self, metric: str) -> Iterator[SeriesKey]:
        """What was taken of one metric, known stages first and in the order of their table."""
        order = {name: number for number, name in enumerate(STAGES)}
        found = [key for key in self._series if key.metric == metric]
        return iter(sorted(found, key=lambda key: order.get(key.stage, len(order))))

    def __getitem__(self, key: SeriesKey) -> Series:
        return self._series[key]

    def series(self, stage: str, form: str, encoding: str = "") -> Series | None:
        """The series of a stage, or None."""
        return self._by_stage.get((stage, form, encoding))

    def summary(self, stage: str, form: str, encoding: str = "") -> Summary | None:
        """Its summary; None where nothing was measured."""
        series = self.series(stage, form, encoding)
        return series.summary if series else None

    def median(self, stage: str, form: str, encoding: str = "") -> float | None:
        """Its median; None where nothing was measured."""
        summary = self.summary(stage, form, encoding)
        return summary.median if summary else None

    def note(self, stage: str, form: str, encoding: str = "") -> str | None:
        """Why nothing was measured, or None."""
        series = self.series(stage, form, encoding)
        return series.note if series else None

    @property
    def baseline_seconds(self) -> float | None:
        """The median of json.loads over the raw page, which every duration stands beside."""
        return self.median("baseline.json_loads", "raw")

    def change(self, stage: str, form: str, encoding: str = "", *, to: str = "raw") -> float | None:
        """How much more `form` takes than `to`, as a fraction: -0.9 is nine tenths less."""
        ours, other = self.median(stage, form, encoding), self.median(stage, to, encoding)
        return None if ours is None or not other else (ours - other) / other

    def notes(self, keys: Iterable[SeriesKey]) -> tuple[str, ...]:
        """Every reason why something of these was not measured, once."""
        found = (self._series[key].note for key in keys)
        return tuple(dict.fromkeys(note for note in found if note))

    def unstable(self) -> tuple[SeriesKey, ...]:
        """The series of seconds whose runs lie too far apart."""
        return tuple(
            key
            for key in self.keys("seconds")
            if (summary := self._series[key].summary) and is_unstable(summary)
        )


def gather(sources: Sequence[Source]) -> list[Measured]:
    """Every input of every results file, inputs of one name beside each other."""
    files = Counter(
        name for _, results in sources for name in {each.name for each in results.inputs}
    )
    found = [
        Measured(
            results,
            described,
            label=label if files[described.name] > 1 else "",
            series=by_input.get(described.name, {}),
        )
        for label, results in sources
        for by_input in (_by_input(results),)
        for described in results.inputs
    ]
    first = {each.described.name: number for number, each in reversed([*enumerate(found)])}
    return sorted(found, key=lambda each: first[each.described.name])


def _by_input(results: Results) -> dict[str, dict[SeriesKey, Series]]:
    found: dict[str, dict[SeriesKey, Series]] = {}
    for key, series in results.series().items():
        found.setdefault(key.input, {})[key] = series
    return found
