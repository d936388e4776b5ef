"""A file of records as lines: reading parts of it, and finding the records in what was appended.

A scan gives every record of the bytes `[start, stop)` in order, whatever else stands in their lines
(`transcript.lines`), and holds one line at a time.  A line longer than `RECORD_BYTES` is passed
over, with an oddity that says so: nothing that a program wrote as one record is that long, and
holding it would be the memory of the reader's whole machine.

The last line may lack its line feed: because it is still being written, or because its writer died.
Its whole records count; a torn one does not yet.  `covered` then ends before it, and the next scan
looks at it again.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from histbench.store.scan import LogSource
from histbench.transcript import RecordHead, TranscriptRecord, merge_fragments, split_line
from histbench.transcript.text_bytes import may_show
from histbench.transcript_file.entries import Oddity
from histbench.transcript_file.growth import Scanned
from histbench.transcript_file.source import Reached

__all__ = ["RECORD_BYTES", "LineSource"]

# 50 MB records exist, 256 MiB ones have not been seen.
RECORD_BYTES = 256 << 20

_READ_BYTES = 1 << 20
# A file that was rewritten in place differs near one end of what was read, nearly always.
_DIGEST_WINDOW = 4096

_HARMLESS = frozenset({"crlf", "invalid_utf8"})


class LineSource:
    """The file at `path`, kept open: what is read is one file's, whatever the path leads to later.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
    """

    step = 64 << 20

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = LogSource(path)
        self.covered = self.resume = 0
        self.torn: Oddity | None = None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def identity(self) -> tuple[int, int]:
        """The device and the inode of the open file."""
        status = self._file.stat()
        return status.st_dev, status.st_ino

    def modified_ns(self) -> int:
        """When it was last written to, in nanoseconds since 1970."""
        return self._file.stat().st_mtime_ns

    def end(self) -> int:
        """How many bytes there are now."""
        return self._file.stat().st_size

    def read(self, start: int, end: int) -> bytes:
        """The bytes `[start, end)`, as far as there are any.

        Raises:
            StorageError: `io_error`, ...
        """
        return self._file.read_at(start, end - start)

    def digest(self, covered: int) -> bytes:
        """A hash of both ends of the first `covered` bytes."""
        window = min(_DIGEST_WINDOW, covered)
        ends = self.read(0, window) + self.read(covered - window, covered)
        return blake2b(ends, digest_size=16).digest()

    def tail(self, _since: Reached, _end: int) -> Sequence[tuple[RecordHead, TranscriptRecord]]:
        """What stands at the end and may still change: lines do not."""
        return ()

    def prepare(self, _start: int, _end: int, _parent_id: str | None) -> None:
        """Records between two places will be asked for: each is read where it is."""

    def may_show(self, places: list[tuple[int, int]], word: bytes) -> bool:
        """Whether the record there may show a word of ASCII letters and digits, in any case."""
        return any(may_show(self.read(first, last), word) for first, last in places)

    def record(self, places: list[tuple[int, int]]) -> TranscriptRecord:
        """The record whose fragments lie there.

        Raises:
            InvalidTranscript, InvalidJson: there is none.
        """
        return merge_fragments([self.read(first, last) for first, last in places])

    def scan(self, since: Reached, stop: int) -> Iterator[Scanned]:
        """The records from there to the byte `stop`; `covered` and `torn` are right at the end."""
        start = since.covered
        self.covered = self.resume = start
        self.torn = None
        if start and self.read(start, start + 1) == b"\n" and self.read(start - 1, start) != b"\n":
            # The line feed of a record that was read without it.
            start = self.covered = start + 1
        held: list[bytes] = []
        held_bytes = 0
        at = start
        while at < stop:
            data = self.read(at, min(stop, at + _READ_BYTES))
            if not data:
                break
            at += len(data)
            *lines, rest = data.split(b"\n")
            for line in lines:
                first, length = self.covered, held_bytes + len(line)
                whole = line if not held_bytes else b"".join([*held, line])
                held, held_bytes = [], 0
                self.covered = first + length + 1
                if length > RECORD_BYTES:
                    yield Scanned(first, self.covered, 0, None, (_too_large(first, length),))
                else:
                    yield from _records(whole, first)
            held_bytes += len(rest)
            if held_bytes <= RECORD_BYTES:
                held.append(rest)
            else:
                held = []
        if held_bytes:
            yield from self._unfinished(b"".join(held), held_bytes)

    def _unfinished(self, line: bytes, length: int) -> Iterator[Scanned]:
        """The whole records at the start of a line without a line feed."""
        first = self.covered
        if length > RECORD_BYTES:
            self.torn = _too_large(first, length)
            return
        fragments, oddities = split_line(line)
        odd = [each for each in oddities if each.code not in _HARMLESS]
        fault = min((each.start for each in odd if each.code != "glued_records"), default=None)
        if fault is None:
            yield from _records(line, first)
            self.covered = first + length
            return
        for fragment in fragments:
            if fragment.end <= fault:
                self.covered = first + fragment.end
                start = first + fragment.start
                yield Scanned(start, self.covered, self.covered - start, fragment.head)
        self.torn = Oddity("torn_tail", f"the last line is not whole: {length} bytes", self.covered)


def _records(line: bytes, first: int) -> Iterator[Scanned]:
    fragments, found = split_line(line)
    oddities = tuple(
        Oddity(each.code, f"{each.end - each.start} bytes", first + each.start) for each in found
    )
    for fragment in fragments:
        start, end = first + fragment.start, first + fragment.end
        yield Scanned(start, end, end - start, fragment.head, oddities, fragment.recovered)
        oddities = ()
    if oddities:
        yield Scanned(first, first + len(line), 0, None, oddities)


def _too_large(first: int, length: int) -> Oddity:
    return Oddity("record_too_large", f"a line of {length} bytes, more than {RECORD_BYTES}", first)
