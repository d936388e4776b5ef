"""A chat as logical events: turns, steps, streamed blocks and the copies assembled from them.

Every step has the order that recorded logs have:

    step/start, block-start and deltas of each block, block-end of every block with its assembled
    copy, usage, finish, assistant/message with the same content again and the seqs of all the
    step's chunks, tool/call and tool/result of each call, step/end

A step without an ending (`abandon`) stops after its last delta: no block-end, no message.
Methods return the events of one such stretch, so memory holds a step at a time.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from synthetic.clocks import Gaps
from synthetic.dice import Dice
from synthetic.phrases import Fragments
from synthetic.toolcalls import ToolCall

__all__ = ["T0", "Block", "Chat", "block_of_call"]

Event = dict[str, Any]

# When every synthetic session begins, in ms since the epoch: a round number of 2023.
T0 = 1_700_000_000_000

PROVIDER, MODEL = "synthetic", "synthetic-1"
_CONTEXT_WINDOW = 131_072
# Waits in ms, as evenly spaced quantiles.
_FIRST_TOKEN_MS = [280, 420, 560, 700, 900, 1200, 1800, 4100]
_TOOL_MS = [1, 4, 8, 12, 30, 110, 700, 9000]
_USER_MS = [900, 6_000, 18_000, 40_000, 90_000, 260_000, 3_600_000]


class Block(NamedTuple):
    """One streamed block: `kind` is text, reasoning or tool-call; a call has an id and result."""

    kind: str
    fragments: Fragments
    call_id: str = ""
    name: str = ""
    result: str = ""

    def assembled(self) -> dict[str, Any]:
        """The block as `block-end` and the message hold it."""
        text = "".join(self.fragments)
        if self.kind == "tool-call":
            return {"type": self.kind, "id": self.call_id, "name": self.name, "arguments": text}
        return {"type": self.kind, "text": text}


def block_of_call(call: ToolCall, call_id: str) -> Block:
    """`call` as a block with its id."""
    return Block("tool-call", call.fragments, call_id, call.name, call.result)


class Chat:
    """Writes the next events of one session; knows its seq, clock, turn and step."""

    def __init__(self, dice: Dice, gaps: Gaps) -> None:
        self.seq = 0
        self.now = T0
        self.turn = 0
        self.step = 0
        self._dice = dice
        self._gaps = gaps
        self._calls = 0
        self._context = 2_000

    def event(self, type_: str, data: Any, *, wait: int = 0, **fields: Any) -> Event:
        """The next event, `wait` ms after the last one."""
        self.now += wait
        event = {"type": type_, "seq": self.seq, "time": self.now, "data": data, **fields}
        self.seq += 1
        return event

    def call_id(self) -> str:
        """An id as providers give them to tool calls."""
        self._calls += 1
        return f"call_{self._calls:02d}_{self._dice.uuid().replace('-', '')[:20]}"

    def open_turn(self, text: str) -> list[Event]:
        """The user's message, queued and taken, and the start of its turn."""
        self.turn += 1
        self.step = 0
        message = {
            "content": [{"type": "text", "text": text}],
            "source": {"kind": "user"},
            "role": "user",
            "id": self._dice.uuid(),
        }
        wait = self._dice.quantile(_USER_MS)
        queued = {"target": "next-turn", "start": 0, "inserted": [message]}
        taken = {"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []}
        return [
            self.event("agent/inbox/spliced", queued, wait=wait),
            self.event("turn/start", {"turn": self.turn}),
            self.event("agent/inbox/spliced", taken),
            self.event("user/message", message, surfaceOp="append"),
        ]

    def close_turn(self, reason: dict[str, Any]) -> Event:
        """The end of the turn."""
        return self.event("turn/end", {"turn": self.turn, "reason": reason})

    def title(self, title: str) -> Event:
        """A title for the session, taken from the message just written."""
        data = {"title": title, "messageSeqs": [self.seq - 1], "source": {"kind": "fallback"}}
        return self.event("session/title", data, wait=1)

    def request(self, system: str, tools: list[dict[str, Any]], reason: str) -> list[Event]:
        """What is sent to the provider besides the messages."""
        config = {"provider": PROVIDER, "model": MODEL}
        header = {"config": config, "system": system, "tools": tools}
        context = {**config, "contextWindow": _CONTEXT_WINDOW}
        return [
            self.event("request/header", {"header": header, "reason": reason}),
            self.event("request/context", context),
        ]

    def open_step(self) -> Event:
        """The start of the next step of the turn."""
        self.step += 1
        wait = self._dice.between(0, 12)
        return self.event("step/start", {"turn": self.turn, "step": self.step}, wait=wait)

    def chunk(self, chunk: dict[str, Any], *, wait: int = 0) -> Event:
        """One `assistant/chunk`."""
        data = {"turn": self.turn, "step": self.step, "chunk": chunk}
        return self.event("assistant/chunk", data, wait=wait)

    def stream(self, index: int, block: Block) -> list[Event]:
        """`block-start` and the deltas of one block."""
        wait = self._gaps.take(1)[0] if index else self._dice.quantile(_FIRST_TOKEN_MS)
        start = {"type": "block-start", "index": index, "blockType": block.kind}
        return [self.chunk(start, wait=wait), *self.deltas(index, block)]

    def deltas(self, index: int, block: Block) -> list[Event]:
        """The deltas of one block, bursty in time."""
        turn, step = self.turn, self.step
        count = len(block.fragments)
        # Decides nothing; without this draw every measured profile would have other ids.
        self._dice.random()
        times = list(accumulate(self._gaps.take(count), initial=self.now))[1:]
        if block.kind == "tool-call":
            named = {"type": "tool-call-delta", "index": index, "id": block.call_id}
            named["name"] = block.name
            chunks = [{**named, "argumentsDelta": text} for text in block.fragments]
        else:
            kind = f"{block.kind}-delta"
            chunks = [{"type": kind, "index": index, "text": text} for text in block.fragments]
        events = [
            {
                "type": "assistant/chunk",
                "seq": seq,
                "time": time,
                "data": {"turn": turn, "step": step, "chunk": chunk},
            }
            for seq, time, chunk in zip(
                range(self.seq, self.seq + count), times, chunks, strict=True
            )
        ]
        self.seq += count
        if times:
            self.now = times[-1]
        return events

    def finish(self, blocks: Sequence[Block], first_chunk: int) -> list[Event]:
        """Everything from the first `block-end` to the last tool result.

        `first_chunk` is the seq of the step's first chunk.
        """
        assembled = [block.assembled() for block in blocks]
        events = [
            self.chunk({"type": "block-end", "index": index, "block": block})
            for index, block in enumerate(assembled)
        ]
        usage = self._usage(blocks)
        calls = [block for block in blocks if block.kind == "tool-call"]
        reason = {"kind": "tool-calls" if calls else "stop"}
        events.append(self.chunk({"type": "usage", "usage": usage}, wait=self._dice.below(2)))
        events.append(self.chunk({"type": "finish", "reason": reason}))
        message = {
            "role": "assistant",
            "content": assembled,
            "source": {"kind": "model", "provider": PROVIDER, "model": MODEL},
            "id": self._dice.uuid(),
        }
        data = {"turn": self.turn, "step": self.step, "message": message, "usage": usage}
        sources = list(range(first_chunk, self.seq))
        events.append(
            self.event(
                "assistant/message", data, wait=1, sourceEventSeqs=sources, surfaceOp="append"
            )
        )
        for block in calls:
            events += self._call(block)
        return events

    def close_step(self) -> Event:
        """The end of the step."""
        return self.event("step/end", {"turn": self.turn, "step": self.step})

    def _usage(self, blocks: Sequence[Block]) -> dict[str, int]:
        sizes = dict.fromkeys(("reasoning", "text", "tool-call"), 0)
        for block in blocks:
            sizes[block.kind] += len(block.fragments)
        output = sum(sizes.values())
        cached = self._context // 128 * 128
        usage = {
            "inputTokens": self._context - cached + self._dice.below(60),
            "outputTokens": output,
            "cacheReadTokens": cached,
            "reasoningTokens": sizes["reasoning"],
        }
        self._context = (self._context + output) % _CONTEXT_WINDOW
        return usage

    def _call(self, block: Block) -> list[Event]:
        where = {"turn": self.turn, "step": self.step}
        call = {
            **where,
            "callId": block.call_id,
            "name": block.name,
            "arguments": "".join(block.fragments),
        }
        result = {
            "type": "tool-result",
            "toolCallId": block.call_id,
            "content": [{"type": "text", "text": block.result}],
            "isError": False,
        }
        message = {
            "source": {"kind": "tool", "callId": block.call_id},
            "content": [result],
            "role": "user",
            "id": self._dice.uuid(),
        }
        called = self.event("tool/call", call)
        done = self.event(
            "tool/result",
            {**where, "message": message},
            wait=self._dice.quantile(_TOOL_MS),
            sourceEventSeqs=[called["seq"]],
            surfaceOp="append",
        )
        return [called, done]
