"""The samples of one input while they come in, in whatever order the rounds take them.

Interleaved rounds finish in an order that says nothing; the sheet hands the samples out by form,
stage, encoding and run, so that the results of two measurements line up line by line.
"""

from collections.abc import Iterable

from histbench.measure.timing import Stopwatch
from histbench.results import METRIC_UNITS, STAGES, Sample

__all__ = ["SampleSheet"]


class SampleSheet:
    """Collects the samples of the input called `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._samples: list[Sample] = []

    def add(
        self,
        stage: str,
        value: float | None,
        *,
        form: str,
        encoding: str = "",
        run: int = 0,
        note: str | None = None,
    ) -> None:
        """Keep one number of `stage`, whose metric and unit the table of stages knows."""
        metric = STAGES[stage].metric
        self._samples.append(
            Sample(
                input=self._name,
                form=form,
                encoding=encoding,
                stage=stage,
                metric=metric,
                value=value,
                unit=METRIC_UNITS[metric],  # type: ignore[arg-type]
                run=run,
                note=note,
            )
        )

    def add_seconds(self, watch: Stopwatch, *, form: str, encoding: str = "", run: int) -> None:
        """Keep every stage that `watch` has timed."""
        for stage, seconds in watch.seconds.items():
            self.add(stage, seconds, form=form, encoding=encoding, run=run)

    def leave_out(self, stages: Iterable[str], why: str, *, form: str, encoding: str = "") -> None:
        """Keep a hole for each of `stages`, with the reason."""
        for stage in stages:
            self.add(stage, None, form=form, encoding=encoding, note=f"not measured: {why}")

    def samples(self, forms: Iterable[str], encodings: Iterable[str]) -> list[Sample]:
        """All samples in the order of these names, of the table of stages, and of the runs."""
        rank = {name: number for number, name in enumerate([*forms, *STAGES, "", *encodings])}
        return sorted(
            self._samples,
            key=lambda each: (rank[each.form], rank[each.stage], rank[each.encoding], each.run),
        )
