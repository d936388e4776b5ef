"""The laws of the replay: pages add up, every update is stamped and of the published schema."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidCursor, UsageError
from histbench.jsontext import decode, encode
from histbench.transcript.replay import RECORD_ID, ReplayState, replay_updates
from replay_records import (
    assistant,
    call,
    chats,
    check_updates,
    record,
    records_of,
    response,
    texts,
    texts_of,
    wild_records,
)


@given(chats, st.booleans())
def test_every_update_is_of_the_schema_and_names_its_record(records, gone):
    """Whatever a chat holds, clients of the protocol can read its replay."""
    replayed = replay_updates(records, finalize=True, writer_gone=gone, gap_children={"r0"})

    check_updates(replayed.updates, records)
    assert replayed.consumed == len(records)
    assert not replayed.partial


@given(chats, st.integers(1, 5), st.booleans())
def test_forward_pages_add_up_to_the_whole(records, size, gone):
    """Carried from page to page as a cursor carries it, the state makes the size of pages unseen."""
    whole = replay_updates(records, finalize=True, writer_gone=gone)
    updates, state = [], None
    for start in range(0, len(records), size):
        last = start + size >= len(records)
        page = replay_updates(
            records[start : start + size], state=state, finalize=last, writer_gone=gone
        )
        updates += page.updates
        state = ReplayState.from_json(decode(encode(page.state.to_json())))

    assert updates == whole.updates
    assert state is None or state == whole.state


@pytest.mark.parametrize("size", [1, 7, 100])
def test_pages_of_a_long_chat_add_up(size):
    """Also where ids come back after more calls than are remembered."""
    values = [
        value
        for n in range(150)
        for value in (
            assistant(call("bash", "0"), call("bash", f"{n}-a"), record_id=f"a{n}"),
            response("bash", "0", record_id=f"b{n}"),
            response("bash", f"{n}-a", record_id=f"c{n}"),
        )
    ]
    records = records_of(*values)
    whole = replay_updates(records, finalize=True, writer_gone=True)
    updates, state = [], None
    for start in range(0, len(records), size):
        page = replay_updates(records[start : start + size], state=state, finalize=False)
        updates, state = updates + page.updates, page.state
    ids = [update["toolCallId"] for update in updates if update["sessionUpdate"] == "tool_call"]

    assert updates == whole.updates
    assert len(set(ids)) == len(ids)


@given(st.lists(wild_records, max_size=4))
def test_nothing_that_a_record_may_hold_raises(records):
    """Any JSON value in any field gives updates or diagnostics, and the state fits a cursor."""
    replayed = replay_updates(records, finalize=True, writer_gone=True)

    assert all(update["_meta"][RECORD_ID] == "w" for update in replayed.updates)
    assert ReplayState.from_json(decode(encode(replayed.state.to_json()))) == replayed.state


@given(wild_records)
def test_what_wild_records_give_is_of_the_schema(wild):
    """The schema holds where values were never meant to be, but for halves of surrogate pairs."""
    replayed = replay_updates([wild], finalize=False)
    if "\\ud" not in encode(replayed.updates).decode().lower():
        check_updates(replayed.updates, [wild])


@given(st.lists(texts, max_size=4), st.booleans())
def test_texts_come_through_whole(parts, thoughts):
    """The chunks of a record, joined, are its text: of the user, the answer, the thoughts."""
    given_parts = [{"text": text, "thought": thoughts} for text in parts]
    message = {"role": "model", "parts": given_parts}
    for kind, chunk in (
        ("user", "user_message_chunk"),
        ("assistant", "agent_thought_chunk" if thoughts else "agent_message_chunk"),
    ):
        replayed = replay_updates(records_of(record(kind, message=message)), finalize=True)

        assert texts_of(replayed.updates, chunk) == "".join(parts)


def test_neighbours_of_one_lane_are_one_segment():
    """A thought, two texts, a call, a text: the texts before the call belong together."""
    replayed = replay_updates(
        records_of(
            assistant(
                {"text": "hm", "thought": True},
                {"text": "a"},
                {"text": "b"},
                call("bash", "1"),
                {"text": "c"},
            )
        ),
        finalize=True,
    )
    segments = [update["_meta"]["qwenTranscript"].get("segmentId") for update in replayed.updates]

    assert segments == ["r1:0", "r1:1", "r1:1", None, "r1:4"]


def test_a_time_is_milliseconds():
    """The record's own time, in UTC where it names no zone; none where it cannot be read."""
    times = ["1970-01-01T00:00:01.5Z", "1970-01-01T01:00:01.500+01:00", "1970-01-01T00:00:01.5"]
    values = [
        record("user", f"r{n}", timestamp=time, message={"parts": [{"text": "x"}]})
        for n, time in enumerate([*times, "soon"])
    ]
    replayed = replay_updates(records_of(*values), finalize=True)

    assert [update["_meta"].get("timestamp") for update in replayed.updates] == [1500] * 3 + [None]


def test_a_gap_is_told_before_its_child():
    """History that is missing is said to be, in a block of its own."""
    values = [record("user", f"r{n}", message={"parts": [{"text": "hi"}]}) for n in range(2)]
    replayed = replay_updates(records_of(*values), finalize=True, gap_children={"r1"})
    kinds = [update["sessionUpdate"] for update in replayed.updates]

    assert kinds == ["user_message_chunk", "agent_message_chunk", "user_message_chunk"]
    assert replayed.updates[1]["_meta"]["qwenDiscreteMessage"] is True
    assert replayed.updates[1]["_meta"][RECORD_ID] == "r1"


@pytest.mark.parametrize(
    ("bounds", "error"),
    [({"max_updates": 5}, "replay_updates_limit"), ({"max_bytes": 900}, "replay_bytes_limit")],
)
def test_a_bound_is_named_and_the_rest_can_be_asked_for(bounds, error):
    """Going on behind what was consumed, with the state given, shows everything once."""
    values = [assistant({"text": "x"}, call("bash", "same"), record_id=f"r{n}") for n in range(8)]
    records = records_of(*values)
    whole = replay_updates(records, finalize=True, writer_gone=True, max_updates=1000)
    updates, state, errors = [], None, []
    while records:
        page = replay_updates(records, state=state, finalize=False, writer_gone=True, **bounds)
        assert len(page.updates) <= bounds.get("max_updates", 1000)
        updates += page.updates
        state, records = page.state, records[page.consumed :]
        errors += [page.error] if page.partial else []

    assert set(errors) == {error}
    assert updates == whole.updates[: len(updates)]
    assert len(updates) == 16


def test_a_record_above_the_bounds_is_told_and_passed_over():
    """One record too large for any page is no dead end."""
    values = [assistant({"text": "x" * n}, record_id=f"r{n}") for n in (1, 5000, 2)]
    replayed = replay_updates(records_of(*values), finalize=True, max_bytes=2000)

    assert replayed.consumed == 3
    assert not replayed.partial
    assert [diagnostic.code for diagnostic in replayed.diagnostics] == ["replay_record_too_large"]
    assert replayed.updates[1]["_meta"]["replayRecordTooLarge"] is True


def test_a_value_that_no_json_text_can_hold_is_told_and_passed_over():
    """Values nest as deep as a parser lets them; what is around them may then be too deep."""
    (small, large) = records_of(assistant(call("bash", "1")), assistant(record_id="r2"))
    value = []
    for _ in range(100_000):
        value = [value]
    message = {"parts": [call("bash", "2", path=value)]}
    large = msgspec.structs.replace(large, value={**large.value, "message": message})
    replayed = replay_updates([small, large], finalize=True)

    assert [diagnostic.code for diagnostic in replayed.diagnostics] == ["replay_record_too_large"]
    assert replayed.consumed == 2


def test_calls_that_do_not_fit_stay_open():
    """Closing calls obeys the bounds too, and says so."""
    records = records_of(assistant(call("bash", "1"), call("bash", "2")))
    replayed = replay_updates(records, finalize=True, writer_gone=True, max_updates=3)

    assert replayed.error == "replay_updates_limit"
    assert len(replayed.updates) == 2
    assert len(replayed.state.pending_tool_calls) == 2


@pytest.mark.parametrize("bounds", [{"max_updates": 0}, {"max_bytes": 0}])
def test_a_bound_of_nothing_is_refused(bounds):
    """It could show no record, ever."""
    with pytest.raises(UsageError) as caught:
        replay_updates([], finalize=True, **bounds)

    assert caught.value.code == "bad_replay_limit"


@pytest.mark.parametrize("value", [None, {"v": 2}, {"recentIds": [["a"]]}, []])
def test_a_state_that_is_none_is_a_bad_cursor(value):
    """A cursor may hold anything that its signature vouches for, after an upgrade too."""
    with pytest.raises(InvalidCursor):
        ReplayState.from_json(value)


def test_the_state_stays_small():
    """However many calls there were, and whatever their ids: it travels in a cursor of 64 KiB."""
    values = [
        assistant(*(call("b", f"{n}-{k}" * 90) for k in range(50)), record_id=f"r{n}")
        for n in range(30)
    ]
    state = replay_updates(records_of(*values), finalize=False).state

    assert len(encode(state.to_json())) < 48 * 1024
    assert msgspec.to_builtins(ReplayState()) == {}


def test_what_is_unknown_is_reported_and_the_rest_is_shown():
    """Types, subtypes and parts nobody knows do not stop a page."""
    values = [
        record("user", "r1", "strange", message={"parts": [{"text": "seen"}, {"new": 1}, 7]}),
        record("telepathy", "r2"),
        record("system", "r3", "strange"),
        record("user", "r4", message=5),
        record("system", "r5", "rewind"),
    ]
    replayed = replay_updates(records_of(*values), finalize=True)
    found = [(diagnostic.record_id, diagnostic.code) for diagnostic in replayed.diagnostics]

    assert texts_of(replayed.updates, "user_message_chunk") == "seen"
    assert found == [
        ("r1", "unknown_record_or_part"),
        ("r1", "malformed_part"),
        ("r2", "unknown_record_or_part"),
        ("r3", "unknown_record_or_part"),
        ("r4", "malformed_part"),
    ]
