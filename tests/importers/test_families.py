"""Every format and dialect, as a small recording of its own, in every carrier."""

import io
import json
import random

import pytest

from histbench.events import KIND_BY_DELTA
from histbench.importers import FORMATS, import_events, import_session, restore_values
from histbench.jsontext import decode, merge_surrogates, same
from importer_samples import SAMPLES, as_array, as_lines, as_sse

CARRIERS = ("lines", "sse", "array")


def carried(sample, carrier):
    """The sample's bytes; formats that name their events are only told by them."""
    if carrier == "sse":
        return as_sse(sample.values, sample.events, done=False)
    return as_lines(sample.values) if carrier == "lines" else as_array(sample.values)


def cases():
    """Every sample in every carrier that it can have."""
    for name, sample in SAMPLES.items():
        for carrier in CARRIERS:
            if sample.format != "langgraph" or carrier == "sse":
                yield pytest.param(sample, carrier, id=f"{name}-{carrier}")


def imported(data, format_name=None):
    """All events of a recording, and the import after the last."""
    source = import_events(io.BytesIO(data), format_name)
    return list(source), source


def blocks_of_deltas(events):
    """What the deltas of each block come to, in the order in which blocks begin."""
    texts = {}
    for event in events:
        if event["type"] == "assistant/chunk":
            chunk = event["data"]["chunk"]
            key = (event["data"]["turn"], event["data"]["step"], chunk.get("index"))
            if chunk["type"] == "block-start":
                texts[key] = [chunk["blockType"], ""]
            elif chunk["type"] in KIND_BY_DELTA:
                texts[key][1] += chunk[KIND_BY_DELTA[chunk["type"]].text_key]
    return [(kind, merge_surrogates(text)) for kind, text in texts.values()]


def blocks_of_messages(events):
    """The blocks of the assembled messages."""
    return [
        (block["type"], block.get("text", block.get("arguments")))
        for event in events
        if event["type"] == "assistant/message" and "message" in event["data"]
        for block in event["data"]["message"]["content"]
    ]


@pytest.mark.parametrize(("sample", "carrier"), list(cases()))
def test_nothing_of_a_recording_is_lost(sample, carrier):
    """Every value comes back from the events: what is no delta stands in envelopes or verbatim."""
    events, source = imported(carried(sample, carrier))
    back = [each["value"] for each in restore_values(events)]

    assert source.format.name == sample.format
    assert same(back, [decode(json.dumps(value)) for value in sample.values])


@pytest.mark.parametrize(("sample", "carrier"), list(cases()))
def test_deltas_come_to_the_message(sample, carrier):
    """Block by block, the deltas concatenated are the text of the message that was assembled."""
    events, source = imported(carried(sample, carrier))
    whole = [block for block in sample.blocks if block != ("tool-call", '{"city":"Łódź"}')]
    deltas = [block for block in blocks_of_deltas(events) if block[1]]

    assert blocks_of_messages(events) == sample.blocks
    assert deltas == whole
    assert bool(source.deltas) == (bool(sample.blocks))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_clock_has_an_origin(sample):
    """Times are the recording's, or 0 and said to be made up."""
    events, source = imported(carried(sample, "sse"))
    codes = {diagnostic.code for diagnostic in source.diagnostics}

    assert source.clock == sample.clock
    assert events[-1]["data"]["clock"] == sample.clock
    assert ("synthesised_clock" in codes) == (sample.clock == "synthetic")
    if sample.clock == "synthetic":
        assert {event["time"] for event in events} == {0}
    else:
        assert any(event["time"] for event in events)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_an_import_is_a_dense_log(sample):
    """Seqs count from 0, and the log that is built while reading has the same events."""
    data = carried(sample, "sse")
    events, _ = imported(data)
    log = import_session(io.BytesIO(data))

    assert [event["seq"] for event in events] == list(range(len(events)))
    assert list(log) == events
    assert log.dense


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_format_says_whether_it_holds_deltas(sample):
    """Message-level files are read all the same, and the reader is told."""
    _, source = imported(carried(sample, "sse"))
    codes = {diagnostic.code for diagnostic in source.diagnostics}

    assert FORMATS[sample.format].deltas == bool(sample.blocks)
    assert ("no_deltas" in codes) == (not sample.blocks)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_format_can_be_forced(sample):
    """`format` is believed: what a family does not know stays verbatim."""
    data = carried(sample, "sse")
    events, _ = imported(data, "vercel-ui")
    back = [each["value"] for each in restore_values(events)]

    assert same(back, [decode(json.dumps(value)) for value in sample.values])


def mutated(value, rng):
    """`value` with one part of it replaced by something of another type."""
    others = [None, True, 0, -1, 1e300, "", "x", [], {}, [{}], {"type": []}, "\ud83d"]
    if rng.random() < 0.25 or not isinstance(value, dict | list) or not value:
        return rng.choice(others)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = rng.choice(list(keys))
    copy = value.copy()
    if rng.random() < 0.2:
        del copy[key]
    else:
        copy[key] = mutated(value[key], rng)
    return copy


@pytest.mark.parametrize(("name", "sample"), SAMPLES.items(), ids=SAMPLES)
def test_foreign_shapes_are_kept(name, sample):
    """Whatever a provider changes, a family loses nothing of it and never fails on it."""
    rng = random.Random(name)
    for _ in range(60):
        values = list(sample.values)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(values))
            values[at] = mutated(values[at], rng)
        if sample.format in {"langgraph", "opencode"}:
            # A snapshot that was changed is no extension any more, which is an error of its own.
            values = [values[0], *sorted(values[1:], key=lambda _: rng.random())][:2]
        events, _ = imported(
            as_sse(values, sample.events and sample.events[: len(values)]), sample.format
        )
        back = [each["value"] for each in restore_values(events) if "value" in each]

        assert same(back, [decode(json.dumps(value)) for value in values])
        assert [event["seq"] for event in events] == list(range(len(events)))
