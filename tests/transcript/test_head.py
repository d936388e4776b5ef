"""Heads: what a record is, in both dialects, read fast or slowly."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidJson, InvalidTranscript
from histbench.transcript import head as head_module
from histbench.transcript import read_head
from strategies import json_values
from transcript_records import line_of, record

RESULT_BLOCK = {"type": "tool_result", "tool_use_id": "c", "content": "out"}


def head_of(**fields):
    """The head of a session-file record with these fields."""
    return read_head(line_of({"uuid": "b", "parentUuid": "a", "type": "user", **fields}))


@pytest.mark.parametrize(
    ("kind", "subtype", "turn_start", "page_start", "tool_result"),
    [
        ("user", None, True, True, False),
        ("user", "a new one", True, True, False),
        ("user", "realtime_message", True, False, False),
        ("user", "notification", False, False, False),
        ("user", "cron", False, False, False),
        ("user", "agent_message", False, False, False),
        ("assistant", None, False, True, False),
        ("assistant", "realtime_message", False, False, False),
        ("tool_result", None, False, False, True),
        ("system", "chat_compression", False, False, False),
    ],
)
def test_turns_and_pages_begin_at_these(kind, subtype, turn_start, page_start, tool_result):
    """A role says nothing: results have a user's."""
    head = read_head(line_of(record("b", "a", kind, text="x", subtype=subtype)))

    assert (head.turn_start, head.page_start, head.tool_result) == (
        turn_start,
        page_start,
        tool_result,
    )


@pytest.mark.parametrize(
    ("fields", "turn_start", "tool_result"),
    [
        ({"message": {"content": "hello"}}, True, False),
        ({"message": {"content": [{"type": "text", "text": "hello"}]}}, True, False),
        ({"message": {"content": [RESULT_BLOCK]}}, False, True),
        ({"message": {"content": [RESULT_BLOCK, {"type": "text", "text": "stop"}]}}, False, True),
        ({"message": {"content": "told"}, "isMeta": True}, False, False),
        ({"message": {"content": "summary"}, "isCompactSummary": True}, False, False),
        ({"message": 5}, True, False),
        ({"message": {"content": [5, {"type": 5}]}}, True, False),
    ],
)
def test_a_result_in_a_user_s_record_starts_no_turn(fields, turn_start, tool_result):
    """Nor does what the program told the model in the user's name."""
    head = head_of(**fields)

    assert (head.turn_start, head.tool_result) == (turn_start, tool_result)


@pytest.mark.parametrize(
    ("fields", "navigation"),
    [
        ({"message": {"parts": [{"text": "do it"}]}}, "prompt"),
        ({"message": {"parts": [{"text": " \n"}]}}, None),
        ({"message": {"parts": [{"inlineData": {"data": "", "mimeType": "image/png"}}]}}, "prompt"),
        ({"message": {"parts": [{"text": "x"}]}, "subtype": "realtime_message"}, "realtime"),
        ({"message": {"parts": [{"text": "x"}]}, "subtype": "cron"}, None),
        ({"systemPayload": {"displayText": "nightly"}, "subtype": "cron"}, "scheduled"),
        ({"systemPayload": {"displayText": "x"}, "subtype": "notification"}, None),
        ({"message": {"parts": [{"text": "x"}]}, "subtype": "goal_runtime"}, None),
        ({"message": {"parts": [{"text": "x"}]}, "type": "assistant"}, None),
        ({}, None),
    ],
)
def test_people_jump_to_what_they_see(fields, navigation):
    """A turn without anything to be seen is none to jump to; one on a schedule is, if it shows."""
    assert head_of(**fields).navigation == navigation


@pytest.mark.parametrize(
    ("fields", "rank"),
    [
        ({}, 2),
        ({"isSidechain": True}, 1),
        ({"isSidechain": "yes"}, 2),
        ({"type": "system", "subtype": "session_artifact_event"}, 0),
        ({"type": "system", "subtype": "managed_session_commit_v1"}, 0),
        ({"type": "progress"}, 0),
    ],
)
def test_only_conversation_ends_a_chain(fields, rank):
    """Side records do where there is nothing else, bookkeeping never."""
    head = head_of(**fields)

    assert head.leaf_rank == rank
    assert (head.conversation, head.side) == (rank == 2, rank == 1)


@pytest.mark.parametrize(
    ("fields", "begins"),
    [
        ({}, True),
        ({"type": "user"}, False),
        ({"subtype": "parent_session"}, False),
        ({"systemPayload": {"sourceType": "default"}}, False),
        ({"systemPayload": {"sourceType": ["side_task"]}}, False),
        ({"systemPayload": "side_task"}, False),
    ],
)
def test_a_side_task_is_begun_by_the_source_of_a_session(fields, begins):
    """A system's record, whose payload says so."""
    source = {
        "type": "system",
        "subtype": "session_source",
        "systemPayload": {"sourceType": "side_task", "sourceId": "x"},
    }

    assert head_of(**(source | fields)).side_task is begins


@pytest.mark.parametrize(
    ("origin", "inherited"), [({"sessionId": "x", "messageUuid": "a"}, True), (None, False)]
)
def test_what_was_copied_says_where_from(origin, inherited):
    """Null is nowhere."""
    assert head_of(forkedFrom=origin).inherited is inherited
    assert not head_of().inherited


def test_a_compacted_root_follows_what_it_says():
    """A file that was compacted begins a new root, and names the record before it."""
    assert head_of(parentUuid=None, logicalParentUuid="z").parent_id == "z"
    assert head_of(logicalParentUuid="z").parent_id == "a"
    assert head_of(parentUuid=None, logicalParentUuid=5).parent_id is None


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([1], "not_an_object"),
        (None, "not_an_object"),
        ({"type": "summary", "leafUuid": "a"}, "not_a_record"),
        ({"uuid": "", "parentUuid": None, "type": "user"}, "record_id"),
        ({"uuid": 7, "parentUuid": None, "type": "user"}, "record_id"),
        ({"uuid": "\ud83d", "parentUuid": None, "type": "user"}, "record_id"),
        ({"parentUuid": None, "type": "user"}, "record_id"),
        ({"uuid": "b", "type": "user"}, "record_parent"),
        ({"uuid": "b", "parentUuid": 7, "type": "user"}, "record_parent"),
        ({"uuid": "b", "parentUuid": "\udc00", "type": "user"}, "record_parent"),
        ({"uuid": "b", "parentUuid": None}, "record_type"),
        ({"uuid": "b", "parentUuid": None, "type": None}, "record_type"),
        ({"uuid": "b", "parentUuid": None, "type": "user", "sessionId": ""}, "record_session"),
        ({"uuid": "b", "parentUuid": None, "type": "user", "sessionId": 5}, "record_session"),
    ],
)
def test_what_is_no_record_says_why(value, code):
    """One code for each thing that may be missing."""
    with pytest.raises(InvalidTranscript) as caught:
        read_head(json.dumps(value).encode())

    assert caught.value.code == code


def test_bytes_that_are_no_utf8_are_read_over():
    """The chain does not end at one bad byte in somebody's payload."""
    raw = line_of(record("b", "a", text="xyz")).replace(b"xyz", b"x\xffz")

    assert read_head(raw).repaired
    assert read_head(raw).parent_id == "a"
    assert not read_head(line_of(record("b", "a", text="xyz"))).repaired


_LIKELY = {
    "uuid": st.sampled_from(["a", "", "é", "\ud83d", 5, None]),
    "parentUuid": st.sampled_from(["a", None, 5, "\udc00"]),
    "logicalParentUuid": st.sampled_from(["a", None, 5, ""]),
    "sessionId": st.sampled_from(["s", "", None, 5]),
    "type": st.sampled_from(["user", "user", "assistant", "tool_result", "system", "x", 5, None]),
    "subtype": st.sampled_from(
        ["cron", "realtime_message", "managed_session_x", "session_source", 5, None]
    ),
    "forkedFrom": st.none() | json_values,
    "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "soon", 5, None, "\ud800"]),
    "isSidechain": st.sampled_from([True, False, None, 1]),
    "isMeta": st.sampled_from([True, False, None, 1]),
    "message": st.sampled_from(
        [
            {"parts": [{"text": "x"}]},
            {"content": "x"},
            {"content": [RESULT_BLOCK]},
            {"content": [RESULT_BLOCK], "parts": []},
            {"content": [{"type": None}, 5]},
            {"content": 5},
        ]
    )
    | json_values,
    "numbers": st.sampled_from([1e999, -1e999, 10**300]),
    "systemPayload": st.sampled_from([{"displayText": "x"}, {"sourceType": "side_task"}])
    | json_values,
}


@given(st.fixed_dictionaries({}, optional=_LIKELY))
def test_the_fast_way_says_what_the_slow_way_says(value):
    """That msgspec skips the payload is not to be noticed."""
    raw = json.dumps(value).encode().replace(b"Infinity", b"1e999")
    outcomes = []
    for read in (read_head, head_module._read_slowly):
        try:
            outcomes.append(read(raw))
        except (InvalidTranscript, InvalidJson) as error:
            outcomes.append(error.code)

    assert outcomes[0] == outcomes[1]


@given(st.binary(max_size=60))
def test_no_bytes_crash_it(raw):
    """Whatever it is, it is a record or a refusal with a code."""
    with contextlib.suppress(InvalidJson, InvalidTranscript):
        assert read_head(raw).record_id
