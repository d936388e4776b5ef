"""Measure, store and page the event histories of chat and agent sessions.

The names below are the short list that a notebook needs.
Everything else is reached by its module: `histbench.codec`, `histbench.store`, `histbench.measure`.
"""

from importlib.metadata import version

from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import HistbenchError, InvalidData, UsageError
from histbench.fold import compact_inputs, fold_assistant, project_completed_steps
from histbench.history import HistoryPage, HistoryWindow, decode_page, encode_page, select_page
from histbench.importers import import_session
from histbench.log import Diagnostic, EventLog
from histbench.store import LogWriter, inspect_log, read_log, repair_log

__all__ = [
    "Diagnostic",
    "EventLog",
    "HistbenchError",
    "HistoryPage",
    "HistoryWindow",
    "InvalidData",
    "LogWriter",
    "UsageError",
    "__version__",
    "compact_inputs",
    "decode_page",
    "decode_storage_record",
    "encode_page",
    "fold_assistant",
    "import_session",
    "inspect_log",
    "pack_chunk_runs",
    "project_completed_steps",
    "read_log",
    "repair_log",
    "select_page",
]

__version__ = version("histbench")
