"""Measure, store and page the event histories of chat and agent sessions.

The names below are the short list that a notebook needs.
Everything else is reached by its module: `histbench.codec`, `histbench.store`, `histbench.measure`.
"""

from importlib.metadata import version

from histbench.errors import HistbenchError, InvalidData, UsageError

__all__ = [
    "HistbenchError",
    "InvalidData",
    "UsageError",
    "__version__",
]

__version__ = version("histbench")
