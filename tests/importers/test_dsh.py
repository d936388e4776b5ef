"""dsh's own formats: store logs, live frames, and later logs with embedded streams."""

import io
import json

import pytest

from histbench.importers import import_events, import_session
from histbench.log import EventLog
from histbench.rows import CHUNK_TYPE
from histbench.store import read_log
from importer_samples import as_lines
from measure_session import write_session

HEADER = {"type": "session", "version": 0, "id": "s", "createdAt": 5, "delegationDepth": 0}


@pytest.fixture
def events():
    """The events of a small session: a question, and an answer of two steps."""
    made = []

    def put(kind, data, **more):
        made.append(
            {"type": kind, "seq": len(made), "time": 1000 + 7 * len(made), "data": data, **more}
        )

    put("turn/start", {"turn": 1})
    put("user/message", {"role": "user", "content": []}, surfaceOp="append")
    for step in (1, 2):
        put("step/start", {"turn": 1, "step": step})
        first = len(made)
        place = {"turn": 1, "step": step}
        put(
            CHUNK_TYPE, {**place, "chunk": {"type": "block-start", "index": 0, "blockType": "text"}}
        )
        for word in ("Two", " words", "", " more"):
            put(CHUNK_TYPE, {**place, "chunk": {"type": "text-delta", "index": 0, "text": word}})
        for part in ("{", "}"):
            call = {"type": "tool-call-delta", "index": 1, "id": "c", "argumentsDelta": part}
            put(CHUNK_TYPE, {**place, "chunk": call})
        put(CHUNK_TYPE, {**place, "chunk": {"type": "finish", "reason": {"kind": "stop"}}})
        seqs = list(range(first, len(made)))
        message = {"message": {"role": "assistant", "content": []}}
        put("assistant/message", {**place, **message}, sourceEventSeqs=seqs, surfaceOp="append")
        put("step/end", place)
    put("session/title", {"title": "words", "messageSeqs": [1]})
    return made


def imported(data):
    """All events of a recording, and the import after the last."""
    source = import_events(io.BytesIO(data))
    return list(source), source


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_a_store_log_is_read_by_the_store(tmp_path, events, suffix):
    """`import_session` of a session log is `read_log`: header, events and remarks."""
    path = write_session(tmp_path / f"log{suffix}", events)
    log, expected = import_session(path), read_log(path)
    source = import_events(path)

    assert log == expected
    assert (log.header, log.diagnostics) == (expected.header, expected.diagnostics)
    assert list(source) == list(expected)
    assert (source.header, source.events) == (expected.header, len(expected))
    assert (source.format.name, source.clock) == ("dsh", "source")


def test_a_projected_log_has_a_synthetic_clock(events):
    """A fixture without stamps is numbered, and says that its times are made up."""
    bare = [{k: v for k, v in event.items() if k not in {"seq", "time"}} for event in events]
    given, source = imported(as_lines([HEADER, *bare]))

    assert [event["data"] for event in given] == [event["data"] for event in events]
    assert source.clock == "synthetic"


def frames(events, shape):
    """The frames in which a host sends `events`."""
    if shape == "method":
        return [
            {"method": "session.event", "params": {"sessionId": "s", "event": event}}
            for event in events
        ]
    return [{"type": "session_event", "sessionId": "s", "event": event} for event in events]


@pytest.mark.parametrize("shape", ["method", "type"])
def test_live_frames_are_the_log(events, shape):
    """Unwrapped, the frames of a session are its events; what surrounded them is kept once."""
    given, source = imported(as_lines(frames(events, shape)))
    rest = given[len(events) :]

    assert given[: len(events)] == events
    assert [event["type"] for event in rest] == ["source/frame", "source/import"]
    assert rest[0]["data"]["same"] == frames([None], shape)[0]
    assert source.clock == "source"


def test_other_frames_stand_behind_the_events(events):
    """Nothing comes between events whose seqs follow each other, and nothing is lost."""
    status = {"method": "session.status", "params": {"sessionId": "s", "status": "idle"}}
    other = frames(events[:1], "method")[0]
    other = {**other, "params": {**other["params"], "sessionId": "child"}}
    twice = frames(events[:1], "method")[0]
    extra = {**frames(events[3:4], "method")[0], "id": 9}
    sent = frames(events, "method")
    data = as_lines([sent[0], status, other, twice, *sent[1:3], extra, *sent[4:]])
    given, source = imported(data)
    rest = [event["data"] for event in given[len(events) : -1]]

    assert given[: len(events)] == events
    assert [each.get("value") for each in rest[1:4]] == [status, other, twice]
    assert [each["before"] for each in rest[1:4]] == [1, 1, 1]
    assert rest[4]["of"] == 3
    assert rest[4]["same"]["id"] == 9
    assert {"other_session", "seq_repeated"} <= {each.code for each in source.diagnostics}


def test_a_gap_in_live_frames_is_told(events):
    """Frames that were missed leave a gap, which is not closed by renumbering."""
    given, source = imported(as_lines(frames(events[:3] + events[5:], "type")))

    assert [event["seq"] for event in given[:6]] == [0, 1, 2, 5, 6, 7]
    assert "seq_gap" in {each.code for each in source.diagnostics}


def embedded(events, *, stamped=True):
    """A later log: the deltas of each step inside its message, so with other seqs."""
    chunks, out = [], []
    new_seqs = {}
    for event in events:
        if event["type"] == "assistant/chunk":
            chunks.append(event)
            continue
        later = {**event, "seq": len(out)}
        new_seqs[event["seq"]] = len(out)
        if event["type"] == "assistant/message":
            later["data"] = {**event["data"], "stream": _stream(chunks)}
            later["sourceEventSeqs"] = []
            chunks = []
        elif "sourceEventSeqs" in event:
            later["sourceEventSeqs"] = [new_seqs[seq] for seq in event["sourceEventSeqs"]]
        if not stamped:
            later = {key: value for key, value in later.items() if key not in {"seq", "time"}}
        out.append(later)
    assert not chunks
    return [{**HEADER, "version": 2}, *out]


def _stream(chunks):
    """The chunks as a later log has them: runs of any length packed, the rest alone."""
    records = []
    log = EventLog.from_events(chunks)
    for record in log.records():
        for event in [record.event()] if record.count == 1 else [None]:
            if event is not None:
                chunk = {"type": "chunk", "time": event["time"], "chunk": event["data"]["chunk"]}
                records.append(chunk)
        if record.count > 1:
            value = json.loads(record.json())
            data = {k: v for k, v in value["data"].items() if k not in {"turn", "step"}}
            records.append({"type": value["type"], "time0": value["time0"], **data})
    return records


def test_embedded_streams_become_events(events):
    """The deltas of a message come before it, with their times, and the log is as it was."""
    given, source = imported(as_lines(embedded(events)))
    given = given[1:-1]

    assert source.format.name == "dsh-embedded"
    assert source.clock == "source"
    assert source.header["id"] == "s"
    assert [event["type"] for event in given] == [event["type"] for event in events]
    assert [event["data"] for event in given] == [event["data"] for event in events]
    assert [event["time"] for event in given] == [event["time"] for event in events]


def test_embedded_streams_move_seqs(events):
    """Seqs are dense again; what an event was called before stands beside it."""
    later = embedded(events)
    given, _ = imported(as_lines(later))
    ordinary = [event for event in given[1:-1] if event["type"] != "assistant/chunk"]

    assert [event["seq"] for event in given] == list(range(len(given)))
    assert [event["source"]["seq"] for event in ordinary] == list(range(len(later) - 1))
    for event in given:
        if event["type"] == "assistant/message":
            own = [given[seq]["type"] for seq in event["sourceEventSeqs"]]

            assert set(own) == {"assistant/chunk"}
            assert max(event["sourceEventSeqs"]) < event["seq"]


def test_a_projected_later_log_is_numbered(events):
    """Without stamps the events are numbered, and only chunks have times."""
    given, source = imported(as_lines(embedded(events, stamped=False)))

    assert [event["seq"] for event in given] == list(range(len(given)))
    assert [event["data"] for event in given[1:-1]] == [event["data"] for event in events]
    assert source.format.name == "dsh-embedded"


@pytest.mark.parametrize(
    "record",
    [
        {"type": "text-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["a"]},
        {"type": "text-chunks", "time0": 1, "index": 0, "dt": [], "texts": ["a"], "more": 1},
        {"type": "chunk", "time": "late", "chunk": {}},
        {"type": "video"},
        None,
    ],
)
def test_a_stream_of_another_shape_stays_in_its_message(record):
    """What cannot be taken apart without loss is not taken apart."""
    message = {
        "type": "assistant/message",
        "seq": 0,
        "time": 1,
        "data": {"turn": 1, "step": 1, "stream": [record]},
    }
    given, source = imported(as_lines([{**HEADER, "version": 3}, message]))

    assert given[1]["data"] == message["data"]
    assert "stream_kept" in {each.code for each in source.diagnostics}
