"""AG-UI events: a JSON array, lines, or server-sent events.

    TEXT_MESSAGE_CONTENT, _CHUNK                                   text
    REASONING_MESSAGE_CONTENT, _CHUNK, THINKING_TEXT_MESSAGE_CONTENT   reasoning
    TOOL_CALL_ARGS, _CHUNK                                         tool-call

Blocks are told apart by message and call ids; a CHUNK names its id on the first only, and later
ones belong to the last named.  What follows a tool's result is another step; a run is a turn.
Times are the events' own, where they have any.  State, snapshots and raw events stay whole.
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import count_at, list_at, number_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Block, Step, Steps

__all__ = ["AGUI", "Agui"]

# type: (kind, the name of its id, whether it may leave the id out)
_DELTAS = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId", False),
    "TEXT_MESSAGE_CHUNK": ("text", "messageId", True),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId", False),
    "REASONING_MESSAGE_CHUNK": ("reasoning", "messageId", True),
    "THINKING_TEXT_MESSAGE_CONTENT": ("reasoning", "messageId", True),
    "TOOL_CALL_ARGS": ("tool-call", "toolCallId", False),
    "TOOL_CALL_CHUNK": ("tool-call", "toolCallId", True),
}
_STARTS = {"TEXT_MESSAGE_START": "text", "REASONING_MESSAGE_START": "reasoning"}
_ENDS = {
    "TEXT_MESSAGE_END": "text",
    "REASONING_MESSAGE_END": "reasoning",
    "THINKING_TEXT_MESSAGE_END": "reasoning",
    "TOOL_CALL_END": "tool-call",
}
_OTHERS = frozenset(
    {
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "TOOL_CALL_START",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "REASONING_START",
        "THINKING_START",
        "THINKING_TEXT_MESSAGE_START",
    }
)
_KNOWN = frozenset({*_DELTAS, *_STARTS, *_ENDS, *_OTHERS})

_RUN = "run"


class Agui:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        self._results = False
        # The last id that an event of each kind named.
        self._named: dict[str, str] = {}
        self._calls: dict[str, str | None] = {}

    def feed(self, item: Item) -> None:
        """Take one event."""
        value = item.value
        kind = text_at(value, "type") or ""
        self._out.set_clock(number_at(value, "timestamp"))
        if kind in _DELTAS and self._feed_delta(item, kind, value):
            return
        self._out.verbatim(item)
        if kind in _STARTS:
            self._named[_STARTS[kind]] = text_at(value, "messageId") or ""
            self._block(item, _STARTS[kind], self._named[_STARTS[kind]])
        elif kind == "TOOL_CALL_START":
            call_id = text_at(value, "toolCallId") or ""
            self._named["tool-call"] = call_id
            self._calls[call_id] = text_at(value, "toolCallName")
            self._block(item, "tool-call", call_id)
        elif kind in _ENDS:
            self._end_block(_ENDS[kind], value)
        elif kind == "TOOL_CALL_RESULT":
            self._results = True
        elif kind in {"RUN_FINISHED", "RUN_ERROR"}:
            self._end_run(kind, value)
        elif kind == "RUN_STARTED":
            self._named, self._calls = {}, {}

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _feed_delta(self, item: Item, kind: str, value: Any) -> bool:
        block_kind, id_name, may_lack = _DELTAS[kind]
        named, text = text_at(value, id_name), text_at(value, "delta")
        if named is None and may_lack:
            named = self._named.get(block_kind, "")
        if named is None or text is None:
            return False
        self._named[block_kind] = named
        if block_kind == "tool-call" and text_at(value, "toolCallName") is not None:
            self._calls[named] = text_at(value, "toolCallName")
        step, block = self._block(item, block_kind, named)
        self._out.fragments(item, [(("value", "delta"), step, block, text)])
        return True

    def _block(self, item: Item, kind: str, named: str) -> tuple[Step, Block]:
        step = self._steps.get(_RUN)
        if self._results and (step is None or (kind, named) not in step.blocks):
            self._steps.close(_RUN)
            self._results = False
        step = self._steps.open(_RUN, item.place)
        if kind == "text" and step.message_id is None:
            step.message_id = named or None
        name = self._calls.get(named) if kind == "tool-call" else None
        return step, step.block((kind, named), kind, named, name)

    def _end_block(self, kind: str, value: Any) -> None:
        step = self._steps.get(_RUN)
        named = text_at(value, "toolCallId" if kind == "tool-call" else "messageId")
        key = (kind, self._named.get(kind, "") if named is None else named)
        if step is not None and key in step.blocks:
            step.end_block(step.blocks[key])

    def _end_run(self, kind: str, value: Any) -> None:
        step = self._steps.get(_RUN)
        if step is not None:
            step.usage = _usage(list_at(value, "usage"))
            step.reason = "error" if kind == "RUN_ERROR" else "success"
        self._steps.close(_RUN)
        self._steps.next_turn()
        self._results = False


def _usage(entries: list[Any]) -> dict[str, int] | None:
    """The sum over models; cached tokens are counted apart from the other input."""
    total: dict[str, int] = {}
    for entry in entries:
        given, made = count_at(entry, "inputTokens"), count_at(entry, "outputTokens")
        if given is None or made is None:
            continue
        cached = count_at(entry, "cachedInputTokens")
        counts = {
            "inputTokens": max(0, given - (cached or 0)),
            "outputTokens": made,
            "cacheReadTokens": cached,
            "reasoningTokens": count_at(entry, "reasoningTokens"),
        }
        for name, count in counts.items():
            if count is not None:
                total[name] = total.get(name, 0) + count
    return total or None


AGUI = Format(
    name="ag-ui",
    title="AG-UI events",
    recognises=lambda item: text_at(item.value, "type") in _KNOWN,
    family=Agui,
    clock="source",
    deltas=True,
    keeps="every event; raw events by column, a repeated token only once",
)
