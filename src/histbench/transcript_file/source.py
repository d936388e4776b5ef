"""What an index and a reader need of a transcript on disk, whichever family it is of.

Places are numbers that grow along the file: bytes in a file of lines, seqs in a session log.  What
is covered up to a place never changes while the file is the same one; that is what a cursor freezes.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from histbench.transcript import TranscriptRecord
from histbench.transcript_file.entries import Oddity
from histbench.transcript_file.growth import Scanned

__all__ = ["Source"]


class Source(Protocol):
    """An open transcript.  Everything that reads raises what the file system or the store does."""

    path: Path
    # How much is scanned in one go.
    step: int
    # After a scan: up to where its records go, and what stands behind that and is not whole yet.
    covered: int
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

    def scan(self, start: int, stop: int) -> Iterator[Scanned]:
        """The records between two places, in order."""

    def record(self, places: list[tuple[int, int]]) -> TranscriptRecord:
        """The record whose pieces lie there.

        Raises:
            InvalidTranscript, InvalidJson: there is none.
        """
