"""A bounded pass over a log as its store sees it: every record checked, none kept.

A survey tells how a log ends (the next seq, the last time, what is torn), what a crash left open,
and how the log is cut into segments.  It is how a writer learns where to go on, how a repair
learns what to do, and how an index is built.  With the index of a log, it starts at the last
segment instead of the first record, and checks that segment against its hash before it believes
anything.

Memory is that of the longest line.  Seqs must be contiguous from 0: a log for which that does not
hold is for `read_log` to look at and for nobody to append to.
"""

from typing import Any

from histbench.errors import HistbenchError, InvalidLog, Place
from histbench.log import Diagnostic
from histbench.records import Plain, read_line
from histbench.rows import RowHead
from histbench.store.closers import CLOSER_TYPES, TurnTracker, last_time
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lines import LineBlock
from histbench.store.page_index import IndexEntry, PageIndex, digest_of
from histbench.store.scan import BlockScan, LogScan, LogSource, TornTail
from histbench.store.segmenter import Segmenter

__all__ = ["Survey", "survey_log"]


class Survey:
    """What the pass found; the attributes are final once it is made."""

    def __init__(self, source: LogSource, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self._source = source
        self._limits = limits
        self._last: Plain | RowHead | None = None
        self.header: dict[str, Any] = {}
        self.header_line = b""
        self.compressed = False
        self.archive_form: str | None = None
        self.next_seq = 0
        self.file_bytes = 0
        self.torn: TornTail | None = None
        # The segments behind those that the index knows: all, unless `resumed`.
        self.segmenter = Segmenter()
        self.resumed = False
        # Only of a pass from the first record on: what the last turn left open.
        self.turns = TurnTracker()

    def run(self, index: PageIndex | None, *, archives: bool) -> None:
        """Make the pass, from the last segment of `index` on where that can be trusted."""
        scan = LogScan(self._source.reader(0), strict=True, limits=self._limits)
        self.archive_form = scan.archive_form
        if scan.archive_form is not None and not archives:
            raise InvalidLog(
                "the log is an archive, which is only read",
                code="archived_log",
                found=scan.archive_form,
            )
        self.header, self.header_line = scan.header, scan.header_line
        self.compressed = scan.compressed
        entry = None if index is None else index.entry(len(index) - 1)
        if index is not None and entry is not None and self._resume(entry):
            return
        self._pass(scan)
        if self.archive_form is not None and self.segmenter.body_start == 0:
            raise InvalidLog(
                "the archive's header shares its frame with pages, of which none can be read alone",
                code="archived_log",
                found=self.archive_form,
            )
        if self.segmenter.body_start is None:
            self.segmenter.body_start = self.torn.byte if self.torn else self.file_bytes
            self.segmenter.open.start = self.segmenter.body_start

    def _resume(self, entry: IndexEntry) -> bool:
        """Whether the log could be read from its last segment on."""
        before = self._source.read_at(entry.start - 1, 1) if entry.start else b"\n"
        if (not self.compressed and before != b"\n") or entry.digest != digest_of(
            self._source, entry.start, entry.end
        ):
            return False
        self.next_seq = entry.from_seq
        try:
            self._pass(self._region(entry.start, entry.end), skip_header=entry.start == 0)
            sound = self.torn is None and self.next_seq == entry.to_seq
            if sound:
                self.segmenter = Segmenter(start=entry.end, from_seq=entry.to_seq)
                self._pass(self._region(entry.end, None))
        except HistbenchError:
            # The whole pass says what is wrong, and where, if it is not the index that is.
            sound = False
        if not sound:
            self.segmenter, self.turns, self.next_seq = Segmenter(), TurnTracker(), 0
        self.resumed = sound
        return sound

    def _region(self, start: int, end: int | None) -> BlockScan:
        return BlockScan(
            self._source.reader(start, end),
            offset=start,
            strict=True,
            limits=self._limits,
            archive_form=self.archive_form,
        )

    def _pass(self, scan: BlockScan, *, skip_header: bool = False) -> None:
        for block in scan:
            self.segmenter.block(block)
            for index, line in enumerate(block.lines):
                if skip_header:
                    skip_header = False
                    continue
                self._take(block, index, line)
        self.torn = scan.torn
        self.file_bytes = scan.file_bytes
        if self.torn is None:
            self.segmenter.finish(self.file_bytes)

    def _take(self, block: LineBlock, index: int, line: bytes) -> None:
        try:
            record = read_line(line)
            if record.seq != self.next_seq:
                raise InvalidLog(
                    "seqs are not contiguous",
                    code="seq_gap",
                    where=Place(seq=record.seq),
                    found=record.seq,
                    expected=f"seq {self.next_seq}",
                )
        except HistbenchError as error:
            place = block.place(index, exact=not self.compressed)
            error.where.byte = None
            error.at(line=place.line, byte=place.byte)
            raise
        self.segmenter.add(record)
        self.next_seq = record.end_seq
        self._last = record
        if isinstance(record, Plain) and record.type in CLOSER_TYPES:
            self.turns.feed(record.event())

    @property
    def last_time(self) -> int | float:
        """The time of the last event, in milliseconds; 0 without events."""
        return last_time(self._last)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The torn tail, if there is one."""
        return () if self.torn is None else (self.torn.diagnostic(),)

    def entries(self) -> list[IndexEntry]:
        """The index entries of the segments that ended in this pass, hashes included."""
        return [
            segment.close(end, digest_of(self._source, segment.start, end))
            for segment, end in self.segmenter.closed
        ]


def survey_log(
    source: LogSource,
    *,
    index: PageIndex | None = None,
    limits: Limits = DEFAULT_LIMITS,
    archives: bool = False,
) -> Survey:
    """The survey of an open log, or of the log in an archive where `archives` are welcome.

    Raises:
        InvalidLog: `archived_log`, an archive that is not welcome, or that cannot be indexed.
        InvalidLog, InvalidJson, InvalidRow, InvalidEvent, LimitExceeded: as `read_log(strict=True)`.
    """
    survey = Survey(source, limits=limits)
    survey.run(index, archives=archives)
    return survey
