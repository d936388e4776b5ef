"""What a page's deltas have said so far, block by block: where an encoder looks copies up.

A block's text grows with each of its records.  Whenever an ordinary event is about to be
searched, each block that has grown is noted under the length of its text, so a string of the event
is compared with the few texts of exactly its length and with nothing else.  The work for a string
is bounded by the string, and the work for a record by the record, whatever the page holds.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from histbench.events import DELTA_KINDS
from histbench.history.joined import SEPARATOR_BYTE
from histbench.jsontext import encode, merge_surrogates
from histbench.records import Plain, delta_of_plain
from histbench.rows import RowHead

__all__ = ["SHORTEST", "BlockTexts", "texts_json"]

# Bytes of a string for which a marker is worth its while.
SHORTEST = 24

# How many texts of one length are compared: parallel calls often have arguments of the same length.
_KEPT = 8

_LONE_HALF = b"\\ud"


class _StartedChunk(Struct, gc=False):
    index: int | float


class _StartedData(Struct, gc=False):
    turn: int | float
    step: int | float
    chunk: _StartedChunk


class _Started(Struct, gc=False):
    data: _StartedData


_started = msgspec.json.Decoder(_Started)


def texts_json(rows: Sequence[RowHead]) -> bytes:
    """The joined texts of rows as one JSON string: what a marker of them stands for."""
    text = rows[0].text() if len(rows) == 1 else merge_surrogates("".join([r.text() for r in rows]))
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return encode(text)


class _Block(Struct, gc=False):
    """The records of a block so far, and the contents of the JSON strings of their texts."""

    rows: list[RowHead]
    contents: list[bytes]
    size: int = 0


class BlockTexts:
    """Takes a page's records in order, and finds the records that a string is the text of."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[object, ...], _Block] = {}
        self._grown: dict[int, _Block] = {}
        self._by_size: dict[int, list[tuple[_Block, int]]] = {}

    def add_row(self, row: RowHead, joined: bytes | None = None) -> None:
        """Note what a row says; `joined` is its `joined_text`, where there is one."""
        content = None if joined is None else joined.translate(None, SEPARATOR_BYTE)
        if content is None or _LONE_HALF in content:
            content = texts_json([row])[1:-1]
        if not content:
            return
        key = (row.kind.delta, row.turn, row.step, row.index)
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = _Block([], [])
        block.rows.append(row)
        block.contents.append(content)
        block.size += len(content)
        self._grown[id(block)] = block

    def add_chunk(self, record: Plain) -> bool:
        """Note what an `assistant/chunk` says; False when it is no delta."""
        delta = delta_of_plain(record)
        if delta is not None:
            self.add_row(delta)
            return True
        if b'"block-start"' in record.raw:
            self._start_block(record)
        return False

    def _start_block(self, record: Plain) -> None:
        """Forget a block that is told anew, as after a failed request."""
        try:
            data = _started.decode(record.raw).data
        except (msgspec.DecodeError, RecursionError):
            return
        for kind in DELTA_KINDS:
            self._blocks.pop((kind.delta, data.turn, data.step, data.chunk.index), None)

    def find(self, content: bytes) -> list[tuple[int, int]] | None:
        """The records whose joined texts are the string with this content.

        Each with its first seq and the length of its own content.
        """
        if self._grown:
            for block in self._grown.values():
                if block.size >= SHORTEST:
                    same_size = self._by_size.setdefault(block.size, [])
                    same_size.append((block, len(block.rows)))
                    del same_size[:-_KEPT]
            self._grown.clear()
        for block, count in reversed(self._by_size.get(len(content), ())):
            if b"".join(block.contents[:count]) == content:
                rows = block.rows[:count]
                # Halves of a surrogate pair at the ends of two records are one character.
                if _LONE_HALF not in content or texts_json(rows) == b'"%b"' % content:
                    sizes = map(len, block.contents)
                    return [(row.seq0, size) for row, size in zip(rows, sizes, strict=False)]
        return None
