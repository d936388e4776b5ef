"""Compact inputs: at most two per row, and what they keep of its content and its clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from checks import counted_calls
from histbench.codec import check_row
from histbench.events import KIND_BY_TAG
from histbench.fold.compact import CompactInput, compact_inputs, compact_row
from histbench.log import EventLog
from histbench.records import Plain
from histbench.rows import Row, RowHead
from strategies import event_lists, rows

TICK = 10


def row(*texts, tag="text-chunks", **call):
    """A row of these texts, a tick apart, as the reader of a stored line gives it."""
    column = "args" if tag == "tool-call-chunks" else "texts"
    data = {"turn": 1, "step": 1, "index": 0, "dt": [TICK] * (len(texts) - 1)}
    value = {"type": tag, "seq0": 100, "time0": 0, "data": {**data, **call, column: list(texts)}}
    return Row.of(check_row(value, KIND_BY_TAG[tag]))


def call(*texts, **more):
    """A row of a tool call."""
    return row(*texts, tag="tool-call-chunks", id="c", **more)


@pytest.mark.parametrize(
    ("given_row", "expected"),
    [
        (row("a", "b", "c"), [(0, "abc")]),
        (row("", "", ""), [(0, "")]),
        (row("", "a", "b"), [(1, "ab")]),
        (row(" ", "\n", " "), [(0, " \n ")]),
        (row("", " ", ""), [(1, " ")]),
        (row(" ", "a", "b"), [(0, " "), (1, "ab")]),
        (row("", " ", "", "a", " "), [(1, " "), (3, "a ")]),
        (row("\ufeff", "\x85", "a"), [(0, "\ufeff"), (1, "\x85a")]),
        (row("\ud83d", "\ude00", ""), [(0, "\U0001f600")]),
        (row(" ", "\ud83d", "\ude00"), [(0, " "), (1, "\U0001f600")]),
        (call("", "", ""), [(0, "")]),
        (call("", "{", "}"), [(1, "{}")]),
        (call(" ", "{", "}"), [(0, " {}")]),
        (call("", "{", "}", name="w"), [(0, "{}")]),
        (call("", "", "", name=""), [(0, "")]),
        (row("x"), [(0, "x")]),
    ],
)
def test_a_row_becomes_one_or_two_inputs(given_row, expected):
    """Dated by the member that carries the first token and by the first that is visible."""
    inputs = compact_row(given_row)

    assert [((i.seq - 100), i.text) for i in inputs] == expected
    assert [i.time for i in inputs] == [member * TICK for member, _ in expected]
    assert {(i.kind, i.call_id, i.name, i.index) for i in inputs} == {
        (given_row.kind, given_row.call_id, given_row.name, given_row.index)
    }


@given(rows(max_members=8))
def test_no_text_is_lost_and_no_input_added(value):
    """One input or two, whose texts make the row's, dated by two of its members."""
    events = oracle.decode(value)
    given_row = check_row(value, KIND_BY_TAG[value["type"]])
    inputs = compact_row(given_row)
    moments = {(event["seq"], event["time"]) for event in events}

    assert len(inputs) in (1, 2)
    assert oracle.joined([i.text for i in inputs]) == given_row.text()
    assert all((i.seq, i.time) in moments for i in inputs)
    assert compact_row(Row.of(given_row)) == inputs


@given(event_lists())
def test_ordinary_records_pass_through(events):
    """The very same, in order, with the rows' inputs in their places."""
    records = EventLog.from_events(events).records()
    inputs = compact_inputs(records)
    plain = [record for record in records if isinstance(record, Plain)]

    assert [i for i in inputs if isinstance(i, Plain)] == plain
    assert all(left is right for left, right in zip(plain, _plain(inputs), strict=True))
    assert sum(isinstance(i, CompactInput) for i in inputs) <= 2 * (len(records) - len(plain))


def _plain(inputs):
    return [i for i in inputs if isinstance(i, Plain)]


def test_a_row_that_begins_visibly_is_read_as_one_text():
    """No list of texts, no list of times, no event: what most rows are costs the least."""
    given_row = row(*(f"word {k}" for k in range(1000)))
    with counted_calls(Row.text_list, Row.gap_list, RowHead.events) as calls:
        (only,) = compact_row(given_row)

    assert only.text.endswith("word 999")
    assert not calls


@pytest.mark.parametrize("blanks", [0, 1, 500])
@given(texts=st.lists(st.sampled_from(["", " ", "a"]), min_size=1, max_size=5))
def test_a_blank_prefix_is_looked_at_once(blanks, texts):
    """However long it is, the columns are read a fixed number of times."""
    given_row = row(*([" "] * blanks), *texts)
    with counted_calls(Row.text_list, Row.gap_list) as calls:
        compact_row(given_row)

    assert calls["Row.text_list"] <= 4
    assert calls["Row.gap_list"] <= 2
