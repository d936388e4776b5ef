"""The transport benchmark: what it measures, how, and in which order.

stages       the work of each stage
plan         what to measure; progress
subject      one input: its file, its log as a page, the proof that every form holds it
rounds       the timed rounds                     timing    how seconds are taken
peaks        the peaks of memory                  memory    how peaks are taken
sizes        counts from page bytes               samples   what came in, in order
shape        sizes and counts alone              runs      the lengths of runs of deltas
rivals       what others would use instead       pages     what a page of an open log costs
environment  what the numbers depend on           run       all of it, for one or more inputs
"""

from typing import TYPE_CHECKING

from histbench.first_use import names_at_first_use

if TYPE_CHECKING:
    from histbench.measure.plan import Plan, Progress
    from histbench.measure.run import run_benchmark, run_sources
    from histbench.measure.shape import measure_shapes
    from histbench.measure.subject import Source

__all__ = ["Plan", "Progress", "Source", "measure_shapes", "run_benchmark", "run_sources"]

# What takes a log needs no clock.
__getattr__ = names_at_first_use(
    __name__,
    {
        "plan": ["Plan", "Progress"],
        "run": ["run_benchmark", "run_sources"],
        "shape": ["measure_shapes"],
        "subject": ["Source"],
    },
)
