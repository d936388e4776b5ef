"""Crash closers: what an interrupted turn leaves open, and nothing else, is closed."""

from hypothesis import given
from hypothesis import strategies as st

from histbench.store.closers import TurnTracker
from store_logs import assistant_message, delta, note


def event(kind, seq, **data):
    """An event of a turn, step or tool."""
    return {"type": kind, "seq": seq, "time": 7, "data": data}


def asking(seq, *call_ids, step=1, **more):
    """An assistant message that asks for tool calls."""
    message = assistant_message(seq, [], **more)
    message["data"]["step"] = step
    message["data"]["message"]["content"] = [
        {"type": "tool-call", "id": call_id, "name": "bash", "arguments": "{}"}
        for call_id in call_ids
    ]
    return message


def result(seq, call_id):
    """The result of a call."""
    source = {"kind": "tool", "callId": call_id}
    return event("tool/result", seq, turn=1, step=1, message={"source": source})


def closers(*events, seq=100, time=55):
    """The closers of a log."""
    tracker = TurnTracker()
    for one in events:
        tracker.feed(one)
    return tracker.closers(seq=seq, time=time)


START = event("turn/start", 0, turn=1)
STEP = event("step/start", 1, turn=1, step=1)


def test_a_balanced_log_gets_none():
    """Nor does one without a turn."""
    end = event("turn/end", 2, turn=1, reason={"kind": "completed"})

    assert closers() == []
    assert closers(note(0)) == []
    assert closers(START, STEP, event("step/end", 2, turn=1, step=1), end) == []


def test_an_open_turn_is_ended_as_interrupted():
    """Continuing the seqs, at the time of the last event."""
    assert closers(START) == [
        {
            "type": "turn/end",
            "seq": 100,
            "time": 55,
            "data": {"turn": 1, "reason": {"kind": "interrupted"}},
        }
    ]


def test_an_open_step_is_ended_first():
    """And a step that was ended is not ended again."""
    assert [one["type"] for one in closers(START, STEP)] == ["step/end", "turn/end"]
    assert closers(START, STEP)[0]["data"] == {"turn": 1, "step": 1}
    ended = event("step/end", 2, turn=1, step=1)
    assert [one["type"] for one in closers(START, STEP, ended)] == ["turn/end"]


def test_pending_calls_get_error_results_in_transcript_order():
    """Started calls have an unknown outcome, the others never started; answered ones are left."""
    call = event("tool/call", 3, turn=1, step=1, callId="b", name="bash", arguments="{}")
    log = [START, STEP, asking(2, "a", "b", "c", "d"), call, result(4, "c"), result(5, "d")]
    first, second, step_end, turn_end = closers(*log)

    assert (first["type"], first["seq"], first["surfaceOp"]) == ("tool/result", 100, "append")
    assert first["data"]["error"] == {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
    assert first["data"]["message"]["id"] == "interrupted-tool-result-a-100"
    assert first["data"]["message"]["source"] == {"kind": "tool", "callId": "a"}
    assert first["data"]["message"]["content"][0]["toolCallId"] == "a"
    assert first["data"]["message"]["content"][0]["isError"] is True
    assert "sourceEventSeqs" not in first
    assert second["data"]["error"]["code"] == "TOOL_OUTCOME_UNKNOWN"
    assert second["data"]["message"]["id"] == "interrupted-tool-result-b-101"
    assert second["sourceEventSeqs"] == [3]
    assert (step_end["type"], step_end["seq"]) == ("step/end", 102)
    assert (turn_end["type"], turn_end["seq"]) == ("turn/end", 103)


def test_calls_of_earlier_turns_and_of_replacement_copies_are_not_asked_for():
    """A compaction copies what was said before."""
    copy = asking(2, "a", surfaceOp={"op": "replace", "start": 0, "end": 1})
    end = event("turn/end", 3, turn=1, reason={"kind": "aborted"})

    assert len(closers(START, copy)) == 1
    assert len(closers(START, asking(2, "a"), end, event("turn/start", 4, turn=2))) == 1


def test_flat_results_of_early_logs_answer_too():
    """They carry the call id in the data itself."""
    flat = event("tool/result", 3, turn=1, step=1, callId="a", content=[], isError=False)

    assert [one["type"] for one in closers(START, asking(2, "a"), flat)] == ["turn/end"]


@st.composite
def turns(draw):
    """Event sequences of turns with tools, cut anywhere."""
    events = []
    for turn in range(draw(st.integers(1, 3))):
        events.append(event("turn/start", len(events), turn=turn))
        for step in range(draw(st.integers(0, 2))):
            events.append(event("step/start", len(events), turn=turn, step=step))
            events.append(delta(len(events)))
            ids = [f"{turn}.{step}.{n}" for n in range(draw(st.integers(0, 2)))]
            events.append(asking(len(events), *ids, step=step))
            for call_id in ids:
                data = {"turn": turn, "step": step, "callId": call_id}
                events.append(event("tool/call", len(events), **data))
                events.append(result(len(events), call_id))
            events.append(event("step/end", len(events), turn=turn, step=step))
        reason = {"kind": "completed"}
        events.append(event("turn/end", len(events), turn=turn, reason=reason))
    return events[: draw(st.integers(0, len(events)))]


@given(turns())
def test_closing_closes_and_is_deterministic(events):
    """A closed log needs no closers, and the same log always gets the same ones."""
    closing = closers(*events, seq=len(events))

    assert closing == closers(*events, seq=len(events))
    assert closers(*events, *closing) == []
    assert [one["seq"] for one in closing] == list(range(len(events), len(events) + len(closing)))
