"""OpenAI chat completion chunks, and the dialects of everybody who serves the same interface.

    delta.content            text: a string, or Mistral's array of {type: text | thinking} parts
    delta.refusal            text, in a block of its own
    delta.reasoning_content  reasoning: DeepSeek, Qwen, xAI, vLLM, llama.cpp
    delta.reasoning          reasoning: Groq, OpenRouter, Ollama
    delta.tool_calls[j]      tool-call; id and name stand on the first fragment only
    delta.function_call      the same before there were tool calls

Each choice of each completion is a step; its blocks begin with their first fragment that is not
empty, a tool call's with any.  Counts: `usage` or Groq's `x_groq.usage`, cached tokens subtracted.
A step ends with `[DONE]`, with the completion's usage, or with the recording.
"""

from typing import Any

from histbench.importers.emitting import Emitter, Fragment
from histbench.importers.envelopes import Path
from histbench.importers.family import Format
from histbench.importers.fields import at, count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Step, Steps

__all__ = ["OPENAI_CHAT", "OpenAIChat"]

_TEXTS = {
    "reasoning_content": "reasoning",
    "reasoning": "reasoning",
    "content": "text",
    "refusal": "text",
}


class OpenAIChat:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        # The open steps of each completion, by its id.
        self._choices: dict[Any, list[Any]] = {}

    def feed(self, item: Item) -> None:
        """Take one chunk."""
        value = item.value
        if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
            if item.text == "[DONE]":
                self._steps.close_all()
                self._choices = {}
            self._out.verbatim(item)
            return
        completion = text_at(value, "id")
        if completion not in self._choices:
            self._steps.close_finished()
            self._choices = {
                name: keys
                for name, keys in self._choices.items()
                if any(self._steps.get(key) is not None for key in keys)
            }
        fragments: list[Fragment] = []
        words: list[tuple[Any, str]] = []
        # A delta's text is taken out of the value, so what else it says is looked at before.
        for position, choice in enumerate(value["choices"]):
            if isinstance(choice, dict):
                key = (completion, _choice_index(choice, position))
                self._read_choice(item, key, position, choice, fragments)
                word = choice.get("finish_reason")
                if isinstance(word, str):
                    words.append((key, word))
        usage = None
        if value.get("usage") or "x_groq" in value:
            usage = _usage(object_at(value, "usage") or object_at(value, "x_groq", "usage"))
        if fragments:
            self._out.fragments(item, fragments)
        else:
            self._out.verbatim(item)
        for key, word in words:
            step = self._steps.get(key)
            if step is not None:
                step.reason = word
        if usage is not None:
            # Counts are of the whole completion; they stand on its first choice.
            keys = self._choices.get(completion)
            step = self._steps.get(keys[0]) if keys else None
            if step is not None:
                step.usage = usage
            if not value["choices"]:
                self._steps.close_finished()

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _read_choice(
        self,
        item: Item,
        key: Any,
        position: int,
        choice: dict[str, Any],
        found: list[Fragment],
    ) -> None:
        """Add the fragments in one choice to `found`."""
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        path: Path = ("value", "choices", position, "delta")
        for name, field in delta.items():
            kind = _TEXTS.get(name)
            if kind is not None and isinstance(field, str):
                step = self._step(item, key) if field else self._steps.get(key)
                if step is not None and (field or name in step.blocks):
                    found.append(((*path, name), step, step.block(name, kind), field))
            elif kind is not None and isinstance(field, list):
                self._read_parts(item, key, (*path, name), field, found)
            elif name == "tool_calls" and isinstance(field, list):
                for number, call in enumerate(field):
                    function = object_at(call, "function")
                    if function:
                        step = self._step(item, key)
                        where = (*path, name, number, "function")
                        call_key = _call_key(step, call, number)
                        found += _read_call(step, where, call_key, call, function)
            elif name == "function_call" and isinstance(field, dict) and field:
                found += _read_call(self._step(item, key), (*path, name), name, {}, field)

    def _read_parts(
        self, item: Item, key: Any, path: Path, parts: list[Any], found: list[Fragment]
    ) -> None:
        """Add the fragments in a content that is an array of parts."""
        for number, part in enumerate(parts):
            texts: list[tuple[Path, str, str | None]] = [
                ((*path, number, "text"), "text", text_at(part, "text"))
            ]
            texts += [
                ((*path, number, "thinking", index, "text"), "reasoning", text_at(each, "text"))
                for index, each in enumerate(list_at(part, "thinking"))
            ]
            for where, kind, text in texts:
                if text:
                    step = self._step(item, key)
                    found.append((where, step, step.block(("part", kind), kind), text))

    def _step(self, item: Item, key: Any) -> Step:
        """The step of a choice, begun if there is none; `key` is (completion, choice)."""
        step = self._steps.get(key)
        if step is None:
            step = self._steps.open(key, item.place)
            step.model, step.message_id = text_at(item.value, "model"), key[0]
            self._choices.setdefault(key[0], []).append(key)
        return step


def _choice_index(choice: dict[str, Any], position: int) -> int:
    index = count_at(choice, "index")
    return position if index is None else index


def _call_key(step: Step, call: Any, number: int) -> Any:
    index = count_at(call, "index")
    key: Any = ("call", number if index is None else index)
    call_id = text_at(call, "id")
    known = step.blocks.get(key)
    if call_id and known is not None and known.call_id not in {"", call_id}:
        # Servers that number every call 0 tell them apart by id.
        return (*key, call_id)
    while (*key, None) in step.blocks:
        key = (*key, None)
    return key


def _read_call(
    step: Step, path: Path, key: Any, call: Any, function: dict[str, Any]
) -> list[Fragment]:
    block = step.block(key, "tool-call", text_at(call, "id"), text_at(function, "name"))
    text = text_at(function, "arguments")
    return [] if text is None else [((*path, "arguments"), step, block, text)]


def _usage(usage: dict[str, Any]) -> dict[str, int] | None:
    if not usage:
        return None
    given, made = count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens")
    if given is None or made is None:
        return None
    cached = count_at(usage, "prompt_tokens_details", "cached_tokens")
    if cached is None:
        cached = count_at(usage, "prompt_cache_hit_tokens")
    counts = {"inputTokens": max(0, given - (cached or 0)), "outputTokens": made}
    if cached is not None:
        counts["cacheReadTokens"] = cached
    reasoning = count_at(usage, "completion_tokens_details", "reasoning_tokens")
    if reasoning is not None:
        counts["reasoningTokens"] = reasoning
    return counts


def _recognises(item: Item) -> bool:
    kind = at(item.value, "object")
    if kind == "chat.completion.chunk":
        return True
    return kind is None and isinstance(at(item.value, "choices", 0, "delta"), dict)


OPENAI_CHAT = Format(
    name="openai-chat",
    title="OpenAI chat completion chunks and their dialects",
    recognises=_recognises,
    family=OpenAIChat,
    clock="synthetic",
    deltas=True,
    keeps="every chunk; envelopes, padding and log probabilities by column",
)
