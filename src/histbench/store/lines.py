"""Content chunks to lines, with the place of each.

A line ends with one newline byte; JSON writes a newline inside a string as an escape, so the byte
means nothing else.  What follows the last newline is a torn line: the writer did not get to its
end.  Lines are cut from whole chunks at once.
"""

from collections.abc import Iterable, Iterator
from io import BytesIO

from msgspec import Struct

from histbench.errors import LimitExceeded, Place
from histbench.store.content import Chunk
from histbench.store.limits import DEFAULT_LIMITS, Limits

__all__ = ["LineBlock", "LineSplitter"]


class LineBlock(Struct, frozen=True):
    """Consecutive complete lines without their newlines.

    `first` is the number of the first, from 1.  `byte` is where the first starts in a text file,
    and where the frame holding its end starts in a compressed one.  `aligned` tells whether a reader
    may start at `byte`: always in a text file, else where a frame starts with a line.
    """

    first: int
    byte: int
    lines: list[bytes]
    aligned: bool = True

    def place(self, index: int, *, exact: bool) -> Place:
        """The place of `lines[index]`; `exact` when bytes are those of a text file."""
        byte = self.byte
        if exact:
            byte += sum(len(line) + 1 for line in self.lines[:index])
        return Place(line=self.first + index, byte=byte)


class LineSplitter:
    """Blocks of complete lines; after the last, what was torn.

    `torn` holds the bytes after the last newline, `torn_byte` their place, `lines` the number of
    complete lines.

    Raises (while iterating):
        LimitExceeded: `line_too_long`, before more of the line is read.
    """

    def __init__(
        self,
        chunks: Iterable[Chunk],
        *,
        exact: bool,
        first: int = 1,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._chunks = chunks
        self._exact = exact
        self._limit = limits.line_bytes
        self.lines = first - 1
        self.torn = b""
        self.torn_byte: int | None = None

    def __iter__(self) -> Iterator[LineBlock]:
        pending: list[bytes] = []
        pending_bytes = 0
        pending_start = 0
        frame = -1
        for chunk in self._chunks:
            lines, rest = _cut(chunk.data)
            if lines:
                byte = pending_start if pending and self._exact else chunk.byte
                aligned = self._exact or (not pending and chunk.byte != frame)
                if pending:
                    pending.append(lines[0])
                    lines[0] = b"".join(pending)
                    pending, pending_bytes = [], 0
                block = LineBlock(self.lines + 1, byte, lines, aligned)
                if max(map(len, lines)) > self._limit:
                    index = next(n for n, line in enumerate(lines) if len(line) > self._limit)
                    raise self._too_long(len(lines[index]), block.place(index, exact=self._exact))
                self.lines += len(lines)
                yield block
            frame = chunk.byte
            if rest:
                if not pending:
                    pending_start = chunk.byte
                    if self._exact:
                        pending_start += len(chunk.data) - len(rest)
                pending.append(rest)
                pending_bytes += len(rest)
                if pending_bytes > self._limit:
                    place = Place(line=self.lines + 1, byte=pending_start)
                    raise self._too_long(pending_bytes, place)
        if pending:
            self.torn = b"".join(pending)
            self.torn_byte = pending_start

    def _too_long(self, line_bytes: int, place: Place) -> LimitExceeded:
        return LimitExceeded(
            "the line is too long",
            code="line_too_long",
            where=place,
            found=line_bytes,
            expected=f"at most {self._limit} bytes",
        )


def _cut(data: bytes) -> tuple[list[bytes], bytes]:
    """The complete lines without their newlines, and what follows the last one.

    Reading lines from memory looks for a newline with vectors, which `bytes.split` does not: for
    lines of a kilobyte it takes half the time, for lines of a hundred bytes the same.
    """
    lines = BytesIO(data).readlines()
    rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
    return [line[:-1] for line in lines], rest
