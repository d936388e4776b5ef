"""The rules that real recordings forced on importers, one test each."""

import io
import json

import pytest

from histbench.errors import InvalidStream
from histbench.events import KIND_BY_DELTA
from histbench.importers import import_events, import_session, restore_values
from histbench.rows import Row
from importer_samples import SAMPLES, as_array, as_lines, as_sse


def imported(data, format_name=None):
    """All events of a recording, and the import after the last."""
    source = import_events(io.BytesIO(data), format_name)
    return list(source), source


def texts(events):
    """The texts of all deltas, in order."""
    chunks = [event["data"]["chunk"] for event in events if event["type"] == "assistant/chunk"]
    return [
        chunk[KIND_BY_DELTA[chunk["type"]].text_key]
        for chunk in chunks
        if chunk["type"] in KIND_BY_DELTA
    ]


def chat(*words, **more):
    """Chat chunks of one completion, one word each."""
    return [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": word}}],
            **{name: values[number] for name, values in more.items()},
        }
        for number, word in enumerate(words)
    ]


def test_rule_1_empty_fragments_survive():
    """A fragment of no characters is a delta like any other, once its block has begun."""
    events, _ = imported(as_lines(chat("", "a", "", "b", "")))

    assert texts(events) == ["a", "", "b", ""]


def test_rule_2_halves_of_a_pair_stay_apart():
    """A character split across two deltas is two deltas, and one character in the message."""
    events, _ = imported(as_lines(chat("a", "\ud83d", "\ude00", "b")))
    log = import_session(io.BytesIO(as_lines(chat("a", "\ud83d", "\ude00", "b"))))
    (message,) = [event for event in events if event["type"] == "assistant/message"]

    assert texts(events) == ["a", "\ud83d", "\ude00", "b"]
    assert message["data"]["message"]["content"][0]["text"] == "a\U0001f600b"
    assert texts(log) == texts(events)


def test_rule_3_identity_is_carried_forward():
    """Id and name stand on the first fragment only; every delta has them, so the run is one row."""
    log = import_session(io.BytesIO(as_lines(SAMPLES["ag-ui"].values)))
    rows = [record for record in log.records() if isinstance(record, Row) and record.kind.is_call]

    assert [(row.call_id, row.name) for row in rows] == [("c-1", "weather")]


def test_rule_3_holds_for_interleaved_calls():
    """Two calls that take turns keep their own names."""
    events, _ = imported(as_lines(SAMPLES["chat-tools"].values))
    named = {
        (chunk["index"], chunk["id"], chunk["name"])
        for event in events
        if event["type"] == "assistant/chunk"
        and (chunk := event["data"]["chunk"])["type"] == "tool-call-delta"
    }

    assert named == {(0, "call-weather", "weather"), (1, "call-clock", "clock")}


def test_rule_4_padding_is_kept_or_counted():
    """Random padding is a column of the envelope; blanks in the JSON text are counted and gone."""
    padding = ["Qx7", "k", "Zz91", "aa"]
    events, source = imported(as_sse(chat("a", "b", "c", "d", obfuscation=padding)))
    blanks = b"".join(
        line[:-1] + b"    }\n\n" if line.startswith(b"data: {") else b""
        for line in as_sse(SAMPLES["anthropic"].values).split(b"\n")
    )
    _, padded = imported(blanks)
    (envelope,) = [event["data"] for event in events if event["type"] == "source/envelope"]
    (note,) = [each for each in padded.diagnostics if each.code == "padding_dropped"]

    assert {"path": ["value", "obfuscation"], "values": padding} in envelope["columns"]
    assert note.message.startswith(f"{4 * padded.items} bytes")
    (kept,) = [each for each in source.diagnostics if each.code == "padding_kept"]

    assert kept.message.startswith(f"{sum(map(len, padding))} of ")
    assert "padding_dropped" not in {each.code for each in source.diagnostics}


def test_rule_5_no_clock_is_invented():
    """A stream's one `created` is no clock of its events: all times are 0, and that is said."""
    events, source = imported(as_lines(SAMPLES["chat"].values))

    assert source.clock == "synthetic"
    assert {event["time"] for event in events} == {0}
    assert "synthesised_clock" in {each.code for each in source.diagnostics}


def test_rule_5_seconds_are_the_sources_own():
    """Grok's seconds become milliseconds, and no more digits than it wrote."""
    events, source = imported(as_lines(SAMPLES["grok"].values))

    assert source.clock == "source"
    assert {event["time"] % 1000 for event in events} == {0}
    assert events[0]["time"] == 1767225600000


def test_rule_6_a_snapshot_that_is_no_extension_is_refused():
    """OpenCode trims a text at its end: the shorter snapshot has a place, and what was due."""
    values = SAMPLES["opencode"].values[:3]
    part = {**values[2]["properties"]["part"], "text": "Fruit firs"}
    data = as_lines([*values, {"type": "message.part.updated", "properties": {"part": part}}])
    with pytest.raises(InvalidStream) as caught:
        imported(data)

    assert caught.value.code == "snapshot_not_extension"
    assert caught.value.where.line == 4
    assert caught.value.where.byte == data.rindex(b"\n", 0, -1) + 1
    assert caught.value.where.record == "p-1"


def test_rule_7_interleaved_runs_are_short():
    """Calls that take turns make no rows: what packing cannot do is not promised."""
    log = import_session(io.BytesIO(as_lines(SAMPLES["chat-tools"].values)))

    assert not any(isinstance(record, Row) for record in log.records())


@pytest.mark.parametrize(
    "spell",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"data: ", b"data:"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data.replace(b', "', b',\ndata: "'),
        lambda data: data.replace(b"\n\n", b"\n"),
        lambda data: b"\n\n" + data.replace(b"\n\n", b"\n\n\n\n"),
        lambda data: b"HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n" + data,
    ],
    ids=["bom", "crlf", "no-blank", "no-end", "many-data", "no-gaps", "gaps", "headers"],
)
def test_rule_8_every_spelling_is_the_same_recording(spell):
    """How an event stream is laid out changes nothing in what it says."""
    data = as_sse(chat("a", "b, c", "d"))
    expected, _ = imported(data)
    events, _ = imported(spell(data))

    assert texts(events) == texts(expected) == ["a", "b, c", "d"]


def test_rule_8_arrays_are_the_same_recording():
    """A pretty-printed array, and values printed one after the other, hold what lines hold."""
    values = SAMPLES["chat"].values
    laid_out = "\n".join(json.dumps(value, indent=1) for value in values).encode()
    expected, _ = imported(as_lines(values))

    for data in (as_array(values), laid_out, json.dumps(values).encode()):
        events, _ = imported(data)

        assert events == expected


def test_rule_9_results_hold_no_text():
    """What an import says of itself names counts and formats, never what somebody wrote."""
    events, source = imported(as_lines(chat("secret", "words")) + b"Authorization: secret\n")
    said = json.dumps([events[-1], [each.message for each in source.diagnostics]])

    assert "secret" not in said


def test_rule_10_an_answer_that_breaks_off_says_so():
    """Recordings end in the middle: the message is there, marked, and no finish is made up."""
    events, _ = imported(as_lines(chat("a", "b")))
    (message,) = [event for event in events if event["type"] == "assistant/message"]
    kinds = {e["data"]["chunk"]["type"] for e in events if e["type"] == "assistant/chunk"}

    assert message["data"]["interrupted"] is True
    assert message["data"]["message"]["source"]["assembled"] is True
    assert "finish" not in kinds


def test_rule_11_comments_and_foreign_lines_are_kept():
    """Heartbeats, ids and lines of a log that got in between come back as they were."""
    data = (
        b": ping\n\nid: 7\nretry: 10\ndata: %s\n\nhello\n\ndata: plain\n\n"
        % as_lines(chat("a")).strip()
    )
    events, source = imported(data)
    back = list(restore_values(events))

    assert back[0] == {"text": "", "frame": {"comment": "ping"}}
    assert back[1]["frame"] == {"id": "7", "retry": "10"}
    assert back[2:] == [{"text": "hello"}, {"text": "plain"}]
    assert "kept_as_text" in {each.code for each in source.diagnostics}


def test_rule_12_counts_are_disjoint():
    """Cached tokens are counted apart from the other input, whatever the provider does."""
    events, _ = imported(as_lines(SAMPLES["chat"].values))
    (usage,) = [
        event["data"]["chunk"]["usage"]
        for event in events
        if event["type"] == "assistant/chunk" and event["data"]["chunk"]["type"] == "usage"
    ]

    assert usage == {
        "inputTokens": 12,
        "outputTokens": 9,
        "cacheReadTokens": 8,
        "reasoningTokens": 4,
    }
