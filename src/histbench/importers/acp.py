"""Agent Client Protocol: `session/update` notifications as JSON-RPC lines, and Grok's log of them.

    agent_message_chunk   text
    agent_thought_chunk   reasoning

Everything else stays whole: tool calls carry their input in one piece.  There are no marks for
where a block ends, so another kind of update ends it (newer agents name the message; then a new
name does).  What the model says after a tool call is another step.  A user's message begins a
turn; the answer to `session/prompt`, or Grok's `turn_completed`, ends the step and says why.

Grok's `updates.jsonl` adds a clock, in whole seconds, sharper where `_meta.agentTimestampMs` is
there.  A `rewind_marker` takes back turns; they were said all the same, so they stay, and a
diagnostic (`rewound`) tells.
"""

from typing import Any

from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import at, number_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Steps

__all__ = ["ACP", "GROK", "AgentUpdates"]

_KINDS = {"agent_message_chunk": "text", "agent_thought_chunk": "reasoning"}
_METHODS = frozenset({"session/update", "_x.ai/session/update"})
_TOOLS = frozenset({"tool_call", "tool_call_update"})


class AgentUpdates:
    """The reader of both."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        # Per session: the block that is open, and whether a tool was called since.
        self._current: dict[str | None, tuple[Any, int]] = {}
        self._called: set[str | None] = set()
        self._blocks = 0
        self._answered = False
        self._prompts: dict[Any, str | None] = {}

    def feed(self, item: Item) -> None:
        """Take one message."""
        value = item.value
        self._out.set_clock(_time(value))
        session = text_at(value, "params", "sessionId")
        update = object_at(value, "params", "update")
        kind = text_at(update, "sessionUpdate") if text_at(value, "method") in _METHODS else None
        text = text_at(update, "content", "text")
        if kind in _KINDS and at(update, "content", "type") == "text" and text is not None:
            self._feed_text(item, session, kind, update, text)
            return
        self._end_block(session)
        if kind == "user_message_chunk" and self._answered:
            # Of several in a row only the first begins a turn.
            self._steps.close(session)
            self._called.discard(session)
            self._steps.next_turn()
            self._answered = False
        self._out.verbatim(item)
        if kind in _TOOLS:
            self._called.add(session)
            self._answered = True
        elif kind in {"turn_completed", "rewind_marker"}:
            self._end(session, text_at(update, "stop_reason"))
            if kind == "rewind_marker":
                message = "turns were taken back by the recording; they are kept"
                self._out.note("rewound", message, item.place)
        elif text_at(value, "method") == "session/prompt":
            self._prompts[_name(at(value, "id"))] = session
        elif _name(at(value, "id")) in self._prompts and "method" not in object_at(value):
            session = self._prompts.pop(_name(at(value, "id")))
            self._end(session, text_at(value, "result", "stopReason"))

    def finish(self) -> None:
        """End what is open; that a recording ends is no interruption, since nothing marks an end."""
        self._steps.close_all()

    def _feed_text(
        self, item: Item, session: str | None, kind: str, update: dict[str, Any], text: str
    ) -> None:
        if session in self._called:
            self._called.discard(session)
            self._steps.close(session)
            self._current.pop(session, None)
        self._answered = True
        step = self._steps.open(session, item.place)
        name = (kind, text_at(update, "messageId"))
        current = self._current.get(session)
        if current is None or current[0] != name:
            self._end_block(session)
            self._blocks += 1
            current = self._current[session] = (name, self._blocks)
        block = step.block(current, _KINDS[kind])
        path = ("value", "params", "update", "content", "text")
        self._out.fragments(item, [(path, step, block, text)])

    def _end_block(self, session: str | None) -> None:
        current = self._current.pop(session, None)
        step = self._steps.get(session)
        if current is not None and step is not None and current in step.blocks:
            step.end_block(step.blocks[current])

    def _end(self, session: str | None, reason: str | None) -> None:
        step = self._steps.get(session)
        if step is not None:
            step.reason = reason or step.reason
            self._steps.close(session)
        self._called.discard(session)


def _name(identifier: Any) -> str:
    return f"{type(identifier).__name__} {identifier!s}"


def _time(value: Any) -> int | float | None:
    sharp = number_at(value, "params", "_meta", "agentTimestampMs")
    if sharp is not None:
        return sharp
    seconds = number_at(value, "timestamp")
    return None if seconds is None else seconds * 1000


def _is_update(item: Item) -> bool:
    return text_at(item.value, "method") in _METHODS and bool(
        object_at(item.value, "params", "update")
    )


ACP = Format(
    name="acp",
    title="Agent Client Protocol session/update notifications",
    recognises=lambda item: _is_update(item) and "timestamp" not in item.value,
    family=AgentUpdates,
    clock="synthetic",
    deltas=True,
    keeps="every message; tool calls and plans whole",
)

GROK = Format(
    name="grok",
    title="Grok Build updates.jsonl",
    recognises=lambda item: _is_update(item) and "timestamp" in item.value,
    family=AgentUpdates,
    clock="source",
    deltas=True,
    keeps="every line, turns that were taken back too; counts of tokens by column",
)
