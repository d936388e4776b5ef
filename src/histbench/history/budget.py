"""A budget of bytes: the most events whose page is no longer than so many bytes.

The length is that of the page in the `packed` form as it is selected: before a host adds views or
projections, and before any encoding.  Whole records are taken from the newest backwards while they
fit.  The first that does not is cut if it is a row, and as many of its newest members stay as fit.
From three members on a row only grows with each one more (its text takes three bytes with the
comma, and its gap at least what the first time can shrink by), so their number is found by
bisection over sums; two members or one are ordinary events, and tried after that.

A single event that is larger than the budget is a page of its own: nobody could get past it
otherwise.
"""

from bisect import bisect_right
from itertools import accumulate

from histbench.coalesce import plain_members
from histbench.codec import MIN_RUN
from histbench.history.page import HistoryPage, PageCut, PageRecord
from histbench.history.wire import encode_packed, packed_record
from histbench.records import Plain
from histbench.rows import Row, RowHead

__all__ = ["LEAST_EVENT_BYTES", "start_within"]

# What one more event takes in a page at least: an empty text and a gap, each with a comma.
LEAST_EVENT_BYTES = len('"",0,')


def start_within(page: HistoryPage, max_bytes: int) -> tuple[int, PageCut | None]:
    """The seq where `page` has to begin to be no longer than `max_bytes`, and why it begins there.

    Args:
        page: a page of canonical records, at least one.
        max_bytes: at least 1.
    """
    # A page that begins later has more before it, and says why it begins there.
    later = HistoryPage(records=(), has_more=True, from_seq=0, to_seq=page.to_seq, cut="bytes")
    later_frame = len(encode_packed(later)) - len("0")
    used = 0
    for record in reversed(page.records):
        comma = 1 if used else 0
        frame = _whole_frame(page) if record is page.records[0] else later_frame + _digits(record)
        needed = len(packed_record(record)) + comma
        if used + needed + frame > max_bytes:
            kept = _newest_members(record, max_bytes - used - comma - later_frame)
            start = record.end_seq - kept
            return (start, "bytes") if start < page.to_seq else (page.to_seq - 1, "oversize")
        used += needed
    return page.from_seq, page.cut


def _whole_frame(page: HistoryPage) -> int:
    bare = HistoryPage(
        records=(),
        has_more=page.has_more,
        from_seq=page.from_seq,
        to_seq=page.to_seq,
        cut=page.cut,
    )
    return len(encode_packed(bare))


def _digits(record: PageRecord) -> int:
    return len(str(record.seq))


def _newest_members(record: PageRecord, room: int) -> int:
    """How many of a record's newest members fit into `room`, the seq of the first one included.

    Never all of them; none of an ordinary event.
    """
    if isinstance(record, Plain):
        return 0
    row = Row.of(record)
    times = row.times()
    # Sums from the newest member backwards; each text and gap counts with a comma or bracket.
    texts = list(accumulate((len(text) + 1 for text in reversed(row.text_jsons())), initial=1))
    gaps = list(accumulate((len(str(gap)) + 1 for gap in reversed(row.gap_list())), initial=1))
    shared = len(packed_record(row)) - len(row.texts) - len(row.gaps)
    shared -= len(f"{row.seq0}{row.time0}")

    def bytes_of(members: int) -> int:
        seq0, time0 = row.end_seq - members, times[-members]
        return shared + len(f"{seq0}{time0}{seq0}") + texts[members] + gaps[members - 1]

    fitting = bisect_right(range(MIN_RUN, row.count), room, key=bytes_of)
    if fitting:
        return MIN_RUN + fitting - 1
    return next(
        (
            members
            for members in range(min(MIN_RUN, row.count) - 1, 0, -1)
            if _bytes_as_events(row, members) <= room
        ),
        0,
    )


def _bytes_as_events(row: RowHead, members: int) -> int:
    """What a row's newest members take as ordinary records, with commas and the first one's seq."""
    records = plain_members(row.cut(row.count - members, row.count))
    return sum(len(packed_record(record)) + 1 for record in records) - 1 + _digits(records[0])
