"""What is in a log: counts and places, found in one pass of bounded memory that changes nothing.

Runs are counted as they are stored: a row of n members, or n single deltas on lines of their own
as runs of one.  `closers` are the events that a repair would append; they are only made up here.
Seqs may have gaps, fixtures may be projected: all of it is reported, none of it is an error.
"""

import os
from collections import Counter
from typing import Any, BinaryIO

from msgspec import Struct, field

from histbench.events import Event
from histbench.history.messages import is_message
from histbench.log import Diagnostic
from histbench.records import Plain, read_line
from histbench.rows import CHUNK_TYPE, ListRow, RowHead
from histbench.store.closers import CLOSER_TYPES, TurnTracker, last_time
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.reading import BodyReader, name_diagnostics
from histbench.store.scan import LogScan, LogSource

__all__ = ["Inspection", "inspect_log", "run_bucket"]


class Inspection(Struct, frozen=True, kw_only=True):
    """One log, counted.

    `types` counts logical events by type, `rows` rows by tag, `runs` rows by a bucket of their
    length (`run_bucket`).  `content_bytes` are the stored lines with their newlines, `file_bytes`
    the file; `frames` is 0 for a text file.  `from_seq` and `to_seq` (exclusive) are None without
    events.  `archive_form` is None unless the file is an archive, whose lines are pages; the lines that
    are counted in bytes are then those of the log inside.  `chunk_kinds` counts the members of rows and single deltas by what they carry.
    """

    header: dict[str, Any]
    archive_form: str | None
    compressed: bool
    file_bytes: int
    content_bytes: int
    frames: int
    lines: int
    events: int
    records: int
    messages: int
    from_seq: int | None
    to_seq: int | None
    types: dict[str, int]
    chunk_kinds: dict[str, int]
    rows: dict[str, int]
    runs: dict[str, int]
    longest_run: int
    closers: tuple[Event, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=())


def run_bucket(length: int) -> str:
    """The bucket of a run length: powers of four, so that a histogram stays a few lines.

    >>> run_bucket(1), run_bucket(3), run_bucket(4), run_bucket(70)
    ('1', '2-3', '4-15', '64-255')
    """
    if length < 4:
        return "1" if length == 1 else "2-3"
    low = 4
    while length >= low * 4:
        low *= 4
    return f"{low}-{low * 4 - 1}"


class _Count:
    """Counts records and keeps none."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self.chunk_kinds: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.runs: Counter[int] = Counter()
        self.messages = 0
        self.from_seq: int | None = None
        self.to_seq: int | None = None
        self.last: Plain | RowHead | None = None
        self.turns = TurnTracker()

    def add_line(self, line: bytes) -> Plain | RowHead:
        record = read_line(line)
        self.add_record(record)
        return record

    def add_record(self, record: Plain | RowHead) -> None:
        if self.from_seq is None:
            self.from_seq = record.seq
        self.to_seq = record.end_seq
        self.last = record
        if isinstance(record, Plain):
            self.types[record.type] += 1
            if record.type in CLOSER_TYPES:
                self.turns.feed(record.event())
            if is_message(record):
                self.messages += 1
            return
        self.types[CHUNK_TYPE] += record.count
        self.chunk_kinds[record.kind.delta] += record.count
        if isinstance(record, ListRow) and record.count == 1:
            self.runs[1] += 1
        else:
            self.rows[record.kind.tag] += 1
            self.runs[record.count] += 1


def inspect_log(
    source: str | os.PathLike[str] | BinaryIO, *, limits: Limits = DEFAULT_LIMITS
) -> Inspection:
    """What the log in `source` holds; the file is not changed.

    Raises:
        As `read_log`.
    """
    with LogSource(source) as opened:
        scan = LogScan(opened.read, limits=limits)
        count = _Count()
        body = BodyReader(count, strict=False, exact=not scan.compressed)
        content_bytes = len(scan.header_line) + 1
        for block in scan:
            body.read(block)
            content_bytes += sum(map(len, block.lines)) + len(block.lines)
        diagnostics = body.diagnostics
        if scan.torn is not None:
            diagnostics.append(scan.torn.diagnostic())
        diagnostics += name_diagnostics(opened.name, compressed=scan.compressed)
        buckets: Counter[str] = Counter()
        for length in sorted(count.runs):
            buckets[run_bucket(length)] += count.runs[length]
        return Inspection(
            header=scan.header,
            archive_form=scan.archive_form,
            compressed=scan.compressed,
            file_bytes=scan.file_bytes,
            content_bytes=content_bytes,
            frames=scan.frames,
            lines=scan.lines,
            events=body.events,
            records=body.records,
            messages=count.messages,
            from_seq=count.from_seq,
            to_seq=count.to_seq,
            types=dict(count.types.most_common()),
            chunk_kinds=dict(count.chunk_kinds.most_common()),
            rows=dict(count.rows.most_common()),
            runs=dict(buckets),
            longest_run=max(count.runs, default=0),
            closers=tuple(count.turns.closers(seq=count.to_seq or 0, time=last_time(count.last))),
            diagnostics=tuple(diagnostics),
        )
