"""OpenAI Responses events.

    output_text.delta, refusal.delta                       text
    reasoning_text.delta, reasoning_summary_text.delta     reasoning
    function_call_arguments.delta and the deltas of other tools' inputs    tool-call

A block is one part of one output item (output_index with content_index, summary_index or
command_index); id and name come from `output_item.added`.  The `.done` of a part says what its
text comes to: a difference from the deltas is reported (`text_differs`), and a call whose
arguments came only there gets them in its block-end.  A response is a step; it ends with
`response.completed`, `.incomplete` or `.failed`, which carry the usage.  Sounds and images stay
whole.
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Block, Step, Steps

__all__ = ["OPENAI_RESPONSES", "OpenAIResponses"]

_PREFIX = "response."

# The part of an event's name before `.delta` and `.done`: kind, where `.done` has the text.
_PARTS = {
    "output_text": ("text", "text"),
    "refusal": ("text", "refusal"),
    "reasoning_text": ("reasoning", "text"),
    "reasoning_summary_text": ("reasoning", "text"),
    "function_call_arguments": ("tool-call", "arguments"),
    "custom_tool_call_input": ("tool-call", "input"),
    "mcp_call_arguments": ("tool-call", "arguments"),
    "code_interpreter_call_code": ("tool-call", "code"),
    "shell_call_command": ("tool-call", "command"),
}

_ENDS = frozenset({"completed", "incomplete", "failed", "cancelled"})

# Only one answer is under way in a stream of events, whatever its id.
_ANSWER = "answer"


class OpenAIResponses:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        self._items: dict[int, dict[str, Any]] = {}

    def feed(self, item: Item) -> None:
        """Take one event."""
        value = item.value
        name = (text_at(value, "type") or "").removeprefix(_PREFIX)
        part, _, verb = name.rpartition(".")
        if verb == "delta" and part in _PARTS:
            text = text_at(value, "delta")
            if text is not None:
                step = self._step(item)
                block = self._block(step, part, value)
                if block.kind == _PARTS[part][0]:
                    self._out.fragments(item, [(("value", "delta"), step, block, text)])
                    return
        self._out.verbatim(item)
        if name == "created":
            self._steps.close(_ANSWER, interrupted=True)
            self._items = {}
            response = object_at(value, "response")
            step = self._step(item)
            step.message_id, step.model = text_at(response, "id"), text_at(response, "model")
        elif name == "output_item.added":
            self._add_item(item, value)
        elif verb == "done" and part in _PARTS:
            self._end_block(item, part, value)
        elif name == "output_item.done":
            self._end_item(value)
        elif name in _ENDS:
            self._end(item, name, object_at(value, "response"))

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _step(self, item: Item) -> Step:
        return self._steps.open(_ANSWER, item.place)

    def _add_item(self, item: Item, value: Any) -> None:
        index, added = count_at(value, "output_index"), object_at(value, "item")
        if index is None:
            return
        kept = ("type", "id", "call_id", "name")
        self._items[index] = {name: added.get(name) for name in kept}
        if (text_at(added, "type") or "").endswith("_call"):
            self._block(self._step(item), "function_call_arguments", value)

    def _block(self, step: Step, part: str, value: Any) -> Block:
        kind = _PARTS[part][0]
        index = count_at(value, "output_index")
        added = self._items.get(index, {}) if index is not None else {}
        if kind == "tool-call":
            inner = count_at(value, "command_index")
            call_id = text_at(added, "call_id") or text_at(added, "id") or text_at(value, "item_id")
            name = text_at(added, "name") or text_at(added, "type")
            return step.block((index, "call", inner), kind, call_id, name)
        inner_name = "summary_index" if part == "reasoning_summary_text" else "content_index"
        return step.block((index, inner_name, count_at(value, inner_name)), kind)

    def _end_block(self, item: Item, part: str, value: Any) -> None:
        kind, field = _PARTS[part]
        text = text_at(value, field)
        if text is None:
            return
        step = self._step(item)
        block = self._block(step, part, value)
        if block.kind != kind or block.ended:
            return
        step.end_block(block, text)
        if step.assembled and block.text() != text:
            self._out.note(
                "text_differs", "a finished text is not what its deltas come to", item.place
            )

    def _end_item(self, value: Any) -> None:
        index, step = count_at(value, "output_index"), self._steps.get(_ANSWER)
        if index is None or step is None:
            return
        if (text_at(value, "item", "type") or "").endswith("_call"):
            block = self._block(step, "function_call_arguments", value)
            step.end_block(block, text_at(value, "item", "arguments"))
        for number, content in enumerate(list_at(value, "item", "content")):
            text = text_at(content, "text")
            block_ = step.blocks.get((index, "content_index", number))
            if block_ is not None and text is not None:
                step.end_block(block_, text)

    def _end(self, item: Item, name: str, response: dict[str, Any]) -> None:
        step = self._step(item)
        step.usage = _usage(object_at(response, "usage"))
        step.reason = text_at(response, "incomplete_details", "reason") or name
        if name == "completed" and any(block.kind == "tool-call" for block in step.blocks.values()):
            step.reason = "tool_calls"
        self._steps.close(_ANSWER)


def _usage(usage: dict[str, Any]) -> dict[str, int] | None:
    given, made = count_at(usage, "input_tokens"), count_at(usage, "output_tokens")
    if given is None or made is None:
        return None
    cached = count_at(usage, "input_tokens_details", "cached_tokens")
    counts = {"inputTokens": max(0, given - (cached or 0)), "outputTokens": made}
    if cached is not None:
        counts["cacheReadTokens"] = cached
    reasoning = count_at(usage, "output_tokens_details", "reasoning_tokens")
    if reasoning is not None:
        counts["reasoningTokens"] = reasoning
    return counts


OPENAI_RESPONSES = Format(
    name="openai-responses",
    title="OpenAI Responses events",
    recognises=lambda item: (text_at(item.value, "type") or "").startswith(_PREFIX),
    family=OpenAIResponses,
    clock="synthetic",
    deltas=True,
    keeps="every event; sequence numbers, padding and log probabilities by column",
)
