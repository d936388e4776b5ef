"""Calls and results find each other, under ids that no other call has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.transcript.replay import replay_updates
from histbench.transcript.replay.calls import OpenCalls
from histbench.transcript.replay.state import MAX_OPEN, MAX_RECENT
from replay_records import agent, assistant, call, check_updates, record, records_of, response

CALLED, ANSWERED = "tool_call", "tool_call_update"


def replay(*values, **options):
    """The replay of these values, numbered; it must be of the schema."""
    records = records_of(*({**value, "uuid": f"r{n}"} for n, value in enumerate(values)))
    replayed = replay_updates(records, **({"finalize": True} | options))
    check_updates(replayed.updates, records)
    return replayed


def ids(replayed):
    """Which call each update is of, and how it stands."""
    return [
        (update["sessionUpdate"], update["toolCallId"], update["status"])
        for update in replayed.updates
    ]


def codes(replayed):
    """The codes of what was reported."""
    return [diagnostic.code for diagnostic in replayed.diagnostics]


def test_a_call_and_its_result():
    """Title, kind, place and arguments come with the call; the result names both records."""
    replayed = replay(
        assistant(call("read_file", "1", absolute_path="/a/b.py", line=3)),
        response("read_file", "1", "text", callId="1", status="success", resultDisplay="shown"),
    )
    begun, done = replayed.updates

    assert (begun["title"], begun["kind"], begun["locations"]) == (
        "read_file: /a/b.py",
        "read",
        [{"path": "/a/b.py", "line": 3}],
    )
    assert begun["rawInput"] == {"absolute_path": "/a/b.py", "line": 3}
    assert done["content"] == [{"type": "content", "content": {"type": "text", "text": "text"}}]
    assert done["rawOutput"] == "shown"
    assert done["_meta"]["qwenTranscript"]["sourceRecordIds"] == ["r0", "r1"]
    assert replayed.state.pending_tool_calls == ()


def test_a_call_without_an_id_is_named_after_its_place():
    """And its result, which has none either, is found by the name of the tool."""
    replayed = replay(assistant({"text": "a"}, call("bash")), response("bash"))

    assert [update.get("toolCallId") for update in replayed.updates] == [
        None,
        "qwen-replay-tool:r0:1",
        "qwen-replay-tool:r0:1",
    ]
    assert codes(replayed) == []


@pytest.mark.parametrize("calls", [(), ("bash", "bash")])
def test_nobody_guesses_whose_result_it_is(calls):
    """Without an id and with no call of that name, or two, a result stands alone."""
    replayed = replay(assistant(*map(call, calls)), response("bash"))

    assert ids(replayed)[-1] == (ANSWERED, "qwen-replay-tool:r1:0", "completed")
    assert codes(replayed) == ["ambiguous_tool_call"]


def test_an_id_that_comes_back_is_numbered():
    """Providers count their calls anew in every answer; each call keeps its own result."""
    turn = [assistant(call("bash", "1")), response("bash", "1")]
    replayed = replay(*turn, *turn, assistant(call("bash", "1"), call("bash", "1")), turn[1])
    found = [call_id for _, call_id, _ in ids(replayed)]

    assert found == ["1", "1", "1:2", "1:2", "1:3", "1:4", "1:3"]
    assert [call.call_id for call in replayed.state.pending_tool_calls] == ["1:4"]


def test_a_numbered_id_is_never_one_that_was_given():
    """`1:2` may be a provider's own id."""
    replayed = replay(assistant(call("a", "1:2"), call("a", "1"), call("a", "1"), call("a", "1:2")))

    assert [call_id for _, call_id, _ in ids(replayed)] == ["1:2", "1", "1:3", "1:2:2"]


def test_a_result_without_its_call_keeps_its_id():
    """Its call may stand on the page before; a second result belongs to the same call."""
    replayed = replay(response(None, "1"), response(None, "1"), assistant(call("bash", "1")))

    assert [call_id for _, call_id, _ in ids(replayed)] == ["1", "1", "1:2"]
    assert codes(replayed) == []


def test_an_endless_id_is_shortened_on_both_sides():
    """Some providers put whole states into the id of a call."""
    replayed = replay(assistant(call("bash", "x" * 5000)), response("bash", "x" * 5000))
    (_, begun, _), (_, done, status) = ids(replayed)

    assert begun == done
    assert len(begun) < 100
    assert status == "completed"


@pytest.mark.parametrize(
    ("finalize", "gone", "closed"), [(True, True, 2), (True, False, 0), (False, True, 0)]
)
def test_open_calls_are_closed_only_when_nobody_can_answer(finalize, gone, closed):
    """At the end, and when the writer is known to be gone; the last record answers for it."""
    replayed = replay(
        assistant(call("bash", "1"), call("bash", "2")),
        record("user", message={"parts": [{"text": "hello?"}]}),
        finalize=finalize,
        writer_gone=gone,
    )
    failed = [update for update in replayed.updates if update.get("status") == "failed"]

    assert [update["toolCallId"] for update in failed] == ["1", "2"][:closed]
    assert [update["_meta"]["qwenTranscript"]["sourceRecordIds"] for update in failed] == [
        ["r0", "r1"]
    ] * closed
    assert len(replayed.state.pending_tool_calls) == 2 - closed
    assert codes(replayed) == ["missing_tool_result"] * bool(closed)


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ({}, "completed"),
        ({"status": "success"}, "completed"),
        ({"status": "success", "error": "no"}, "failed"),
        ({"status": "error"}, "failed"),
        ({"status": "cancelled"}, "failed"),
        ({"error": {"message": "no"}}, "failed"),
        ({"callId": "1"}, "completed"),
        ({"callId": "other", "status": "error"}, "completed"),
    ],
)
def test_whether_a_call_went_well(recorded, status):
    """As the record says of this call; the error's text is what is shown of a failure."""
    replayed = replay(assistant(call("bash", "1")), response("bash", "1", **recorded))
    texts = [block["content"]["text"] for block in replayed.updates[1]["content"]]

    assert replayed.updates[1]["status"] == status
    assert texts == ["no" if "error" in recorded else "done"]


def test_a_change_of_a_file_is_a_diff():
    """Unless the record keeps only a part of it."""
    display = {"fileName": "a", "fileDiff": "+b", "originalContent": None, "newContent": "b"}
    cut = {**display, "truncatedForSession": True}
    whole = replay(response("edit", "1", None, resultDisplay=display)).updates[0]
    partial = replay(response("edit", "1", None, resultDisplay=cut)).updates[0]

    assert whole["content"] == [{"type": "diff", "path": "a", "newText": "b"}]
    assert partial["content"][0]["content"]["text"] == "+b"


def test_what_a_model_was_told_went_wrong():
    """A response may hold the error itself."""
    value = response("bash", "1")
    value["message"]["parts"][0]["functionResponse"]["response"] = {"error": "boom"}
    (update,) = replay(value).updates

    assert update["status"] == "failed"
    assert update["content"][0]["content"]["text"] == "boom"


def test_media_beside_a_response_belong_to_it():
    """A tool that reads an image answers with two parts."""
    value = response("read_file", "1", "see")
    image = {"inlineData": {"data": "aGk=", "mimeType": "image/png"}}
    value["message"]["parts"].append(image)
    (update,) = replay(value).updates

    assert [block["content"]["type"] for block in update["content"]] == ["text", "image"]


def test_a_strange_part_beside_a_response_is_reported():
    """The response is shown all the same."""
    value = response("bash", "1")
    value["message"]["parts"].append(7)
    replayed = replay(value)

    assert ids(replayed) == [(ANSWERED, "1", "completed")]
    assert codes(replayed) == ["malformed_part"]


def test_an_empty_last_page_closes_nothing():
    """No record of it could answer for the calls of the pages before."""
    state = replay(assistant(call("bash", "1")), finalize=False).state
    replayed = replay(state=state, writer_gone=True)

    assert replayed.updates == []
    assert replayed.state == state


def test_a_result_that_is_no_response_is_still_one():
    """The record of a result may have lost its message, or everything."""
    kept = replay(record("tool_result", toolCallResult={"callId": "1", "resultDisplay": "x"}))
    lost = replay(record("tool_result"))

    assert ids(kept) == [(ANSWERED, "1", "completed")]
    assert kept.updates[0]["content"][0]["content"]["text"] == "x"
    assert lost.updates == []
    assert codes(lost) == ["malformed_part"]


def test_calls_of_programs_are_not_shown():
    """What code called inside a call has no call of its own in the transcript."""
    assert replay({**response("bash", "1"), "subtype": "code_mode_tool_result"}).updates == []


def test_a_sub_agent_tells_its_tokens():
    """Under the call that started it."""
    display = {"type": "task_execution", "executionSummary": {"inputTokens": 4}}
    replayed = replay(assistant(call("task", "1")), response("task", "1", resultDisplay=display))
    meta = replayed.updates[2]["_meta"]

    assert meta["usage"] == {"inputTokens": 4, "outputTokens": 0}
    assert meta["parentToolCallId"] == "1"
    assert replayed.state.cumulative_usage.prompt_tokens == 4


TODOS = [{"content": "boil", "status": "completed", "priority": "low"}, {"title": "cool"}, 3]
ENTRIES = [
    {"content": "boil", "priority": "low", "status": "completed"},
    {"content": "cool", "priority": "medium", "status": "pending"},
    {"content": "", "priority": "medium", "status": "pending"},
]


def test_to_do_lists_are_plans():
    """From the result, the call or the event, as each dialect keeps them; nothing else is shown."""
    display = {"type": "todo_list", "todos": TODOS}
    chat = replay(
        assistant(call("todo_write", "1")), response("todo_write", "1", resultDisplay=display)
    )
    file = replay(
        agent(
            "assistant",
            {"type": "tool_use", "id": "1", "name": "TodoWrite", "input": {"todos": TODOS}},
        ),
        agent("user", {"type": "tool_result", "tool_use_id": "1", "content": "ok"}),
    )
    log = replay(record("system", subtype="todo/write", event={"data": {"todos": TODOS}}))

    for replayed in (chat, file, log):
        (plan,) = replayed.updates
        assert plan["sessionUpdate"] == "plan"
        assert plan["entries"] == ENTRIES
    assert chat.updates[0]["_meta"]["qwenTranscript"]["planToolCallId"] == "1"


def test_a_plan_that_failed_is_reported_and_never_left_open():
    """Its call was not shown, so that there is nothing to close."""
    failed = replay(assistant(call("todo_write", "1")), response("todo_write", "1", status="error"))
    waiting = replay(assistant(call("todo_write", "1")), writer_gone=True)

    assert failed.updates == waiting.updates == []
    assert codes(failed) == ["malformed_part"]
    assert waiting.state.pending_tool_calls == ()


def test_blocks_of_an_agent_session_file():
    """Ids are given, names are not repeated, and failures say so."""
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]
    result = {"type": "tool_result", "tool_use_id": "1", "is_error": True, "content": blocks}
    replayed = replay(
        agent(
            "assistant", {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}
        ),
        agent("user", result, toolUseResult={"stdout": "a"}),
    )

    assert ids(replayed) == [(CALLED, "1", "in_progress"), (ANSWERED, "1", "failed")]
    assert replayed.updates[1]["rawOutput"] == {"stdout": "a"}
    assert replayed.updates[1]["_meta"]["toolName"] == "Bash"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_no_two_open_calls_share_an_id(steps):
    """Whatever order calls and results come in, every result goes to one call."""
    calls, shown = OpenCalls((), ()), []
    for number, (raw_id, begins) in enumerate(steps):
        if begins:
            shown.append(calls.begin(raw_id, "bash", record_id=str(number), part=0, time_ms=None))
        else:
            calls.answer(raw_id, None, record_id=str(number), part=0)

    assert len(shown) == len(set(shown))


def test_what_is_remembered_is_bounded():
    """The oldest open call is forgotten: its result keeps its id, and nothing closes it."""
    calls = OpenCalls((), ())
    for number in range(MAX_OPEN + MAX_RECENT):
        calls.begin(str(number), "bash", record_id="r", part=number, time_ms=None)
    answered = calls.answer("0", "bash", record_id="r", part=0)

    assert len(calls.all_open()) == MAX_OPEN
    assert len(calls.recent_ids()) == MAX_RECENT
    assert (answered.call_id, answered.call) == ("0", None)
