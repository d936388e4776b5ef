"""Folds: from events, records or compact inputs to what a reader shows.

`compact` makes at most two inputs of a row, `pair` is the benchmark's fold with two consumers,
`projection` the lossy rival.
"""

from histbench.fold.compact import CompactInput, compact_inputs
from histbench.fold.pair import PairState, StepState, fold_pair
from histbench.fold.projection import project_completed_steps, project_records

__all__ = [
    "CompactInput",
    "PairState",
    "StepState",
    "compact_inputs",
    "fold_pair",
    "project_completed_steps",
    "project_records",
]
