"""The session log that is measured: an input itself, or what importing it gives.

A host does not import a recording for every page it serves, so a recording is converted once, into
a temporary log in the store's default layout, and the stages of the host start from that.  Bytes
and digest in the results are those of the recording.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from msgspec import Struct

from histbench.importers import convert_recording, import_events
from histbench.log import Diagnostic, EventLog
from histbench.records import Plain

__all__ = ["Clock", "StoredInput", "clock_of", "stored_input"]

Clock = Literal["source", "capture", "synthetic"]


class StoredInput(Struct, frozen=True, kw_only=True):
    """Where the log of an input lies, what the input is, and what its importer reported."""

    path: str
    format: str
    diagnostics: tuple[Diagnostic, ...] = ()


@contextmanager
def stored_input(
    path: str, format_name: str | None = None, *, table: bool = False
) -> Iterator[StoredInput]:
    """The log of the input at `path`, which is there while the context is open.

    Args:
        path: a session log, or a recording.
        format_name: an importer's name; for None the content decides.
        table: whether the log was made of a Parquet table, and is to be called so.

    Raises:
        As `import_events` and `convert_recording`.
    """
    with import_events(path, format_name) as imported:
        if imported.format.family is None:
            yield StoredInput(path=path, format="parquet" if table else imported.format.name)
            return
        with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
            log = Path(folder) / "session.jsonl.zstd"
            convert_recording(imported, log)
            yield StoredInput(
                path=str(log), format=imported.format.name, diagnostics=imported.diagnostics
            )


def clock_of(log: EventLog) -> Clock:
    """Where the times come from: what an import wrote last, or what the reader of a log noticed."""
    last = log.records()[-1] if len(log) else None
    if isinstance(last, Plain) and last.type == "source/import":
        said = last.event()["data"]
        for clock in ("source", "capture", "synthetic"):
            if isinstance(said, dict) and said.get("clock") == clock:
                return clock
    made_up = any(each.code == "synthesised_clock" for each in log.diagnostics)
    return "synthetic" if made_up else "source"
