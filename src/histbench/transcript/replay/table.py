"""Which rule shows a record: one row for each type and subtype that has one.

A subtype without a row is shown as its type is.  What is known to show nothing stands in
`_SILENT`; whatever else comes is reported, and the rest of the page is replayed.
"""

from collections.abc import Callable

from histbench.transcript.replay import displayed, messages, results, system
from histbench.transcript.replay.record_replay import RecordReplay

__all__ = ["show_record"]

_Rule = Callable[[RecordReplay], None]

_RULES: dict[tuple[str, str | None], _Rule] = {
    ("user", None): displayed.show_user,
    ("user", "user_text_elements"): displayed.show_user,
    ("user", "at_command"): displayed.show_user,
    ("user", "slash_command"): displayed.show_user,
    ("user", "mid_turn_user_message"): displayed.show_mid_turn,
    ("user", "notification"): displayed.show_payload_text,
    ("user", "cron"): displayed.show_payload_text,
    ("user", "goal_runtime"): displayed.show_payload_text,
    ("user", "realtime_message"): displayed.show_realtime,
    ("user", "agent_message"): displayed.show_agent_message,
    ("user", "agent_mention"): displayed.show_agent_mention,
    ("user", "injected"): displayed.show_injected,
    ("assistant", None): messages.show_assistant,
    ("assistant", "realtime_message"): displayed.show_realtime,
    ("tool_result", None): results.show_tool_result,
    ("system", "slash_command"): system.show_slash_command,
    ("system", "local_command"): system.show_local_command,
    ("system", "ui_telemetry"): system.show_timing,
    ("system", "turn_result"): system.show_turn_result,
    ("system", "background_task_completed"): system.show_background_task,
    ("system", "agent_session_ready"): system.show_agent_ready,
    ("system", "goal_state"): system.show_goal,
    ("system", "todo/write"): system.show_session_todos,
    ("system", "turn/end"): system.show_turn_end,
}

# The call that is answered so belongs to a program, and was not shown either.
_SILENT_RESULTS = frozenset({"code_mode_tool_result"})
_SILENT_TYPES = frozenset({"summary", "file-history-snapshot", "queue-operation", "progress"})
_SILENT = frozenset(
    [
        "agent_bootstrap",
        "agent_launch_prompt",
        "agent_retry",
        "at_command",
        "attribution_snapshot",
        "branch_checkpoint",
        "chat_compression",
        "custom_title",
        "file_history_snapshot",
        "goal_runtime",
        "goal_turn_end",
        "managed_session_commit_v1",
        "managed_session_event_v1",
        "managed_session_header_v1",
        "omni_recall",
        "parent_session",
        "rewind",
        "session_approval_mode",
        "session_artifact_event",
        "session_artifact_snapshot",
        "session_execution_engine",
        "session_model",
        "session_notes",
        "session_source",
        "session_sources_snapshot",
        "turn_attempt",
        "user_text_elements",
        "api_error",
        "compact_boundary",
        "informational",
        "init",
        "stop_hook_summary",
        "turn_duration",
    ]
)


def show_record(replay: RecordReplay) -> None:
    """Write the updates of the record, which may be none."""
    kind, subtype = replay.record.type, replay.record.subtype
    rule = _RULES.get((kind, subtype))
    if rule is not None:
        rule(replay)
    elif kind in _SILENT_TYPES or (kind == "tool_result" and subtype in _SILENT_RESULTS):
        return
    elif kind == "system":
        # An event of a session log is of its own kind; the log's reader knows them.
        if subtype not in _SILENT and "event" not in replay.value:
            replay.report("unknown_record_or_part", f"subtype {subtype}")
    elif (kind, None) in _RULES:
        replay.report("unknown_record_or_part", f"subtype {subtype}")
        _RULES[kind, None](replay)
    else:
        replay.report("unknown_record_or_part", f"type {kind}")
