"""The active chain: from the first record to the leaf, as each record names the one it follows.

    leaf      the last record of the file, in the order of bytes, of the highest leaf rank there is
              (`head`): the main conversation's last; in a file of side records only, theirs
    chain     the leaf, its parent, and so on to a record without one; positions count from there
    gap       a parent that the file does not hold: the chain begins at its child, and says so
    cycle     a parent that is on the chain already: the same (`parent_cycle`)
    hidden    where a record on it begins a side task, what comes before the first such record, and
              whatever was copied from the session that it was begun in: positions count the others

What is not on the chain, abandoned turns among it, is not shown.  Appending to a file moves the
leaf; a rewind is nothing else.  Nothing is bridged: who can tell a rewind from a loss?

Everything that selects pages needs a `Chain`, no more.  `MemoryChain` is the plain one, made of all
heads of a file; an index on disk has to agree with it.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from histbench.errors import SnapshotUnavailable
from histbench.transcript.head import Navigation, RecordHead
from histbench.transcript.lines import split_line
from histbench.transcript.record import Diagnostic

__all__ = ["Chain", "ChainEntry", "Gap", "MemoryChain", "check_session", "shown"]


class ChainEntry(Struct, frozen=True, kw_only=True):
    """What selecting a page needs to know of a record; flags are its first fragment's."""

    record_id: str
    source_bytes: int
    turn_start: bool
    page_start: bool
    tool_result: bool
    navigation: Navigation | None = None


class Gap(Struct, frozen=True, kw_only=True):
    """A record that follows one the file does not hold; what came before it cannot be reached."""

    child_id: str
    missing_parent_id: str


class Chain(Protocol):
    """Records in order, the oldest at position 0."""

    def __len__(self) -> int:
        """How many records the chain has."""

    def entries(self, start: int, stop: int) -> Sequence[ChainEntry]:
        """The entries at positions `[start, stop)`, which lie within the chain."""

    def position(self, record_id: str) -> int | None:
        """Where a record is; None when it is not on the chain."""


def check_session(session_id: str | None, head: RecordHead, *, recovered: bool) -> bool:
    """Whether a record belongs to the session whose first named id was `session_id`.

    One that was recovered beside junk may have been part of something else, so it is left out; any
    other makes the file one of two sessions, of which none can be shown.

    Raises:
        SnapshotUnavailable: `mixed_session_ids`.
    """
    if session_id is None or head.session_id is None or head.session_id == session_id:
        return True
    if recovered:
        return False
    raise SnapshotUnavailable(
        "records of two sessions in one file",
        code="mixed_session_ids",
        found=head.session_id,
        expected=session_id,
    ).at(record=head.record_id)


def shown(heads: Sequence[RecordHead]) -> list[RecordHead]:
    """Those of a whole chain, oldest first, that anybody gets to see.

    A side task goes on from what another session said, which its model knows and its reader does
    not ask for.  A fork is not that: it shows all that it has copied.
    """
    first = next((place for place, head in enumerate(heads) if head.side_task), None)
    if first is None:
        return list(heads)
    return [head for head in heads[first:] if not head.inherited]


class MemoryChain:
    """The chain of heads, given in the order of the file with the bytes of each.

    Attributes:
        leaf_id: the last record of the chain, shown or not; None when there is none.
        session_id: the first that a record names.
        gaps: at most one, at the chain's beginning; none before a side task.
        diagnostics: what else was read over.
    """

    def __init__(self, heads: Iterable[tuple[RecordHead, int]]) -> None:
        self.leaf_id: str | None = None
        self.session_id: str | None = None
        self.gaps: tuple[Gap, ...] = ()
        self.diagnostics: list[Diagnostic] = []
        first: dict[str, RecordHead] = {}
        sizes: dict[str, int] = {}
        leaf_rank = 1
        for head, source_bytes in heads:
            check_session(self.session_id, head, recovered=False)
            self.session_id = self.session_id or head.session_id
            known = first.setdefault(head.record_id, head)
            sizes[head.record_id] = sizes.get(head.record_id, 0) + source_bytes
            if known.parent_id != head.parent_id:
                self._diagnose("parent_conflict", head.record_id, str(head.parent_id))
            if known.leaf_rank >= leaf_rank:
                self.leaf_id, leaf_rank = head.record_id, known.leaf_rank
        self._entries = [
            ChainEntry(
                record_id=head.record_id,
                source_bytes=sizes[head.record_id],
                turn_start=head.turn_start,
                page_start=head.page_start,
                tool_result=head.tool_result,
                navigation=head.navigation,
            )
            for head in self._shown(first)
        ]
        self._positions = {each.record_id: place for place, each in enumerate(self._entries)}

    @classmethod
    def of_lines(cls, lines: Iterable[bytes]) -> "MemoryChain":
        """The chain of a file's lines, with a diagnostic for each oddity.

        Raises:
            SnapshotUnavailable: `mixed_session_ids`.
        """
        odd: list[Diagnostic] = []
        heads: list[tuple[RecordHead, int]] = []
        session_id = None
        for number, line in enumerate(lines, 1):
            fragments, oddities = split_line(line)
            odd += [Diagnostic(code=each.code, detail=f"line {number}") for each in oddities]
            for each in fragments:
                if check_session(session_id, each.head, recovered=each.recovered):
                    heads.append((each.head, each.end - each.start))
                    session_id = session_id or each.head.session_id
                else:
                    odd.append(Diagnostic(code="foreign_session", record_id=each.head.record_id))
        chain = cls(heads)
        chain.diagnostics[:0] = odd
        return chain

    def _shown(self, first: dict[str, RecordHead]) -> list[RecordHead]:
        walked = self._walk(first)
        if any(head.side_task for head in walked):
            self.gaps = ()
        return shown(walked)

    def _walk(self, first: dict[str, RecordHead]) -> list[RecordHead]:
        walked: dict[str, RecordHead] = {}
        record_id: str | None = self.leaf_id
        child_id = ""
        while record_id is not None:
            head = first.get(record_id)
            if head is None:
                self.gaps = (Gap(child_id=child_id, missing_parent_id=record_id),)
                break
            if record_id in walked:
                self._diagnose("parent_cycle", child_id, record_id)
                break
            walked[record_id] = head
            child_id, record_id = head.record_id, head.parent_id
        return list(reversed(walked.values()))

    def _diagnose(self, code: str, record_id: str, detail: str) -> None:
        self.diagnostics.append(Diagnostic(code=code, record_id=record_id, detail=detail))

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self, start: int, stop: int) -> Sequence[ChainEntry]:
        """The entries at positions `[start, stop)`."""
        return self._entries[start:stop]

    def position(self, record_id: str) -> int | None:
        """Where a record is on the chain."""
        return self._positions.get(record_id)
