"""Blocks: what a client shows of a transcript, folded from session updates and nothing else.

    update                     goes to
    -------------------------  -------------------------------------------------------------------
    message chunks             the last block, if that is of the same kind and segment (where none
                               is named, of the same record), else a block of its own
    tool_call, its updates     the block of its toolCallId
    any other                  a block of its own

An update names the record it comes from in its `_meta`; a live one may name none.  A block keeps
its updates as they came, and the records of all of them.

Ordinals are given once and never again: they name blocks, and say nothing of their order.
"""

from typing import Any

from msgspec import Struct

from histbench.errors import InvalidJson
from histbench.jsontext import encode

__all__ = ["Block", "Blocks", "Update", "record_of"]

Update = dict[str, Any]

_RECORD_ID = "qwen.session.recordId"
_TRANSCRIPT = "qwenTranscript"
_TOOL = "tool"
_TOOL_KINDS = frozenset({"tool_call", "tool_call_update"})


# Where a block stands that names no record.
_NOWHERE = float("inf")


class Block(Struct, kw_only=True, eq=False):
    """One block; `record_ids` in the order they came, `updates` likewise, `size` bytes of JSON."""

    ordinal: int
    kind: str
    key: str | None
    record_ids: list[str]
    updates: list[Update]
    size: int


def record_of(update: Update) -> str | None:
    """The record that an update was replayed from."""
    found = _object(update.get("_meta")).get(_RECORD_ID)
    return found if isinstance(found, str) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class Blocks:
    """Some blocks in order, and how many bytes they have.

    `next_ordinal` is the first ordinal that is free; blocks of an older page take theirs from the
    store that they will join.
    """

    def __init__(self, next_ordinal: int = 0) -> None:
        self.blocks: list[Block] = []
        self.size = 0
        self.next_ordinal = next_ordinal
        self._tools: dict[str, Block] = {}
        # Where records stand among each other: in the order they came, older pages before.
        self._places: dict[str, int] = {}
        self._first_place = self._next_place = 0

    def record_ids(self) -> set[str]:
        """The records that are shown."""
        return {record_id for block in self.blocks for record_id in block.record_ids}

    def take(self, update: Any) -> bool:
        """Fold an update in; False, and nothing changed, for what is none."""
        kind = update.get("sessionUpdate") if isinstance(update, dict) else None
        if not isinstance(kind, str):
            return False
        try:
            size = len(encode(update))
        except InvalidJson:
            return False
        self._add_to(self._block_of(kind, update), update, size)
        return True

    def _block_of(self, kind: str, update: Update) -> Block:
        call_id = update.get("toolCallId")
        if kind in _TOOL_KINDS and isinstance(call_id, str) and call_id:
            block = self._tools.get(call_id)
            if block is None:
                block = self._tools[call_id] = self.add(_TOOL, call_id)
            return block
        if not kind.endswith("_chunk"):
            return self.add(kind, None)
        segment = _object(_object(update.get("_meta")).get(_TRANSCRIPT)).get("segmentId")
        key = segment if isinstance(segment, str) else record_of(update)
        last = self.blocks[-1] if self.blocks else None
        return last if last and (last.kind, last.key) == (kind, key) else self.add(kind, key)

    def _add_to(self, block: Block, update: Update, size: int) -> None:
        block.updates.append(update)
        block.size += size
        self.size += size
        record_id = record_of(update)
        if record_id is not None:
            self._name(block, record_id)

    def _name(self, block: Block, record_id: str) -> None:
        if record_id not in self._places:
            self._places[record_id] = self._next_place
            self._next_place += 1
        if record_id not in block.record_ids:
            block.record_ids.append(record_id)

    def add(self, kind: str, key: str | None, record_id: str | None = None) -> Block:
        """A new block at the end."""
        block = Block(
            ordinal=self.next_ordinal, kind=kind, key=key, record_ids=[], updates=[], size=0
        )
        self.next_ordinal += 1
        self.blocks.append(block)
        if record_id is not None:
            self._name(block, record_id)
        return block

    def prepend(self, older: "Blocks") -> None:
        """Put older blocks before these.

        Where a page was cut between a call and its result, the result's block is already shown: it
        stays where it is and gets the call, so that what comes live still finds it.
        """
        self.size += older.size
        self.next_ordinal = max(self.next_ordinal, older.next_ordinal)
        kept = []
        for block in older.blocks:
            own = self._tools.get(block.key) if block.kind == _TOOL and block.key else None
            if own is None:
                kept.append(block)
                continue
            own.updates[:0] = block.updates
            own.size += block.size
            own.record_ids[:0] = [each for each in block.record_ids if each not in own.record_ids]
        self.blocks[:0] = kept
        # Of the same class; its dicts are at hand.
        self._tools = older._tools | self._tools  # noqa: SLF001
        new = [each for each in older._places if each not in self._places]  # noqa: SLF001
        self._first_place -= len(new)
        self._places |= {each: self._first_place + number for number, each in enumerate(new)}

    def drop_oldest(self, max_blocks: int, max_size: int) -> bool:
        """Drop the oldest blocks until this many are left, whole records only; whether any went.

        What is left begins with a block that names a record, so that somebody can ask for what came
        before it, unless nothing near does.  A call that goes leaves the results that came later.
        """
        cut = self._cut(max_blocks, max_size, named=True)
        if cut == 0:
            cut = self._cut(max_blocks, max_size, named=False)
        dropped = self.blocks[:cut]
        del self.blocks[:cut]
        for block in dropped:
            self.size -= block.size
            if block.kind == _TOOL and block.key and self._tools[block.key] is block:
                del self._tools[block.key]
        first = self._earliest(self.blocks[0]) if dropped else _NOWHERE
        for block in dropped:
            self._keep_late(block, first)
        kept = self.record_ids()
        self._places = {each: place for each, place in self._places.items() if each in kept}
        return cut > 0

    def _cut(self, max_blocks: int, max_size: int, *, named: bool) -> int:
        """How many blocks to drop: the fewest whole records that are enough, or all that can go."""
        # The earliest record from each block on.
        earliest = [_NOWHERE]
        for block in reversed(self.blocks):
            earliest.append(min(earliest[-1], self._earliest(block)))
        earliest.reverse()
        size, cut, passed = self.size, 0, -_NOWHERE
        for place, block in enumerate(self.blocks[:-1]):
            if cut == place and len(self.blocks) - cut <= max_blocks and size <= max_size:
                break
            size -= block.size
            if block.record_ids:
                passed = max(passed, self._earliest(block))
            begins = self._earliest(self.blocks[place + 1])
            if passed < earliest[place + 1] and (
                not named or _NOWHERE > begins == earliest[place + 1]
            ):
                cut = place + 1
        return cut

    def _earliest(self, block: Block) -> float:
        return min((self._places[each] for each in block.record_ids), default=_NOWHERE)

    def _keep_late(self, block: Block, first: float) -> None:
        """Keep the results of a dropped call that came with records which stay."""
        late = [
            each
            for each in block.updates
            if self._places.get(record_of(each) or "", -_NOWHERE) >= first
        ]
        if not late or block.key is None:
            return
        kept = self._tools[block.key] = self.add(_TOOL, block.key)
        for update in late:
            self._add_to(kept, update, len(encode(update)))
        self.blocks.pop()
        place = self._earliest(kept)
        later = (n for n, each in enumerate(self.blocks) if place < self._earliest(each) < _NOWHERE)
        self.blocks.insert(next(later, len(self.blocks)), kept)
