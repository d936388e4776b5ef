"""Session files: reading, appending, repairing, indexing, and keeping fixtures canonical.

`docs/format.md` is the page on what these files are.
"""

from histbench.store.batching import BatchingWriter
from histbench.store.catalog import SessionEntry, find_session, list_sessions, read_header
from histbench.store.converting import convert_log
from histbench.store.fixture_repository import check_fixtures, migrate_fixtures
from histbench.store.fixtures import render_fixture
from histbench.store.inspecting import Inspection, inspect_log
from histbench.store.limits import Limits
from histbench.store.log_file import LogFile, open_log
from histbench.store.reading import read_log
from histbench.store.repair import Repair, repair_log
from histbench.store.verifying import Verdict, verify_log
from histbench.store.writer import LogWriter

__all__ = [
    "BatchingWriter",
    "Inspection",
    "Limits",
    "LogFile",
    "LogWriter",
    "Repair",
    "SessionEntry",
    "Verdict",
    "check_fixtures",
    "convert_log",
    "find_session",
    "inspect_log",
    "list_sessions",
    "migrate_fixtures",
    "open_log",
    "read_header",
    "read_log",
    "render_fixture",
    "repair_log",
    "verify_log",
]
