"""The limit: streams that are the log, entropy that is told from counts, estimates that add up."""

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
from histbench.errors import HistbenchError
from histbench.history import whole_page
from histbench.log import EventLog, LogBuilder
from histbench.measure.limit import estimate_limit
from histbench.measure.limit.bounds import entropy_of
from histbench.measure.limit.streams import join_streams, split_log
from histbench.measure.rivals import RIVALS
from histbench.records import record_json
from measure_session import small_events


@given(st.data())
def test_streams_are_the_log(data):
    """Put together again they give it back, JSON text for JSON text: nothing is left out."""
    builder = LogBuilder()
    try:
        for line in data.draw(strategies.logs().flatmap(strategies.lines)):
            builder.add_line(line)
        log = builder.build()
        whole_page(log)
    except HistbenchError:
        # Logs that no page covers are renumbered first, or refused.
        assume(False)  # noqa: FBT003 - Hypothesis' own
    streams = split_log(log)
    again = join_streams(streams)

    assert list(map(record_json, again.records())) == list(map(record_json, log.records()))
    assert streams.text == streams.marked.replace(b"\x7f", b"")
    assert sum(streams.length_values) == len(streams.text)


def test_a_copy_of_what_was_streamed_is_counted_once():
    """A message that repeats its deltas adds a marker to the rest, and no text."""
    words = [f"word{number} " for number in range(50)]
    events = [_delta(seq, word) for seq, word in enumerate(words)]
    message = {"content": [{"type": "text", "text": "".join(words)}]}
    told = {"type": "assistant/message", "seq": 50, "time": 9, "data": {"message": message}}
    streams = split_log(EventLog.from_events([*events, told]))

    assert streams.text == "".join(words).encode()
    assert b"word49" not in streams.rest


def test_entropy_is_told_from_counts():
    """By hand: a fair coin costs a bit, what follows from its predecessor nothing."""
    alternating = entropy_of(np.array([7, -3] * 400))
    single = entropy_of(np.array([5]))

    assert (alternating.symbols, alternating.order_0, alternating.order_1) == (800, 100, 0)
    assert (single.order_0, single.order_1) == (0, 0)
    assert entropy_of(np.array([], np.int64)).order_0 == 0


@given(st.lists(st.integers(-(2**53), 2**53), max_size=50))
def test_order_1_knows_more_than_order_0(symbols):
    """It is never above."""
    found = entropy_of(np.array(symbols, np.int64))

    assert 0 <= found.order_1 <= found.order_0


def test_random_text_needs_its_entropy():
    """Six bits a letter from an alphabet of 64: the estimate lies close above, and no lower."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    letters = random.Random(1).choices(alphabet, k=12_000)
    events = [_delta(seq, "".join(letters[4 * seq : 4 * seq + 4])) for seq in range(3_000)]
    found = estimate_limit(EventLog.from_events(events))
    entropy = len(letters) * 6 // 8

    assert 0.98 * entropy < found.parts[0].bytes < 1.05 * entropy
    assert found.limit_bytes < 1.08 * entropy


@pytest.mark.parametrize("events", [[], [small_events()[0]], small_events()])
def test_parts_add_up(events):
    """To the limit, whatever the log holds: nothing, no deltas, or all kinds of things."""
    found = estimate_limit(EventLog.from_events(events))

    assert found.limit_bytes == sum(part.bytes for part in found.parts)
    assert [part.name for part in found.parts] == ["text", "boundaries", "gaps", "rest"]
    assert found.deltas == sum(event["type"] == "assistant/chunk" for event in events) - bool(
        found.deltas
    )
    assert [form.form for form in found.forms] == ["raw", "packed", "joined", "lean", *RIVALS]
    assert found == estimate_limit(EventLog.from_events(events))


def test_slow_compressors_stop_at_a_bound(monkeypatch):
    """Past it br-11 is left out, unless everything was asked for; the steps told are all there."""
    monkeypatch.setattr("histbench.measure.limit.estimate.SLOW_PAGE_BYTES", 10)
    log = EventLog.from_events(small_events())
    steps = []
    found = estimate_limit(log, progress=lambda done, total, _: steps.append((done, total)))
    full = estimate_limit(log, full=True)

    assert found.streams[0].compressed["br-11"] is None
    assert found.streams[0].best != "br-11"
    assert {form.bytes["br-11"] for form in found.forms} == {None}
    assert None not in full.streams[0].compressed.values()
    assert None not in full.forms[0].bytes.values()
    assert steps == [(done, steps[-1][1]) for done in range(len(steps))]


def _delta(seq, text):
    chunk = {"type": "text-delta", "index": 0, "text": text}
    data = {"turn": 1, "step": 1, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": 5, "data": data}
