"""LangGraph server events: `messages/partial`, each the whole message so far.

    content, a string                       text
    content[i].text                         text
    content[i].thinking, .reasoning         reasoning
    content[i].partial_json                 tool-call; id and name stand beside it

Each message is a step, told by its id; `messages/complete`, or another message, ends it.  The tuple
form (`event: messages`, a message chunk and its metadata) holds deltas already: `content` and
`tool_call_chunks[].args`.  Events of other kinds (values, updates, metadata) stay whole.  The name
of an event is that of the server-sent event, or the field `event` of a line whose `data` has the
rest.
"""

from typing import Any

from histbench.importers.emitting import Emitter, Fragment
from histbench.importers.envelopes import Path
from histbench.importers.family import Format
from histbench.importers.fields import at, count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.snapshots import check_extends, ends_in_half
from histbench.importers.steps import Step, Steps

__all__ = ["LANGGRAPH", "LangGraph"]

_TEXTS = {
    "text": "text",
    "thinking": "reasoning",
    "reasoning": "reasoning",
    "partial_json": "tool-call",
}


# Types of messages that a model writes: ai, AIMessageChunk, assistant.
_ANSWERS = ("ai", "AI", "assistant")


class LangGraph:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)

    def feed(self, item: Item) -> None:
        """Take one event."""
        name, data, path = _named(item)
        if name == "messages/partial" and self._feed_snapshot(item, data, path):
            return
        if name == "messages" and self._feed_chunk(item, data, path):
            return
        self._out.verbatim(item)
        if name == "messages/complete":
            for message in data if isinstance(data, list) else ():
                self._end(text_at(message, "id"), message)
        elif name in {"end", "error"}:
            self._steps.close_all(interrupted=name == "error")

    def finish(self) -> None:
        """End what is open; nothing has to mark the end of a message."""
        self._steps.close_all()

    def _feed_snapshot(self, item: Item, data: Any, path: Path) -> bool:
        fragments: list[Fragment] = []
        messages = data if isinstance(data, list) else []
        for number, message in enumerate(messages):
            key = text_at(message, "id")
            for where, kind, text, block in _texts(message):
                if ends_in_half(text):
                    return False
                if not text and (self._steps.get(key) is None):
                    continue
                step = self._step(item, message)
                # Deltas of the tuple form would not be part of what the snapshots come to.
                found = step.block(
                    ("snapshot", where), kind, text_at(block, "id"), text_at(block, "name")
                )
                check_extends(found, text, item, f"{key}")
                fragments.append(((*path, number, *where), step, found, text))
        if not fragments or len({id(block) for _, _, block, _ in fragments}) < len(fragments):
            return False
        for message in messages:
            open_step = self._steps.get(text_at(message, "id"))
            if open_step is not None:
                _learn(open_step, message)
        self._out.snapshot(item, fragments)
        return True

    def _feed_chunk(self, item: Item, data: Any, path: Path) -> bool:
        message = at(data, 0)
        fragments: list[Fragment] = []
        for where, kind, text, _ in _texts(message):
            if text:
                step = self._step(item, message)
                fragments.append(((*path, 0, *where), step, step.block(where, kind), text))
        for number, call in enumerate(list_at(message, "tool_call_chunks")):
            args = text_at(call, "args")
            if args is not None:
                step = self._step(item, message)
                index = count_at(call, "index")
                block = step.block(
                    ("call", number if index is None else index),
                    "tool-call",
                    text_at(call, "id"),
                    text_at(call, "name"),
                )
                place = (*path, 0, "tool_call_chunks", number, "args")
                fragments.append((place, step, block, args))
        open_step = self._steps.get(text_at(message, "id"))
        if open_step is not None:
            _learn(open_step, message)
        if not fragments:
            return False
        self._out.fragments(item, fragments)
        return True

    def _step(self, item: Item, message: Any) -> Step:
        key = text_at(message, "id")
        step = self._steps.open(key, item.place)
        step.message_id = key
        return step

    def _end(self, key: str | None, message: Any) -> None:
        step = self._steps.get(key)
        if step is not None:
            _learn(step, message)
            self._steps.close(key)


def _named(item: Item) -> tuple[str | None, Any, Path]:
    """The name of an event, its data, and the path to that."""
    if item.event is not None:
        return item.event, item.value, ("value",)
    return text_at(item.value, "event"), at(item.value, "data"), ("value", "data")


def _texts(message: Any) -> list[tuple[Path, str, str, Any]]:
    """The texts of a message: path, kind, the text, and the content block around it."""
    if not (text_at(message, "type") or "").startswith(_ANSWERS):
        return []
    content = at(message, "content")
    if isinstance(content, str):
        return [(("content",), "text", content, None)]
    found: list[tuple[Path, str, str, Any]] = []
    for number, block in enumerate(content if isinstance(content, list) else []):
        for name, kind in _TEXTS.items():
            text = text_at(block, name)
            if text is not None:
                found.append((("content", number, name), kind, text, block))
    return found


def _learn(step: Step, message: Any) -> None:
    """Usage, model and reason, from whichever update has them."""
    usage = object_at(message, "usage_metadata")
    given, made = count_at(usage, "input_tokens"), count_at(usage, "output_tokens")
    if given is not None and made is not None:
        cached = count_at(usage, "input_token_details", "cache_read")
        step.usage = {"inputTokens": max(0, given - (cached or 0)), "outputTokens": made}
        if cached is not None:
            step.usage["cacheReadTokens"] = cached
    metadata = object_at(message, "response_metadata")
    step.model = text_at(metadata, "model_name") or text_at(metadata, "model") or step.model
    step.reason = (
        text_at(metadata, "finish_reason") or text_at(metadata, "stop_reason") or step.reason
    )


def _recognises(item: Item) -> bool:
    name, data, _ = _named(item)
    if name in {"messages/partial", "messages/complete", "messages/metadata"}:
        return True
    return name == "messages" and isinstance(at(data, 0, "type"), str)


LANGGRAPH = Format(
    name="langgraph",
    title="LangGraph server events",
    recognises=_recognises,
    family=LangGraph,
    clock="synthetic",
    deltas=True,
    keeps="every event; a snapshot as what it adds, and its length",
)
