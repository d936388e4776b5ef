"""The active chain of a snapshot, from an index: positions found by links, or walked by id.

A snapshot is what lies before a place (`end`).  Its leaf is the record that the chain ends with;
position p of the chain is the leaf's ancestor at depth p.  `LinkedChain` finds it by the entries'
links, so a page costs what the page holds.  Where a parent came after its child, links do not say
everything, and `WalkedChain` walks the parents by id, as the reference does (`transcript.chain`):
a few bytes of memory for each record of the chain.
"""

from array import array
from collections.abc import Sequence
from typing import Protocol

from histbench.transcript import Chain, ChainEntry, RecordHead, TranscriptRecord
from histbench.transcript.head import Navigation
from histbench.transcript_file.entries import FLAGS, NAVIGATION, Entries, Entry
from histbench.transcript_file.growth import id_bytes, id_text
from histbench.transcript_file.links import ancestor_at, first_with_turns

__all__ = [
    "LinkedChain",
    "StoredChain",
    "TailedChain",
    "TurningChain",
    "WalkedChain",
    "chain_before",
]

_NAVIGATION_BITS = max(NAVIGATION.values())
_NAVIGATION_OF: dict[int, Navigation | None] = {bits: kind for kind, bits in NAVIGATION.items()}


class TurningChain(Chain, Protocol):
    """A chain that knows its turns."""

    turns: int

    def turn(self, ordinal: int) -> int:
        """The position of a turn, counted from 0."""


class StoredChain(TurningChain, Protocol):
    """A chain of an index, whose records can be read.

    `leaf` is its last record, shown or not; `side_task` is the number of the entry that begins the
    side task which the chain is of, None where it is of none.
    """

    leaf: Entry
    side_task: int | None

    def stored(self, start: int, stop: int) -> list[Entry]:
        """The entries at these positions, oldest first."""

    def places(self, entry: Entry) -> list[tuple[int, int]]:
        """Where the pieces of a record are."""


def chain_before(entries: Entries, end: int, *, tangled_from: int | None) -> StoredChain | None:
    """The chain of the snapshot that ends there; None where it holds no conversation."""
    entry, fragment = entries.last_entry(end), entries.last_fragment(end)
    later = fragment if entry is None or (fragment and fragment.first > entry.first) else entry
    if later is None or later.leaf is None:
        return None
    leaf = entries.entry(later.leaf)
    if tangled_from is not None and tangled_from <= end:
        return WalkedChain(entries, leaf, end)
    return LinkedChain(entries, leaf, end)


class _Chain:
    """What both have in common."""

    def __init__(self, entries: Entries, leaf: Entry, end: int) -> None:
        self._entries = entries
        self.leaf = leaf
        self.end = end

    def entries(self, start: int, stop: int) -> list[ChainEntry]:
        """What selection must know of the records at these positions."""
        found = self.stored(start, stop)
        later = self._entries.fragments([entry.number for entry in found], self.end)
        return [
            ChainEntry(
                record_id=id_text(entry.record_id),
                source_bytes=entry.bytes
                + sum(piece.bytes for piece in later.get(entry.number, ())),
                turn_start=bool(entry.flags & FLAGS["turn_start"]),
                page_start=bool(entry.flags & FLAGS["page_start"]),
                tool_result=bool(entry.flags & FLAGS["tool_result"]),
                navigation=_NAVIGATION_OF[entry.flags & _NAVIGATION_BITS],
            )
            for entry in found
        ]

    def places(self, entry: Entry) -> list[tuple[int, int]]:
        """Where the pieces of a record are."""
        later = self._entries.fragments([entry.number], self.end).get(entry.number, ())
        return [(entry.first, entry.last), *((piece.first, piece.last) for piece in later)]

    def stored(self, start: int, stop: int) -> list[Entry]:
        """The entries at these positions, oldest first."""
        raise NotImplementedError

    def _find(self, record_id: str) -> Entry | None:
        key = id_bytes(record_id)
        number = self._entries.numbers([key]).get(key)
        if number is None:
            return None
        entry = self._entries.entry(number)
        return entry if entry.last <= self.end else None


class LinkedChain(_Chain):
    """A chain along the links of its entries."""

    def __init__(self, entries: Entries, leaf: Entry, end: int) -> None:
        super().__init__(entries, leaf, end)
        self.turns = leaf.turns
        self.side_task = leaf.side_task

    def __len__(self) -> int:
        return self.leaf.depth + 1

    def stored(self, start: int, stop: int) -> list[Entry]:
        """The entries at these positions, oldest first."""
        start, stop = max(0, start), min(stop, len(self))
        if start >= stop:
            return []
        entry = ancestor_at(self.leaf, stop - 1, self._entries.entry)
        found = [entry]
        while entry.depth > start and entry.parent is not None:
            entry = self._entries.entry_of_walk(entry.parent)
            found.append(entry)
        found.reverse()
        return found

    def position(self, record_id: str) -> int | None:
        """Where a record is; None where it is not on the chain."""
        entry = self._find(record_id)
        if entry is None or entry.hidden or entry.depth > self.leaf.depth:
            return None
        on_chain = ancestor_at(self.leaf, entry.depth, self._entries.entry)
        return entry.depth if on_chain.number == entry.number else None

    def turn(self, ordinal: int) -> int:
        """The position of a turn, counted from 0."""
        return first_with_turns(self.leaf, ordinal + 1, self._entries.entry).depth


class WalkedChain(_Chain):
    """A chain walked by id from its leaf, through the records of the snapshot only.

    It ends at a root, at a parent that is not there, and where it would come back to itself.  What
    a side task hides is left out of it then.
    """

    def __init__(self, entries: Entries, leaf: Entry, end: int) -> None:
        super().__init__(entries, leaf, end)
        numbers, flags = array("q"), array("q")
        seen: set[int] = set()
        entry: Entry | None = leaf
        while entry is not None and entry.number not in seen:
            seen.add(entry.number)
            numbers.append(entry.number)
            flags.append(entry.flags)
            entry = self._parent(entry)
        whole = range(len(numbers) - 1, -1, -1)
        begins = next((at for at in whole if flags[at] & FLAGS["side_task"]), None)
        self.side_task = None if begins is None else numbers[begins]
        places = [
            at
            for at in whole
            if begins is None or (at <= begins and not flags[at] & FLAGS["inherited"])
        ]
        self._numbers = array("q", (numbers[at] for at in places))
        self._turns = array(
            "q", (place for place, at in enumerate(places) if flags[at] & _NAVIGATION_BITS)
        )
        self.turns = len(self._turns)
        self._positions = {number: position for position, number in enumerate(self._numbers)}

    def _parent(self, entry: Entry) -> Entry | None:
        # In a side task, links pass over what is hidden.
        if entry.parent is not None and entry.side_task is None:
            return self._entries.entry(entry.parent)
        if entry.parent_id is None:
            return None
        number = self._entries.numbers([entry.parent_id]).get(entry.parent_id)
        if number is None:
            return None
        found = self._entries.entry(number)
        return found if found.last <= self.end else None

    def __len__(self) -> int:
        return len(self._numbers)

    def stored(self, start: int, stop: int) -> list[Entry]:
        """The entries at these positions, oldest first."""
        return [self._entries.entry(number) for number in self._numbers[max(0, start) : stop]]

    def position(self, record_id: str) -> int | None:
        """Where a record is; None where it is not on the chain."""
        entry = self._find(record_id)
        return None if entry is None else self._positions.get(entry.number)

    def turn(self, ordinal: int) -> int:
        """The position of a turn, counted from 0."""
        return self._turns[ordinal]


class TailedChain:
    """A chain, and behind it records that no index has because they may still change."""

    def __init__(
        self, base: StoredChain | None, tail: Sequence[tuple[RecordHead, TranscriptRecord]]
    ) -> None:
        self._base = base
        self._base_length = 0 if base is None else len(base)
        self._entries = [
            ChainEntry(
                record_id=head.record_id,
                source_bytes=record.source_bytes,
                turn_start=head.turn_start,
                page_start=head.page_start,
                tool_result=head.tool_result,
                navigation=head.navigation,
            )
            for head, record in tail
        ]
        self._turns = [
            self._base_length + place
            for place, entry in enumerate(self._entries)
            if entry.navigation is not None
        ]
        self.turns = (0 if base is None else base.turns) + len(self._turns)

    def __len__(self) -> int:
        return self._base_length + len(self._entries)

    def entries(self, start: int, stop: int) -> list[ChainEntry]:
        """What selection must know of the records at these positions."""
        found: list[ChainEntry] = []
        if self._base is not None and start < self._base_length:
            found += self._base.entries(start, min(stop, self._base_length))
        last = max(0, stop - self._base_length)
        return found + self._entries[max(0, start - self._base_length) : last]

    def position(self, record_id: str) -> int | None:
        """Where a record is; None where it is not on the chain."""
        for place, entry in enumerate(self._entries):
            if entry.record_id == record_id:
                return self._base_length + place
        return None if self._base is None else self._base.position(record_id)

    def turn(self, ordinal: int) -> int:
        """The position of a turn, counted from 0."""
        known = self.turns - len(self._turns)
        if self._base is not None and ordinal < known:
            return self._base.turn(ordinal)
        return self._turns[ordinal - known]
