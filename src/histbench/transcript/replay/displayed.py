"""Records of type user that say in their payload what a person saw.

    subtype                  shown                                   _meta.source
    mid_turn_user_message    displayText, else the parts             mid_turn_message_injected
    notification             displayText, or nothing                 background_notification
    cron                     displayText, or nothing                 cron
    goal_runtime             displayText, or nothing                 goal_runtime
    realtime_message         the parts                               realtime_voice
    agent_message            displayText, as the assistant           -
    agent_mention            displayText, as the user                -
    injected                 the parts                               the source that is named
    none                     displayText where the model was told something else, else the parts;
                             what a hook added for the model is hidden

A record that names attachments shows them after its text.
"""

from typing import Any

from histbench.transcript.replay.fields import list_of, object_of, text_of
from histbench.transcript.replay.messages import show_assistant, show_parts
from histbench.transcript.replay.record_replay import RecordReplay
from histbench.transcript.replay.shown_parts import Part, parts_of_message

__all__ = [
    "show_agent_mention",
    "show_agent_message",
    "show_injected",
    "show_mid_turn",
    "show_payload_text",
    "show_realtime",
    "show_user",
]

_SOURCES: dict[str, dict[str, Any]] = {
    "mid_turn_user_message": {"source": "mid_turn_message_injected", "discrete": True},
    "notification": {"source": "background_notification", "discrete": True},
    "cron": {"source": "cron"},
    "goal_runtime": {"source": "goal_runtime"},
    "realtime_message": {"source": "realtime_voice", "discrete": True},
}
_HOOK_OPENER = "<qwen:user-prompt-submit-context>\n"
_HOOK_CLOSER = "\n</qwen:user-prompt-submit-context>"


def show_user(replay: RecordReplay) -> None:
    """What the user wrote, as the user saw it."""
    parts = parts_of_message(replay.value.get("message"))
    hooked = len(parts) > 1 and _is_hook_context(parts[-1])
    display = replay.payload.get("displayText")
    extra = _extra(replay)
    if isinstance(display, str) and (hooked or isinstance(replay.payload.get("hookContext"), str)):
        if display:
            replay.text("user_message_chunk", display, **extra)
        parts = [part for part in parts if part.kind not in ("text", "thought")]
    elif hooked and not replay.payload:
        parts = parts[:-1]
    show_parts(replay, "user", parts, **extra)
    _show_attachments(replay, extra)


def show_payload_text(replay: RecordReplay) -> None:
    """What the payload says is shown, or nothing."""
    _show_display_text(replay)


def show_mid_turn(replay: RecordReplay) -> None:
    """What the user wrote while an answer was being given."""
    if not _show_display_text(replay):
        _show_sourced_parts(replay)


def show_realtime(replay: RecordReplay) -> None:
    """What was said, by either side."""
    if replay.record.type == "assistant":
        show_assistant(replay, **_extra(replay))
    else:
        _show_sourced_parts(replay)


def show_injected(replay: RecordReplay) -> None:
    """A message that a program put into the session in the user's place."""
    source = text_of(object_of(replay.payload.get("source")).get("kind")) or "injected"
    parts = parts_of_message(replay.value.get("message"))
    show_parts(replay, "user", parts, source=source)


def show_agent_message(replay: RecordReplay) -> None:
    """What another agent of the session said."""
    run_id = text_of(replay.payload.get("runId")) or replay.record.record_id
    _show_agent_text(replay, "agent_message_chunk", f"agent:{run_id}")


def show_agent_mention(replay: RecordReplay) -> None:
    """What the user said to another agent of the session."""
    _show_agent_text(replay, "user_message_chunk", f"mention:{replay.record.record_id}")


def _show_agent_text(replay: RecordReplay, chunk: str, segment: str) -> None:
    display = text_of(replay.payload.get("displayText"))
    if display is None:
        replay.report("malformed_part", "an agent's message without a text")
        return
    author = object_of(replay.payload.get("author"))
    replay.text(chunk, display, segment=segment, **({"author": author} if author else {}))


def _show_display_text(replay: RecordReplay) -> bool:
    display = text_of(replay.payload.get("displayText"))
    extra = _extra(replay)
    if display is not None:
        task = object_of(replay.payload.get("backgroundTask"))
        told = {"backgroundTask": task} if task else {}
        replay.text("user_message_chunk", display, **extra, **told)
        _show_attachments(replay, extra)
    return display is not None


def _show_sourced_parts(replay: RecordReplay) -> None:
    extra = _extra(replay)
    show_parts(replay, "user", parts_of_message(replay.value.get("message")), **extra)
    _show_attachments(replay, extra)


def _extra(replay: RecordReplay) -> dict[str, Any]:
    extra = dict(_SOURCES.get(replay.record.subtype or "", {}))
    if replay.value.get("isMeta") is True:
        extra["source"] = "meta"
    prompt_id = text_of(replay.value.get("daemonPromptId"))
    return extra if prompt_id is None else {**extra, "promptId": prompt_id}


def _show_attachments(replay: RecordReplay, extra: dict[str, Any]) -> None:
    for key in ("attachmentReferences", "resourceLinks"):
        for reference in list_of(replay.payload.get(key)):
            fields = object_of(reference)
            uri = text_of(fields.get("uri"))
            name = text_of(fields.get("name")) or uri
            if uri is None:
                replay.report("malformed_part", "an attachment without an address")
                continue
            content = {"type": "resource_link", "uri": uri, "name": name}
            mime_type = text_of(fields.get("mimeType"))
            if mime_type is not None:
                content["mimeType"] = mime_type
            replay.chunk("user_message_chunk", content, **extra)


def _is_hook_context(part: Part) -> bool:
    if part.kind != "text":
        return False
    text = part.content["text"].strip()
    inside = text[len(_HOOK_OPENER) : -len(_HOOK_CLOSER)]
    return (
        text.startswith(_HOOK_OPENER)
        and text.endswith(_HOOK_CLOSER)
        and _HOOK_OPENER.strip() not in inside
        and _HOOK_CLOSER.strip() not in inside
    )
