"""What was aimed at, beside what was reached: one row per piece of work.

An aim is a ratio to something measured in the same run, because ratios survive a noisy machine.
The durations behind the aims are those of a reference implementation on Node 24 and a quiet
two-core machine, where json.loads of the raw page of profile `transport` takes about 1,300 ms;
`of json.loads(raw)` translates them.
"""

from collections.abc import Iterator

import msgspec

from histbench.report.cells import NO_VALUE, Cell, Column, Table
from histbench.report.measured import Measured, is_unstable
from histbench.results import NOT_MEASURED, STAGES
from histbench.results.numbers import megabytes, milliseconds, ratio_text

__all__ = ["AIMS", "PEAK_AIMS", "Aim", "PeakAim", "aims_table", "shortfalls"]

# The stages that hold others, and those that are no part of a total.
_TOTALS = frozenset({"host.total", "client.total"})
_WHOLES = _TOTALS | {"host.stored", "host.encode", "client.decode"}


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """`stage` of `form` takes at most `limit` times as long as `of_stage` of `of_form`."""

    work: str
    stage: str
    form: str
    of_stage: str = "baseline.json_loads"
    of_form: str = "raw"
    limit: float

    @property
    def measure(self) -> str:
        """What the ratio is to, in words."""
        stage = "json.loads" if self.of_stage == "baseline.json_loads" else self.of_stage
        return f"{stage}({self.of_form})"


class PeakAim(msgspec.Struct, frozen=True, kw_only=True):
    """The peak `stage` of `form` is at most `limit_bytes`."""

    work: str
    stage: str
    form: str
    limit_bytes: int


AIMS = (
    Aim(work="client, packed", stage="client.total", form="packed", limit=1 / 35),
    Aim(
        work="client, joined",
        stage="client.total",
        form="joined",
        of_stage="client.total",
        of_form="packed",
        limit=1 / 2,
    ),
    Aim(
        work="client, lean",
        stage="client.total",
        form="lean",
        of_stage="client.total",
        of_form="packed",
        limit=1,
    ),
    Aim(work="client, raw", stage="client.total", form="raw", limit=1 / 2),
    Aim(work="host, stored log to packed page", stage="host.stored", form="packed", limit=1 / 70),
    Aim(work="host, events to packed page", stage="host.total", form="packed", limit=1 / 6),
    Aim(
        work="host, newest page of an open log",
        stage="page.serve",
        form="packed",
        of_stage="page.expand",
        of_form="packed",
        limit=1 / 10,
    ),
)

PEAK_AIMS = (
    PeakAim(
        work="client, packed, traced peak",
        stage="memory.client.traced",
        form="packed",
        limit_bytes=15_000_000,
    ),
)


def aims_table(measured: Measured) -> Table:
    """Every aim with what one input reached, and whether that is enough."""
    columns = (
        Column("work", "label"),
        Column("measured", "label"),
        Column("reached"),
        Column("of", "label"),
        Column("aim"),
        Column("", "label"),
    )
    rows = (*_ratio_rows(measured), *_peak_rows(measured))
    return Table(title="Aims", columns=columns, rows=rows)


def shortfalls(measured: Measured) -> tuple[str, ...]:
    """One sentence for each ratio that is short of its aim: by how much, and the longest stage."""
    found = []
    for aim in AIMS:
        taken = measured.median(aim.stage, aim.form)
        other = measured.median(aim.of_stage, aim.of_form)
        if taken is None or not other or taken / other <= aim.limit:
            continue
        text = (
            f"{aim.work}: {taken / other / aim.limit:.1f} times what was aimed at "
            f"({milliseconds(taken)} ms; the aim comes to {milliseconds(other * aim.limit)} ms)"
        )
        parts = {
            stage: seconds
            for stage in STAGES
            if stage.partition(".")[0] == aim.stage.partition(".")[0]
            and stage not in _WHOLES
            and (seconds := measured.median(stage, aim.form)) is not None
        }
        if parts and aim.stage in _TOTALS:
            longest = max(parts, key=lambda stage: parts[stage])
            text += f"; most of it is {longest}, {milliseconds(parts[longest])} ms"
        found.append(text + ".")
    return tuple(found)


def _ratio_rows(measured: Measured) -> Iterator[tuple[Cell, ...]]:
    for aim in AIMS:
        taken = measured.summary(aim.stage, aim.form)
        other = measured.summary(aim.of_stage, aim.of_form)
        shown, reached, verdict = NO_VALUE, Cell(NOT_MEASURED, None, "missing"), ""
        if taken is not None and other is not None and other.median:
            ratio = taken.median / other.median
            shown = f"{milliseconds(taken.median)} ms"
            reached = Cell(ratio_text(ratio), ratio)
            verdict = "reached" if ratio <= aim.limit else "short"
            if is_unstable(taken) or is_unstable(other):
                verdict += ", unstable"
        limit = Cell(ratio_text(aim.limit), aim.limit)
        yield (Cell(aim.work), Cell(shown), reached, Cell(aim.measure), limit, Cell(verdict))


def _peak_rows(measured: Measured) -> Iterator[tuple[Cell, ...]]:
    for aim in PEAK_AIMS:
        peak = measured.median(aim.stage, aim.form)
        reached, verdict = Cell(NOT_MEASURED, None, "missing"), ""
        if peak is not None:
            reached = Cell(f"{megabytes(peak)} MB", peak / 1e6)
            verdict = "reached" if peak <= aim.limit_bytes else "short"
        limit = Cell(f"{megabytes(aim.limit_bytes)} MB", aim.limit_bytes / 1e6)
        yield (Cell(aim.work), Cell(aim.stage), reached, Cell(""), limit, Cell(verdict))
