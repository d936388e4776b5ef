"""A session log as a transcript: one chain, each event once, the same however the log comes in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import InvalidLog
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import read_value
from histbench.store.closers import TurnTracker
from histbench.store.reading import read_log
from histbench.transcript.replay import replay_updates
from histbench.transcript.session_log import LogRecords, records_of_log
from log_events import answer, chunk, event, made, said, text
from replay_records import check_updates, texts_of
from strategies import logs
from synthetic import generate, session_header

# Whole logs take long to draw.
few = settings(max_examples=50)


@few
@given(logs())
def test_the_records_are_one_chain_in_the_order_of_the_log(events):
    """Ids are seqs and ascend; each record follows the one before and is what it says it is."""
    found = made(events)
    records = [each.record for each in found]
    ids = [record.record_id for record in records]
    seqs = [each.from_seq for each in found]

    assert ids == [f"seq:{seq}" for seq in seqs]
    assert seqs == sorted(set(seqs))
    assert [record.parent_id for record in records] == [None, *ids][: len(ids)]
    for each in found:
        value, record, head = each.record.value, each.record, each.head
        assert (value["uuid"], value["parentUuid"]) == (record.record_id, record.parent_id)
        assert (head.record_id, head.type, head.subtype) == (
            record.record_id,
            record.type,
            record.subtype,
        )
        assert record.source_bytes == sum(map(len, record.raw))
        assert encode(value)


@few
@given(logs())
def test_no_ordinary_event_is_lost_and_none_comes_twice(events):
    """Whatever is no chunk is one record, with the event in it as it was."""
    ordinary = [each for each in events if each["type"] != "assistant/chunk"]
    kept = [each.record.value["event"] for each in made(events)]
    kept = [each for each in kept if each["type"] != "assistant/chunk"]

    assert EventLog.from_events(kept) == EventLog.from_events(ordinary)


@few
@given(logs(), st.lists(st.integers(0, 12), max_size=4), st.booleans())
def test_a_log_that_grows_gives_the_records_of_the_whole(events, sizes, again):
    """Event by event or in batches, in one process or resumed by another."""
    whole = LogRecords("s")
    expected = whole.add(EventLog.from_events(events).records())
    records, found, start = LogRecords("s"), [], 0
    for size in [*sizes, len(events)]:
        batch = EventLog.from_events(events[start : start + size])
        found += records.add(batch.records())
        start += size
        if again and records.resume_seq is not None:
            # An event may spell its seq 0.0.
            start = records.resume_seq - int(events[0]["seq"])
            records = LogRecords("s", last_id=records.last_id)

    compared = [(each.head, each.record.value, each.from_seq, each.to_seq) for each in found]

    assert compared == [
        (each.head, each.record.value, each.from_seq, each.to_seq) for each in expected
    ]
    assert records.last_id == whole.last_id


@few
@given(logs(), st.data())
def test_the_tail_is_what_the_log_would_end_with(events, data):
    """Asking for it changes nothing that comes later."""
    cut = data.draw(st.integers(0, len(events)))
    records = LogRecords("s")
    first = records.add(EventLog.from_events(events[:cut]).records())
    seen = [*first, *records.tail()]
    later = records.add(EventLog.from_events(events[cut:]).records())

    assert [each.record.value for each in seen] == [
        each.record.value for each in made(events[:cut])
    ]
    assert [each.record.value for each in [*first, *later, *records.tail()]] == [
        each.record.value for each in made(events)
    ]


@few
@given(logs())
def test_a_record_is_in_its_own_interval(events):
    """Read alone, the events of a record give it again, but for what it follows."""
    log = EventLog.from_events(events)
    for each in made(events):
        records = LogRecords("s", last_id=each.record.parent_id)
        alone = [*records.add(log.records(each.from_seq, each.to_seq)), *records.tail()]

        assert alone[0].record.value == each.record.value


@few
@given(logs(spoiled=False))
def test_single_deltas_and_rows_give_the_same(events):
    """How a writer packed the log is not seen in its records."""
    singly = LogRecords("s")
    found = [*singly.add(map(read_value, events)), *singly.tail()]

    assert [(each.head, each.record.value) for each in found] == [
        (each.head, each.record.value) for each in made(events)
    ]


def test_a_message_covers_the_deltas_of_its_step():
    """Also when another event came between them."""
    found = made(
        [
            event(0, "step/start", {"turn": 1, "step": 1}),
            chunk(1, "block-start", blockType="text"),
            text(2, "a"),
            event(3, "hook/invoked", {}),
            text(4, "b"),
            chunk(5, "block-end", block={"type": "text", "text": "ab"}),
            answer(6, {"type": "text", "text": "ab"}),
        ]
    )

    assert said(found)[1:] == [("seq:3", None), ("seq:6", [{"text": "ab"}])]


@pytest.mark.parametrize(
    "end",
    [
        event(9, "step/end", {"turn": 1, "step": 1}),
        event(9, "turn/end", {"turn": 1}),
        event(9, "step/start", {"turn": 1, "step": 2}),
        event(9, "turn/start", {"turn": 2}),
    ],
    ids=lambda event: event["type"],
)
def test_a_step_without_a_message_gives_a_record_for_each_block(end):
    """The texts joined, at the place of the first delta, before whatever came between."""
    call = {"id": "c", "argumentsDelta": '{"path'}
    records = LogRecords()
    stream = [
        chunk(1, "reasoning-delta", text="h"),
        event(2, "note", {}),
        chunk(3, "reasoning-delta", text="m"),
        text(4, "a", index=1),
        chunk(5, "tool-call-delta", index=2, name="read", **call),
        text(6, "b", index=1),
        chunk(7, "tool-call-delta", index=2, **call | {"argumentsDelta": '":1}'}),
        chunk(8, "usage", usage={"inputTokens": 2, "cacheReadTokens": 3, "outputTokens": 1}),
    ]
    waiting = records.add(map(read_value, stream))
    found = records.add([read_value(end)])

    assert waiting == []
    assert said(found) == [
        ("seq:1", [{"text": "hm", "thought": True}]),
        ("seq:2", None),
        ("seq:4", [{"text": "ab"}]),
        ("seq:5", [{"functionCall": {"id": "c", "name": "read", "args": {"path": 1}}}]),
        ("seq:8", []),
        ("seq:9", None),
    ]
    assert found[0].to_seq == 4
    assert found[4].record.value["usageMetadata"]["promptTokenCount"] == 5


def test_the_end_of_a_turn_without_steps_ends_nothing():
    """A step of another turn may still get its message."""
    records = LogRecords()
    found = records.add(map(read_value, [event(0, "turn/end", {"turn": 9}), text(1, "a")]))
    later = records.add([read_value(event(2, "turn/end", {"turn": 9}))])

    assert said(found) == [("seq:0", None)]
    assert later == []
    assert records.resume_seq == 1


def test_a_to_do_list_is_shown_once():
    """The log holds it as an event of its own, beside the call that wrote it and its result."""
    call = {"type": "tool-call", "id": "c", "name": "todo_write", "arguments": "{}"}
    result = {"type": "tool-result", "toolCallId": "c", "content": [], "isError": False}
    found = made(
        [
            answer(0, call),
            event(1, "todo/write", {"todos": [{"content": "boil", "status": "pending"}]}),
            event(2, "tool/result", {"message": {"content": [result]}}, surfaceOp="append"),
        ]
    )
    replayed = replay_updates([each.record for each in found], finalize=True, writer_gone=True)

    assert [update["sessionUpdate"] for update in replayed.updates] == ["plan"]
    assert replayed.diagnostics == ()


def test_what_closes_a_crashed_log_is_replayed():
    """The call's result says what is not known, and the text that was streamed is kept."""
    call = {"type": "tool-call", "id": "c", "name": "bash", "arguments": "{}"}
    events = [
        event(0, "turn/start", {"turn": 1}),
        event(1, "step/start", {"turn": 1, "step": 1}),
        answer(2, call),
        event(3, "tool/call", {"turn": 1, "step": 1, "callId": "c", "name": "bash"}),
        text(4, "half", step=2),
    ]
    tracker = TurnTracker()
    for each in events[:4]:
        tracker.feed(each)
    found = made([*events, *tracker.closers(seq=5, time=4000)])
    replayed = replay_updates([each.record for each in found], finalize=True)
    told = [(u["sessionUpdate"], u.get("status")) for u in replayed.updates]

    assert told == [
        ("tool_call", "in_progress"),
        ("agent_message_chunk", None),
        ("tool_call_update", "failed"),
        ("agent_message_chunk", None),
    ]
    assert replayed.updates[-1]["_meta"]["turnEnded"] == {"kind": "interrupted"}
    assert replayed.state.pending_tool_calls == ()


def test_a_retry_discards_what_was_streamed():
    """As it does for whoever watches; the record of the retry says that there was something."""
    retry = event(2, "llm/retry", {"turn": 1, "step": 1})
    found = made([text(1, "a"), retry, text(3, "b")])

    assert said(found) == [("seq:2", None), ("seq:3", [{"text": "b"}])]


def test_a_log_with_a_gap_is_refused():
    """Ids are seqs, so that they must be one for each event."""
    with pytest.raises(InvalidLog) as caught:
        made([event(0, "note", {}), event(2, "note", {})])

    assert caught.value.code == "seq_gap"
    assert caught.value.where.seq == 2


@few
@given(logs(), st.booleans())
def test_any_log_is_replayed(events, gone):
    """The same rules that show chat records show these; nothing in a log makes them raise."""
    records = records_of_log(EventLog.from_events(events))
    replayed = replay_updates(records, finalize=True, writer_gone=gone)
    if "\\ud" not in encode(replayed.updates).decode().lower():
        check_updates(replayed.updates, records)


def test_a_session_is_replayed_whole():
    """Texts, thoughts, calls and results of a session come out as they went in."""
    events = list(generate("quick", 2))
    records = records_of_log(EventLog.from_events(events, header=session_header("quick", 2)))
    replayed = replay_updates(records, finalize=True, writer_gone=True)
    check_updates(replayed.updates, records)
    blocks = [
        block
        for each in events
        if each["type"] == "assistant/message"
        for block in each["data"]["message"]["content"]
    ]
    asked = [each["data"]["content"][0] for each in events if each["type"] == "user/message"]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    kinds = [update["sessionUpdate"] for update in replayed.updates]
    calls = [block for block in blocks if block["type"] == "tool-call"]

    assert records[0].session_id == session_header("quick", 2)["id"]
    assert texts_of(replayed.updates, "user_message_chunk") == "".join(
        block["text"] for block in asked
    )
    assert "".join(texts) in texts_of(replayed.updates, "agent_message_chunk")
    assert kinds.count("tool_call") == kinds.count("tool_call_update")
    assert [update.get("status") for update in replayed.updates].count("completed") == len(calls)
    assert {diagnostic.code for diagnostic in replayed.diagnostics} <= {"missing_tool_result"}


@pytest.mark.slow
def test_recorded_logs_are_replayed(corpus):
    """Every log of the corpus whose seqs are dense gives updates of the published schema."""
    for path in sorted(corpus.glob("dsh-*/*.jsonl")):
        log = read_log(path).renumbered()
        records = records_of_log(log)
        replayed = replay_updates(records, finalize=True, writer_gone=True)

        check_updates(replayed.updates, records)
        assert {diagnostic.code for diagnostic in replayed.diagnostics} <= {"missing_tool_result"}
