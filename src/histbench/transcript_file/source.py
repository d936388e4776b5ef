"""What an index and a reader need of a transcript on disk, whichever family it is of.

Places are numbers that grow along the file: bytes in a file of lines, seqs in a session log.  What
is covered up to a place never changes while the file is the same one; that is what a cursor freezes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from histbench.transcript import RecordHead, TranscriptRecord
from histbench.transcript_file.entries import Oddity
from histbench.transcript_file.growth import Scanned

__all__ = ["Reached", "Source"]


class Reached(Struct, frozen=True, kw_only=True):
    """How far an index goes.

    `covered` is up to where all records are known, `resume` where the next scan has to begin to
    know what is still open there, and `last_id` the last record, if there is one.
    """

    covered: int
    resume: int
    last_id: str | None


class Source(Protocol):
    """An open transcript.  Everything that reads raises what the file system or the store does."""

    path: Path
    # How much is scanned in one go.
    step: int
    # After a scan: as in `Reached`, and what stands behind that and is not whole.
    covered: int
    resume: int
    torn: Oddity | None

    def close(self) -> None:
        """Let go of the file."""

    def identity(self) -> tuple[int, int]:
        """The device and the inode of the open file."""

    def modified_ns(self) -> int:
        """When it was last written to, in nanoseconds since 1970."""

    def end(self) -> int:
        """The place where it ends now."""

    def digest(self, covered: int) -> bytes:
        """A hash of both ends of what lies before a place."""

    def scan(self, since: Reached, stop: int) -> Iterator[Scanned]:
        """The records that are whole at `stop` and were not before, in order."""

    def tail(self, since: Reached, end: int, /) -> Sequence[tuple[RecordHead, TranscriptRecord]]:
        """Records that are not whole at `end`, where an index goes, but can be shown."""

    def prepare(self, start: int, end: int, parent_id: str | None, /) -> None:
        """Say that the records between two places will be asked for, and what the first follows."""

    def may_show(self, places: list[tuple[int, int]], word: bytes, /) -> bool:
        """Whether the record there may show a word of ASCII letters and digits, in any case."""

    def record(self, places: list[tuple[int, int]]) -> TranscriptRecord:
        """The record whose pieces begin and are whole at these places.

        Raises:
            InvalidTranscript, InvalidJson: there is none.
        """
