"""Records of type system that a person sees something of; of all others nothing is shown.

subtype                      update
slash_command (a result)     an agent chunk for each item of its output
local_command                an agent chunk (agent session files)
ui_telemetry                 an empty chunk with _meta.timing
turn_result (cancelled)      an empty chunk with _meta.promptCancelled
background_task_completed    an agent chunk
agent_session_ready          tool_call_update of the call that started the agent
goal_state                   an empty chunk with _meta.goalState
todo/write                   plan (session logs)
turn/end (no success)        an agent chunk that says why (session logs)
"""

from typing import Any

from histbench.transcript.replay.fields import count_of, list_of, object_of, text_of
from histbench.transcript.replay.plans import show_plan
from histbench.transcript.replay.record_replay import RecordReplay

__all__ = [
    "show_agent_ready",
    "show_background_task",
    "show_goal",
    "show_local_command",
    "show_session_todos",
    "show_slash_command",
    "show_timing",
    "show_turn_end",
    "show_turn_result",
]

_CHUNK = "agent_message_chunk"
_RESPONSE = "api_response"


def show_slash_command(replay: RecordReplay) -> None:
    """What a command of the user's answered, item by item."""
    if replay.payload.get("phase") != "result":
        return
    for given in list_of(replay.payload.get("outputHistoryItems")):
        item = object_of(given)
        text = text_of(item.get("text"))
        if text is not None:
            replay.text(_CHUNK, text, source="slash_command")
        elif item.get("type") == "goal_status":
            replay.text(_CHUNK, "", goalStatus=item)


def show_local_command(replay: RecordReplay) -> None:
    """A command of the user's and what it answered, as an agent session file keeps them."""
    text = text_of(replay.value.get("content"))
    if text is not None:
        replay.text(_CHUNK, text, source="local_command")


def show_timing(replay: RecordReplay) -> None:
    """How long a request or a call took; the time of requests is added up."""
    event = object_of(replay.payload.get("uiEvent"))
    name, duration = text_of(event.get("event.name")), count_of(event.get("duration_ms"))
    if name is None or duration is None:
        return
    timing: dict[str, Any] = {"event": name, "durationMs": duration}
    call_id = text_of(event.get("call_id"))
    if call_id is not None:
        timing["callId"] = replay.calls.is_open(call_id) or call_id
    model = text_of(event.get("model"))
    if model is not None:
        timing["model"] = model
    if name.endswith(_RESPONSE):
        replay.totals.add_api_time(duration)
    replay.text(_CHUNK, "", timing=timing)


def show_turn_result(replay: RecordReplay) -> None:
    """That the user cancelled the turn."""
    cancelled = count_of(replay.payload.get("cancelledAt"))
    prompt_id = text_of(replay.payload.get("promptId"))
    if replay.payload.get("state") != "cancelled" or cancelled is None or prompt_id is None:
        return
    started = count_of(replay.payload.get("startedAt"))
    elapsed = max(0, cancelled - (cancelled if started is None else started))
    told = {"promptId": prompt_id, "cancelledAt": cancelled, "elapsedMs": elapsed}
    replay.text(_CHUNK, "", discrete=True, promptCancelled=told)


def show_background_task(replay: RecordReplay) -> None:
    """That a task in the background came to its end."""
    text = text_of(replay.payload.get("displayText"))
    if text is None:
        return
    task = object_of(replay.payload.get("backgroundTask"))
    told = {"backgroundTask": task} if task else {}
    replay.text(_CHUNK, text, discrete=True, source="background_task_completed", **told)


def show_agent_ready(replay: RecordReplay) -> None:
    """That the session of a sub-agent can be opened, told to the call that started it."""
    raw_id, ready = (
        text_of(replay.payload.get("callId")),
        replay.payload.get("subagentSessionReady"),
    )
    if raw_id is None or not isinstance(ready, bool):
        replay.report("malformed_part", "an agent's session that does not say whether it is ready")
        return
    call_id = replay.calls.is_open(raw_id)
    if call_id is None:
        replay.report("orphan_agent_session", "an agent's session whose call is not open")
        return
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call_id}
    replay.update(update, subagentSessionReady=ready)


def show_goal(replay: RecordReplay) -> None:
    """The goal of the session from here on."""
    snapshot = object_of(replay.payload.get("snapshot"))
    if not snapshot:
        replay.report("malformed_part", "a state of the goal that holds none")
        return
    cause = text_of(replay.payload.get("cause"))
    told = {} if cause is None else {"goalCause": cause}
    replay.text(_CHUNK, "", goalState=snapshot, **told)


def show_session_todos(replay: RecordReplay) -> None:
    """The to-do list that a session log holds."""
    show_plan(replay, _event_data(replay).get("todos"))


def show_turn_end(replay: RecordReplay) -> None:
    """Why a turn ended before it was done."""
    reason = object_of(_event_data(replay).get("reason"))
    kind = text_of(reason.get("kind"))
    if kind is None or kind == "completed":
        return
    error = text_of(object_of(reason.get("error")).get("message"))
    replay.text(_CHUNK, error or "", discrete=True, turnEnded={"kind": kind})


def _event_data(replay: RecordReplay) -> dict[str, Any]:
    return object_of(object_of(replay.value.get("event")).get("data"))
