"""What stands behind a place of a transcript, in the order of the file: for whoever follows it."""

from histbench.errors import InvalidData, StorageError
from histbench.transcript_file.entries import FLAGS
from histbench.transcript_file.growth import id_bytes
from histbench.transcript_file.index import RecordIndex
from histbench.transcript_file.pages import Appended, AppendedRecord
from histbench.transcript_file.snapshot import StaleIndexError
from histbench.transcript_file.source import Source

__all__ = ["read_appended"]


def read_appended(
    source: Source,
    index: RecordIndex,
    place: int,
    end: int,
    *,
    side_task: int | None,
    limit: int,
    max_bytes: int,
) -> Appended:
    """The physical records in `[place, end)`, at most so many; one is read however large it is.

    What is older than the entry `side_task`, or inherited, is hidden, where there is one.

    Raises:
        StaleIndexError: the index does not hold.
    """
    found: list[AppendedRecord] = []
    left = max_bytes
    places = index.entries.places_after(place, end, limit + 1)
    for first, last in places[:limit]:
        if found and last - first > left:
            break
        try:
            record = source.record([(first, last)])
        except InvalidData as error:
            if isinstance(error, StorageError):
                raise
            raise StaleIndexError from error
        hidden = side_task is not None and _is_hidden(index, record.record_id, side_task)
        found.append(AppendedRecord(place=last, record=record, hidden=hidden))
        left -= last - first
    has_more = len(found) < len(places)
    reached = found[-1].place if has_more else end
    return Appended(records=tuple(found), place=reached, has_more=has_more)


def _is_hidden(index: RecordIndex, record_id: str, side_task: int) -> bool:
    key = id_bytes(record_id)
    number = index.entries.numbers([key]).get(key)
    if number is None:
        raise StaleIndexError
    entry = index.entries.entry(number)
    return number < side_task or bool(entry.flags & FLAGS["inherited"])
