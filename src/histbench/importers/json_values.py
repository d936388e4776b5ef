"""Values that no line separates: the elements of one array, or pretty-printed values in a row.

Only the ends of values are looked for, with one regular expression that knows strings and
brackets; what stands between two ends is parsed as any other item.  So a damaged element is text
and the next one is read, and memory holds one element, however long the array is.
"""

import re
from collections.abc import Iterable, Iterator

from histbench.errors import LimitExceeded, Place
from histbench.importers.items import Item, item_of
from histbench.store.content import Chunk
from histbench.store.limits import Limits

__all__ = ["scan_values"]

# A whole string, or one byte that matters; a quote alone begins a string that goes on.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{},]', re.DOTALL)

_QUOTE, _COMMA = b'",'
_OPENING, _CLOSING = b"[{", b"]}"
_ARRAY = b"["[0]


class _Scanner:
    """Cuts a growing buffer; `_start` is where the next value may begin."""

    def __init__(self, *, exact: bool, limit: int) -> None:
        self._exact = exact
        self._limit = limit
        self._buffer = b""
        self._start = self._at = 0
        self._depth = 0
        # 1 inside the outer array, whose elements are the values; 0 outside.
        self._base = 0
        # The byte of the buffer's first (of its wrapper, unless `exact`); the line at `_counted`.
        self._byte = 0
        self._line, self._counted = 1, 0

    @property
    def held(self) -> int:
        """How many bytes wait for the end of their value."""
        return len(self._buffer)

    def add(self, data: bytes, byte: int) -> Iterator[Item]:
        """The values that end with `data`, which stands at `byte`."""
        if not self._buffer or not self._exact:
            self._byte = byte
        self._buffer += data
        buffer, at = self._buffer, len(self._buffer)
        for token in _TOKEN.finditer(buffer, self._at):
            start, end = token.span()
            first = buffer[start]
            if first == _QUOTE:
                if end - start == 1:
                    at = start
                    break
            elif first in _OPENING:
                if self._depth == self._base == 0:
                    self._base = int(first == _ARRAY)
                    yield from self._cut(start, end if self._base else start)
                self._depth += 1
            elif first in _CLOSING:
                self._depth = max(0, self._depth - 1)
                if self._depth == 0:
                    yield from self._cut(start if self._base else end, end)
                    self._base = 0
            elif self._depth == self._base == 1:
                yield from self._cut(start, end)
        self._at = at
        self._forget()

    def rest(self) -> Iterator[Item]:
        """What no end was found for."""
        yield from self._cut(len(self._buffer), len(self._buffer))

    def _cut(self, stop: int, start: int) -> Iterator[Item]:
        raw = self._buffer[self._start : stop]
        value = raw.strip()
        if value:
            lead = self._start + len(raw) - len(raw.lstrip())
            self._line += self._buffer.count(b"\n", self._counted, lead)
            self._counted = lead
            yield item_of(value, self._line, self._byte + lead if self._exact else self._byte)
        self._start = start

    def _forget(self) -> None:
        """Give up the bytes before the value that is being read."""
        start = self._start
        self._line += self._buffer.count(b"\n", self._counted, start)
        self._counted = 0
        self._buffer = self._buffer[start:]
        self._at -= start
        if self._exact:
            self._byte += start
        self._start = 0
        if len(self._buffer) > self._limit:
            raise LimitExceeded(
                "the value is too long",
                code="line_too_long",
                where=Place(line=self._line, byte=self._byte),
                found=len(self._buffer),
                expected=f"at most {self._limit} bytes",
            )


def scan_values(chunks: Iterable[Chunk], *, exact: bool, limits: Limits) -> Iterator[Item]:
    """The values in `chunks`, one after the other or as elements of an array.

    Raises (while iterating):
        InvalidJson, LimitExceeded: as `carriers.read_items`.
    """
    scanner = _Scanner(exact=exact, limit=limits.line_bytes)
    waiting: list[bytes] = []
    first = 0
    for chunk in chunks:
        if not waiting:
            first = chunk.byte
        waiting.append(chunk.data)
        # A string without an end is looked at again from its start, so the buffer grows by halves.
        if 2 * sum(map(len, waiting)) >= scanner.held:
            yield from scanner.add(b"".join(waiting), first)
            waiting = []
    if waiting:
        yield from scanner.add(b"".join(waiting), first)
    yield from scanner.rest()
