"""Session files that hold one record a message: nothing in them is token-sized.

They are read for paging and for the store, and a diagnostic says so (`no_deltas`).  Each record becomes one event
that holds it whole: a `user/message` or `assistant/message` where somebody speaks, so that pages
have messages to count, anything else `source/event`.  Times are the records' own.

    claude-code   ~/.claude/projects: uuid, parentUuid, sessionId, message
    codex         rollout-*.jsonl: timestamp, type, payload
    gemini-cli    chats: a header, records by id, {"$set"} and {"$rewindTo"} mutations
    qwen-code     ~/.qwen/projects/*/chats: uuid, parentUuid, message.parts
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import at, milliseconds, object_at, text_at
from histbench.importers.items import Item

__all__ = ["CLAUDE_CODE", "CODEX", "GEMINI_CLI", "QWEN_CODE", "Transcript"]

_CODEX_TYPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
_GEMINI_CLI_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_CLAUDE_TYPES = frozenset({"user", "assistant", "system", "attachment"})
_QWEN_TYPES = frozenset({"user", "assistant", "tool_result", "system"})

_KINDS = {
    "user": "user/message",
    "assistant": "assistant/message",
    "gemini": "assistant/message",
}


class Transcript:
    """The reader of all four."""

    def __init__(self, out: Emitter) -> None:
        self._out = out

    def feed(self, item: Item) -> None:
        """Take one record."""
        value = item.value
        self._out.set_clock(milliseconds(at(value, "timestamp")))
        kind = _KINDS.get(_speaker(value) or "")
        if kind is None or item.frame is not None:
            self._out.verbatim(item)
        else:
            self._out.emit_message(kind, {"value": value})

    def finish(self) -> None:
        """Nothing stays open."""


def _speaker(value: Any) -> str | None:
    """Who speaks in a record; None for tools' results and everything else."""
    if text_at(value, "type") == "response_item":
        payload = object_at(value, "payload")
        return text_at(payload, "role") if text_at(payload, "type") == "message" else None
    if isinstance(at(value, "message", "content", 0, "tool_use_id"), str):
        return None
    return text_at(value, "type")


def _is_claude_code(item: Item) -> bool:
    value = object_at(item.value)
    return (
        text_at(value, "type") in _CLAUDE_TYPES
        and {"uuid", "parentUuid", "sessionId"} <= value.keys()
        and "parts" not in object_at(value, "message")
    )


def _is_codex(item: Item) -> bool:
    value = object_at(item.value)
    return text_at(value, "type") in _CODEX_TYPES and {"timestamp", "payload"} <= value.keys()


def _is_gemini_cli(item: Item) -> bool:
    value = object_at(item.value)
    if "$set" in value or "$rewindTo" in value:
        return True
    return (
        text_at(value, "type") in _GEMINI_CLI_TYPES
        and {"id", "timestamp", "content"} <= value.keys()
        and "uuid" not in value
    )


def _is_qwen_code(item: Item) -> bool:
    value = object_at(item.value)
    return (
        text_at(value, "type") in _QWEN_TYPES
        and {"uuid", "parentUuid", "sessionId"} <= value.keys()
        and "parts" in object_at(value, "message")
    )


def _format(name: str, title: str, recognises: Any) -> Format:
    return Format(
        name=name,
        title=title,
        recognises=recognises,
        family=Transcript,
        clock="source",
        deltas=False,
        keeps="every record, whole; it holds no deltas",
    )


CLAUDE_CODE = _format("claude-code", "Claude Code session files", _is_claude_code)
CODEX = _format("codex", "Codex rollout files", _is_codex)
GEMINI_CLI = _format("gemini-cli", "Gemini CLI chat files", _is_gemini_cli)
QWEN_CODE = _format("qwen-code", "Qwen Code chat files", _is_qwen_code)
