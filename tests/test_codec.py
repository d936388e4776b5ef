"""The codec: nothing is lost, the oracle agrees, and every rule of the grammar refuses."""

import copy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, check_round_trip, refusal_of_row, same
from histbench.codec import MIN_RUN, decode_storage_record, pack_chunk_runs
from histbench.errors import InvalidRow
from strategies import any_records, event_lists, json_values, near_rows, rows

MAX = 2**53 - 1


def delta(seq, text="a", *, time=7, kind="text", **more):
    """A packable delta."""
    chunk = {"type": f"{kind}-delta", "index": 0, "text": text}
    if kind == "tool-call":
        chunk = {"type": "tool-call-delta", "index": 0, "id": "c", "argumentsDelta": text}
    chunk |= more
    return {
        "type": "assistant/chunk",
        "seq": seq,
        "time": time,
        "data": {"turn": 1, "step": 1, "chunk": chunk},
    }


def row(*texts, tag="text-chunks", **more):
    """The stored value of a row."""
    column = "args" if tag == "tool-call-chunks" else "texts"
    data = {"turn": 1, "step": 1, "index": 0, "dt": [0] * (len(texts) - 1), column: list(texts)}
    if tag == "tool-call-chunks":
        data["id"] = "c"
    return {"type": tag, "seq0": 0, "time0": 1, "data": data | more}


@given(st.one_of(event_lists(), event_lists(max_run=12, max_pieces=3)))
def test_packing_loses_nothing(events):
    """decode(pack(events)) == events, the oracle packs alike, and packing twice is packing once."""
    check_round_trip(events)


@given(st.lists(json_values, max_size=5))
def test_anything_else_passes_through(values):
    """A value that is no event is no packable delta either; the very objects come out."""
    packed = pack_chunk_runs(values)

    assert len(packed) == len(values)
    assert all(left is right for left, right in zip(packed, values, strict=True))


@given(event_lists())
def test_packing_changes_no_event(events):
    """Pure: what was passed in is as it was."""
    before = copy.deepcopy(events)
    pack_chunk_runs(events)

    assert same(events, before)


@given(event_lists(spoiled=False))
def test_events_are_packed_from_any_iterable(events):
    """A stream is read once."""
    assert pack_chunk_runs(iter(events)) == pack_chunk_runs(events)


@given(any_records)
def test_reading_a_stored_value_agrees_with_the_oracle(value):
    """The same events, or the same first broken rule."""
    broken = refusal_of_row(value)
    if broken is None:
        assert same(decode_storage_record(value), oracle.decode(value))
    else:
        error = check_refused(broken, decode_storage_record, value)
        assert isinstance(error, InvalidRow)


@given(near_rows())
@example(row("a", "b") | {"seq0": MAX})
@example(row("a", "b") | {"seq0": MAX - 1})
@example(row("a", dt=[2**53]))
@example(row("a", turn=10**400))
@example(row("a", turn=2**53 + 1))
def test_nearly_rows_are_judged_by_the_first_rule_they_break(value):
    """In the original's order, so that two faults give the first one's code."""
    test_reading_a_stored_value_agrees_with_the_oracle.hypothesis.inner_test(value)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("kind", ["text", "reasoning", "tool-call"])
def test_runs_of_three_become_rows(length, kind):
    """Two stay verbatim: a row would be larger."""
    records = check_round_trip([delta(seq, kind=kind) for seq in range(length)])

    assert len(records) == (1 if length >= MIN_RUN else length)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "note"},
        {"seq": 9},
        {"seq": 2},
        {"seq": -1},
        {"seq": True},
        {"time": True},
        {"time": 1.5},
        {"time": 2**53},
        {"time": None},
        {"ignorable": True},
        {"surfaceOp": "append"},
        {"data": None},
        {"data": {"turn": 1, "step": 1, "chunk": None}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": ["text-delta"], "index": 0, "text": "a"}}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": "usage", "usage": {}}}},
        {"data": {"turn": 1, "step": 1, "x": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a"}}},
        {"data": {"turn": True, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a"}}},
        {"data": {"turn": 2, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a"}}},
        {"data": {"turn": 1, "step": 2, "chunk": {"type": "text-delta", "index": 0, "text": "a"}}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 1, "text": "a"}}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": None}}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a", "x": 1}}},
        {"data": {"turn": 1, "step": 1, "chunk": {"type": "reasoning-delta", "index": 0, "text": "a"}}},
    ],
)  # fmt: skip
def test_what_is_no_delta_of_the_run_ends_it(change):
    """The run before it is packed, it stays verbatim, and a new run starts behind."""
    events = [delta(seq) for seq in range(7)]
    events[3] |= change
    records = check_round_trip(events)

    assert [record["type"] for record in records] == [
        "text-chunks",
        events[3]["type"],
        "text-chunks",
    ]
    assert records[1] is events[3]


def test_numbers_mean_what_javascript_means():
    """1.0 continues a run of 1, and is written as 1."""
    events = [delta(0), delta(1.0, time=8.0), delta(2, index=0.0), delta(3, index=-0.0)]
    records = check_round_trip(events)

    assert records == [row("a", "a", "a", "a", dt=[1, -1, 0]) | {"time0": 7}]
    assert type(records[0]["data"]["dt"][0]) is int


def test_the_gap_between_two_members_is_a_safe_integer():
    """Two safe times can lie further apart than that; a sum that rounds is no way back."""
    apart = [delta(0, time=-MAX), delta(1, time=0), delta(2, time=1), delta(3, time=2)]
    further = [delta(0, time=-MAX), *(delta(seq, time=seq) for seq in range(1, 4))]

    assert len(check_round_trip(apart)) == 1
    assert [record["type"] for record in check_round_trip(further)] == [
        "assistant/chunk",
        "text-chunks",
    ]


def test_a_run_ends_at_the_last_safe_seq():
    """There is no next one."""
    events = [delta(seq) for seq in range(MAX - 2, MAX + 1)]

    assert len(check_round_trip(events)) == 1
    assert len(check_round_trip([*events, delta(MAX + 1)])) == 2


@pytest.mark.parametrize("number", [2**53 + 1, 36114457271559548, 10**400, -(2**53) - 1])
def test_numbers_that_a_double_would_change_are_not_packed(number):
    """Their digits are somebody's; a row would keep what JavaScript prints."""
    events = [delta(seq, index=number) for seq in range(3)]

    assert check_round_trip(events) == events


@pytest.mark.parametrize(
    "names", [("w", "w", "w"), ("w", None, "w"), ("w", "x", "w"), (None, None, None), ("", "", "")]
)
def test_a_name_is_part_of_the_block(names):
    """Present and equal on every member, or on none."""
    events = [
        delta(seq, kind="tool-call", **({} if name is None else {"name": name}))
        for seq, name in enumerate(names)
    ]

    assert len(check_round_trip(events)) == (1 if len(set(names)) == 1 else 3)


@pytest.mark.parametrize("name", [None, 7, ["w"]])
def test_a_name_that_is_no_text_is_not_packed(name):
    """Present is not the same as absent."""
    events = [delta(seq, kind="tool-call", name=name) for seq in range(3)]
    mixed = [delta(seq, kind="tool-call") for seq in range(3)]
    mixed[1] = events[1]

    assert check_round_trip(events) == events
    assert check_round_trip(mixed) == mixed


@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("tag", ["text-chunks", "reasoning-chunks", "tool-call-chunks"])
def test_short_rows_are_read(members, tag):
    """Writing has a minimum, reading has none."""
    value = row(*("ab"[:members]), tag=tag)

    assert same(decode_storage_record(value), oracle.decode(value))


REFUSALS = {
    "row_envelope": row("a") | {"x": 1},
    "row_seq0": row("a") | {"seq0": -1},
    "row_time0": row("a") | {"time0": 0.5},
    "row_data": row("a") | {"data": None},
    "row_data_keys": row("a") | {"data": []},
    "row_call_strings": row("a", tag="tool-call-chunks", id=1),
    "row_numbers": row("a", turn=True),
    "row_texts": row(1),
    "row_dt": row("a", dt=[True]),
    "row_dt_length": row("a", dt=[0]),
    "row_seq_range": row("a", "b") | {"seq0": MAX},
    "row_time_range": row("a", "b", dt=[1]) | {"time0": MAX},
}


@pytest.mark.parametrize("code", REFUSALS)
def test_each_rule_refuses_with_its_code(code):
    """All twelve, with the seq of the row where it has one."""
    error = check_refused(code, decode_storage_record, REFUSALS[code])

    assert error.where.seq == (None if code == "row_seq0" else REFUSALS[code]["seq0"])
    assert refusal_of_row(REFUSALS[code]) == code


def test_the_rules_are_tried_in_order():
    """With every fault at once the first is named; mended one by one, the next."""
    faults = {
        "row_envelope": lambda value: value.update(x=1),
        "row_seq0": lambda value: value.update(seq0=None),
        "row_time0": lambda value: value.update(time0=None),
        "row_data_keys": lambda value: value["data"].update(x=1),
        "row_call_strings": lambda value: value["data"].update(id=1),
        "row_numbers": lambda value: value["data"].update(turn=None),
        "row_texts": lambda value: value["data"].update(args=[1]),
        "row_dt": lambda value: value["data"].update(dt=[None]),
    }
    codes = list(faults)
    for first in range(len(codes)):
        value = row("a", tag="tool-call-chunks")
        for code in codes[first:]:
            faults[code](value)
        check_refused(codes[first], decode_storage_record, value)


def test_the_last_safe_seq_ends_a_row():
    """Where the original let one more member through and gave it a seq that is no safe integer."""
    value = row("a", "b") | {"seq0": MAX - 1}

    assert [event["seq"] for event in decode_storage_record(value)] == [MAX - 1, MAX]


def test_a_partial_sum_of_times_must_be_safe():
    """Even if the sum comes back."""
    value = row("a", "b", "c", dt=[1, -1]) | {"time0": MAX}

    check_refused("row_time_range", decode_storage_record, value)


@given(rows())
def test_each_event_is_a_new_one(value):
    """Changing one changes no other, nor the row it came from."""
    before = copy.deepcopy(value)
    for event in decode_storage_record(value):
        event["data"]["chunk"].clear()
        event["data"].clear()
        event.clear()

    assert same(value, before)


@pytest.mark.parametrize("value", [None, [], "text-chunks", 1, {}, {"type": ["text-chunks"]}])
def test_values_that_are_no_row_are_one_event(value):
    """Whatever they are: reading one stored value looks at rows alone."""
    assert decode_storage_record(value) == [value]


def test_keys_that_are_no_strings_are_refused_all_the_same():
    """A value that no JSON text gives, but a caller may."""
    value = row("a")
    value["data"][1] = 2

    check_refused("row_data_keys", decode_storage_record, value)
