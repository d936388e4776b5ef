"""What a lossy view left out of an interval, as inclusive spans of seqs.

A reader of the projection sees events whose seqs jump; the spans say which jumps are its doing, so
that a missing event is never mistaken for an omitted one.
"""

from collections.abc import Iterable

from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["omitted_spans"]


def omitted_spans(
    kept: Iterable[Plain | RowHead], from_seq: int, to_seq: int
) -> list[tuple[int, int]]:
    """The spans (first, last) of `[from_seq, to_seq)` that no record of `kept` covers.

    Args:
        kept: records within the interval, by ascending seq; `project_records` gives them.
        from_seq: the interval's first seq.
        to_seq: one past its last.

    >>> omitted_spans([Plain(type="turn/start", seq=2, time=0, raw=b"")], 0, 5)
    [(0, 1), (3, 4)]
    """
    spans: list[tuple[int, int]] = []
    due = from_seq
    for record in kept:
        if record.seq > due:
            spans.append((due, record.seq - 1))
        due = record.end_seq
    if due < to_seq:
        spans.append((due, to_seq - 1))
    return spans
