"""The segments of an open log for a reader: from its index, or found by a pass and kept.

Whatever an index says is checked where it is used.  A segment's bytes must have its hash, start
with a line, and hold exactly the seqs that it names, in contiguous records that pass the same proof
as any other line.  `StaleIndexError` says that something did not hold; the caller then calls
`rebuilt` and asks again.  Behind the last segment comes the *rest*, what the last writers appended:
it has the number `len(segments)`, no promises, and perhaps a torn tail.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import chain

from msgspec import Struct

from histbench.errors import HistbenchError
from histbench.history.messages import message_cut
from histbench.records import Plain, read_line, read_lines
from histbench.rows import RowHead
from histbench.store.content import Read
from histbench.store.limits import MIB, Limits
from histbench.store.page_index import (
    SEGMENT_BYTES,
    IndexEntry,
    PageIndex,
    append_entry,
    digest_of,
    digest_of_bytes,
    write_index,
)
from histbench.store.scan import BlockScan, LogSource, TornTail
from histbench.store.survey import survey_log

__all__ = ["Piece", "Segments", "StaleIndexError"]


# A longer rest is cut into segments first: they are read once, the rest at every call.
_REST_BYTES = SEGMENT_BYTES


# What zstd makes of session logs, and a bit more.
_LIKELY_RATIO = 16

# A segment's bytes are read once, for its hash and its records, unless they are as many as these.
_READ_ONCE_BYTES = 1 * MIB

# How many segments are fetched ahead: some megabytes of lines.
_AHEAD_SEGMENTS = 32


class StaleIndexError(Exception):
    """What the index says does not hold.  A signal between two modules, never an answer."""


class Piece(Struct, frozen=True, kw_only=True):
    """What was read of one segment: its seqs, and its records from some seq on, as stored."""

    from_seq: int
    to_seq: int
    records: list[Plain | RowHead]
    torn: TornTail | None


class Segments:
    """The segments of the log that `source` has open, at the length it had when this was made."""

    def __init__(
        self,
        source: LogSource,
        *,
        limits: Limits,
        trust_index: bool = True,
        archive_form: str | None = None,
    ) -> None:
        """Load the index, or make one; `archive_form` is that of an archive (`scan`).

        Raises:
            HistbenchError: the log cannot be indexed, for what `survey_log` refuses in it.
        """
        self.source = source
        self.limits = limits
        self.archive_form = archive_form
        self.file_bytes = source.stat().st_size
        self._index = PageIndex.of(source) if trust_index else None
        self._more: list[IndexEntry] = []
        try:
            if self._index is None:
                self._body_start = self._survey(None)
            else:
                self._body_start = self._index.body_start
                if self.file_bytes - self._index.covered >= _REST_BYTES:
                    self._body_start = self._survey(self._index)
        except BaseException:
            self.close()
            raise

    def _survey(self, index: PageIndex | None) -> int:
        """Find the segments that the index lacks, or all, and keep them for the next reader."""
        survey = survey_log(
            self.source,
            index=index,
            limits=self.limits,
            archives=self.archive_form is not None,
        )
        self._more = survey.entries()
        if index is not None and survey.resumed and self.source.path is not None:
            for entry in self._more:
                append_entry(self.source.path, entry)
            return index.body_start
        self._forget_index()
        body_start = survey.segmenter.body_start or 0
        write_index(self.source, body_start, self._more)
        return body_start

    def _forget_index(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def close(self) -> None:
        """Let go of the index."""
        self._forget_index()

    def __len__(self) -> int:
        return (0 if self._index is None else len(self._index)) + len(self._more)

    def entry(self, number: int) -> IndexEntry:
        """The entry of one segment.

        Raises:
            StaleIndexError: it is damaged.
        """
        known = 0 if self._index is None else len(self._index)
        if number >= known:
            return self._more[number - known]
        entry = self._index.entry(number) if self._index is not None else None
        if entry is None:
            raise StaleIndexError
        return entry

    def find(self, before_seq: int) -> int:
        """The number of the first segment that reaches up to `before_seq`, or that of the rest."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.entry(middle).to_seq >= before_seq:
                high = middle
            else:
                low = middle + 1
        return low

    def bounds(self, number: int) -> tuple[int, int]:
        """The bytes of a segment, or of the rest."""
        if number < len(self):
            entry = self.entry(number)
            return entry.start, entry.end
        start = self.entry(number - 1).end if number else self._body_start
        return start, max(start, self.file_bytes)

    def will_walk(self, last: int, messages: int) -> None:
        """Have fetched what a walk back from segment `last` over so many messages likely reads.

        Not all of a long walk, which a budget may end early.
        """
        number, furthest = last, max(0, last - _AHEAD_SEGMENTS)
        lowest = None
        while number > furthest and messages > 0:
            number -= 1
            entry = self.entry(number)
            messages -= entry.messages
            lowest = entry.lowest_cut if lowest is None else min(lowest, entry.lowest_cut)
        if lowest is not None:
            number = max(furthest, min(number, self.find(lowest + 1)))
        self.source.will_read(self.bounds(number)[0], self.bounds(last)[1])

    def is_large(self, number: int, content_bytes: int) -> bool:
        """Whether a segment has more lines than that many bytes; of the rest, only likely so."""
        if number < len(self):
            return self.entry(number).content_kib * 1024 > content_bytes
        start, end = self.bounds(number)
        return (end - start) * _LIKELY_RATIO > content_bytes

    def read(self, number: int, *, keep_from: int | None = None) -> Piece:
        """A segment, or the rest; only records that reach past seq `keep_from` are kept.

        What lies before is passed over, except at the log's start, where it must all be there.

        Raises:
            StaleIndexError: it is not what the index says.
        """
        kept: list[Plain | RowHead] = []
        first: int | None = None
        end = 0
        walk = _RegionWalk(self, number, start_at=keep_from if number else None)
        for records in walk:
            first = records[0].seq if first is None else first
            end = records[-1].end_seq
            if keep_from is None or keep_from < records[0].end_seq:
                kept += records
            else:
                kept += [record for record in records if record.end_seq > keep_from]
        from_seq = end if first is None else first
        return Piece(from_seq=from_seq, to_seq=end, records=kept, torn=walk.torn)

    def last_cuts(self, number: int, wanted: int, *, before_seq: int | None) -> list[int]:
        """The cuts of the last `wanted` messages of a segment, oldest first; nothing is kept.

        Raises:
            StaleIndexError: it is not what the index says.
        """
        cuts: deque[int] = deque(maxlen=wanted)
        for record in chain.from_iterable(_RegionWalk(self, number)):
            if before_seq is not None and record.seq >= before_seq:
                continue
            cut = message_cut(record)
            if cut is not None:
                cuts.append(cut)
        return list(cuts)


class _RegionWalk:
    """The records of one segment in lists of one or more, all checked when the last is out.

    With `start_at`, from the one that holds that seq or a little before; the lines of the others
    are not read.
    """

    def __init__(self, segments: Segments, number: int, *, start_at: int | None = None) -> None:
        self._start_at = start_at
        self._source = segments.source
        self._limits = segments.limits
        self._archive_form = segments.archive_form
        self._start, self._end = segments.bounds(number)
        self._entry = segments.entry(number) if number < len(segments) else None
        self.torn: TornTail | None = None

    def __iter__(self) -> Iterator[list[Plain | RowHead]]:
        if self._start == self._end:
            return
        try:
            yield from self._records(self._content())
        except HistbenchError as error:
            # Told by the pass over the whole log, with the right place, if it is not the index.
            raise StaleIndexError from error

    def _content(self) -> Read:
        """A function that reads the region, whose hash is the index's."""
        entry = self._entry
        if self._end - self._start > _READ_ONCE_BYTES:
            if entry is not None and entry.digest != digest_of(
                self._source, entry.start, entry.end
            ):
                raise StaleIndexError
            return self._source.reader(self._start, self._end)
        data = self._source.read_at(self._start, self._end - self._start)
        if entry is not None and entry.digest != digest_of_bytes(data):
            raise StaleIndexError
        return BytesIO(data).read

    def _records(self, read: Read) -> Iterator[list[Plain | RowHead]]:
        entry = self._entry
        expected = None if entry is None else entry.from_seq
        scan = BlockScan(
            read,
            offset=self._start,
            strict=True,
            limits=self._limits,
            archive_form=self._archive_form,
        )
        if (
            self._start
            and not scan.compressed
            and self._source.read_at(self._start - 1, 1) != b"\n"
        ):
            raise StaleIndexError
        # A header that shares its frame with records belongs to the first segment.
        skip = self._start == 0
        start_at = self._start_at
        for block in scan:
            lines = block.lines[1:] if skip else block.lines
            skip = False
            if start_at is not None:
                lines, expected = lines[_line_of(lines, start_at) :], None
            records = read_lines(lines)
            for record in records:
                if expected is not None and record.seq != expected:
                    raise StaleIndexError
                expected = record.end_seq
            if records:
                yield records
            if start_at is not None and expected is not None and expected > start_at:
                start_at = None
        self.torn = scan.torn
        if entry is not None and (self.torn is not None or expected != entry.to_seq):
            raise StaleIndexError


def _line_of(lines: Sequence[bytes], seq: int) -> int:
    """Where in lines of rising seqs the last record starts that starts at `seq` or before, or 0."""
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        if read_line(lines[middle]).seq > seq:
            high = middle
        else:
            low = middle
    return low
