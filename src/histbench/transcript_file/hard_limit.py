"""No page is larger than the hard limit: it is cut where it would be, and one record is refused.

What selection adds for the sake of a whole turn or a tool's pair may be large.  Of a page that is
too large, the records nearest to where it was asked for are kept; the next page has the others.
Only a record that is alone too large cannot be had here.  The error names it, so that a client can
go on before it, or behind it, and get it where there is no such limit.
"""

from msgspec import structs

from histbench.errors import LimitExceeded, Place
from histbench.transcript import Chain
from histbench.transcript.select import Selection

__all__ = ["within_hard"]


def within_hard(
    chain: Chain, selection: Selection, hard_bytes: int, *, backward: bool
) -> Selection:
    """The selection, cut to at most so many source bytes.

    Raises:
        LimitExceeded: `transcript_page_too_large`, one record is larger.
    """
    if selection.source_bytes <= hard_bytes:
        return selection
    entries = list(chain.entries(selection.start, selection.stop))
    nearest = entries[::-1] if backward else entries
    count, total = 0, 0
    for entry in nearest:
        if total + entry.source_bytes > hard_bytes:
            break
        total += entry.source_bytes
        count += 1
    if not count:
        raise LimitExceeded(
            "the record is larger than a page may be here",
            code="transcript_page_too_large",
            where=Place(record=nearest[0].record_id),
            found=nearest[0].source_bytes,
            expected=f"at most {hard_bytes} bytes",
        )
    if backward:
        start = selection.stop - count
        return structs.replace(
            selection, start=start, next=start, has_more=start > 0, source_bytes=total
        )
    stop = selection.start + count
    return structs.replace(
        selection, stop=stop, next=stop, has_more=stop < len(chain), source_bytes=total
    )
