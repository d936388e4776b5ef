"""Results: whether a call went well, what it gave, and what it changed.

    it went well    no status: no error; else status `success` and no error.  An agent session
                    file says `is_error` instead
    content         a file's old and new text; else the text of the error; else the output
    rawOutput       what the tool gave for display, as it is

A display whose texts were cut when it was recorded is no change of a whole file, so that one is
shown as text.  A result that is a to-do list is a plan (`plans`), and a sub-agent's also tells its
tokens.
"""

from typing import Any

from histbench.transcript.replay.calls import Answered
from histbench.transcript.replay.fields import first_text, object_of, text_of
from histbench.transcript.replay.plans import (
    PLANNING_CALLS,
    PLANNING_RESULTS,
    show_plan,
    todos_of_display,
)
from histbench.transcript.replay.record_replay import RecordReplay
from histbench.transcript.replay.shown_parts import Part, parts_of_message, result_output
from histbench.transcript.replay.totals import usage_of_subagent

__all__ = ["show_result", "show_tool_result"]


def show_tool_result(replay: RecordReplay) -> None:
    """A record of type tool_result: its responses; media beside them belong to the last one."""
    parts = parts_of_message(replay.value.get("message"))
    results = [part for part in parts if part.kind == "result"]
    if not results:
        results = [Part(kind="result", number=0)]
        if not object_of(replay.value.get("toolCallResult")) and not any(p.content for p in parts):
            replay.report("malformed_part", "a tool's result without a response")
            return
    beside = [part.content for part in parts if part.content]
    for number, part in enumerate(results, 1):
        show_result(replay, part, beside if number == len(results) else [])
    if any(part.kind in ("malformed", "unknown") for part in parts):
        replay.report("malformed_part", "a part of a tool's result with a field of another type")


def show_result(
    replay: RecordReplay, part: Part, beside: list[dict[str, Any]] | None = None
) -> None:
    """The update, or the plan, of one response."""
    recorded = _recorded(replay, part)
    call_id = part.call_id or text_of(recorded.get("callId"))
    answered = replay.calls.answer(
        call_id, part.name, record_id=replay.record.record_id, part=part.number
    )
    if answered.ambiguous:
        replay.report("ambiguous_tool_call", "a result that names no call, of none or of several")
    name = part.name or (answered.call.tool_name if answered.call else None)
    display = recorded.get("resultDisplay", replay.value.get("toolUseResult"))
    if name in PLANNING_CALLS and answered.call is not None:
        return
    if name in PLANNING_RESULTS:
        if "event" not in replay.value:
            show_plan(replay, todos_of_display(display), answered.call_id)
        return
    failed, error, output = _outcome(part, recorded)
    _show_update(
        replay,
        answered,
        failed=failed,
        content=_content(display, error, output + (beside or [])),
        display=display,
        name=name,
    )
    usage = usage_of_subagent(display)
    if usage is not None:
        replay.totals.add(usage)
        replay.text(
            "agent_message_chunk", "", usage=usage.shown(), parentToolCallId=answered.call_id
        )


def _recorded(replay: RecordReplay, part: Part) -> dict[str, Any]:
    """What the record says of this result beside the response: it may hold several responses."""
    recorded = object_of(replay.value.get("toolCallResult"))
    call_id = text_of(recorded.get("callId"))
    return recorded if part.call_id is None or call_id in (None, part.call_id) else {}


def _outcome(part: Part, recorded: dict[str, Any]) -> tuple[bool, str | None, list[dict[str, Any]]]:
    """Whether the call failed, the text of its error, and the blocks of its output."""
    failure, output = result_output(part.value)
    error, status = recorded.get("error"), recorded.get("status")
    failed = bool(error) if recorded else part.failed
    if status is not None:
        failed = failed or status != "success"
    said = text_of(error) or first_text(object_of(error), "message")
    return failed, said or failure, output


def _show_update(
    replay: RecordReplay,
    answered: Answered,
    *,
    failed: bool,
    content: list[dict[str, Any]],
    display: object,
    name: str | None,
) -> None:
    update: dict[str, Any] = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": answered.call_id,
        "status": "failed" if failed else "completed",
        "content": content,
    }
    if display is not None:
        update["rawOutput"] = display
    caller = None if answered.call is None else answered.call.source_record_id
    told: dict[str, Any] = {} if name is None else {"toolName": name}
    sources = () if caller in (None, replay.record.record_id) else (caller,)
    replay.update(update, sources=sources, **told)


def _content(
    display: object, error: str | None, output: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    fields = object_of(display)
    path = first_text(fields, "filePath", "fileName")
    new_text, old_text = fields.get("newContent"), fields.get("originalContent")
    if path and isinstance(new_text, str) and not fields.get("truncatedForSession"):
        change = {"type": "diff", "path": path, "newText": new_text}
        return [{**change, "oldText": old_text} if isinstance(old_text, str) else change]
    if error is not None:
        return _blocks([{"type": "text", "text": error}])
    if output:
        return _blocks(output)
    shown = text_of(display) or first_text(fields, "fileDiff", "stdout")
    return _blocks([{"type": "text", "text": shown}] if shown else [])


def _blocks(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "content", "content": content} for content in contents]
