"""Verdicts and counts: one pass over everything, in the memory of a line."""

import io
import tracemalloc

import pytest
from hypothesis import given

from histbench.codec import pack_chunk_runs
from histbench.errors import InvalidData
from histbench.store import inspect_log, verify_log
from histbench.store.inspecting import run_bucket
from store_logs import (
    HEADER,
    conversation,
    delta,
    event_logs,
    frame,
    framed_log,
    line,
    note,
    plain_log,
    refusal,
)


def source(data):
    """A stream of these bytes."""
    return io.BytesIO(data)


@given(event_logs())
def test_a_sound_log_is_counted(events):
    """Packed or not, in frames or not."""
    records = pack_chunk_runs(events)
    for data, stored, frames in [
        (plain_log(events), len(events), 0),
        (plain_log(records), len(records), 0),
        (framed_log([events]), len(events), 2),
    ]:
        verdict = verify_log(source(data), strict=True)

        assert (verdict.events, verdict.records, verdict.frames) == (len(events), stored, frames)
        assert verdict.file_bytes == len(data)
        assert verdict.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "code", "at"),
    [
        (plain_log([note(0), note(2)]), "seq_gap", 3),
        (plain_log([note(0)])[:-1], "torn_tail", 2),
        (framed_log([[note(0)], [note(1)]])[:-1], "torn_tail", 4),
        (plain_log([note(0)]) + b"rubbish\n" + line(note(1)), "invalid_json", 3),
    ],
)
def test_the_first_fault_is_told_with_its_place(data, code, at):
    """What a reader would only report is a fault here."""
    error = refusal(verify_log, source(data))

    assert isinstance(error, InvalidData)
    assert (error.code, error.where.line) == (code, at)


def test_a_projected_fixture_is_sound_with_a_note():
    """Only `strict` takes it for a store's log."""
    data = plain_log([{"type": "note", "data": {}}])

    noted = [diagnostic.code for diagnostic in verify_log(source(data)).diagnostics]
    assert noted == ["synthesised_seq", "synthesised_clock"]
    assert refusal(verify_log, source(data), strict=True).code == "event_seq"


def test_verifying_and_inspecting_need_the_memory_of_a_line():
    """A log of 30 MB of lines leaves no trace."""
    batches = [
        [note(seq, text="x" * 3000) for seq in range(at, at + 500)] for at in range(0, 10_000, 500)
    ]
    data = framed_log(batches)
    for function in (verify_log, inspect_log):
        tracemalloc.start()
        function(source(data))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert peak < 8 * 2**20


def test_an_inspection_counts_what_is_there():
    """Types, runs, rows, messages, seqs; and what a repair would append."""
    events = conversation(2, deltas=4)[:-2]
    data = plain_log(pack_chunk_runs(events[:13]) + events[13:])
    found = inspect_log(source(data))

    assert found.header == HEADER
    assert (found.events, found.from_seq, found.to_seq) == (len(events), 0, len(events))
    assert found.types["assistant/chunk"] == 8
    assert found.chunk_kinds == {"text-delta": 8}
    assert found.rows == {"text-chunks": 1}
    assert found.runs == {"1": 4, "4-15": 1}
    assert found.longest_run == 4
    assert found.messages == 4
    assert found.records == found.lines - 1
    assert (found.file_bytes, found.content_bytes, found.frames) == (len(data), len(data), 0)
    assert [closer["type"] for closer in found.closers] == ["step/end", "turn/end"]
    assert found.diagnostics == ()


def test_an_inspection_reports_what_is_wrong():
    """Gaps and torn tails are told, not refused."""
    data = frame(plain_log([note(0), note(2), note(9)])[:-4])
    found = inspect_log(source(data))

    assert [noted.code for noted in found.diagnostics] == ["seq_gap", "torn_tail"]
    assert (found.events, found.frames, found.compressed) == (2, 1, True)
    assert found.content_bytes == len(plain_log([note(0), note(2)]))


@given(event_logs())
def test_runs_cover_all_deltas(events):
    """Every delta is in a row or alone."""
    found = inspect_log(source(plain_log(pack_chunk_runs(events))))
    singles = sum(1 for record in pack_chunk_runs(events) if record["type"] == "assistant/chunk")

    assert sum(found.types.values()) == len(events)
    assert sum(found.runs.values()) >= sum(found.rows.values())
    assert found.runs.get("1", 0) <= singles


def test_buckets_are_powers_of_four():
    """And cover every length once."""
    assert [run_bucket(length) for length in (1, 2, 3, 4, 15, 16, 63, 64)] == [
        "1",
        "2-3",
        "2-3",
        "4-15",
        "4-15",
        "16-63",
        "16-63",
        "64-255",
    ]
    assert delta(0)["type"] == "assistant/chunk"
