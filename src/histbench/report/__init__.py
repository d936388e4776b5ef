"""Reports: results files as tables, figures, sentences and pages.  Reports read, they do not measure.

    measured    one input's figures at hand            cells      tables as values, shown in many ways
    tables      what was measured, as tables           provenance  where it comes from, as tables
    panels     the figures, as values
    sentences   summary, method, warnings              palette    one colour for each form
    document    what stands where; the JSON edition    svg, plots draw panels for page and notebook
    html, markdown  the editions                       notebooks  execute, check, export
    text        names that others chose, safe to show
    aims        what was aimed at beside what was reached
    comparing   two results files side by side    lines      growth, as values
    headline    the table that the README opens with

A notebook needs the names below, and `plots.plot_panels`.
"""

from histbench.report.cells import Table, table
from histbench.report.comparing import change_tables, difference_tables
from histbench.report.measured import Measured, gather
from histbench.report.panels import peak_panels, time_panels, wire_panels
from histbench.report.provenance import environment_table
from histbench.report.tables import (
    beside_table,
    counts_table,
    peaks_table,
    stages_table,
    structure_table,
    wire_table,
)

__all__ = [
    "Measured",
    "Table",
    "beside_table",
    "change_tables",
    "counts_table",
    "difference_tables",
    "environment_table",
    "gather",
    "peak_panels",
    "peaks_table",
    "stages_table",
    "structure_table",
    "table",
    "time_panels",
    "wire_panels",
    "wire_table",
]
