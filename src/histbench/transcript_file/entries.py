"""The entries of an index: one for each record, in a SQLite file that is only ever added to.

    entry      the first piece of each record: where it is, its links, what a page must know of it
    fragment   further pieces of records that were written in parts
    awaited    parents that were named and have not come yet
    oddity     what a reader should be told about the file (the first few thousand)
    about      what the index is of and how far it goes

A record's number counts from 0 in the order of the file.  Nothing of a text is kept, only ids.
SQLite gives what a sidecar needs: memory that does not grow with it, additions that are there
whole or not at all, and several processes at once.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from histbench.transcript.head import Navigation

__all__ = ["FLAGS", "LEAF_RANK", "NAVIGATION", "Entries", "Entry", "Fragment", "Oddity"]

# Raised with every change of the tables or of what is written into them.
FORMAT = 2

# What a page must know of a record, as bits.
LEAF_RANK = 0b11
FLAGS = {
    "turn_start": 1 << 2,
    "page_start": 1 << 3,
    "tool_result": 1 << 4,
    "side_task": 1 << 7,
    "inherited": 1 << 8,
}
NAVIGATION: dict[Navigation | None, int] = {
    None: 0,
    "prompt": 1 << 5,
    "realtime": 2 << 5,
    "scheduled": 3 << 5,
}

_SCHEMA = """
CREATE TABLE about(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE entry(number INTEGER PRIMARY KEY, record_id BLOB NOT NULL, parent_id BLOB,
    parent INTEGER, jump INTEGER NOT NULL, depth INTEGER NOT NULL, turns INTEGER NOT NULL,
    side_task INTEGER, first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL,
    flags INTEGER NOT NULL, leaf INTEGER);
CREATE UNIQUE INDEX entry_by_id ON entry(record_id);
CREATE TABLE fragment(number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, bytes INTEGER NOT NULL, leaf INTEGER);
CREATE INDEX fragment_by_entry ON fragment(entry);
CREATE TABLE awaited(record_id BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE oddity(number INTEGER PRIMARY KEY, code TEXT NOT NULL, message TEXT NOT NULL,
    first INTEGER NOT NULL);
"""

# A page's records and the jumps from its end: a few hundred; the rest is for the next page.
_CACHED_ENTRIES = 8192

# Records mostly follow the one that was appended before them.
_WALKED_AT_ONCE = 64

# What SQLite may be asked for in one statement, on every version.
_IDS_AT_ONCE = 500

# Enough to see what is wrong with a file; how many there were is counted on.
_KEPT_ODDITIES = 2000


class Entry(Struct, frozen=True, gc=False):
    """One record: it begins at the place `first`, and is whole once `last` has been reached.

    `side_task` is the number of the entry that begins the side task which this one is in.  There,
    links lead to what is shown (`growth`); elsewhere everything is.
    """

    number: int
    record_id: bytes
    parent_id: bytes | None
    parent: int | None
    jump: int
    depth: int
    turns: int
    side_task: int | None
    first: int
    last: int
    bytes: int
    flags: int
    leaf: int | None

    @property
    def hidden(self) -> bool:
        """Whether a side task has it from the session that it was begun in."""
        return self.side_task is not None and bool(self.flags & FLAGS["inherited"])


class Fragment(Struct, frozen=True, gc=False):
    """A further piece of the record that `entry` numbers."""

    number: int
    entry: int
    first: int
    last: int
    bytes: int
    leaf: int | None


class Oddity(Struct, frozen=True, gc=False):
    """Something that a reader should know; `first` is the byte, or the seq, where it is."""

    code: str
    message: str
    first: int


# Where a row of a table has its end.
_LAST = {
    "entry": Entry.__struct_fields__.index("last"),
    "fragment": Fragment.__struct_fields__.index("last"),
}


class Entries:
    """The tables in the file at `path`; "" for a file of this process alone that nobody sees.

    Errors are SQLite's own: whoever opens an index decides what a damaged one means.
    """

    def __init__(self, path: str) -> None:
        self._database = sqlite3.connect(
            path, timeout=20, isolation_level=None, check_same_thread=False
        )
        self._cache: OrderedDict[int, Entry] = OrderedDict()
        self._no_fragments_before = 0
        try:
            self._run("PRAGMA trusted_schema=OFF")
            self._run("PRAGMA cell_size_check=ON")
            # The sidecar can be made anew at any time: that it is whole matters, not that it is.
            self._run("PRAGMA synchronous=NORMAL")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _run(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    def begin(self) -> None:
        """Start adding; others may read, and wait with additions of their own."""
        self._run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Everything added since `begin` is there for all."""
        self._run("COMMIT")

    def rollback(self) -> None:
        """Nothing of what was added since `begin` is there."""
        if self._database.in_transaction:
            self._run("ROLLBACK")
        self._forget()

    def create(self) -> None:
        """Make the tables anew, inside a transaction; whatever the file held is gone."""
        for kind, name in self._run("SELECT type, name FROM sqlite_master").fetchall():
            if kind in {"table", "view", "trigger"} and not name.startswith("sqlite_"):
                quoted = name.replace('"', '""')
                self._run(f'DROP {kind} IF EXISTS "{quoted}"')
        for statement in filter(str.strip, _SCHEMA.split(";")):
            self._run(statement)
        self._forget()
        self.tell(format=FORMAT)

    def _forget(self) -> None:
        self._cache.clear()
        self._no_fragments_before = 0

    def about(self) -> dict[str, Any]:
        """What the index says of itself; empty where there is no index of this format."""
        if not self._run("SELECT 1 FROM sqlite_master WHERE name = 'about'").fetchone():
            return {}
        about = dict(self._run("SELECT key, value FROM about"))
        return about if about.get("format") == FORMAT else {}

    def tell(self, **values: Any) -> None:
        """Write what the index says of itself."""
        self._database.executemany("INSERT OR REPLACE INTO about VALUES(?, ?)", values.items())

    def entry(self, number: int) -> Entry:
        """One entry.

        Raises:
            LookupError: there is none, which a damaged index may name all the same.
        """
        found = self._cache.get(number)
        if found is not None:
            self._cache.move_to_end(number)
            return found
        row = self._run("SELECT * FROM entry WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise LookupError(number)
        return self._remember(Entry(*row))

    def entry_of_walk(self, number: int) -> Entry:
        """One entry; those before it, which a walk to the root will ask for, come with it.

        Raises:
            LookupError: there is none.
        """
        if number not in self._cache:
            query = "SELECT * FROM entry WHERE number > ? AND number <= ?"
            for row in self._run(query, (number - _WALKED_AT_ONCE, number)):
                self._remember(Entry(*row))
        return self.entry(number)

    def _remember(self, entry: Entry) -> Entry:
        self._cache[entry.number] = entry
        if len(self._cache) > _CACHED_ENTRIES:
            self._cache.popitem(last=False)
        return entry

    def numbers(self, record_ids: Iterable[bytes]) -> dict[bytes, int]:
        """The numbers of those records that there are."""
        wanted = list(record_ids)
        found: dict[bytes, int] = {}
        for at in range(0, len(wanted), _IDS_AT_ONCE):
            some = wanted[at : at + _IDS_AT_ONCE]
            marks = ",".join("?" * len(some))
            # Only question marks are put together.
            query = f"SELECT record_id, number FROM entry WHERE record_id IN ({marks})"  # noqa: S608
            found.update(self._run(query, some))
        return found

    def awaited(self, record_ids: Iterable[bytes]) -> set[bytes]:
        """Those of the ids that an earlier record named as its parent in vain."""
        if not self._run("SELECT 1 FROM awaited LIMIT 1").fetchone():
            return set()
        query = "SELECT record_id FROM awaited WHERE record_id = ?"
        return {each for each in record_ids if self._run(query, (each,)).fetchone()}

    def add(
        self,
        entries: Iterable[Entry],
        fragments: Iterable[Fragment] = (),
        *,
        awaited: Iterable[bytes] = (),
        oddities: Sequence[Oddity] = (),
    ) -> None:
        """Add to the tables."""
        many = self._database.executemany
        many(f"INSERT INTO entry VALUES({','.join('?' * 13)})", map(astuple, entries))
        many("INSERT INTO fragment VALUES(?, ?, ?, ?, ?, ?)", map(astuple, fragments))
        many("INSERT OR IGNORE INTO awaited VALUES(?)", ((each,) for each in awaited))
        if oddities:
            (kept,) = self._run("SELECT count(*) FROM oddity").fetchone()
            rows = map(astuple, oddities[: max(0, _KEPT_ODDITIES - kept)])
            many("INSERT INTO oddity(code, message, first) VALUES(?, ?, ?)", rows)

    def oddities(self) -> list[Oddity]:
        """What is odd about the file, as far as it is kept."""
        rows = self._run("SELECT code, message, first FROM oddity ORDER BY number")
        return [Oddity(*row) for row in rows]

    def last_entry(self, end: int) -> Entry | None:
        """The last entry that lies before `end`."""
        row = self._last_row("entry", end)
        return None if row is None else Entry(*row)

    def last_fragment(self, end: int) -> Fragment | None:
        """The last fragment that lies before `end`."""
        row = self._last_row("fragment", end)
        return None if row is None else Fragment(*row)

    def places_after(self, place: int, end: int, most: int) -> list[tuple[int, int]]:
        """Where the next pieces between two places are, of entries and fragments, in order."""
        found: list[tuple[int, int]] = []
        for table in ("entry", "fragment"):
            row = self._last_row(table, place)
            # Its name is one of two.
            query = f"SELECT first, last FROM {table} WHERE number > ? AND last <= ? ORDER BY number LIMIT ?"  # noqa: S608
            found += self._run(query, (-1 if row is None else row[0], end, most))
        return sorted(found)[:most]

    def _last_row(self, table: str, end: int) -> Any:
        # From row to row `last` grows, so half of them is ruled out with each look.
        low, high = 0, self._count(table)
        while low < high:
            middle = (low + high) // 2
            row = self._row_of(table, middle)
            if row is None:
                raise LookupError(middle)
            if row[_LAST[table]] <= end:
                low = middle + 1
            else:
                high = middle
        return self._row_of(table, low - 1)

    def _row_of(self, table: str, number: int) -> Any:
        # Its name is one of two.
        return self._run(f"SELECT * FROM {table} WHERE number = ?", (number,)).fetchone()  # noqa: S608

    def _count(self, table: str) -> int:
        # Numbers run from 0 without a gap.
        (last,) = self._run(f"SELECT max(number) FROM {table}").fetchone()  # noqa: S608
        return 0 if last is None else int(last) + 1

    def counts(self) -> tuple[int, int]:
        """How many entries and fragments there are."""
        return self._count("entry"), self._count("fragment")

    def fragments(self, entries: Sequence[int], end: int) -> dict[int, list[Fragment]]:
        """The further pieces before `end` of each of these entries that has some."""
        found: dict[int, list[Fragment]] = {}
        if self._no_fragments_before >= end:
            return found
        if not self._run("SELECT 1 FROM fragment LIMIT 1").fetchone():
            # All before `end` is known, whatever is added later.
            self._no_fragments_before = end
            return found
        query = "SELECT * FROM fragment WHERE entry = ? AND last <= ? ORDER BY number"
        for number in entries:
            pieces = [Fragment(*row) for row in self._run(query, (number, end))]
            if pieces:
                found[number] = pieces
        return found
