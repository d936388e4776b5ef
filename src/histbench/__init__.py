"""Measure, store and page the event histories of chat and agent sessions.

The names below are the short list that a notebook needs.
Everything else is reached by its module: `histbench.codec`, `histbench.store`, `histbench.measure`.

Each name is imported when it is first used (`first_use`), and so is each module that is reached by
its name.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from histbench.first_use import names_at_first_use

if TYPE_CHECKING:
    from histbench.client import Client
    from histbench.codec import decode_storage_record, pack_chunk_runs
    from histbench.errors import HistbenchError, InvalidData, UsageError
    from histbench.fold import compact_inputs, fold_assistant, project_completed_steps
    from histbench.history import HistoryPage, HistoryWindow, decode_page, encode_page, select_page
    from histbench.importers import import_session
    from histbench.log import Diagnostic, EventLog
    from histbench.measure import run_benchmark
    from histbench.results import load_results
    from histbench.store import LogWriter, inspect_log, read_log, repair_log
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

_name = names_at_first_use(
    __name__,
    {
        "client": ["Client"],
        "codec": ["decode_storage_record", "pack_chunk_runs"],
        "errors": ["HistbenchError", "InvalidData", "UsageError"],
        "fold": ["compact_inputs", "fold_assistant", "project_completed_steps"],
        "history": ["HistoryPage", "HistoryWindow", "decode_page", "encode_page", "select_page"],
        "importers": ["import_session"],
        "log": ["Diagnostic", "EventLog"],
        "measure": ["run_benchmark"],
        "results": ["load_results"],
        "store": ["LogWriter", "inspect_log", "read_log", "repair_log"],
        "transcript.view": ["TranscriptView"],
        "transcript_file": ["CursorKeys", "TranscriptReader"],
        "widget": ["viewer"],
    },
)


def __getattr__(name: str) -> Any:
    """A name of the list, or a module, at its first use."""
    if name == "__version__":
        # Takes longer to import than most commands do.
        return import_module("importlib.metadata").version("histbench")
    if name not in __all__ and not name.startswith("_") and find_spec(f"histbench.{name}"):
        return import_module(f"histbench.{name}")
    return _name(name)


def __dir__() -> list[str]:
    """The list, though not all of it has been imported."""
    return sorted({*globals(), *__all__})
