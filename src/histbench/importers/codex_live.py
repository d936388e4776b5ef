"""Codex's app server: notifications as JSON-RPC lines.

    item/agentMessage/delta                                  text
    item/reasoning/textDelta, item/reasoning/summaryTextDelta    reasoning

Blocks are items, told by id (a summary's parts by `summaryIndex` too); `item/completed` ends them
and, for a message, says what its text comes to: a difference is reported (`text_differs`).  A turn
is a turn of ours, and one step of it; what commands print stays whole.
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import count_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Steps

__all__ = ["CODEX_LIVE", "CodexLive"]

_DELTAS = {
    "item/agentMessage/delta": "text",
    "item/reasoning/textDelta": "reasoning",
    "item/reasoning/summaryTextDelta": "reasoning",
}
_METHODS = frozenset({*_DELTAS, "item/started", "item/completed", "turn/started", "turn/completed"})


class CodexLive:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        self._begun = False

    def feed(self, item: Item) -> None:
        """Take one message."""
        method, params = text_at(item.value, "method"), object_at(item.value, "params")
        thread = text_at(params, "threadId")
        name, text = text_at(params, "itemId"), text_at(params, "delta")
        if method in _DELTAS and name is not None and text is not None:
            step = self._steps.open(thread, item.place)
            kind = _DELTAS[method]
            block = step.block((name, method, count_at(params, "summaryIndex")), kind)
            self._out.fragments(item, [(("value", "params", "delta"), step, block, text)])
            return
        if method == "turn/started":
            self._steps.close(thread, interrupted=True)
            if self._begun:
                self._steps.next_turn()
            self._begun = True
        self._out.verbatim(item)
        if method == "item/completed":
            self._end_item(item, thread, object_at(params, "item"))
        elif method == "thread/tokenUsage/updated":
            open_step = self._steps.get(thread)
            if open_step is not None:
                open_step.usage = _usage(object_at(params, "tokenUsage", "last"))
        elif method == "turn/completed":
            open_step = self._steps.get(thread)
            if open_step is not None:
                open_step.reason = text_at(params, "turn", "status") or "completed"
                self._steps.close(thread)

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _end_item(self, item: Item, thread: str | None, ended: dict[str, Any]) -> None:
        step = self._steps.get(thread)
        name, text = text_at(ended, "id"), text_at(ended, "text")
        for key, block in step.blocks.items() if step is not None else ():
            if step is None or key[0] != name or block.ended:
                continue
            step.end_block(block)
            if step.assembled and block.kind == "text" and text not in {None, block.text()}:
                message = "a finished text is not what its deltas come to"
                self._out.note("text_differs", message, item.place)


def _usage(tokens: dict[str, Any]) -> dict[str, int] | None:
    given, made = count_at(tokens, "inputTokens"), count_at(tokens, "outputTokens")
    if given is None or made is None:
        return None
    cached = count_at(tokens, "cachedInputTokens")
    counts = {"inputTokens": max(0, given - (cached or 0)), "outputTokens": made}
    if cached is not None:
        counts["cacheReadTokens"] = cached
    reasoning = count_at(tokens, "reasoningOutputTokens")
    if reasoning is not None:
        counts["reasoningTokens"] = reasoning
    return counts


CODEX_LIVE = Format(
    name="codex-live",
    title="Codex app server notifications",
    recognises=lambda item: text_at(item.value, "method") in _METHODS,
    family=CodexLive,
    clock="synthetic",
    deltas=True,
    keeps="every message; what commands print, and tools' calls, whole",
)
