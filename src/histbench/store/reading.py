"""A whole log into memory: any layout, either suffix, whatever its writer left at the end.

Packed, unpacked and mixed lines, many frames or one, this project's or the zstd command's: all
give the same EventLog.  What a reader may not guess is refused with line and byte: a whole line
that is no record, a second header, damage in a frame.  What can be told apart from damage is
reported as a diagnostic and read:

    torn_tail          a stopped writer; every whole record before it is kept
    synthesised_seq    a projected fixture: the n-th event got seq n (see `stamps`)
    synthesised_clock  the same: every event got time 0
    seq_gap            seqs that are not contiguous from 0 (refused when `strict`)
    blank_line         lines of white space, which were passed over (refused when `strict`)
    name_mismatch      a compressed file named as text, or the other way round

`strict` is how a store reads: it also wants a complete header, and frames that end with a record.
"""

import os
from typing import BinaryIO, Protocol

from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, LimitExceeded, Place
from histbench.jsontext import decode
from histbench.log import Diagnostic, EventLog, LogBuilder
from histbench.records import Plain, read_value
from histbench.rows import RowHead
from histbench.store.header import is_header
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lines import LineBlock
from histbench.store.scan import LogScan, LogSource
from histbench.store.stamps import Stamps, stamps_of

__all__ = ["BodyReader", "RecordSink", "StoredLog", "name_diagnostics", "read_log", "read_stored"]

_COMPRESSED_SUFFIXES = (".zst", ".zstd")
_BLANK = b" \t\r"

# How often a file is read again that somebody is writing to.
_READ_AGAIN = 3


def read_log(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> EventLog:
    """The log in a session file; its header and what was noticed are on the result.

    Args:
        source: a path, or an open binary stream (standard input, say), which is read to its end.
        strict: refuse everything that no store would write.
        limits: how far the file may expand.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
        InvalidLog: `empty_log`, `not_a_log`, `no_header`, `log_version`, `seq_gap` (strict), ...
        InvalidJson, InvalidRow, InvalidEvent: a line is no record.
        LimitExceeded: the file expands too far.
        All with file, line and byte.
    """
    return read_stored(source, strict=strict, limits=limits).log


class StoredLog(Struct, frozen=True, kw_only=True):
    """A log and what its file was like: the header line as stored, compressed or not, the size."""

    log: EventLog
    header_line: bytes
    compressed: bool
    file_bytes: int


def read_stored(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> StoredLog:
    """`read_log`, with what the file was like.

    A file that was written to meanwhile may look torn or damaged for a moment: it is read again.
    """
    for _ in range(_READ_AGAIN):
        with LogSource(source) as opened:
            before = opened.revision()
            try:
                stored = _read(opened, strict=strict, limits=limits)
            except HistbenchError:
                if before is None or opened.revision() == before:
                    raise
                continue
            torn = any(noted.code == "torn_tail" for noted in stored.log.diagnostics)
            if not torn or before is None or opened.revision() == before:
                return stored
    with LogSource(source) as opened:
        return _read(opened, strict=strict, limits=limits)


def _read(opened: LogSource, *, strict: bool, limits: Limits) -> StoredLog:
    scan = LogScan(opened.read, strict=strict, limits=limits)
    builder = LogBuilder()
    body = BodyReader(builder, strict=strict, exact=not scan.compressed)
    content_bytes = 0
    for block in scan:
        body.read(block)
        content_bytes += sum(map(len, block.lines))
        if content_bytes > limits.total_bytes:
            raise LimitExceeded(
                "the log is too large to be read into memory",
                code="log_too_large",
                where=Place(line=block.first),
                found=content_bytes,
                expected=f"at most {limits.total_bytes} bytes of lines",
            )
    diagnostics = body.diagnostics
    if scan.torn is not None:
        diagnostics.append(scan.torn.diagnostic())
    diagnostics += name_diagnostics(opened.name, compressed=scan.compressed)
    return StoredLog(
        log=builder.build(header=scan.header, diagnostics=diagnostics),
        header_line=scan.header_line,
        compressed=scan.compressed,
        file_bytes=scan.file_bytes,
    )


def name_diagnostics(name: str, *, compressed: bool) -> list[Diagnostic]:
    """A `name_mismatch` where the file's suffix says something else than its content."""
    said = name.endswith(_COMPRESSED_SUFFIXES)
    if said == compressed or not name.endswith((*_COMPRESSED_SUFFIXES, ".jsonl")):
        return []
    found = "zstd frames" if compressed else "text"
    return [Diagnostic(code="name_mismatch", message=f"the file holds {found}, unlike its name")]


class RecordSink(Protocol):
    """What takes a body's records: a LogBuilder, or something that keeps less."""

    def add_line(self, line: bytes) -> Plain | RowHead:
        """Take the record of one stored line, and return it."""

    def add_record(self, record: Plain | RowHead) -> None:
        """Take a record that is none of a line's."""


class BodyReader:
    """Body lines into a sink of records, each checked; blocks come in order.

    `next_seq` is the seq that the next event should have; `records` and `events` count what was
    read.  With `strict`, the first seq that is not the expected one is refused.
    """

    def __init__(self, sink: RecordSink, *, strict: bool, exact: bool) -> None:
        self._sink = sink
        self.next_seq = 0
        self.records = 0
        self.events = 0
        self._strict = strict
        self._exact = exact
        # A store writes both stamps; only a lenient reader learns them from the first record.
        self._stamps = Stamps(seq=True, time=True) if strict else None
        self._gap: Diagnostic | None = None
        self._gaps = 0
        self._blank: Diagnostic | None = None
        self._blanks = 0

    def read(self, block: LineBlock) -> None:
        """Add the lines of one block.

        Raises:
            InvalidJson, InvalidRow, InvalidEvent, InvalidLog: with line and byte; a column that
                the JSON parser named is added to the line's byte in a text file.
        """
        index = 0
        add_line = self._sink.add_line
        lines = block.lines
        try:
            first = self._read_first(block) if self._stamps is None else 0
            if self._stamps is not None and not (self._stamps.seq and self._stamps.time):
                for index in range(first, len(lines)):
                    self._read_projected(block, index)
                return
            expected = self.next_seq
            for index in range(first, len(lines)):
                line = lines[index]
                if (not line or line[0] in _BLANK) and not line.strip():
                    self._pass_blank(block, index)
                    continue
                record = add_line(line)
                if record.seq != expected:
                    self.next_seq = expected
                    self._note_gap(block, index, record)
                expected = record.end_seq
                self.records += 1
                self.events += record.count
            self.next_seq = expected
        except HistbenchError as error:
            self._locate(error, block, index)
            raise

    def _read_first(self, block: LineBlock) -> int:
        """Learn from the first record which stamps the file carries; the index of its line."""
        for index, line in enumerate(block.lines):
            if not line.strip():
                self._pass_blank(block, index)
                continue
            try:
                value = decode(line)
            except HistbenchError:
                value = None
            # Whatever is wrong with the line is said where it is read.
            self._stamps = (
                stamps_of(value) if isinstance(value, dict) else Stamps(seq=True, time=True)
            )
            return index
        return len(block.lines)

    def _read_projected(self, block: LineBlock, index: int) -> None:
        line = block.lines[index]
        if not line.strip():
            self._pass_blank(block, index)
            return
        value = decode(line)
        if is_header(value):
            raise InvalidLog("a second header", code="second_header", found=line)
        if not isinstance(value, dict) or self._stamps is None:
            self._sink.add_line(line)
            return
        restored = self._stamps.restore(value, seq=self.next_seq)
        record = read_value(restored)
        self._sink.add_record(record)
        self.next_seq = record.end_seq
        self.records += 1
        self.events += record.count

    def _pass_blank(self, block: LineBlock, index: int) -> None:
        place = block.place(index, exact=self._exact)
        if self._strict:
            raise InvalidLog("a blank line", code="blank_line", where=place, expected="a record")
        self._blanks += 1
        if self._blank is None:
            self._blank = Diagnostic(
                code="blank_line", message="a blank line", line=place.line, byte=place.byte
            )

    def _note_gap(self, block: LineBlock, index: int, record: Plain | RowHead) -> None:
        place = block.place(index, exact=self._exact)
        if self._strict:
            raise InvalidLog(
                "seqs are not contiguous",
                code="seq_gap",
                where=Place(line=place.line, byte=place.byte, seq=record.seq),
                found=record.seq,
                expected=f"seq {self.next_seq}",
            )
        self._gaps += 1
        if self._gap is None:
            self._gap = Diagnostic(
                code="seq_gap",
                message=f"seq {record.seq} where {self.next_seq} was due",
                line=place.line,
                byte=place.byte,
                seq=record.seq,
            )

    def _locate(self, error: HistbenchError, block: LineBlock, index: int) -> None:
        place = block.place(index, exact=self._exact)
        line = block.lines[index]
        if isinstance(error, InvalidLog):
            pass
        elif is_header_line(line):
            raise InvalidLog(
                "a second header: two logs in one file",
                code="second_header",
                where=place,
                found=line,
            ) from error
        elif error.where.byte is not None and place.byte is not None:
            # A parser counts from the start of its line; readers of a file count from its start.
            error.where.byte = place.byte + error.where.byte if self._exact else place.byte
        error.at(line=place.line, byte=place.byte)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was noticed so far, one entry a kind."""
        noted = []
        if self._stamps is not None and not self._stamps.seq:
            noted.append(
                Diagnostic(
                    code="synthesised_seq", message="the file carries no seqs; events are numbered"
                )
            )
        if self._stamps is not None and not self._stamps.time:
            noted.append(
                Diagnostic(code="synthesised_clock", message="the file carries no times; all are 0")
            )
        for diagnostic, count in ((self._gap, self._gaps), (self._blank, self._blanks)):
            if diagnostic is not None:
                more = f", and {count - 1} more" if count > 1 else ""
                noted.append(
                    Diagnostic(
                        code=diagnostic.code,
                        message=diagnostic.message + more,
                        line=diagnostic.line,
                        byte=diagnostic.byte,
                        seq=diagnostic.seq,
                    )
                )
        return noted


def is_header_line(line: bytes) -> bool:
    """Whether a body line that was refused as an event is a header."""
    try:
        return is_header(decode(line))
    except HistbenchError:
        return False
