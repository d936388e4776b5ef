"""What each kind of record looks like to a client: one row of the table after the other."""

import pytest

from histbench.transcript.replay import ReplayState, UsageTotals, replay_updates
from replay_records import (
    TEMPLATES,
    agent,
    assistant,
    call,
    check_updates,
    payload,
    record,
    records_of,
    response,
    texts_of,
)


def replay(*values, **options):
    """The replay of these values, which must be of the schema."""
    records = records_of(*values)
    replayed = replay_updates(records, finalize=True, **options)
    check_updates(replayed.updates, records)
    return replayed


def seen(*values):
    """Each update's kind, what it says, and where the text comes from."""
    return [
        (
            update["sessionUpdate"],
            update["content"].get("text", update["content"]["type"]),
            update["_meta"].get("source"),
        )
        for update in replay(*values).updates
    ]


def user(*parts, **fields):
    """A user's record of these parts."""
    return record("user", message={"role": "user", "parts": list(parts)}, **fields)


@pytest.mark.parametrize("value", TEMPLATES, ids=range(len(TEMPLATES)))
def test_every_known_record_is_replayed_without_complaint(value):
    """No rule reports what it was made for, but a result without its call."""
    replayed = replay(assistant(call("task", "1"), record_id="r0"), {**value, "uuid": "r9"})

    assert replayed.diagnostics == ()


@pytest.mark.parametrize(
    ("subtype", "source"),
    [
        ("mid_turn_user_message", "mid_turn_message_injected"),
        ("notification", "background_notification"),
        ("cron", "cron"),
        ("goal_runtime", "goal_runtime"),
    ],
)
def test_what_was_shown_stands_for_what_the_model_was_told(subtype, source):
    """With a display text that one; without one nothing, but for what the user wrote mid-turn."""
    told = {"message": {"parts": [{"text": "told"}]}}
    shown = payload(subtype, kind="user", displayText="shown") | told
    bare = record("user", subtype=subtype) | told
    mid_turn = [("user_message_chunk", "told", source)] if subtype.startswith("mid") else []

    assert seen(shown) == [("user_message_chunk", "shown", source)]
    assert seen(bare) == mid_turn


def test_what_a_hook_added_is_hidden():
    """The user sees what they wrote: by display text, or by leaving the hook's part out."""
    hook = {"text": "<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>"}
    display = {"systemPayload": {"displayText": "shown"}}
    with_context = {"systemPayload": {"displayText": "shown", "hookContext": "x"}}
    image = {"inlineData": {"data": "aGk=", "mimeType": "image/png"}}
    shown = ("user_message_chunk", "shown", None)

    assert seen(user({"text": "told"}, hook)) == [("user_message_chunk", "told", None)]
    assert seen(user({"text": "told"}, hook, **display)) == [shown]
    assert seen(user({"text": "told"}, image, **with_context)) == [
        shown,
        ("user_message_chunk", "image", None),
    ]
    # Alone it is what the user wrote, and a display text alone says nothing of the message.
    assert len(seen(user(hook))) == 1
    assert seen(user({"text": "told"}, **display)) == [("user_message_chunk", "told", None)]


def test_a_display_text_may_be_empty():
    """A command that a program expanded for the model was seen as nothing by the user."""
    hidden = user({"text": "told"}, systemPayload={"displayText": "", "hookContext": "x"})

    assert seen(hidden) == []


def test_what_was_spoken_tells_where_it_comes_from():
    """Of either side, each in a block of its own."""
    parts = {"message": {"parts": [{"text": "hi"}]}}
    values = [record(kind, subtype="realtime_message", **parts) for kind in ("user", "assistant")]

    assert [seen(value) for value in values] == [
        [("user_message_chunk", "hi", "realtime_voice")],
        [("agent_message_chunk", "hi", "realtime_voice")],
    ]


def test_attachments_come_after_the_text():
    """References and links of the payload are links to a client."""
    link = {"type": "resource_link", "uri": "file:///a/b.txt", "name": "b"}
    references = {"attachmentReferences": [{"uri": "x://y", "mimeType": "text/plain"}, {}]}
    replayed = replay(user({"text": "hi"}, systemPayload={"resourceLinks": [link], **references}))

    assert [update["content"] for update in replayed.updates[1:]] == [
        {"type": "resource_link", "uri": "x://y", "name": "x://y", "mimeType": "text/plain"},
        link,
    ]
    assert [diagnostic.code for diagnostic in replayed.diagnostics] == ["malformed_part"]


def test_an_inline_file_that_is_no_image_is_reported():
    """The protocol's clients show images only."""
    replayed = replay(user({"inlineData": {"data": "aGk=", "mimeType": "audio/wav"}}))

    assert replayed.updates == []
    assert [diagnostic.code for diagnostic in replayed.diagnostics] == ["malformed_part"]


@pytest.mark.parametrize(
    "part",
    [
        7,
        {"text": 7},
        {"type": "thinking"},
        {"fileData": {"fileUri": ""}},
        {"functionCall": {"args": {}}},
        {"type": "image", "source": {"type": "url"}},
    ],
)
def test_a_part_with_a_field_of_another_type_is_reported(part):
    """And nothing of it is shown, but what stands beside it is."""
    replayed = replay(user(part, "a string is a text"))

    assert texts_of(replayed.updates, "user_message_chunk") == "a string is a text"
    assert [diagnostic.code for diagnostic in replayed.diagnostics] == ["malformed_part"]


def test_agents_of_the_session_have_segments_of_their_own():
    """So that what is replayed and what was seen live are one block."""
    values = [
        payload("agent_message", kind="user", displayText="a", runId="run"),
        payload("agent_mention", kind="user", displayText="b"),
        payload("agent_message", kind="user"),
    ]
    replayed = replay(*({**value, "uuid": f"r{n}"} for n, value in enumerate(values)))
    segments = [update["_meta"]["qwenTranscript"]["segmentId"] for update in replayed.updates]

    assert segments == ["agent:run", "mention:r1"]
    assert texts_of(replayed.updates, "agent_message_chunk") == "a"


@pytest.mark.parametrize("calls", [0, 2])
def test_tokens_are_told_once_before_the_first_call_or_at_the_end(calls):
    """As an empty chunk of the answer; the sums go on with the state."""
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "cachedContentTokenCount": 4}
    parts = [{"text": "a"}, *(call("bash", str(n)) for n in range(calls))]
    state = ReplayState(cumulative_usage=UsageTotals(prompt_tokens=1))
    replayed = replay(assistant(*parts, usageMetadata=usage), state=state)
    told = [n for n, update in enumerate(replayed.updates) if "usage" in update["_meta"]]

    assert told == [1]
    assert replayed.updates[1]["_meta"]["usage"] == {
        "inputTokens": 5,
        "outputTokens": 2,
        "cachedReadTokens": 4,
    }
    assert replayed.state.cumulative_usage == UsageTotals(
        prompt_tokens=6, cached_tokens=4, candidate_tokens=2
    )


def test_an_answer_written_as_several_records_is_counted_once():
    """Agent session files repeat the usage of a message with each of its blocks."""
    usage = {"input_tokens": 1, "cache_read_input_tokens": 10, "output_tokens": 3}
    values = [
        record(
            "assistant",
            f"r{n}",
            message={"id": message, "usage": usage, "content": [{"type": "text", "text": "x"}]},
        )
        for n, message in enumerate(["m1", "m1", "m2"])
    ]
    replayed = replay(*values)
    told = [update["_meta"].get("usage") for update in replayed.updates]
    whole = {"inputTokens": 11, "outputTokens": 3, "totalTokens": 14, "cachedReadTokens": 10}

    assert told == [None, whole, None, None, whole]
    assert replayed.state.cumulative_usage.prompt_tokens == 22


def test_commands_answer_item_by_item():
    """Only the answer of a command is shown, not the command's own record."""
    items = [{"type": "info", "text": "one"}, {"type": "goal_status", "kind": "set"}, 3]
    answer = payload("slash_command", phase="result", outputHistoryItems=items)

    assert seen(answer) == [
        ("agent_message_chunk", "one", "slash_command"),
        ("agent_message_chunk", "", None),
    ]
    assert seen(payload("slash_command", phase="invocation")) == []
    assert seen(record("system", subtype="local_command")) == []


def test_times_are_told_and_added_up():
    """Of requests; a call is named as it is shown."""
    event = {"event.name": "qwen-code.api_response", "duration_ms": 7.5, "model": "m"}
    called = {"event.name": "qwen-code.tool_call", "duration_ms": 3, "call_id": "1"}
    values = [
        assistant(call("bash", "1"), record_id="r0"),
        response("bash", "1", record_id="r1"),
        assistant(call("bash", "1"), record_id="r2"),
        {**payload("ui_telemetry", uiEvent=event), "uuid": "r3"},
        {**payload("ui_telemetry", uiEvent=called), "uuid": "r4"},
        {**payload("ui_telemetry", uiEvent={"event.name": "x"}), "uuid": "r5"},
    ]
    replayed = replay(*values)

    assert [update["_meta"]["timing"] for update in replayed.updates[3:]] == [
        {"event": "qwen-code.api_response", "durationMs": 7, "model": "m"},
        {"event": "qwen-code.tool_call", "durationMs": 3, "callId": "1:2"},
    ]
    assert replayed.state.cumulative_usage.api_time_ms == 7


def test_what_the_program_did_is_told():
    """Cancelled turns, goals, tasks and agents; other states of the same records are not shown."""
    cancelled = {"state": "cancelled", "cancelledAt": 9, "startedAt": 4, "promptId": "p"}
    (update,) = replay(payload("turn_result", **cancelled)).updates
    (goal,) = replay(payload("goal_state", snapshot={"goal": "win"})).updates
    orphan = replay(payload("agent_session_ready", callId="1", subagentSessionReady=True))

    assert update["_meta"]["promptCancelled"] == {
        "promptId": "p",
        "cancelledAt": 9,
        "elapsedMs": 5,
    }
    assert goal["_meta"]["goalState"] == {"goal": "win"}
    assert replay(payload("turn_result", state="done")).updates == []
    assert replay(payload("background_task_completed")).updates == []
    assert orphan.updates == []
    assert [diagnostic.code for diagnostic in orphan.diagnostics] == ["orphan_agent_session"]
    for subtype in ("goal_state", "agent_session_ready"):
        (diagnostic,) = replay(payload(subtype)).diagnostics
        assert diagnostic.code == "malformed_part"


def test_blocks_of_an_agent_session_file():
    """Thoughts, texts, images and links; what only the provider can read is passed over."""
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "redacted_thinking", "data": "?"},
        {"type": "text", "text": "a"},
        {"type": "image", "source": source},
        {"type": "image", "source": {"type": "url", "url": "https://h/i.png"}},
    ]
    replayed = replay(agent("assistant", *blocks))

    assert [(u["sessionUpdate"], u["content"]["type"]) for u in replayed.updates] == [
        ("agent_thought_chunk", "text"),
        ("agent_message_chunk", "text"),
        ("agent_message_chunk", "image"),
        ("agent_message_chunk", "resource_link"),
    ]
    assert replayed.updates[3]["content"]["name"] == "i.png"
    assert replayed.diagnostics == ()
    assert seen(agent("user", "hi")) == [("user_message_chunk", "hi", None)]
    assert seen(agent("user", "hi", isMeta=True)) == [("user_message_chunk", "hi", "meta")]
