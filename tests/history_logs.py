"""Small session logs for the laws of history pages, and every layout that they can be stored in.

A log is drawn as a list of parts (a run of deltas, a message, an ordinary event) and becomes dense
events.  Messages name sources anywhere before them, now and then in ways that a page must ignore.
"""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from histbench.codec import pack_chunk_runs
from histbench.jsontext import encode
from histbench.log import EventLog, LogBuilder

Event = dict[str, Any]

TEXTS = ["", " ", "a", "né", '"', "\\", ",", "two words", "\n", '","', "𝄞", "\ufeff", "0" * 40]


@st.composite
def runs(draw: st.DrawFn) -> list[Event]:
    """The deltas of one block, without stamps."""
    kind = draw(st.sampled_from(["text-delta", "reasoning-delta", "tool-call-delta"]))
    base: Event = {"type": kind, "index": draw(st.integers(0, 2))}
    if kind == "tool-call-delta":
        base["id"] = draw(st.sampled_from(["", "call-1", "call-2"]))
        if draw(st.booleans()):
            base["name"] = draw(st.sampled_from(["", "read"]))
    key = "argumentsDelta" if kind == "tool-call-delta" else "text"
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=9))
    return [{"type": "assistant/chunk", "chunk": {**base, key: text}} for text in texts]


CHUNKS = st.one_of(
    st.builds(
        lambda index, kind: {"type": "block-start", "index": index, "blockType": kind},
        st.integers(0, 2),
        st.sampled_from(["text", "reasoning", "tool-call", "image"]),
    ),
    st.builds(
        lambda index, block: {"type": "block-end", "index": index, "block": block},
        st.integers(0, 2),
        st.sampled_from(
            [
                {"type": "text", "text": "done"},
                {"type": "reasoning", "text": " "},
                {"type": "tool-call", "id": "call-1", "name": "read", "arguments": "{}"},
                {"type": "image", "source": "x"},
            ]
        ),
    ),
    st.just({"type": "usage", "usage": {"inputTokens": 3, "outputTokens": 4}}),
    st.just({"type": "finish", "reason": {"kind": "stop"}}),
)
CONTENTS = st.lists(
    st.sampled_from([{"type": "text", "text": "answer"}, {"type": "text", "text": ""}]), max_size=2
)
OPERATIONS = st.sampled_from(
    ["append", "append", "append", {"op": "replace", "start": 0, "end": 1}]
)

ORDINARY = st.one_of(
    st.builds(lambda chunk: {"type": "assistant/chunk", "chunk": chunk}, CHUNKS),
    st.sampled_from(
        [
            {"type": "turn/start"},
            {"type": "step/start"},
            {"type": "step/end"},
            {"type": "turn/end"},
            {"type": "llm/retry"},
            {"type": "benchmark/separator", "ignorable": True},
        ]
    ),
    st.builds(
        lambda kind, operation, back, content: {
            "type": kind,
            "surfaceOp": operation,
            "back": back,
            "content": content,
        },
        st.sampled_from(["user/message", "assistant/message", "tool/result"]),
        OPERATIONS,
        st.none() | st.lists(st.integers(-3, 30), max_size=3),
        CONTENTS,
    ),
)


def stamped(part: Event, seq: int, time: int, turn: int, step: int) -> Event:
    """A part as an event of the log, keys in the order the format writes them."""
    data: Event = {"turn": turn, "step": step}
    if part["type"] == "assistant/chunk":
        data["chunk"] = part["chunk"]
    event: Event = {"type": part["type"], "seq": seq, "time": time, "data": data}
    if "ignorable" in part:
        event["ignorable"] = True
    if "surfaceOp" in part:
        data["message"] = {"role": "assistant", "content": part["content"]}
        if part["back"] is not None:
            event["sourceEventSeqs"] = [seq - back for back in part["back"]]
        event["surfaceOp"] = part["surfaceOp"]
    return event


@st.composite
def event_logs(draw: st.DrawFn, *, max_parts: int = 14) -> list[Event]:
    """The events of one log, dense from 0 or from some other seq."""
    parts = draw(st.lists(runs() | ORDINARY.map(lambda part: [part]), max_size=max_parts))
    seq = draw(st.sampled_from([0, 0, 0, 7, 95, 2**40]))
    time = draw(st.sampled_from([0, -5, 99_990, 1_700_000_000_000]))
    turn, step = 1, 1
    events = []
    for part in parts:
        for each in part:
            if each["type"] == "turn/start":
                turn, step = turn + 1, 1
            elif each["type"] == "step/start":
                step += 1
            events.append(stamped(each, seq, time, turn, step))
            seq += 1
            time += draw(st.sampled_from([0, 1, 5, 120, -7, 10**9]))
    return events


def layouts(events: list[Event]) -> Iterator[EventLog]:
    """The log of these events from every way of storing them."""
    yield EventLog.from_events(events)
    yield EventLog.from_records(pack_chunk_runs(events))
    for batch in (2, 5):
        batches = [events[start : start + batch] for start in range(0, len(events), batch)]
        yield EventLog.from_records(r for each in batches for r in pack_chunk_runs(each))
    half = len(events) // 2
    yield EventLog.from_records([*pack_chunk_runs(events[:half]), *events[half:]])
    builder = LogBuilder()
    for event in events:
        builder.add_line(encode(event))
    yield builder.build()
