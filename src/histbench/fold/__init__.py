"""Folds: from events, records or compact inputs to what a reader shows.

`compact` makes at most two inputs of a row, `elided` is an event of a lean page, `assistant` is
the fold that a product shows steps by, `pair` the benchmark's with two consumers, `projection` the
lossy rival and `omitted` what it left out.
"""

from histbench.fold.assistant import AssistantNode, AssistantState, fold_assistant
from histbench.fold.assistant_step import Block
from histbench.fold.compact import CompactInput, compact_inputs
from histbench.fold.omitted import omitted_spans
from histbench.fold.pair import PairState, StepState, fold_pair
from histbench.fold.projection import project_completed_steps, project_records

__all__ = [
    "AssistantNode",
    "AssistantState",
    "Block",
    "CompactInput",
    "PairState",
    "StepState",
    "compact_inputs",
    "fold_assistant",
    "fold_pair",
    "omitted_spans",
    "project_completed_steps",
    "project_records",
]
