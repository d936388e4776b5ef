"""Pages that lie, or that were made to hurt: each refused with its code, none of them expanded."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from histbench.errors import InvalidData, LimitExceeded
from histbench.events import MAX_SAFE_INTEGER
from histbench.history import decode_page
from histbench.history.joined import SEPARATOR
from histbench.jsontext import encode
from histbench.rows import RowHead

EVENT = b'{"event":{"type":"x","seq":%d,"time":0}}'

# What reading a page value by value takes at most, in bytes for each byte of the page.
MEMORY_FACTOR = 60


def page(records: bytes, from_seq: int, to_seq: int) -> bytes:
    """A page of these records."""
    return b'{"records":[%b],"hasMore":false,"fromSeq":%d,"toSeq":%d}' % (records, from_seq, to_seq)


def row(texts: bytes, dt: bytes, *, seq0: int = 0, time0: int = 0) -> bytes:
    """A record of one row."""
    return (
        b'{"chunks":{"type":"text-chunks","seq0":%d,"time0":%d,'
        b'"data":{"turn":1,"step":1,"index":0,"dt":[%b],"texts":[%b]}}}' % (seq0, time0, dt, texts)
    )


def joined(members: int, gaps: str, *, seq0: int = 0) -> bytes:
    """A record of one joined row whose members are all `a`."""
    text = SEPARATOR.join("a" * members)
    data = {"turn": 1, "step": 1, "index": 0, "dt": gaps, "text": text}
    return encode({"joined": {"type": "text-joined", "seq0": seq0, "time0": 0, "data": data}})


def array(member: bytes, count: int) -> bytes:
    """The inside of an array of `count` times the same."""
    return (member + b",") * (count - 1) + member


def events(*seqs: int) -> bytes:
    """Ordinary records with these seqs."""
    return b",".join(EVENT % seq for seq in seqs)


THREE = array(b'"a"', 3)


def ones(members: int) -> bytes:
    """The gaps of a row of so many members."""
    return array(b"1", members - 1)


def texts(members: int) -> bytes:
    """The texts of a row of so many members."""
    return array(b'"a"', members)


def deep(levels: int) -> bytes:
    """Arrays within arrays."""
    return b"[" * levels + b"]" * levels


LAST = MAX_SAFE_INTEGER

# The code of each trick, and its page: for most, of a size that grows with n.
HOSTILE: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "gap": ("page_gap", lambda _: page(events(0, 2), 0, 3)),
    "gap at the start": ("page_gap", lambda _: page(events(1), 0, 2)),
    "overlap": ("page_overlap", lambda _: page(events(0, 0), 0, 2)),
    "overlap of a row": (
        "page_overlap",
        lambda _: page(row(THREE, b"1,1") + b"," + events(2), 0, 3),
    ),
    "ends early": ("page_end", lambda _: page(events(0), 0, 2)),
    "ends late": ("page_end", lambda _: page(events(0, 1), 0, 1)),
    "empty but wide": ("page_end", lambda _: page(b"", 3, 5)),
    "inverted": ("page_interval", lambda _: page(b"", 5, 3)),
    "negative": ("page_interval", lambda _: page(b"", -1, 3)),
    "many overlaps": ("page_overlap", lambda n: page(array(EVENT % 0, n), 0, 1)),
    "dt too short": ("row_dt_length", lambda n: page(row(texts(n), ones(n - 1)), 0, n)),
    "dt empty": ("row_dt_length", lambda n: page(row(texts(n), b""), 0, n)),
    "dt too long": ("row_dt_length", lambda n: page(row(texts(n), ones(n + 1)), 0, n)),
    "fractional gap": ("row_dt", lambda n: page(row(texts(n), ones(n)[:-1] + b"0.5"), 0, n)),
    "text a number": ("row_texts", lambda n: page(row(texts(n)[:-3] + b"1", ones(n)), 0, n)),
    "unsafe times": (
        "row_time_range",
        lambda n: page(row(texts(n), array(b"%d" % LAST, n - 1)), 0, n),
    ),
    "unsafe seqs": (
        "row_seq_range",
        lambda _: page(row(THREE, b"1,1", seq0=LAST - 1), LAST - 1, LAST),
    ),
    "unsafe seqs of many": (
        "row_seq_range",
        lambda n: page(row(texts(n), ones(n), seq0=LAST), LAST, LAST + n),
    ),
    "joined dt too short": ("row_dt_length", lambda n: page(joined(n, "1" * 5), 0, n)),
    "joined unsafe times": (
        "row_time_range",
        lambda n: page(joined(n, f"({LAST})" * (n - 1)), 0, n),
    ),
    "joined unsafe seqs": (
        "row_seq_range",
        lambda _: page(joined(3, "11", seq0=LAST), LAST, LAST),
    ),
    "deep event": (
        "too_deep",
        lambda n: page(b'{"event":{"type":"x","seq":0,"time":0,"data":%b}}' % deep(n), 0, 1),
    ),
    "deep view": (
        "too_deep",
        lambda n: page(b'{"event":{"type":"x","seq":0,"time":0},"view":%b}' % deep(n), 0, 1),
    ),
    "deep projections": (
        "too_deep",
        lambda n: page(b"", 0, 0)[:-1] + b',"projections":{"asOfSeq":0,"values":%b}}' % deep(n),
    ),
    "deep and cut off": ("too_deep", lambda n: b'{"records":' + b"[" * n),
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_a_hostile_page_is_refused_with_its_code(trick: str) -> None:
    """In memory that is bounded by the page's own length, and without expanding it."""
    code, make = HOSTILE[trick]
    data = make(20_000)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidData) as caught:
            decode_page(data)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert caught.value.code == code
    assert peak_bytes < MEMORY_FACTOR * len(data) + 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trick", "members"), [("dt too short", 1_000_000), ("joined dt too short", 10_000_000)]
)
def test_a_hostile_row_of_millions_of_members_is_refused(trick: str, members: int) -> None:
    """The same codes where a reader that expands first would be out of memory."""
    code, make = HOSTILE[trick]
    data = make(members)
    with pytest.raises(InvalidData) as caught:
        decode_page(data)

    assert caught.value.code == code


@pytest.mark.slow
def test_a_row_of_ten_million_members_is_proved_and_stays_a_row() -> None:
    """A valid one is no attack: it is read without a value for each member."""
    count = 10_000_000
    data = page(row(array(b'"a"', count), array(b"1", count - 1)), 0, count)
    tracemalloc.start()
    try:
        decoded = decode_page(data)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    (record,) = decoded.records
    assert isinstance(record, RowHead)
    assert record.count == count
    assert peak_bytes < 5 * len(data)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("page_shape", []),
        ("page_shape", {"records": [], "hasMore": False, "fromSeq": 0}),
        ("page_shape", {"records": [], "hasMore": 0, "fromSeq": 0, "toSeq": 0}),
        ("page_shape", {"records": [], "hasMore": False, "fromSeq": 0.5, "toSeq": 0}),
        ("page_shape", {"records": [], "hasMore": False, "fromSeq": 0, "toSeq": 0, "more": 1}),
        ("page_shape", {"records": [], "hasMore": False, "fromSeq": 0, "toSeq": 0, "cut": "x"}),
        ("page_shape", {"records": [], "hasMore": False, "fromSeq": 0, "toSeq": 0, "cut": [1]}),
    ],
)
def test_a_page_of_another_shape_is_refused(code: str, value: Any) -> None:
    """Fields that are missing, unknown or of another type."""
    with pytest.raises(InvalidData) as caught:
        decode_page(encode(value))

    assert caught.value.code == code


@pytest.mark.parametrize(
    "record",
    [
        b"{}",
        b"[]",
        b'{"view":{}}',
        b'{"chunks":{},"event":{}}',
        b'{"event":{"type":"x","seq":0,"time":0},"extra":1}',
        row(THREE, b"1,1")[:-1] + b',"view":{}}',
    ],
)
def test_what_is_no_record_is_refused(record: bytes) -> None:
    """A record is an event, perhaps with a view, or a row, and nothing else."""
    with pytest.raises(InvalidData) as caught:
        decode_page(page(record, 0, 1))

    assert caught.value.code == "page_record"


@pytest.mark.parametrize(
    "projections",
    [
        b"null",
        b"{}",
        b'{"asOfSeq":-2,"values":1}',
        b'{"asOfSeq":0.5,"values":1}',
        b'{"asOfSeq":0,"values":1,"more":1}',
        b'{"asOfSeq":9007199254740992,"values":1}',
    ],
)
def test_projections_of_another_shape_are_refused(projections: bytes) -> None:
    """`asOfSeq` is a seq, or -1 where nothing was derived from."""
    with pytest.raises(InvalidData) as caught:
        decode_page(page(b"", 0, 0)[:-1] + b',"projections":%b}' % projections)

    assert caught.value.code == "page_projections"


def test_a_page_over_the_limit_is_not_looked_at() -> None:
    """The bound holds before the parse, and is the caller's to set."""
    data = page(events(0), 0, 1)
    with pytest.raises(LimitExceeded) as caught:
        decode_page(b"{" * 100, max_bytes=99)

    assert caught.value.code == "page_too_large"
    assert decode_page(data, max_bytes=len(data)) == decode_page(data, max_bytes=None)
