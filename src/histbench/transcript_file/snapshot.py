"""One state of a transcript: what lies before a place, its chain, and whether it can be shown."""

from collections.abc import Iterator
from datetime import UTC, datetime

from histbench.errors import InvalidData, SnapshotUnavailable, StorageError
from histbench.transcript import Gap, TranscriptRecord
from histbench.transcript_file.chains import StoredChain, TailedChain, TurningChain, chain_before
from histbench.transcript_file.growth import id_text
from histbench.transcript_file.index import RecordIndex
from histbench.transcript_file.source import Source

__all__ = ["Snapshot", "StaleIndexError"]


class StaleIndexError(Exception):
    """What the index says does not hold.  A signal to the reader, never an answer."""


class Snapshot:
    """The state of the transcript before `end`, by an index that covers it.

    Attributes:
        end: the place.
        chain: the active chain; None where there is no conversation.
        session_id: the session that the file is of.
    """

    def __init__(self, source: Source, index: RecordIndex, end: int) -> None:
        """Raises SnapshotUnavailable: `mixed_session_ids`."""
        about = index.entries.about()
        mixed = about.get("mixed_from")
        if mixed is not None and mixed <= end:
            raise SnapshotUnavailable(
                "records of two sessions in one file",
                code="mixed_session_ids",
                expected=about.get("session_id"),
            ).at(file=str(source.path), byte=mixed)
        self._source = source
        self.end = end
        self.session_id: str | None = about.get("session_id")
        self.start_time: str | None = about.get("started_at")
        self.identity = source.identity()
        self.last_updated = _iso(source.modified_ns())
        self._stored = chain_before(index.entries, end, tangled_from=about.get("tangled_from"))
        # Of an earlier state, what stood at its end has been decided since.
        tail = source.tail(index.reached(), end) if end == index.covered else ()
        self._tail = [record for _, record in tail]
        self.chain: TurningChain | None = self._stored
        if tail:
            self.chain = TailedChain(self._stored, tail)

    @property
    def leaf_id(self) -> str | None:
        """The id of the last record of the chain that cannot change any more."""
        return None if self._stored is None else id_text(self._stored.leaf.record_id)

    @property
    def side_task(self) -> int | None:
        """The number of the entry that begins the side task; None where the chain is of none."""
        return None if self._stored is None else self._stored.side_task

    def __len__(self) -> int:
        return 0 if self.chain is None else len(self.chain)

    def gap(self) -> Gap | None:
        """The chain's first record, if it follows one that is not there; never in a side task."""
        if self._stored is None or self._stored.side_task is not None:
            return None
        (first,) = self._stored.stored(0, 1)
        if first.parent_id is None or self._stored.position(id_text(first.parent_id)) is not None:
            return None
        return Gap(child_id=id_text(first.record_id), missing_parent_id=id_text(first.parent_id))

    def records(self, start: int, stop: int) -> tuple[TranscriptRecord, ...]:
        """The records at these positions of the chain, each proved to be the one that is due.

        Raises:
            StaleIndexError: one is not.
        """
        stored = 0 if self._stored is None else len(self._stored)
        found = [] if self._stored is None else self._read(self._stored, start, min(stop, stored))
        return (*found, *self._tail[max(0, start - stored) : max(0, stop - stored)])

    def records_with(self, start: int, stop: int, word: bytes) -> Iterator[TranscriptRecord]:
        """Those of the records at these positions that may show a word, the newest first.

        Raises:
            StaleIndexError: one is not the one that is due.
        """
        stored = 0 if self._stored is None else len(self._stored)
        yield from reversed(self._tail[max(0, start - stored) : max(0, stop - stored)])
        if self._stored is None:
            return
        for entry in reversed(self._stored.stored(start, min(stop, stored))):
            places = self._stored.places(entry)
            if self._source.may_show(places, word):
                record = self._record(places)
                if record.record_id != id_text(entry.record_id):
                    raise StaleIndexError
                yield record

    def _read(self, chain: StoredChain, start: int, stop: int) -> list[TranscriptRecord]:
        entries = chain.stored(start, stop)
        if not entries:
            return []
        parent = entries[0].parent_id
        last = max(entry.last for entry in entries)
        self._source.prepare(entries[0].first, last, None if parent is None else id_text(parent))
        found: list[TranscriptRecord] = []
        for entry in entries:
            record = self._record(chain.places(entry))
            due = None if entry.parent_id is None else id_text(entry.parent_id)
            if found and chain.side_task is None:
                due = found[-1].record_id
            if (record.record_id, record.parent_id) != (id_text(entry.record_id), due):
                raise StaleIndexError
            found.append(record)
        return found

    def _record(self, places: list[tuple[int, int]]) -> TranscriptRecord:
        try:
            return self._source.record(places)
        except InvalidData as error:
            if isinstance(error, StorageError):
                raise
            raise StaleIndexError from error


def _iso(nanoseconds: int) -> str:
    moment = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
