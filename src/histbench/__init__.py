"""Measure, store and page the event histories of chat and agent sessions.

The names below are the short list that a notebook needs.
Everything else is reached by its module: `histbench.codec`, `histbench.store`, `histbench.measure`.

Names whose modules take long to import, or need an extra, are imported when they are first used.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import HistbenchError, InvalidData, UsageError
from histbench.fold import compact_inputs, fold_assistant, project_completed_steps
from histbench.history import HistoryPage, HistoryWindow, decode_page, encode_page, select_page
from histbench.importers import import_session
from histbench.log import Diagnostic, EventLog
from histbench.store import LogWriter, inspect_log, read_log, repair_log

if TYPE_CHECKING:
    from histbench.client import Client
    from histbench.measure import run_benchmark
    from histbench.results import load_results
    from histbench.transcript.view import TranscriptView
    from histbench.transcript_file import CursorKeys, TranscriptReader
    from histbench.widget import viewer

__all__ = [
    "Client",
    "CursorKeys",
    "Diagnostic",
    "EventLog",
    "HistbenchError",
    "HistoryPage",
    "HistoryWindow",
    "InvalidData",
    "LogWriter",
    "TranscriptReader",
    "TranscriptView",
    "UsageError",
    "__version__",
    "compact_inputs",
    "decode_page",
    "decode_storage_record",
    "encode_page",
    "fold_assistant",
    "import_session",
    "inspect_log",
    "load_results",
    "pack_chunk_runs",
    "project_completed_steps",
    "read_log",
    "repair_log",
    "run_benchmark",
    "select_page",
    "viewer",
]

__version__ = version("histbench")

_LATER = {
    "Client": "histbench.client",
    "CursorKeys": "histbench.transcript_file",
    "TranscriptReader": "histbench.transcript_file",
    "TranscriptView": "histbench.transcript.view",
    "load_results": "histbench.results",
    "run_benchmark": "histbench.measure",
    "viewer": "histbench.widget",
}


def __getattr__(name: str) -> Any:
    """A name of the list that is imported when it is first used."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name]), name)
    return value
