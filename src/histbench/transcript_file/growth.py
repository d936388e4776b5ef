"""How an index grows: records come in the order of the file, and are linked to what came before.

The first piece of a record makes an entry; a further one, with an id that is known, a fragment.  An
entry's parent is the entry of that id, if it has come already.  If it has not, the entry is a root
for now, and its parent is *awaited*.  Writers append, so an awaited parent has nearly always been
lost; should it come all the same, the links no longer say everything, and the index notes from
where on (`tangled_from`).  Chains are then walked by id instead (`chains`), which is slower and
always right; snapshots of before are read as they were.

A record that begins a side task is a root, whatever it follows, and what a side task has inherited
is passed over: links lead from it, as from those after it, to the last record before it that is
shown.  So depth is the position among what is shown, at no further cost.
"""

from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from histbench.errors import SnapshotUnavailable, short
from histbench.transcript import RecordHead, check_session
from histbench.transcript_file.entries import (
    FLAGS,
    LEAF_RANK,
    NAVIGATION,
    Entries,
    Entry,
    Fragment,
    Oddity,
)
from histbench.transcript_file.links import jump_of_child

__all__ = ["Growth", "Scanned", "id_bytes", "id_text"]

# Heads that are looked up and added at once: enough that SQLite's part is small.
_BATCH = 2000


def id_bytes(record_id: str) -> bytes:
    """An id as the tables hold it; one may be a half of a surrogate pair."""
    return record_id.encode("utf-8", "surrogatepass")


def id_text(record_id: bytes) -> str:
    """The id that the tables hold as these bytes."""
    return record_id.decode("utf-8", "surrogatepass")


class Scanned(Struct, frozen=True, gc=False):
    """One physical record, where it begins and is whole, and its size; or something odd.

    A record that stands beside junk (`recovered`) may have been a part of something else.
    """

    first: int
    last: int
    bytes: int
    head: RecordHead | None
    oddities: tuple[Oddity, ...] = ()
    recovered: bool = False


class Growth:
    """Adds records to `entries`, inside a transaction that the caller has begun.

    `session_id` is the session that the file is of: the first that is named.  `mixed_from` is the
    end of the first record of another session, `tangled_from` that of the first awaited parent
    that came; None where there is none.
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        about = entries.about()
        self.session_id: str | None = about.get("session_id")
        self.mixed_from: int | None = about.get("mixed_from")
        self.tangled_from: int | None = about.get("tangled_from")
        self.started_at: str | None = about.get("started_at")
        self._next_entry, self._next_fragment = entries.counts()
        self._leaf: Entry | None = None
        leaf = about.get("leaf")
        if leaf is not None:
            self._leaf = entries.entry(leaf)

    def add(self, scanned: Iterable[Scanned]) -> int:
        """Add records, and say how many there were."""
        pieces = iter(scanned)
        count = 0
        while batch := list(islice(pieces, _BATCH)):
            self._add_batch(batch)
            count += len(batch)
        self._entries.tell(
            session_id=self.session_id,
            mixed_from=self.mixed_from,
            tangled_from=self.tangled_from,
            started_at=self.started_at,
            leaf=None if self._leaf is None else self._leaf.number,
        )
        return count

    def _add_batch(self, batch: list[Scanned]) -> None:
        heads = [each.head for each in batch if each.head is not None]
        ids = {id_bytes(head.record_id) for head in heads}
        named = ids | {id_bytes(head.parent_id) for head in heads if head.parent_id is not None}
        self._known = self._entries.numbers(named)
        self._came_late = self._entries.awaited(ids)
        self._awaited: set[bytes] = set()
        self._new: dict[int, Entry] = {}
        fragments: list[Fragment] = []
        self._oddities: list[Oddity] = []
        for each in batch:
            self._oddities.extend(each.oddities)
            if each.head is None or not self._is_of_session(each, each.head):
                continue
            number = self._known.get(id_bytes(each.head.record_id))
            if number is None:
                self._add_entry(each, each.head)
            else:
                fragments.append(self._fragment(each, each.head, number))
        self._entries.add(
            self._new.values(), fragments, awaited=self._awaited, oddities=self._oddities
        )

    def _is_of_session(self, piece: Scanned, head: RecordHead) -> bool:
        """Whether a record is one of this file; what is not and cannot be passed over is noted."""
        try:
            if not check_session(self.session_id, head, recovered=piece.recovered):
                self._odd("foreign_session", f"a record of {short(head.session_id)}", piece)
                return False
        except SnapshotUnavailable:
            if self.mixed_from is None:
                self.mixed_from = piece.last
        if self.session_id is None:
            self.session_id = head.session_id
        if self.started_at is None:
            self.started_at = head.timestamp
        return True

    def _odd(self, code: str, message: str, piece: Scanned) -> None:
        self._oddities.append(Oddity(code, message, piece.first))

    def _add_entry(self, piece: Scanned, head: RecordHead) -> None:
        record_id = id_bytes(head.record_id)
        parent_id = None if head.parent_id is None else id_bytes(head.parent_id)
        parent = None
        if parent_id is not None and parent_id != record_id:
            at = self._known.get(parent_id)
            if at is None:
                self._awaited.add(parent_id)
            else:
                parent = self._fetch(at)
        if self.tangled_from is None and record_id in self._came_late | self._awaited:
            self.tangled_from = piece.last
        number = self._next_entry
        self._next_entry += 1
        side_task = None if parent is None else parent.side_task
        if head.side_task and side_task is None:
            parent, side_task = None, number
        if parent is not None and parent.hidden:
            parent = None if parent.parent is None else self._fetch(parent.parent)
        hidden = side_task is not None and head.inherited
        above = -1 if parent is None else parent.depth
        entry = Entry(
            number=number,
            record_id=record_id,
            parent_id=parent_id,
            parent=None if parent is None else parent.number,
            jump=number if parent is None or hidden else jump_of_child(parent, self._fetch),
            depth=above if hidden else above + 1,
            turns=(0 if parent is None else parent.turns)
            + (head.navigation is not None and not hidden),
            side_task=side_task,
            first=piece.first,
            last=piece.last,
            bytes=piece.bytes,
            flags=_flags(head),
            leaf=self._leaf_after(number, head.leaf_rank),
        )
        self._new[number] = entry
        self._known[record_id] = number
        if entry.leaf == number:
            self._leaf = entry

    def _fetch(self, number: int) -> Entry:
        return self._new.get(number) or self._entries.entry(number)

    def _fragment(self, piece: Scanned, head: RecordHead, number: int) -> Fragment:
        entry = self._fetch(number)
        parent_id = None if head.parent_id is None else id_bytes(head.parent_id)
        if parent_id != entry.parent_id:
            self._odd("parent_conflict", f"a fragment with parent {short(head.parent_id)}", piece)
        leaf = self._leaf_after(number, entry.flags & LEAF_RANK)
        if leaf == number:
            self._leaf = entry
        fragment = Fragment(
            number=self._next_fragment,
            entry=number,
            first=piece.first,
            last=piece.last,
            bytes=piece.bytes,
            leaf=leaf,
        )
        self._next_fragment += 1
        return fragment

    def _leaf_after(self, number: int, rank: int) -> int | None:
        """The leaf once the record `number` of this rank has come: the last of the highest rank."""
        if self._leaf is None:
            return number if rank else None
        return number if rank and rank >= self._leaf.flags & LEAF_RANK else self._leaf.number


def _flags(head: RecordHead) -> int:
    bits = sum(bit for name, bit in FLAGS.items() if getattr(head, name))
    return head.leaf_rank | bits | NAVIGATION[head.navigation]
