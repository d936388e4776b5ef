"""A report before it is a page: what stands where, for every edition alike.

Summary first, then what to be careful with, then the figures of each input, then how they were
taken.  `html` and `markdown` render a Report; `to_json` gives it to machines.  Reports read, they
do not measure: all of it comes from results files.
"""

from collections.abc import Sequence

import msgspec

from histbench.errors import UsageError
from histbench.report.cells import Table
from histbench.report.measured import Measured, Source, gather
from histbench.report.panels import Panel, peak_panels, time_panels, wire_panels
from histbench.report.provenance import environment_table, inputs_table
from histbench.report.sentences import method, summary, warnings
from histbench.report.tables import (
    beside_table,
    counts_table,
    others_table,
    peaks_table,
    stages_table,
    structure_table,
    wire_table,
)

__all__ = ["NO_FORMS", "Figure", "Report", "Section", "compose", "to_json"]

REPORT_VERSION = 1

# Of stores, daemons and transcripts.
NO_FORMS = "Other things were measured than forms of a page, and stand below"

_ALWAYS = ("Bytes on the wire", "What a parser meets", "Time by stage", "Peaks of memory")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A table with the panels that draw it."""

    table: Table
    panels: tuple[Panel, ...] = ()


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """All about one input; `summary` is empty where other things were measured than forms."""

    name: str
    subtitle: str
    summary: tuple[str, ...]
    figures: tuple[Figure, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report; `beside` only where there are several inputs."""

    title: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    method: tuple[tuple[str, tuple[str, ...]], ...]
    inputs: Table
    environment: Table
    beside: Table | None = None


def compose(sources: Sequence[Source]) -> Report:
    """The report on one results file or several, inputs of one name beside each other.

    Raises:
        UsageError: no results (`nothing_to_report`).
    """
    found = gather(sources)
    if not found:
        raise UsageError("no results", code="nothing_to_report", expected="at least one input")
    return Report(
        title="Session history: what each form costs",
        sections=tuple(map(_section, found)),
        warnings=warnings(sources, found),
        method=tuple((label, method(results)) for label, results in sources),
        inputs=inputs_table(found),
        environment=environment_table(sources),
        beside=beside_table(found) if len(found) > 1 else None,
    )


def _section(measured: Measured) -> Section:
    it = measured.described
    said = summary(measured)
    figures = (
        Figure(table=wire_table(measured), panels=tuple(wire_panels(measured))),
        Figure(table=counts_table(measured)),
        Figure(table=structure_table(measured)),
        Figure(table=stages_table(measured), panels=tuple(time_panels(measured))),
        Figure(table=peaks_table(measured), panels=tuple(peak_panels(measured))),
        Figure(table=others_table(measured)),
    )
    seed = "" if it.seed is None else f", seed {it.seed}"
    return Section(
        name=measured.name,
        subtitle=(
            f"{'profile' if it.origin == 'profile' else 'file'}{seed}: {it.events:,} events, "
            f"{it.ordinary:,} of them ordinary and the rest in {it.rows:,} rows"
        ),
        summary=said,
        # What a report is about and was left out is told; the rest is shown where there is any.
        figures=tuple(
            figure
            for figure in figures
            if figure.table.rows or (said and figure.table.title in _ALWAYS)
        ),
    )


def to_json(report: Report) -> bytes:
    """The report for machines: sentences, and tables whose numbers are numbers.

    A number is in the unit that its column names; null is a figure that was not measured or
    cannot be.
    """
    plain = {
        "schema": "histbench-report",
        "version": REPORT_VERSION,
        "title": report.title,
        "warnings": report.warnings,
        "beside": report.beside and _plain(report.beside),
        "sections": [
            {
                "name": section.name,
                "subtitle": section.subtitle,
                "summary": section.summary,
                "tables": [_plain(figure.table) for figure in section.figures],
            }
            for section in report.sections
        ],
        "method": [{"results": label, "sentences": texts} for label, texts in report.method],
        "inputs": _plain(report.inputs),
        "environment": _plain(report.environment),
    }
    return msgspec.json.format(msgspec.json.encode(plain), indent=1) + b"\n"


def _plain(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "columns": [{"title": c.title, "unit": c.unit} for c in table.columns],
        "rows": [
            [
                cell.value if column.kind == "number" else cell.text
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ],
        "notes": table.notes,
    }
