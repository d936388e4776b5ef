"""The lengths of a log's runs of deltas: how much there is to pack.

A run is as many deltas as one packed row could hold.  Rows are runs; a delta that stands alone is
a run of one, and two that belong together one of two, too short for a row.
"""

from collections.abc import Iterable, Iterator

from histbench.events import MAX_SAFE_INTEGER
from histbench.records import Plain, Record, delta_of_plain
from histbench.rows import RowHead

__all__ = ["rank", "run_lengths"]


def run_lengths(records: Iterable[Record]) -> Iterator[int]:
    """The lengths of the maximal runs of deltas that one row could hold, in order."""
    # Records are canonical: rows are maximal, and of single deltas at most two belong together.
    last: RowHead | None = None
    for record in records:
        row = delta_of_plain(record) if isinstance(record, Plain) else record
        single = row if row is not None and isinstance(record, Plain) else None
        if last is not None:
            if single is not None and _goes_on(last, single):
                yield 2
                last = None
                continue
            yield 1
        if row is not None and single is None:
            yield row.count
        last = single
    if last is not None:
        yield 1


def _goes_on(last: RowHead, row: RowHead) -> bool:
    return (
        row.seq0 == last.end_seq
        and last.same_block(row)
        and abs(row.time0 - last.time0) <= MAX_SAFE_INTEGER
    )


def rank(ordered: list[int], percent: int) -> int | None:
    """The value that `percent` of the values do not exceed, by nearest rank."""
    return ordered[max(-(-len(ordered) * percent // 100) - 1, 0)] if ordered else None
