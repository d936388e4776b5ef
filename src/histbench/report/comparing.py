"""Two results files side by side as tables: what differs around the numbers first, then the numbers.

    differences   environment, settings, inputs
    changes       one table for each metric, the changed series only unless asked for all
    limits        what was held, and what exceeds it

Every edition of `histbench compare`, and the notebook about it, shows these.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from histbench.report.cells import NO_VALUE, Cell, Column, Table
from histbench.results import Breach, Change, Comparison, Difference, Limit, Summary
from histbench.results.numbers import bytes_text, change_text, milliseconds

__all__ = ["breach_sentence", "change_tables", "difference_tables", "limits_table"]

_WITHIN = "within the spread"

# Title, unit, and how a median is shown; a figure with a spread is marked where it says nothing.
_METRICS: dict[str, tuple[str, str, Callable[[float], str]]] = {
    "bytes": ("Bytes", "byte", bytes_text),
    "count": ("Counts", "count", bytes_text),
    "seconds": ("Milliseconds (median)", "millisecond", milliseconds),
    "peak_bytes": ("Peak bytes (median)", "byte", bytes_text),
}
_WITH_SPREAD = frozenset({"seconds", "peak_bytes"})


def difference_tables(comparison: Comparison) -> Iterator[Table]:
    """What is not the same around the numbers, a table for each kind that differs."""
    for title, differences in (
        ("Environment", comparison.environment),
        ("Settings", comparison.settings),
        ("Inputs (SHA-256)", comparison.inputs),
    ):
        if differences:
            yield Table(
                title=title,
                columns=(Column("", "label"), Column("A", "label"), Column("B", "label")),
                rows=tuple(map(_difference_row, differences)),
            )


def _difference_row(difference: Difference) -> tuple[Cell, ...]:
    before, after = (
        NO_VALUE if value is None else str(value) for value in (difference.before, difference.after)
    )
    return Cell(difference.name), Cell(before), Cell(after)


def change_tables(comparison: Comparison, *, every: bool = False) -> Iterator[Table]:
    """A table for each metric that either file has; `every` shows what did not change as well."""
    for metric, (title, unit, _) in _METRICS.items():
        of_metric = [change for change in comparison.changes if change.key.metric == metric]
        shown = [change for change in of_metric if every or change.fraction != 0]
        same = len(of_metric) - len(shown)
        if of_metric:
            spread = metric in _WITH_SPREAD
            yield Table(
                title=title,
                columns=(
                    Column("input", "label"),
                    Column("stage", "label"),
                    Column("form", "form"),
                    Column("encoding", "label"),
                    Column("A", unit=unit),
                    Column("B", unit=unit),
                    Column("change", unit="percent"),
                    *([Column("", "label")] if spread else []),
                ),
                rows=tuple(_change_row(change, spread=spread) for change in shown),
                notes=(_same_note(same, len(shown)),) if same else (),
            )


def _same_note(same: int, changed: int) -> str:
    return f"{same} more are the same in both" if changed else f"all {same} are the same in both"


def _change_row(change: Change, *, spread: bool) -> tuple[Cell, ...]:
    key, fraction = change.key, change.fraction
    percent = None if fraction is None or fraction == float("inf") else 100 * fraction
    row = [
        Cell(key.input),
        Cell(key.stage),
        Cell(key.form or NO_VALUE),
        Cell(key.encoding or NO_VALUE),
        _median(key.metric, change.before),
        _median(key.metric, change.after),
        Cell(NO_VALUE if fraction is None else change_text(fraction), percent),
    ]
    return (*row, Cell(_WITHIN if change.within_spread else "")) if spread else tuple(row)


def _median(metric: str, summary: Summary | None) -> Cell:
    if summary is None:
        return Cell(NO_VALUE)
    _, unit, text = _METRICS[metric]
    scale = 1e3 if unit == "millisecond" else 1
    return Cell(text(summary.median), summary.median * scale)


def limits_table(
    comparison: Comparison, limits: Sequence[Limit], breaches: Sequence[Breach]
) -> Table:
    """How many figures each limit was held against, and how many exceed it."""
    exceeded = Counter(breach.limit for breach in breaches)
    rows = []
    for limit in limits:
        held = sum(
            limit.covers(change.key) and change.before is not None for change in comparison.changes
        )
        figures = (Cell(bytes_text(n), n) for n in (held, exceeded[limit]))
        rows.append((Cell(limit.text), *figures))
    return Table(
        title="Limits",
        columns=(
            Column("limit", "label"),
            Column("figures", unit="count"),
            Column("exceeded", unit="count"),
        ),
        rows=tuple(rows),
        notes=tuple(map(breach_sentence, breaches)),
    )


def breach_sentence(breach: Breach) -> str:
    """One series that exceeds its limit, and by how much."""
    change = breach.change
    name = " ".join(part for part in change.key[:4] if part)
    if change.after is None:
        return f"{breach.limit.text} exceeded: {name} is no longer measured"
    before, after = (
        _median(change.key.metric, each).text for each in (change.before, change.after)
    )
    told = f"{change_text(change.fraction)} ({before} to {after})"
    return f"{breach.limit.text} exceeded: {name} {told}"
