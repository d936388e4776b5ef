"""Every profile gives a valid log: dense, JSON, lossless when packed, with the counts it names."""

from collections import Counter
from functools import cache
from itertools import groupby, pairwise

import msgspec
import pytest

from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.events import KIND_BY_DELTA, MAX_SAFE_INTEGER
from histbench.jsontext import decode, encode
from synthetic import generate, load_profile, profile_names

# Small enough to look at whole; the large ones have the tests below.
SMALL = ("adversarial", "interleaved", "quick", "short-runs", "whitespace-prefix")
LARGE = ("published", "session", "transport")
SURFACE = {"user/message", "assistant/message", "tool/result"}


def is_row(record):
    """Whether a storage record is a packed row."""
    return record["type"].endswith("-chunks")


def delta_kind(event):
    """The chunk type of a delta, None for any other event."""
    if event["type"] != "assistant/chunk" or event["data"]["chunk"]["type"] not in KIND_BY_DELTA:
        return None
    return event["data"]["chunk"]["type"]


@cache
def small_log(name):
    """The events of a small profile; tests only read them."""
    return list(generate(name, 7))


def test_every_profile_is_tested_here():
    """A new profile joins one of the two lists above."""
    assert profile_names() == sorted((*SMALL, *LARGE))


@pytest.mark.parametrize("name", SMALL)
def test_seqs_are_dense_and_times_are_safe_integers(name):
    """Event n has seq n, and a time that a packed row may hold."""
    for seq, event in enumerate(small_log(name)):
        assert event["seq"] == seq
        assert type(event["time"]) is int
        assert abs(event["time"]) <= MAX_SAFE_INTEGER


@pytest.mark.parametrize("name", SMALL)
def test_events_survive_json(name):
    """Writing and reading an event gives the event, in the same key order."""
    for event in small_log(name):
        again = decode(encode(event))

        assert again == event
        assert list(again) == list(event)


@pytest.mark.parametrize("name", SMALL)
def test_packing_loses_nothing(name):
    """Decoding the packed records gives the generated events."""
    records = pack_chunk_runs(small_log(name))
    decoded = [event for record in records for event in decode_storage_record(record)]

    assert decoded == small_log(name)


@pytest.mark.parametrize("name", SMALL)
def test_only_surface_events_name_sources_and_surface_ops(name):
    """`surfaceOp` stands on messages and results, always, and `sourceEventSeqs` nowhere else."""
    for event in small_log(name):
        assert ("surfaceOp" in event) == (event["type"] in SURFACE)
        assert event["type"] in SURFACE or "sourceEventSeqs" not in event


def test_quick_has_exactly_its_events_and_ends_complete():
    """5,000 events, of every kind that a session has, and the last turn is over."""
    events = small_log("quick")

    assert len(events) == 5_000
    assert events[-1]["type"] == "turn/end"
    assert {delta_kind(event) for event in events} == {None, *KIND_BY_DELTA}


@pytest.mark.parametrize("events", [100, 113, 1_000, 5_001])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_session_meets_any_length(events, seed):
    """The last answer fills what is left, so any count from 100 on is met exactly."""
    profile = msgspec.structs.replace(load_profile("quick"), events=events)
    log = list(generate(profile, seed))

    assert len(log) == events
    assert log[-1]["type"] == "turn/end"


def test_copies_are_assembled_from_the_deltas():
    """`block-end`, the message and `tool/call` hold what the deltas of their block add up to."""
    blocks, ended = {}, {}
    for event in small_log("quick"):
        data = event["data"]
        if event["type"] == "assistant/chunk":
            chunk = data["chunk"]
            if chunk["type"] == "block-start":
                blocks[chunk["index"]] = ""
            elif chunk["type"] == "block-end":
                block = chunk["block"]
                assert blocks[chunk["index"]] == block.get("text", block.get("arguments"))
                ended[chunk["index"]] = block
            elif delta_kind(event):
                blocks[chunk["index"]] += chunk.get("text", chunk.get("argumentsDelta"))
        elif event["type"] == "assistant/message":
            assert data["message"]["content"] == list(ended.values())
            calls = {block["id"]: block for block in ended.values() if "id" in block}
            blocks, ended = {}, {}
        elif event["type"] == "tool/call":
            assert data["arguments"] == calls[data["callId"]]["arguments"]
            decode(data["arguments"])
        elif event["type"] == "step/start":
            blocks, ended = {}, {}


def test_a_message_names_all_chunks_of_its_step():
    """`sourceEventSeqs` are the seqs of the step's chunks, all of them."""
    chunks = []
    for event in small_log("quick"):
        if event["type"] == "step/start":
            chunks = []
        elif event["type"] == "assistant/chunk":
            chunks.append(event["seq"])
        elif event["type"] == "assistant/message":
            assert event["sourceEventSeqs"] == chunks


def test_short_runs_are_short():
    """No run is longer than four, and about half are too short to pack."""
    runs = [len(list(run)) for kind, run in groupby(small_log("short-runs"), delta_kind) if kind]

    assert Counter(runs).keys() == {1, 2, 3, 4}
    assert sum(map(is_row, pack_chunk_runs(small_log("short-runs")))) < 0.7 * len(runs)


def test_interleaved_calls_never_make_a_row():
    """Every delta stays an event of its own, and each step streams several calls."""
    events = small_log("interleaved")

    assert not any(map(is_row, pack_chunk_runs(events)))
    assert sum(delta_kind(event) == "tool-call-delta" for event in events) > 0.9 * len(events)


def test_adversarial_holds_what_it_promises():
    """Backward and unsafe gaps, odd numbers, lone surrogates, flags; rows long and short."""
    events = small_log("adversarial")
    gaps = [b["time"] - a["time"] for a, b in pairwise(events)]
    chunks = [event["data"]["chunk"] for event in events if "chunk" in event["data"]]
    texts = [chunk.get("text", chunk.get("argumentsDelta")) for chunk in chunks]
    calls = [chunk for chunk in chunks if "id" in chunk]
    rows = [record for record in pack_chunk_runs(events) if is_row(record)]

    assert min(gaps) < -MAX_SAFE_INTEGER < MAX_SAFE_INTEGER < max(gaps)
    assert any(isinstance(chunk["index"], float) for chunk in chunks)
    assert {"", '","', "\\", "\x7f"} <= set(texts)
    assert "\ud83d" in texts
    assert "\ude00" in texts
    assert {"name" in chunk for chunk in calls} == {True, False}
    assert any(event.get("ignorable") for event in events if event["type"] == "assistant/chunk")
    assert 0 < len(rows) < len(events) / 8


@pytest.mark.parametrize("members", [1, 2, 10_000])
def test_whitespace_prefix_is_one_run_of_blanks(members):
    """All members but the last are one space."""
    profile = msgspec.structs.replace(load_profile("whitespace-prefix"), members=members)
    events = list(generate(profile, 1))
    texts = [event["data"]["chunk"]["text"] for event in events if delta_kind(event)]

    assert texts == [" "] * (members - 1) + ["x"]
    assert len(events) == members + 3


def counts_of(events):
    """Events, ordinary events, packed rows, and what the completed-step projection keeps."""
    completed = {
        (event["data"]["turn"], event["data"]["step"])
        for event in events
        if event["type"] == "assistant/message"
    }
    dropped = sum(
        event["type"] == "assistant/chunk"
        and (event["data"]["turn"], event["data"]["step"]) in completed
        for event in events
    ) - len(completed)
    runs = [len(list(run)) for kind, run in groupby(events, delta_kind) if kind]
    packed = [length for length in runs if length >= 3]

    return len(events), len(events) - sum(packed), len(packed), len(events) - dropped


@pytest.mark.slow
def test_published_has_exactly_the_published_counts():
    """416,756 events, 580 ordinary, 116 rows, 228,129 kept by the completed-step projection."""
    assert counts_of(list(generate("published", 1))) == (416_756, 580, 116, 228_129)


@pytest.mark.parametrize("seed", range(1, 9))
def test_published_meets_its_counts_with_every_seed(seed):
    """The counts are planned, not drawn; here those of a sample of a sixteenth of the size."""
    profile = msgspec.structs.replace(
        load_profile("published"),
        events=26_000,
        ordinary=590,
        kept_by_projection=14_200,
    )

    assert counts_of(list(generate(profile, seed))) == (26_000, 590, 116, 14_200)


@pytest.mark.slow
def test_session_is_a_whole_session():
    """417,000 events in more than a thousand runs, most of them in steps with messages."""
    types = Counter()
    runs = 0
    last = None
    for seq, event in enumerate(generate("session", 1)):
        assert event["seq"] == seq
        kind = delta_kind(event)
        runs += kind is not None and kind != last
        last = kind
        types[event["type"]] += 1

    assert types.total() == 417_000
    assert runs > 1_000
    assert types["assistant/message"] > 0.9 * types["step/start"]
    assert types["tool/call"] == types["tool/result"] > 300
