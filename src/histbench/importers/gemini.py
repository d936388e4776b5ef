"""Gemini: chunks of `generateContent`, and events of the Interactions interface.

    candidates[i].content.parts[j].text    text, or reasoning where `thought` is true
    step.delta with delta.text             the same, by the type of the step that `step.start` began

Parts of one kind in a row are one block.  A `functionCall` comes whole: its block begins and ends at
once.  Counts come with every chunk, running; the last ones are the step's, cached tokens subtracted
and thoughts counted as output.  Fragments are some hundred characters long: packing gains little.
"""

from typing import Any

from histbench.importers.emitting import Emitter, Fragment
from histbench.importers.family import Format
from histbench.importers.fields import at, count_at, list_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Step, Steps
from histbench.jsontext import encode

__all__ = ["GEMINI", "Gemini"]

_THOUGHTS = frozenset({"thought", "thinking", "reasoning"})


class Gemini:
    """The reader of both."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        self._response: str | None = None
        self._kinds: dict[int | None, str] = {}
        # Per candidate, the kind of the part before.
        self._last: dict[int, tuple[str, int]] = {}

    def feed(self, item: Item) -> None:
        """Take one chunk or event."""
        value = item.value
        if text_at(value, "event_type") is not None:
            self._feed_event(item, value)
            return
        candidates = list_at(value, "candidates")
        response = text_at(value, "responseId")
        if candidates and response is not None and response != self._response:
            self._steps.close_all(interrupted=True)
            self._response, self._last = response, {}
        fragments: list[Fragment] = []
        for number, candidate in enumerate(candidates):
            fragments += self._read_candidate(item, number, candidate)
        if fragments:
            self._out.fragments(item, fragments)
        else:
            self._out.verbatim(item)
        usage = _usage(object_at(value, "usageMetadata"))
        for number, candidate in enumerate(candidates):
            step = self._steps.get(number)
            if step is not None:
                step.reason = text_at(candidate, "finishReason") or step.reason
                if usage is not None and number == 0:
                    step.usage = usage

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _read_candidate(self, item: Item, number: int, candidate: Any) -> list[Fragment]:
        found: list[Fragment] = []
        for index, part in enumerate(list_at(candidate, "content", "parts")):
            text, call = text_at(part, "text"), object_at(part, "functionCall")
            if call:
                self._whole_call(self._step(item, number), number, call)
            if text is None:
                continue
            kind = "reasoning" if at(part, "thought") is True else "text"
            last = self._last.get(number)
            if not text and (last is None or last[0] != kind):
                # A signature's carrier, not the beginning of a block.
                continue
            step = self._step(item, number)
            if last is None or last[0] != kind:
                last = self._last[number] = (kind, len(step.blocks))
            path = ("value", "candidates", number, "content", "parts", index, "text")
            found.append((path, step, step.block(last, kind), text))
        return found

    def _whole_call(self, step: Step, number: int, call: dict[str, Any]) -> None:
        key = ("call", len(step.blocks))
        block = step.block(key, "tool-call", text_at(call, "id"), text_at(call, "name"))
        step.end_block(block, encode(call.get("args")).decode())
        self._last.pop(number, None)

    def _step(self, item: Item, number: int) -> Step:
        step = self._steps.open(number, item.place)
        step.model = text_at(item.value, "modelVersion") or step.model
        step.message_id = text_at(item.value, "responseId") or step.message_id
        return step

    def _feed_event(self, item: Item, value: Any) -> None:
        kind, index = text_at(value, "event_type"), count_at(value, "index")
        text = text_at(value, "delta", "text")
        if kind == "step.delta" and text is not None:
            of = text_at(value, "delta", "type") or self._kinds.get(index, "")
            block_kind = (
                "reasoning" if of in _THOUGHTS or self._kinds.get(index) in _THOUGHTS else "text"
            )
            step = self._steps.open(0, item.place)
            block = step.block((block_kind, index), block_kind)
            self._out.fragments(item, [(("value", "delta", "text"), step, block, text)])
            return
        self._out.verbatim(item)
        if kind == "step.start":
            self._kinds[index] = text_at(value, "step", "type") or ""
        elif kind == "step.stop":
            open_step = self._steps.get(0)
            for key, block in list(open_step.blocks.items()) if open_step is not None else ():
                if key[1] == index and open_step is not None:
                    open_step.end_block(block)
        elif kind == "interaction.complete":
            step = self._steps.open(0, item.place)
            step.reason = "completed"
            self._steps.close(0)


def _usage(usage: dict[str, Any]) -> dict[str, int] | None:
    given = count_at(usage, "promptTokenCount")
    if given is None:
        return None
    cached = count_at(usage, "cachedContentTokenCount")
    thoughts = count_at(usage, "thoughtsTokenCount")
    made = count_at(usage, "candidatesTokenCount") or 0
    counts = {
        "inputTokens": max(0, given - (cached or 0)),
        "outputTokens": made + (thoughts or 0),
    }
    if cached is not None:
        counts["cacheReadTokens"] = cached
    if thoughts is not None:
        counts["reasoningTokens"] = thoughts
    return counts


def _recognises(item: Item) -> bool:
    event = text_at(item.value, "event_type")
    if event is not None:
        return event.startswith(("step.", "interaction.", "content."))
    return isinstance(at(item.value, "candidates", 0), dict)


GEMINI = Format(
    name="gemini",
    title="Gemini generateContent chunks and Interactions events",
    recognises=_recognises,
    family=Gemini,
    clock="synthetic",
    deltas=True,
    keeps="every chunk; running counts and signatures by column",
)
