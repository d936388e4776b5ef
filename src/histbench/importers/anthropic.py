"""Anthropic Messages events, bare or in the `stream_event` lines of Claude Code.

    content_block_delta  text_delta, thinking_delta, input_json_delta become deltas; signatures,
                         citations and whatever comes later stay whole
    content_block_start  begins a block of text, thinking or any kind of tool use; results of
                         server tools are no block of the model's
    message_start        begins a step, message_stop ends it; usage is what both ends say,
                         the later count winning

A `stream_event` names the tool call it runs under, which tells subagents' answers apart; other
lines of Claude Code stay whole, and without `--include-partial-messages` there are only those.
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.envelopes import Path
from histbench.importers.family import Format
from histbench.importers.fields import at, count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Block, Step, Steps
from histbench.jsontext import encode

__all__ = ["ANTHROPIC", "CLAUDE_STREAM", "Anthropic"]

_DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "reasoning"),
    "input_json_delta": ("partial_json", "tool-call"),
}
_TEXTS = {"text": ("text", "text"), "thinking": ("thinking", "reasoning")}
_EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)
_COUNTS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_input_tokens": "cacheReadTokens",
    "cache_creation_input_tokens": "cacheWriteTokens",
}


class Anthropic:
    """The reader of both forms."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)

    def feed(self, item: Item) -> None:
        """Take one event."""
        value, key = item.value, None
        path: Path = ("value",)
        if at(value, "type") == "stream_event":
            key = text_at(value, "parent_tool_use_id")
            value, path = value.get("event"), ("value", "event")
        kind = text_at(value, "type")
        if kind == "content_block_delta" and self._feed_delta(item, value, path, key):
            return
        if kind == "content_block_start" and self._feed_start(item, value, path, key):
            return
        self._out.verbatim(item)
        step = self._steps.get(key)
        if kind == "message_start":
            self._begin(item, value, key)
        elif step is None:
            return
        elif kind == "content_block_stop":
            block = step.blocks.get(count_at(value, "index"))
            if block is not None:
                step.end_block(block)
        elif kind == "message_delta":
            step.reason = text_at(value, "delta", "stop_reason") or step.reason
            _add_usage(step, object_at(value, "usage"))
        elif kind == "message_stop":
            self._steps.close(key)
        elif kind == "error":
            step.reason = "error"

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _begin(self, item: Item, value: dict[str, Any], key: Any) -> None:
        self._steps.close(key, interrupted=True)
        message = object_at(value, "message")
        step = self._steps.open(key, item.place)
        step.message_id, step.model = text_at(message, "id"), text_at(message, "model")
        _add_usage(step, object_at(message, "usage"))
        step.reason = text_at(message, "stop_reason")
        for index, content in enumerate(list_at(message, "content")):
            block = _block(step, index, content)
            if block is not None:
                step.end_block(block, _whole(content))

    def _feed_start(self, item: Item, value: dict[str, Any], path: Path, key: Any) -> bool:
        """Begin a block; True when it begins with a text of its own."""
        content = object_at(value, "content_block")
        step = self._steps.open(key, item.place)
        index = count_at(value, "index")
        block = None if index is None else _block(step, index, content)
        if block is None:
            return False
        name, _ = _TEXTS.get(text_at(content, "type") or "", ("", ""))
        text = text_at(content, name) if name else None
        if text:
            self._out.fragments(item, [((*path, "content_block", name), step, block, text)])
            return True
        if content.get("input"):
            # Whole from the start; what arrives in pieces begins with an empty object.
            self._out.verbatim(item)
            step.end_block(block, _whole(content))
            return True
        return False

    def _feed_delta(self, item: Item, value: dict[str, Any], path: Path, key: Any) -> bool:
        name, kind = _DELTAS.get(text_at(value, "delta", "type") or "", ("", ""))
        text = text_at(value, "delta", name) if name else None
        index = count_at(value, "index")
        if text is None or index is None:
            return False
        step = self._steps.open(key, item.place)
        block = step.block(index, kind)
        if block.kind != kind:
            return False
        self._out.fragments(item, [((*path, "delta", name), step, block, text)])
        return True


def _block(step: Step, index: int, content: Any) -> Block | None:
    kind = text_at(content, "type") or ""
    if kind in _TEXTS:
        return step.block(index, _TEXTS[kind][1])
    if kind.endswith("tool_use"):
        return step.block(index, "tool-call", text_at(content, "id"), text_at(content, "name"))
    return None


def _whole(content: dict[str, Any]) -> str:
    name, _ = _TEXTS.get(text_at(content, "type") or "", ("", ""))
    if name:
        return text_at(content, name) or ""
    return encode(content.get("input")).decode()


def _add_usage(step: Step, usage: dict[str, Any]) -> None:
    counts = {ours: count_at(usage, theirs) for theirs, ours in _COUNTS.items()}
    known = {name: count for name, count in counts.items() if count is not None}
    if known:
        step.usage = (step.usage or {"inputTokens": 0, "outputTokens": 0}) | known


# Lines of a stream-json recording; without partial messages there are only the others.
_LINES = frozenset({"stream_event", "system", "assistant", "user", "result"})


def _is_stream_line(item: Item) -> bool:
    return text_at(item.value, "type") in _LINES and text_at(item.value, "session_id") is not None


ANTHROPIC = Format(
    name="anthropic",
    title="Anthropic Messages events",
    recognises=lambda item: text_at(item.value, "type") in _EVENTS,
    family=Anthropic,
    clock="synthetic",
    deltas=True,
    keeps="every event; signatures, citations and pings whole, the blanks that pad them counted",
)

CLAUDE_STREAM = Format(
    name="claude-stream",
    title="Claude Code stream-json",
    recognises=_is_stream_line,
    family=Anthropic,
    clock="synthetic",
    deltas=True,
    keeps="every line; session and event ids by column",
)
