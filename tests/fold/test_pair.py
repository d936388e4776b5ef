"""The benchmark's fold: the same state from events, rows, pages and compact inputs, in linear time."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from checks import counted_calls
from histbench.fold import compact_inputs, fold_pair
from histbench.history import FORMS, decode_page, encode_page, whole_page
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import read_line
from histbench.rows import Row
from strategies import event_lists, lines, logs

LOSSLESS = [form.name for form in FORMS.values() if form.lossless]


def as_oracle(steps):
    """A consumer's steps in the oracle's shape, in order."""
    return [
        (
            (step.turn, step.step),
            {
                "blocks": step.blocks,
                "count": step.delta_count,
                "last": step.last_delta_seq,
                "token": step.first_token_time,
                "visible": None
                if step.first_visible_seq is None
                else (step.first_visible_seq, step.first_visible_time),
            },
        )
        for step in steps
    ]


@given(event_lists())
def test_events_fold_as_the_oracle_folds_them(events):
    """One delta at a time, both consumers alike."""
    state = fold_pair(events)

    assert as_oracle(state.chat) == list(oracle.fold(events).items())
    assert state.chat == state.trajectory


@given(st.data(), event_lists())
def test_every_layout_folds_alike(data, events):
    """Rows whole, cut, of one member, or events: read from lines in any spelling."""
    expected = fold_pair(events)
    records = [read_line(line) for line in data.draw(lines(events))]

    assert fold_pair(records) == expected
    assert fold_pair(EventLog.from_events(events).records()) == expected
    assert fold_pair(iter(records)) == expected


@given(st.data(), event_lists())
def test_compact_inputs_fold_as_exact_ones_without_counts(data, events):
    """Content, first token and first visible member survive; how many deltas there were does not."""
    expected = fold_pair(events).without_counts()
    records = [read_line(line) for line in data.draw(lines(events))]

    assert fold_pair(compact_inputs(records)).without_counts() == expected
    assert fold_pair(compact_inputs(EventLog.from_events(events).records())).without_counts() == (
        expected
    )


@pytest.mark.parametrize("form", LOSSLESS)
@given(events=logs())
def test_every_lossless_page_folds_alike(form, events):
    """What a client was sent makes no difference to what it shows."""
    page = decode_page(encode_page(whole_page(EventLog.from_events(events)), form), form)
    expected = fold_pair(events)

    assert fold_pair(page.records) == expected
    assert fold_pair(compact_inputs(page.records)).without_counts() == expected.without_counts()


@given(event_lists())
def test_folding_changes_nothing(events):
    """Events are read only."""
    before = copy.deepcopy(events)
    fold_pair(events)

    assert events == before


def test_counts_are_unknown_after_a_compact_input():
    """And known as long as there was none."""
    events = [_delta(seq, "a") for seq in range(4)]
    records = EventLog.from_events(events).records()
    exact, compact = fold_pair(records), fold_pair(compact_inputs(records))

    assert (exact.chat[0].delta_count, exact.chat[0].last_delta_seq) == (4, 3)
    assert (compact.chat[0].delta_count, compact.chat[0].last_delta_seq) == (None, None)
    assert exact != compact
    assert exact.without_counts() == compact


def test_an_input_without_a_token_is_no_first_token():
    """A row of empty texts is dated too, but nothing was said in it."""
    events = [_delta(k, "") for k in range(3)] + [_delta(k, "a", index=1) for k in range(3, 6)]
    inputs = compact_inputs(EventLog.from_events(events).records())
    (step,) = fold_pair(inputs).chat

    assert [given.text for given in inputs] == ["", "aaa"]
    assert step.first_token_time == step.first_visible_time == 30


def _delta(seq, text, *, index=0):
    chunk = {"type": "text-delta", "index": index, "text": text}
    data = {"turn": 1, "step": 1, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": seq * 10, "data": data}


@pytest.mark.parametrize(
    "data",
    [
        *(None, [], {}, {"turn": 1}, {"turn": True, "step": 1}, {"turn": "1", "step": 1}),
        *({"turn": 1, "step": None}, {"turn": 1, "step": [[]]}),
    ],
)
def test_a_step_that_names_no_step_begins_none(data):
    """As an event and as a record."""
    event = {"type": "step/start", "seq": 0, "time": 0, "data": data}

    assert fold_pair([event]).chat == fold_pair([read_line(encode(event))]).chat == ()


@pytest.mark.parametrize("more", [{}, {"said": "\ud83d"}, {"said": [[[]]] * 3}, {"turn": 1.0}])
def test_a_step_begins_whatever_else_its_event_says(more):
    """Half of a pair in some field is no reason to overlook it."""
    event = {"type": "step/start", "seq": 0, "time": 0, "data": {"turn": 1, "step": 2, **more}}
    for inputs in ([event], [read_line(encode(event))]):
        (step,) = fold_pair(inputs).chat
        assert (step.turn, step.step, step.blocks) == (1, 2, {})


def whitespace_row(members):
    """A stored row, all blank but for its last member, in which nothing can be counted early."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (members - 1)}
    data["texts"] = [" "] * (members - 1) + ["x"]
    return read_line(encode({"type": "text-chunks", "seq0": 0, "time0": 0, "data": data}))


@pytest.mark.parametrize("prepare", [list, compact_inputs])
def test_a_blank_prefix_folds_in_proportion_to_its_length(prepare):
    """Twice the members, twice the calls: no member is looked at again for another's sake."""
    counts = []
    for members in (10_000, 20_000, 40_000):
        row = whitespace_row(members)
        with counted_calls() as calls:
            state = fold_pair(prepare([row]))
        assert state.chat[0].first_visible_time == members - 1
        counts.append(calls["calls"])

    assert counts[1] < 2.1 * counts[0]
    assert counts[2] < 2.1 * counts[1]


def test_events_fold_in_proportion_to_their_number():
    """Also one by one: texts are joined once, at the end."""
    counts = []
    for members in (1000, 2000, 4000):
        events = [_delta(seq, " ") for seq in range(members)]
        with counted_calls() as calls:
            fold_pair(events)
        counts.append(calls["calls"])

    assert counts[1] < 2.1 * counts[0]
    assert counts[2] < 2.1 * counts[1]


def test_a_row_s_columns_are_read_a_fixed_number_of_times():
    """However many members it has, and for both consumers."""
    row = whitespace_row(5000)
    with counted_calls(Row.text_list, Row.gap_list, Row.text) as calls:
        fold_pair([row])

    assert calls["Row.text_list"] <= 4
    assert calls["Row.gap_list"] <= 2
    assert calls["Row.text"] <= 2
