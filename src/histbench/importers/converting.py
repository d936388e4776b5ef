"""A recording written as a session log, in bounded memory and proved before it takes its name.

Events go to a temporary file in frames as they come, and into a running digest of their JSON text.
Then the file is read back the same way, event by event, and must give the same digest; only then
does it replace what was at the target.  Runs are packed within a frame of lines.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct, structs

from histbench.codec import pack_runs
from histbench.errors import InvalidLog, Place
from histbench.events import Event
from histbench.importers.content import IMPORT_LIMITS
from histbench.importers.importing import Import, import_events
from histbench.importers.stored import StoredEvents
from histbench.jsontext import encode
from histbench.rows import ListRow, Row
from histbench.store.batch import compress_frame
from histbench.store.converting import FRAME_BYTES, replace_log
from histbench.store.limits import Limits
from histbench.store.scan import LogSource

__all__ = ["ImportConversion", "convert_recording", "write_events"]


class ImportConversion(Struct, frozen=True, kw_only=True):
    """What was read (see `Import`), and what was written of it; `rows` of at least three deltas."""

    imported: Import
    rows: int
    to_bytes: int


class _Tally:
    """Passes events through and keeps their digest; counts rows."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.rows = 0

    def events(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            self.digest.update(encode(event))
            yield event


def convert_recording(
    source: str | os.PathLike[str] | BinaryIO | Import,
    target: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that everybody looks for
    *,
    compression: str | None = None,
    pack_chunks: bool = True,
    limits: Limits | None = None,
) -> ImportConversion:
    """Import `source` into the session log `target`.

    Args:
        source: a path, a binary stream, or an import that nobody has read from.
        target: a path; what lies there is replaced, once the new file is proved.
        format: a name from `FORMATS`; sniffed by content for None.
        compression: `zstd` or `none`; zstd by default, unless the target's suffix says `.jsonl`.
        pack_chunks: False for one event a line.
        limits: as for `import_events`.

    Raises:
        As `import_events` and `Import`; StorageError `log_locked` when a writer has the target
        open, or why it could not be written; InvalidLog `lossy_conversion` if the proof failed.
    """
    if compression is None:
        compression = "none" if Path(target).name.endswith(".jsonl") else "zstd"
    opened = source if isinstance(source, Import) else import_events(source, format, limits=limits)
    with opened as imported:
        rows = write_events(
            imported,
            imported.header,
            target,
            compressed=compression == "zstd",
            pack_chunks=pack_chunks,
        )
    size = Path(target).stat().st_size
    return ImportConversion(imported=imported, rows=rows, to_bytes=size)


def write_events(
    events: Iterable[Event],
    header: dict[str, Any],
    target: str | os.PathLike[str],
    *,
    compressed: bool,
    pack_chunks: bool = True,
) -> int:
    """Write events as they come as the session log `target`; how many rows it holds.

    Raises:
        As `convert_recording`, and whatever `events` raises; then nothing has changed.
    """
    path = Path(target)
    tally = _Tally()
    chunks = _chunks(tally, events, header, compressed=compressed, pack_chunks=pack_chunks)
    # However well it compresses, and however long its lines: this file was made here.
    trusted = structs.replace(IMPORT_LIMITS, ratio=2**53, line_bytes=2**53)

    def prove(temporary: Path) -> None:
        again = _Tally()
        with LogSource(temporary) as opened:
            stored = StoredEvents(opened.read, trusted)
            for _ in again.events(stored):
                pass
        if stored.header != header or again.digest.digest() != tally.digest.digest():
            raise InvalidLog(
                "the converted log does not hold the same events",
                code="lossy_conversion",
                where=Place(file=str(path)),
            )

    replace_log(path, chunks, prove=prove)
    return tally.rows


def _chunks(
    tally: _Tally,
    events: Iterable[Event],
    header: dict[str, Any],
    *,
    compressed: bool,
    pack_chunks: bool,
) -> Iterator[bytes]:
    """The bytes of the file: the header, then frames of whole lines, or lines."""
    stored = compress_frame if compressed else bytes
    yield stored(encode(header) + b"\n")
    lines: list[bytes] = []
    waiting = 0
    source = tally.events(events)
    for record in pack_runs(source) if pack_chunks else source:
        if type(record) is ListRow:
            tally.rows += 1
            line = Row.of(record).json()
        else:
            line = encode(record)
        lines.append(line)
        waiting += len(line) + 1
        if waiting >= FRAME_BYTES:
            yield stored(b"\n".join(lines) + b"\n")
            lines, waiting = [], 0
    if lines:
        yield stored(b"\n".join(lines) + b"\n")
