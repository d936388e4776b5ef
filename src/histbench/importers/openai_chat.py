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
from histbench.importers.family import Format
from histbench.importers.fields import at, count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Step, Steps

__all__ = ["OPENAI_CHAT", "OpenAIChat"]

_TEXTS = (
    ("reasoning_content", "reasoning"),
    ("reasoning", "reasoning"),
    ("content", "text"),
    ("refusal", "text"),
)


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
        fragments: list[Fragment] = []
        for position, choice in enumerate(value["choices"]):
            if isinstance(choice, dict):
                fragments += self._read_choice(item, completion, position, choice)
        usage = _usage(object_at(value, "usage") or object_at(value, "x_groq", "usage"))
        # A delta's text is taken out of the value, so what else it says is looked at before.
        words = [text_at(choice, "finish_reason") for choice in value["choices"]]
        if fragments:
            self._out.fragments(item, fragments)
        else:
            self._out.verbatim(item)
        keys = self._choices.get(completion, [])
        for position, word in enumerate(words):
            key = (completion, _choice_index(value["choices"][position], position))
            step = self._steps.get(key)
            if step is not None and word is not None:
                step.reason = word
        if usage is not None:
            # Counts are of the whole completion; they stand on its first choice.
            step = self._steps.get(keys[0]) if keys else None
            if step is not None:
                step.usage = usage
            if not value["choices"]:
                self._steps.close_finished()

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _read_choice(
        self, item: Item, completion: str | None, position: int, choice: dict[str, Any]
    ) -> list[Fragment]:
        delta = object_at(choice, "delta")
        key = (completion, _choice_index(choice, position))
        path = ("value", "choices", position, "delta")
        found: list[Fragment] = []
        for name, kind in _TEXTS:
            text = delta.get(name)
            if isinstance(text, str):
                step = self._step(item, completion, key, begin=text != "")
                if step is not None and (text or name in step.blocks):
                    found.append(((*path, name), step, step.block(name, kind), text))
            elif isinstance(text, list):
                found += self._read_parts(item, completion, key, (*path, name), text)
        for number, call in enumerate(list_at(delta, "tool_calls")):
            function = object_at(call, "function")
            step = self._step(item, completion, key, begin=bool(function))
            if step is not None and function:
                where = (*path, "tool_calls", number, "function")
                found += _read_call(step, where, _call_key(step, call, number), call, function)
        call = object_at(delta, "function_call")
        if call and (step := self._step(item, completion, key, begin=True)) is not None:
            found += _read_call(step, (*path, "function_call"), "function_call", {}, call)
        return found

    def _read_parts(
        self,
        item: Item,
        completion: str | None,
        key: Any,
        path: tuple[str | int, ...],
        parts: list[Any],
    ) -> list[Fragment]:
        found: list[Fragment] = []
        for number, part in enumerate(parts):
            nested = list_at(part, "thinking")
            texts: list[tuple[tuple[str | int, ...], str, str | None]] = [
                ((*path, number, "text"), "text", text_at(part, "text"))
            ]
            texts += [
                ((*path, number, "thinking", index, "text"), "reasoning", text_at(each, "text"))
                for index, each in enumerate(nested)
            ]
            for where, kind, text in texts:
                if text and (step := self._step(item, completion, key, begin=True)) is not None:
                    block = step.block(("part", kind), kind)
                    found.append((where, step, block, text))
        return found

    def _step(self, item: Item, completion: str | None, key: Any, *, begin: bool) -> Step | None:
        step = self._steps.get(key)
        if step is None and begin:
            step = self._steps.open(key, item.place)
            step.model = text_at(item.value, "model")
            step.message_id = completion
            self._choices.setdefault(completion, []).append(key)
        return step


def _choice_index(choice: Any, position: int) -> int:
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
    step: Step, path: tuple[str | int, ...], key: Any, call: Any, function: dict[str, Any]
) -> list[Fragment]:
    block = step.block(key, "tool-call", text_at(call, "id"), text_at(function, "name"))
    text = text_at(function, "arguments")
    return [] if text is None else [((*path, "arguments"), step, block, text)]


def _usage(usage: dict[str, Any]) -> dict[str, int] | None:
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
