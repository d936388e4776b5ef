"""Reading everything in a log, in bounded memory, for nothing but the verdict.

Every frame's checksum, every line, every row is proved as `read_log` proves them, but nothing is
kept.  On top of what a reader refuses, a verdict counts as faults what a reader would report and
go on: a torn tail, and seqs with gaps.

`canonical` asks the question of a fixture instead: whether the file is what packing its events
gives, byte for byte (`fixtures`).  Fixtures may be projected, and are authored: their seqs may
have gaps.  That question holds the file in memory.
"""

import os
from typing import BinaryIO

from msgspec import Struct

from histbench.errors import InvalidLog, LimitExceeded, Place
from histbench.log import Diagnostic
from histbench.records import Plain, read_line
from histbench.rows import RowHead
from histbench.store.content import ContentReader
from histbench.store.fixtures import first_difference, render_fixture
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.reading import BodyReader, name_diagnostics
from histbench.store.scan import LogScan, LogSource

__all__ = ["Verdict", "verify_log"]

# What a reader reports and a verdict refuses.
_FAULTS = frozenset({"torn_tail", "seq_gap"})


class Verdict(Struct, frozen=True, kw_only=True):
    """A log without a fault: how much of everything it holds, and what is worth a note."""

    events: int
    records: int
    frames: int
    file_bytes: int
    diagnostics: tuple[Diagnostic, ...]


class _Proof:
    """Takes records and keeps none."""

    def add_line(self, line: bytes) -> Plain | RowHead:
        return read_line(line)

    def add_record(self, record: Plain | RowHead) -> None:
        pass


def verify_log(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    strict: bool = False,
    canonical: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Verdict:
    """The verdict on a log that has no fault; otherwise the first fault as an error.

    Args:
        source: a path or a binary stream.
        strict: refuse everything that no store would write.
        canonical: ask for the canonical form of a fixture.
        limits: how far the file may expand.

    Raises:
        As `read_log`, and InvalidLog `torn_tail`, `seq_gap`, `not_canonical`.
    """
    with LogSource(source) as opened:
        if canonical:
            return _verify_canonical(opened, limits)
        scan = LogScan(opened.read, strict=strict, limits=limits)
        body = BodyReader(_Proof(), strict=strict, exact=not scan.compressed)
        for block in scan:
            body.read(block)
            for diagnostic in body.diagnostics:
                _refuse(diagnostic)
        if scan.torn is not None:
            _refuse(scan.torn.diagnostic())
        return Verdict(
            events=body.events,
            records=body.records,
            frames=scan.frames,
            file_bytes=scan.file_bytes,
            diagnostics=(
                *body.diagnostics,
                *name_diagnostics(opened.name, compressed=scan.compressed),
            ),
        )


def _refuse(diagnostic: Diagnostic) -> None:
    if diagnostic.code in _FAULTS:
        raise InvalidLog(
            diagnostic.message,
            code=diagnostic.code,
            where=Place(line=diagnostic.line, byte=diagnostic.byte, seq=diagnostic.seq),
        )


def _verify_canonical(source: LogSource, limits: Limits) -> Verdict:
    reader = ContentReader(source.read, limits=limits)
    parts: list[bytes] = []
    content_bytes = 0
    for chunk in reader:
        parts.append(chunk.data)
        content_bytes += len(chunk.data)
        if content_bytes > limits.total_bytes:
            raise LimitExceeded(
                "the log is too large for this question",
                code="log_too_large",
                found=content_bytes,
                expected=f"at most {limits.total_bytes} bytes of lines",
            )
    content = b"".join(parts)
    fixture = render_fixture(content)
    if fixture.text != content:
        line, found, expected = first_difference(content, fixture.text)
        raise InvalidLog(
            "not canonical: packing its events gives other bytes",
            code="not_canonical",
            where=Place(line=line),
            found=found,
            expected=ascii(expected[:60]),
        )
    return Verdict(
        events=fixture.events,
        records=content.count(b"\n") - 1,
        frames=reader.frames,
        file_bytes=reader.file_bytes,
        diagnostics=fixture.diagnostics,
    )
