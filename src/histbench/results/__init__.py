"""Results: every sample that was taken, what it was taken of, and where.

    model      the values: Results, Input, Sample; what is computed from them on reading
    file       one JSON file: load, save
    compare    two results side by side
    limits     limits on what may grow from one to the other
    stages     what a sample can be taken of, in one table
    numbers    bytes, durations and ratios as text, the same wherever they are shown
    published  the figures that the design notes published, to stand beside our own

A results file holds samples, not conclusions: medians and ratios are computed by whoever reads it.
It never holds the text of a session, a host or user name, or a path.
"""

from histbench.results.compare import Change, Comparison, Difference, compare_results
from histbench.results.file import load_results, render_results, save_results
from histbench.results.limits import Breach, Limit, find_breaches, parse_limit
from histbench.results.model import (
    METRIC_UNITS,
    NOT_MEASURED,
    Input,
    Results,
    Sample,
    Series,
    SeriesKey,
    Summary,
    summarise,
)
from histbench.results.stages import STAGES, Stage

__all__ = [
    "METRIC_UNITS",
    "NOT_MEASURED",
    "STAGES",
    "Breach",
    "Change",
    "Comparison",
    "Difference",
    "Input",
    "Limit",
    "Results",
    "Sample",
    "Series",
    "SeriesKey",
    "Stage",
    "Summary",
    "compare_results",
    "find_breaches",
    "load_results",
    "parse_limit",
    "render_results",
    "save_results",
    "summarise",
]
