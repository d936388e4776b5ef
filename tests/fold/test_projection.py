"""The lossy projection: which deltas it keeps, and that it keeps all else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from checks import same
from histbench.fold import project_completed_steps, project_records
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import read_line, record_events
from strategies import event_lists, lines


def delta(seq, text, *, step=1, kind="text", **more):
    """A delta of a step."""
    chunk = {"type": f"{kind}-delta", "index": 0, "text": text}
    if kind == "tool-call":
        chunk = {"type": "tool-call-delta", "index": 0, "id": "c", **more, "argumentsDelta": text}
    data = {"turn": 1, "step": step, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": 7, "data": data}


def message(seq, *, step=1, surface="append", said="hi"):
    """The message that completes a step."""
    data = {"turn": 1, "step": step, "message": {"content": said}}
    return {
        "type": "assistant/message",
        "seq": seq,
        "time": 7,
        "data": data,
        "sourceEventSeqs": [0, 1],
        "surfaceOp": surface,
    }


@given(event_lists(max_pieces=8))
def test_the_oracle_keeps_the_same_events(events):
    """Of a completed step's deltas the first with a token; everything else, without provenance."""
    assert same(project_completed_steps(events), oracle.project(events))


@given(st.data(), event_lists(max_pieces=8))
def test_rows_are_projected_as_their_members(data, events):
    """Whatever layout the log came in."""
    stored = [read_line(line) for line in data.draw(lines(events))]
    for records in (stored, EventLog.from_events(events).records()):
        kept = [event for record in project_records(records) for event in record_events(record)]
        assert same(kept, oracle.project(events))


@given(event_lists())
def test_what_is_projected_has_nothing_left_to_project(events):
    """Twice is once."""
    once = project_completed_steps(events)

    assert same(project_completed_steps(once), once)


def test_a_completed_step_keeps_its_first_token():
    """Empty deltas before it are no tokens, and the message stands for the rest."""
    events = [delta(0, ""), *(delta(k, f"t{k}") for k in range(1, 6)), message(6)]
    kept = project_completed_steps(events)

    assert [event["seq"] for event in kept] == [1, 6]
    assert "sourceEventSeqs" not in kept[1]


def test_a_step_without_its_message_keeps_everything():
    """Interrupted or still running: the deltas are all there is."""
    running = [delta(k, "x", step=2) for k in range(4)]

    assert project_completed_steps(running) == running
    for op in ({"op": "replace", "start": 0, "end": 1}, None):
        events = [*running, message(4, step=2, surface=op)]
        assert len(project_completed_steps(events)) == 5


def test_a_named_call_is_a_token():
    """A name says something before the first argument does."""
    named = [delta(k, "", kind="tool-call", name="w") for k in range(3)]
    nameless = [delta(k, "", kind="tool-call") for k in range(3)]

    assert [e["seq"] for e in project_completed_steps([*named, message(3)])] == [0, 3]
    assert [e["seq"] for e in project_completed_steps([*nameless, message(3)])] == [3]


@pytest.mark.parametrize("said", ["\ud83d", [[[[]]]], 1.0])
def test_a_message_completes_its_step_whatever_it_says(said):
    """Half of a pair in a text that was cut short is no reason to keep every token."""
    events = [*(delta(k, "x") for k in range(4)), message(4, said=said)]
    records = [read_line(encode(event)) for event in events]

    assert [e["seq"] for e in project_completed_steps(events)] == [0, 4]
    assert [record.seq for record in project_records(records)] == [0, 4]


@pytest.mark.parametrize("data", [None, {}, {"turn": 1}, {"turn": True, "step": 1}])
def test_a_message_that_names_no_step_completes_none(data):
    """Nothing is thrown away on a guess."""
    events = [*(delta(k, "x") for k in range(3)), {**message(3), "data": data}]

    assert len(project_completed_steps(events)) == 4
