"""Recordings that repeat the whole text with every update."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidStream
from histbench.importers import import_events, restore_values
from histbench.jsontext import decode, merge_surrogates, same
from importer_samples import as_lines, as_sse


def opencode(name, text, **more):
    """One update of a part."""
    part = {"id": name, "messageID": "m", "type": "text", "text": text, **more}
    return {"type": "message.part.updated", "properties": {"part": part}}


def langgraph(*messages):
    """One update of messages that are under way, as (id, texts)."""
    return [
        {"type": "ai", "id": name, "content": [{"type": "text", "text": text} for text in texts]}
        for name, texts in messages
    ]


def deltas_of(events):
    """The deltas' texts by block."""
    texts = {}
    for event in events:
        if event["type"] == "assistant/chunk" and event["data"]["chunk"]["type"] == "text-delta":
            data = event["data"]
            key = (data["step"], data["chunk"]["index"])
            texts.setdefault(key, []).append(data["chunk"]["text"])
    return list(texts.values())


@given(parts=st.lists(st.text(max_size=5), min_size=1, max_size=12))
def test_deltas_are_what_snapshots_add(parts):
    """Whatever grows: the deltas come to the last snapshot, and every snapshot comes back."""
    whole = [merge_surrogates("".join(parts[: end + 1])) for end in range(len(parts))]
    values = [opencode("p", text) for text in whole]
    events = list(import_events(io.BytesIO(as_lines(values))))
    (deltas,) = deltas_of(events) or [[]]

    assert "".join(deltas) == whole[-1]
    assert "" not in deltas
    assert same([each["value"] for each in restore_values(events)], values)


@given(
    order=st.lists(st.sampled_from("ab"), min_size=1, max_size=12),
    surrogate=st.booleans(),
)
def test_parts_that_take_turns_grow_apart(order, surrogate):
    """Each part extends itself, not whatever came before; halves of characters wait for the rest."""
    texts = {"a": "", "b": ""}
    values = []
    for name in order:
        texts[name] += "\U0001f350" if surrogate else "x"
        values.append(opencode(name, texts[name][:-1] + "\ud83c"))
        values.append(opencode(name, texts[name]))
    events = list(import_events(io.BytesIO(as_lines(values)), "opencode"))
    values = [decode(json.dumps(value)) for value in values]

    if surrogate:
        assert sorted("".join(deltas) for deltas in deltas_of(events)) == sorted(
            text for text in texts.values() if text
        )
    assert same([each["value"] for each in restore_values(events)], values)


def test_messages_side_by_side():
    """One update may hold several messages, and several texts of each."""
    values = [
        langgraph(("m", ["a"])),
        langgraph(("m", ["ab", "x"]), ("n", ["1"])),
        langgraph(("m", ["ab", "xy"]), ("n", ["12"])),
    ]
    events = list(import_events(io.BytesIO(as_sse(values, ["messages/partial"] * 3))))
    back = [each["value"] for each in restore_values(events) if "value" in each]

    assert deltas_of(events) == [["a", "b"], ["x", "y"], ["1", "2"]]
    assert same(back, values)


@pytest.mark.parametrize("text", ["ab", "abd", "", "xabc", "abC"])
def test_what_is_no_extension_is_refused(text):
    """Shorter, changed or begun anew: the place and the difference are told, nothing is chosen."""
    values = [opencode("p", "abc"), opencode("p", text)]
    with pytest.raises(InvalidStream) as caught:
        list(import_events(io.BytesIO(as_lines(values))))

    assert caught.value.code == "snapshot_not_extension"
    assert caught.value.where.line == 2
    assert caught.value.where.record == "p"
    assert "abc" in caught.value.expected


def test_a_block_that_ends_and_grows_ends_again():
    """A part that was given an end and then goes on is one block with two ends."""
    values = [opencode("p", "a", time={"end": 5}), opencode("p", "ab", time={"end": 9})]
    source = import_events(io.BytesIO(as_lines(values)))
    ends = [
        event["data"]["chunk"]["block"]["text"]
        for event in source
        if event["type"] == "assistant/chunk" and event["data"]["chunk"]["type"] == "block-end"
    ]

    assert ends == ["a", "ab"]
    assert source.clock == "source"


def test_deltas_and_snapshots_of_one_part_agree():
    """The live bus sends deltas, and the whole part in the end: nothing is there twice."""
    delta = {"messageID": "m", "partID": "p", "field": "text"}
    values = [
        {"type": "message.part.delta", "properties": {**delta, "delta": word}} for word in "abc"
    ]
    events = list(import_events(io.BytesIO(as_lines([*values, opencode("p", "abc")]))))

    assert deltas_of(events) == [["a", "b", "c"]]
