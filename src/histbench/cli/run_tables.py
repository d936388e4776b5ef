"""The tables of one results file on the terminal: those of a report, without its prose."""

from histbench.cli.tables import NO_VALUE, Table, print_table
from histbench.report import (
    counts_table,
    gather,
    peaks_table,
    stages_table,
    structure_table,
    wire_table,
)
from histbench.report.cells import NO_VALUE as REPORT_NO_VALUE
from histbench.report.cells import Table as ReportTable
from histbench.report.measured import Measured
from histbench.results import Results

__all__ = ["as_text", "print_results"]

_TABLES = (wire_table, counts_table, structure_table, stages_table, peaks_table)
# A line has no room for prose.
_LEFT_OUT = frozenset({"what it is"})


def print_results(results: Results) -> None:
    """Print the tables of every input of `results`, those without rows left out."""
    for measured in gather([("", results)]):
        title = _title(measured)
        for make in _TABLES:
            shown = make(measured)
            if shown.rows:
                print_table(as_text(shown, title=f"{title}: {shown.title.lower()}"))
                title = measured.name


def _title(measured: Measured) -> str:
    it = measured.described
    seed = "" if it.seed is None else f", seed {it.seed}"
    recorded = "" if it.format is None else f"{it.format}, {it.clock} clock, "
    noted = "".join(f"; {code} ({times})" for code, times in it.diagnostics.items())
    return (
        f"{it.name}{seed}, {recorded}{it.events:,} events ({it.ordinary:,} ordinary, {it.rows:,} rows) "
        f"in {it.bytes:,} bytes, sha256 {it.sha256[:12]}{noted}"
    )


def as_text(shown: ReportTable, *, title: str) -> Table:
    """A report's table for the terminal."""
    kept = [n for n, column in enumerate(shown.columns) if column.title not in _LEFT_OUT]
    columns = [shown.columns[n] for n in kept]
    return Table(
        title=title,
        headers=[column.title for column in columns],
        rows=[[_plain(row[n].text) for n in kept] for row in shown.rows],
        labels=next(
            (n for n, column in enumerate(columns) if column.kind == "number"), len(columns)
        ),
        notes=shown.notes,
    )


def _plain(text: str) -> str:
    # A terminal may know no other dash.
    return NO_VALUE if text == REPORT_NO_VALUE else text
