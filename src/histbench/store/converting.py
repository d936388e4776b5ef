"""Writing a log anew: packed, unpacked or as an archive, compressed or plain, in other frames.

The events stay what they are, which is proved before the result takes its name: the new file is
read back and must give the same events under the same header line, byte for byte.  Until then it
is a temporary file, and whatever was at the target is as before; a log that a writer has open is
not replaced.  Ordinary events keep the JSON text they were stored as.

Converting reads whole logs: memory is that of their packed form.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, structs

from histbench.errors import InvalidLog, Place
from histbench.log import EventLog
from histbench.records import Plain, Record, record_json
from histbench.store.archive import archive_chunks
from histbench.store.batch import compress_frame
from histbench.store.durable import replace_file
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lock import open_locked
from histbench.store.page_index import SEGMENT_BYTES, remove_index
from histbench.store.reading import read_stored

__all__ = ["Conversion", "convert_log", "log_chunks", "replace_log"]

# Of lines, before compression: a segment of the page index, so that converted logs page well.
FRAME_BYTES = SEGMENT_BYTES


class Conversion(Struct, frozen=True, kw_only=True):
    """What was written: the events, and bytes before and after."""

    log: EventLog
    from_bytes: int
    to_bytes: int


def log_chunks(
    header_line: bytes, log: EventLog, *, compressed: bool, pack_chunks: bool
) -> Iterator[bytes]:
    """The bytes of a session file that holds `log`: frames of whole lines, or lines."""
    stored = compress_frame if compressed else bytes
    yield stored(header_line + b"\n")
    lines: list[bytes] = []
    waiting = 0
    for record in log.records():
        for line in [record_json(record)] if pack_chunks else _unpacked(record):
            lines.append(line)
            waiting += len(line) + 1
        if waiting >= FRAME_BYTES:
            yield stored(b"\n".join(lines) + b"\n")
            lines, waiting = [], 0
    if lines:
        yield stored(b"\n".join(lines) + b"\n")


def _unpacked(record: Record) -> list[bytes]:
    return [record.raw] if isinstance(record, Plain) else record.event_jsons()


def convert_log(
    source: str | os.PathLike[str] | BinaryIO,
    target: str | os.PathLike[str],
    *,
    compression: str | None = None,
    pack_chunks: bool = True,
    archive: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Conversion:
    """Write the log in `source` anew as `target`, which may be the same file.

    Args:
        source: a path, or a binary stream.
        target: a path; what lies there is replaced, once the new file is proved.
        compression: `zstd` or `none`; by default what the target's suffix says, else as the source.
        pack_chunks: False for one event a line.
        archive: True for lean pages instead of records (`archive`).
        limits: how far the source may expand.

    Raises:
        As `read_log`; StorageError `log_locked` when a writer has the target open, or why it could
        not be written; InvalidLog `lossy_conversion` if the proof failed.
    """
    path = Path(target)
    stored = read_stored(source, limits=limits)
    if compression is None:
        compression = _compression_of(path.name, compressed=stored.compressed)
    compressed = compression == "zstd"
    if archive:
        chunks = archive_chunks(stored.header_line, stored.log, compressed=compressed)
    else:
        chunks = log_chunks(
            stored.header_line, stored.log, compressed=compressed, pack_chunks=pack_chunks
        )

    # However well it compresses: this file was made here.
    trusted = structs.replace(limits, ratio=2**53)

    def prove(temporary: Path) -> None:
        again = read_stored(temporary, limits=trusted)
        if again.header_line != stored.header_line or again.log != stored.log:
            raise InvalidLog(
                "the converted log does not hold the same events",
                code="lossy_conversion",
                where=Place(file=str(path)),
            )

    replace_log(path, chunks, prove=prove)
    return Conversion(log=stored.log, from_bytes=stored.file_bytes, to_bytes=path.stat().st_size)


def replace_log(path: Path, chunks: Iterable[bytes], *, prove: Callable[[Path], None]) -> None:
    """Put a proved log in the place of `path`, under the lock of the one that is there.

    Raises:
        StorageError: `log_locked`, or why it cannot be written; then nothing has changed.
    """
    lock = open_locked(path) if path.is_file() else None
    try:
        replace_file(path, chunks, prove=prove)
        remove_index(path)
    finally:
        if lock is not None:
            os.close(lock)


def _compression_of(name: str, *, compressed: bool) -> str:
    if name.endswith(".jsonl"):
        return "none"
    return "zstd" if compressed or name.endswith((".zst", ".zstd")) else "none"
