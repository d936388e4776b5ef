"""Messages of the user and of the assistant: part by part, in order, the tokens once.

    part                user                     assistant
    text                user_message_chunk       agent_message_chunk
    thought             user_message_chunk       agent_thought_chunk
    image, link         user_message_chunk       agent_message_chunk
    call                tool_call                tool_call
    result              tool_call_update         tool_call_update

The tokens of an answer are an empty agent chunk before the first call, or at the end.
"""

from collections.abc import Callable, Iterable
from typing import Any

from histbench.transcript.replay.fields import object_of
from histbench.transcript.replay.plans import PLANNING_CALLS, PLANNING_TOOLS, show_plan
from histbench.transcript.replay.record_replay import RecordReplay
from histbench.transcript.replay.results import show_result
from histbench.transcript.replay.shown_parts import Part, parts_of_message
from histbench.transcript.replay.tools import kind_of_tool, locations_of, title_of
from histbench.transcript.replay.totals import Usage, usage_of_record

__all__ = ["show_assistant", "show_parts", "show_usage"]

_CHUNKS = {
    ("user", "text"): "user_message_chunk",
    ("user", "thought"): "user_message_chunk",
    ("user", "image"): "user_message_chunk",
    ("user", "link"): "user_message_chunk",
    ("assistant", "text"): "agent_message_chunk",
    ("assistant", "thought"): "agent_thought_chunk",
    ("assistant", "image"): "agent_message_chunk",
    ("assistant", "link"): "agent_message_chunk",
}
_REPORTS = {
    "malformed": ("malformed_part", "a part with a field of another type"),
    "unknown": ("unknown_record_or_part", "a part of an unknown kind"),
}


def show_assistant(replay: RecordReplay, **extra: Any) -> None:
    """An answer: its parts, and its tokens once."""
    usage, message_id = usage_of_record(replay.value)
    due = usage if usage is not None and not replay.totals.is_counted(message_id) else None
    parts = parts_of_message(replay.value.get("message"))
    first_call = next((n for n, part in enumerate(parts) if part.kind == "call"), len(parts))
    show_parts(replay, "assistant", parts[:first_call], **extra)
    if due is not None:
        show_usage(replay, due)
    show_parts(replay, "assistant", parts[first_call:], **extra)


def show_usage(replay: RecordReplay, usage: Usage, **extra: Any) -> None:
    """An empty chunk that tells the tokens of one answer; they are counted."""
    replay.totals.add(usage)
    replay.text("agent_message_chunk", "", usage=usage.shown(), **extra)


def show_parts(replay: RecordReplay, role: str, parts: Iterable[Part], **extra: Any) -> None:
    """The updates of these parts, `extra` in the `_meta` of each chunk."""
    for part in parts:
        chunk = _CHUNKS.get((role, part.kind))
        if chunk is not None:
            replay.chunk(chunk, part.content, **extra)
        else:
            _RULES[part.kind](replay, part)


def _show_call(replay: RecordReplay, part: Part) -> None:
    name = part.name or ""
    call_id = replay.calls.begin(
        part.call_id,
        name,
        record_id=replay.record.record_id,
        part=part.number,
        time_ms=replay.time_ms,
        hidden=name in PLANNING_TOOLS,
    )
    if name in PLANNING_TOOLS:
        if name in PLANNING_CALLS:
            show_plan(replay, object_of(part.value).get("todos"), call_id)
        return
    replay.update(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": call_id,
            "status": "in_progress",
            "title": title_of(name, part.value),
            "kind": kind_of_tool(name),
            "content": [],
            "locations": locations_of(part.value),
            "rawInput": part.value,
        },
        toolName=name,
    )


def _report_part(replay: RecordReplay, part: Part) -> None:
    replay.report(*_REPORTS[part.kind])


_RULES: dict[str, Callable[[RecordReplay, Part], None]] = {
    "call": _show_call,
    "result": show_result,
    "malformed": _report_part,
    "unknown": _report_part,
}
