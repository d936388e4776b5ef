"""A generated log as a file: the header line, then one batch of storage records after another.

A batch ends at the first event behind `BATCH_EVENTS` that is no delta, so no run is split between
two batches and every run becomes one packed row.  In a zstd file the header and each batch are one
checksummed frame.  Memory holds a batch and its bytes; the file appears whole or not at all.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import zstandard

from histbench.codec import pack_chunk_runs
from histbench.errors import UsageError
from histbench.events import KIND_BY_DELTA
from histbench.jsontext import encode
from histbench.store.durable import replace_file
from synthetic import generate, session_header
from synthetic.profiles import Profile

__all__ = ["COMPRESSIONS", "compression_of", "log_chunks", "write_log"]

# About 40 kB packed: large enough that the frames' own bytes do not matter.
BATCH_EVENTS = 4096

# What Node's zstd writes by default, and so what the original's logs hold.
_ZSTD_LEVEL = 3

COMPRESSIONS = ("zstd", "none")
_BY_SUFFIX = {".jsonl": "none", ".zst": "zstd", ".zstd": "zstd"}


def compression_of(path: Path) -> str:
    """The compression that the name of a log asks for.

    Raises:
        UsageError: a name that is no log's (`unknown_suffix`).

    >>> compression_of(Path("a.jsonl.zst"))
    'zstd'
    """
    try:
        return _BY_SUFFIX[path.suffix]
    except KeyError:
        raise UsageError(
            "the file name does not tell the compression",
            code="unknown_suffix",
            found=path.name,
            expected="a name ending in .jsonl, .jsonl.zst or .jsonl.zstd, or --compression",
        ) from None


def _batches(events: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for event in events:
        if len(batch) >= BATCH_EVENTS and not _is_delta(event):
            yield batch
            batch = []
        batch.append(event)
    if batch:
        yield batch


def _is_delta(event: dict[str, Any]) -> bool:
    return event["type"] == "assistant/chunk" and event["data"]["chunk"]["type"] in KIND_BY_DELTA


def _frame(content: bytes) -> bytes:
    compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)
    return compressor.compress(content)


def _lines(records: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records)


def log_chunks(
    profile: str | Profile,
    seed: int,
    *,
    compression: str,
    pack_chunks: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Iterator[bytes]:
    """The bytes of the log in order: the header, then the batches.

    `progress` is told the number of events of each batch.

    Raises:
        UsageError: as `synthetic.generate`.
    """
    wrap = _frame if compression == "zstd" else bytes
    yield wrap(_lines([session_header(profile, seed)]))
    for batch in _batches(generate(profile, seed)):
        yield wrap(_lines(pack_chunk_runs(batch) if pack_chunks else batch))
        if progress is not None:
            progress(len(batch))


def write_log(
    path: Path,
    profile: str | Profile,
    seed: int,
    *,
    compression: str | None = None,
    pack_chunks: bool = True,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Writes the log of `profile` and `seed` to `path`, replacing what is there.

    `compression` is "zstd" or "none"; by default the suffix of `path` decides.

    Raises:
        UsageError: as `synthetic.generate`, or `unknown_suffix`.
        StorageError: the file cannot be written; `path` is then as it was.
    """
    chunks = log_chunks(
        profile,
        seed,
        compression=compression or compression_of(path),
        pack_chunks=pack_chunks,
        progress=progress,
    )
    replace_file(path, chunks)
