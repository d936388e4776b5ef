"""Whatever layout a run was stored in, its canonical records are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from checks import counted_calls, same
from histbench.coalesce import Coalescer, plain_members
from histbench.codec import check_row
from histbench.events import KIND_BY_TAG
from histbench.jsontext import decode, encode
from histbench.records import Plain, read_line, record_events, record_json
from histbench.rows import Row, RowHead
from strategies import event_lists, layouts, lines, rows


def coalesced(stored):
    """The canonical records of stored lines."""
    coalescer = Coalescer()
    for line in stored:
        coalescer.add(read_line(line), line)
    return coalescer.finish()


@given(st.data(), event_lists())
def test_every_layout_gives_the_canonical_records(data, events):
    """What the oracle packs from the logical events, wherever the rows were cut."""
    stored = data.draw(lines(events))
    records = coalesced(stored)

    assert same([decode(record_json(record)) for record in records], oracle.pack(events))


@given(st.data(), event_lists())
def test_what_cannot_change_is_given_early(data, events):
    """`take` between any two records loses nothing and doubles nothing."""
    coalescer = Coalescer()
    records = []
    for line in data.draw(lines(events)):
        coalescer.extend([read_line(line)])
        if data.draw(st.booleans()):
            records.extend(coalescer.take())
    records += coalescer.finish()

    assert same([decode(record_json(record)) for record in records], oracle.pack(events))
    assert coalescer.finish() == []


@given(event_lists(), st.data())
def test_canonical_records_stay_as_they_are(events, data):
    """Coalescing twice is coalescing once, also over its own records."""
    once = coalesced(data.draw(lines(events)))
    coalescer = Coalescer()
    coalescer.extend(once)

    assert coalescer.finish() == once


@given(rows())
def test_members_of_a_row_are_its_events(value):
    """As ordinary records, in their written form."""
    row = check_row(value, KIND_BY_TAG[value["type"]])
    members = plain_members(row)

    assert [encode(event) for event in row.events()] == [record.raw for record in members]
    assert [record.time for record in members] == row.times()
    assert all(type(record) is Plain for record in members)


def piece(first, count, *, seq0=0, time0=10):
    """The line of a row."""
    texts = [f"t{k}" for k in range(first, first + count)]
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (count - 1), "texts": texts}
    return encode(
        {"type": "text-chunks", "seq0": seq0 + first, "time0": time0 + first, "data": data}
    )


@pytest.mark.parametrize("sizes", [(3, 3), (1, 1, 1), (2, 1), (1, 2, 4), (1000, 1, 1, 1000)])
def test_pieces_are_joined_at_the_seam(sizes):
    """No text is read; gaps are added up only where two pieces meet."""
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    stored = [piece(first, count) for first, count in zip(starts, sizes, strict=True)]
    with counted_calls(Row.text_list, RowHead.events) as calls:
        records = coalesced(stored)

    assert [record_json(record) for record in records] == [piece(0, sum(sizes))]
    assert not calls


@pytest.mark.parametrize("sizes", [(1,), (2,), (1, 1)])
def test_too_few_members_become_events(sizes):
    """A row of one or two is read, but is no canonical record."""
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    records = coalesced([piece(first, n) for first, n in zip(starts, sizes, strict=True)])
    events = [event for record in records for event in record_events(record)]

    assert [type(record) for record in records] == [Plain] * sum(sizes)
    assert same(events, oracle.decode(decode(piece(0, sum(sizes)))))


def test_single_deltas_keep_their_text():
    """A run too short for a row is stored as it came, with its own white space."""
    line = encode(oracle.decode(decode(piece(0, 1)))[0])
    spaced = line.replace(b":", b" : ")

    assert [record_json(record) for record in coalesced([spaced])] == [spaced]


def test_the_distance_between_pieces_must_be_a_safe_integer():
    """Otherwise they are two rows, as the codec would pack them."""
    first, second = piece(0, 3, time0=-(2**53) + 1), piece(3, 3)

    assert [record_json(record) for record in coalesced([first, second])] == [first, second]


@given(st.data(), event_lists(spoiled=False, max_pieces=3, max_run=12))
def test_values_and_lines_coalesce_alike(data, events):
    """A stored value is as good as its text."""
    values = data.draw(layouts(events))
    coalescer = Coalescer()
    coalescer.extend(read_line(encode(value)) for value in values)

    assert same([decode(record_json(r)) for r in coalescer.finish()], oracle.pack(events))
