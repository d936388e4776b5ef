"""A session log as a transcript: one chain, each event once, the same however the log comes in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import InvalidLog
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import read_value
from histbench.store.reading import read_log
from histbench.transcript.replay import replay_updates
from histbench.transcript.session_log import LogRecords, records_of_log
from replay_records import check_updates, texts_of
from strategies import logs
from synthetic import generate, session_header

# Whole logs take long to draw.
few = settings(max_examples=50)


def made(events, **options):
    """The records of these events as a log, complete or not."""
    records = LogRecords("s", **options)
    return [*records.add(EventLog.from_events(events).records()), *records.tail()]


def event(seq, kind, data, **fields):
    """One event at second `seq`."""
    return {"type": kind, "seq": seq, "time": 1000 * seq, "data": data, **fields}


def chunk(seq, kind, step=1, index=0, **fields):
    """One chunk of a step."""
    data = {"turn": 1, "step": step, "chunk": {"type": kind, "index": index, **fields}}
    return event(seq, "assistant/chunk", data)


def text(seq, word, **where):
    """One delta of a text."""
    return chunk(seq, "text-delta", text=word, **where)


def answer(seq, *blocks, step=1, **fields):
    """The message that ends a step's stream."""
    data = {"turn": 1, "step": step, "message": {"role": "assistant", "content": blocks}, **fields}
    return event(seq, "assistant/message", data, surfaceOp="append")


def said(records):
    """Each record's id and, where it is an answer, its parts."""
    return [
        (each.record.record_id, each.record.value.get("message", {}).get("parts"))
        for each in records
    ]


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
            start = records.resume_seq - events[0]["seq"]
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


def test_a_retry_discards_what_was_streamed():
    """As it does for whoever watches; the record of the retry says that there was something."""
    retry = event(2, "llm/retry", {"turn": 1, "step": 1})
    found = made([text(1, "a"), retry, text(3, "b")])

    assert said(found) == [("seq:2", None), ("seq:3", [{"text": "b"}])]


def test_only_the_users_own_messages_begin_turns():
    """What a program put in their place continues one, and tells its source."""
    source = {"kind": "plugin", "plugin": "p"}
    content = [{"type": "text", "text": "hi"}]
    messages = [
        event(0, "user/message", {"content": content, "source": {"kind": "user"}}),
        event(1, "user/message", {"content": content, "source": source}),
        event(2, "user/message", {"content": "hi"}, surfaceOp={"op": "replace"}),
        event(3, "user/message", {"content": " "}),
    ]
    heads = [each.head for each in made(messages)]

    assert [head.turn_start for head in heads] == [True, False, False, True]
    assert [head.navigation for head in heads] == ["prompt", None, None, None]
    assert [(head.type, head.subtype) for head in heads] == [
        ("user", None),
        ("user", "injected"),
        ("system", "user/message"),
        ("user", None),
    ]


def test_a_message_may_be_written_in_the_oldest_way():
    """Its content a string, or in the event itself; the model is told where it is known."""
    source = {"kind": "model", "model": "m"}
    old = event(0, "user/message", {"content": "hi"})
    bare = event(1, "assistant/message", {"content": [{"type": "text", "text": "a"}, 7]})
    named = answer(2, source=source)
    named["data"]["message"]["source"] = source
    found = made([old, bare, named, event(3, "tool/result", {"message": {"content": 1}})])

    assert said(found) == [
        ("seq:0", [{"text": "hi"}]),
        ("seq:1", [{"text": "a"}, 7]),
        ("seq:2", []),
        ("seq:3", []),
    ]
    assert [each.record.value.get("model") for each in found] == [None, None, "m", None]


def test_arguments_that_were_cut_stay_a_text():
    """As does whatever else is no JSON, or no text."""
    blocks = [{"type": "tool-call", "id": "c", "name": "read", "arguments": a} for a in ('{"a', 1)]
    (found,) = made([answer(0, *blocks)])
    parts = found.record.value["message"]["parts"]

    assert [part["functionCall"]["args"] for part in parts] == ['{"a', 1]


def test_results_say_how_the_call_went():
    """In the shape of today and in the flat one; images are told by where they lie."""
    image = {"type": "image", "attachment": {"attachmentId": "sha256:0", "mediaType": "image/png"}}
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, image]
    result = {"type": "tool-result", "toolCallId": "c", "content": blocks, "isError": False}
    flat = {"callId": "c", "content": "no", "isError": True}
    today, legacy = made(
        [
            event(0, "tool/result", {"message": {"content": [result]}}, surfaceOp="append"),
            event(1, "tool/result", flat),
        ]
    )

    assert today.head.tool_result
    assert today.record.value["toolCallResult"] == {"callId": "c", "status": "success"}
    assert today.record.value["message"]["parts"] == [
        {"functionResponse": {"id": "c", "response": {"output": "a\nb"}}},
        {"fileData": {"fileUri": "attachment:sha256:0", "mimeType": "image/png"}},
    ]
    assert legacy.record.value["toolCallResult"]["status"] == "error"
    assert legacy.record.value["message"]["parts"] == [
        {"functionResponse": {"id": "c", "response": {"error": "no"}}}
    ]


def test_times_are_texts_as_javascript_prints_them():
    """UTC, with three digits; a time past every calendar is none."""
    found = made([event(0, "note", {}) | {"time": time} for time in (1_700_000_000_005,)])
    never = made([event(0, "note", {}) | {"time": 2**53 - 1}])

    assert found[0].record.timestamp == "2023-11-14T22:13:20.005Z"
    assert never[0].record.timestamp is None


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
