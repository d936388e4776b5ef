"""Content to items: JSON lines, server-sent events, or one JSON array, told by the first line.

    {                      and nothing else on the line: values one after the other, pretty-printed
    [                      an array, whose elements are the items, however it is laid out
    data: event: id: :     server-sent events (`sse`)
    anything else          one JSON value a line; a line that is none is text

Lines before the first that tells are text: the headers that `curl -i` writes, say.  A line ends
with LF or CR LF; the last needs no end.  Blank lines mean nothing.  Memory is bounded by the
longest item.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from histbench.importers.content import IMPORT_LIMITS
from histbench.importers.items import Item, item_of
from histbench.importers.json_values import scan_values
from histbench.importers.sse import read_frames
from histbench.store.content import Chunk
from histbench.store.limits import Limits
from histbench.store.lines import LineSplitter

__all__ = ["Line", "read_items"]

# (number, byte, bytes without the end)
Line = tuple[int, int | None, bytes]

# A bracket with words behind it begins a line of a log, not an array.
_TELLING = re.compile(
    rb"[ \t\r]*(?:(?P<brace>{)|(?P<bracket>\[)(?=\s*(?:[{\[\x22\]]|\Z))"
    rb"|(?P<field>(?:data|event|id|retry)[ ]*:|:))"
)

# So much may come first without telling anything.
_HEAD_BYTES = 1024 * 1024
# Lines that may come first without telling anything.
_LINES_TO_TRY = 64


def read_items(
    chunks: Iterable[Chunk], *, exact: bool, limits: Limits = IMPORT_LIMITS
) -> Iterator[Item]:
    """The items that the content holds; `exact` when the chunks' bytes are those of a text file.

    Raises (while iterating):
        InvalidJson: an item cannot be kept (`invalid_utf8`, `too_deep`).
        LimitExceeded: `line_too_long`, an item is longer than the reader holds.
    """
    source = iter(chunks)
    head = b""
    taken: list[Chunk] = []
    for chunk in source:
        taken.append(chunk)
        head += chunk.data
        told = _telling(head)
        # Whether a brace stands alone is known with the end of its line.
        if (told and (told["brace"] is None or b"\n" in head[told.end() :])) or (
            len(head) > _HEAD_BYTES
        ):
            break
    told = _telling(head)
    again = chain(taken, source)
    if told is not None and told["field"]:
        yield from read_frames(_lines(again, exact=exact, limits=limits), limits=limits)
    elif told is not None and (told["bracket"] or _stands_alone(head, told)):
        yield from scan_values(again, exact=exact, limits=limits)
    else:
        for number, byte, line in _lines(again, exact=exact, limits=limits):
            if raw := line.strip():
                yield item_of(raw, number, byte)


def _telling(head: bytes) -> re.Match[bytes] | None:
    start = 0
    for _ in range(_LINES_TO_TRY):
        found = _TELLING.match(head, start)
        start = head.find(b"\n", start) + 1
        if found is not None or not start:
            return found
    return None


def _stands_alone(head: bytes, told: re.Match[bytes]) -> bool:
    return not head[told.end() :].partition(b"\n")[0].strip()


def _lines(chunks: Iterable[Chunk], *, exact: bool, limits: Limits) -> Iterator[Line]:
    splitter = LineSplitter(chunks, exact=exact, limits=limits)
    for block in splitter:
        byte = block.byte
        for number, line in enumerate(block.lines, block.first):
            yield number, byte, line
            if exact:
                byte += len(line) + 1
    if splitter.torn:
        yield splitter.lines + 1, splitter.torn_byte, splitter.torn
