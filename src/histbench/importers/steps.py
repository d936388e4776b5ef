"""Steps and blocks: the deltas of one answer, and what is put together when it ends.

A *step* is one answer of a model; its *blocks* get indexes in the order in which they begin.  Per
step, as in a session log: block-start, deltas, block-end with the assembled block, usage, finish,
and an `assistant/message` whose source says that it was assembled here.  Assembling stops at
`ASSEMBLED_CHARACTERS` or `ASSEMBLED_DELTAS` of one step: its deltas are complete all the same, but
it gets no assembled copies, and a diagnostic `not_assembled`.
"""

from typing import TYPE_CHECKING, Any

from histbench.errors import Place
from histbench.jsontext import merge_surrogates

if TYPE_CHECKING:
    from histbench.importers.emitting import Emitter

__all__ = ["ASSEMBLED_CHARACTERS", "ASSEMBLED_DELTAS", "Block", "Step", "Steps"]

# Twice the tokens of the longest answers that models give.  What goes on is no answer but a
# recording that never ends one, and its message would name every seq.
ASSEMBLED_CHARACTERS = 4 * 1024 * 1024
ASSEMBLED_DELTAS = 256 * 1024

# Parts are joined once there are so many.
_PARTS = 1024

# Answers that may be under way at once in one recording.
_OPEN_STEPS = 256

_DELTAS = {"text": "text-delta", "reasoning": "reasoning-delta", "tool-call": "tool-call-delta"}


class Block:
    """One block of a step; `kind` is `text`, `reasoning` or `tool-call`."""

    __slots__ = ("_parts", "call_id", "delta", "ended", "index", "kind", "name", "seen")

    def __init__(self, kind: str, index: int, call_id: str, name: str | None) -> None:
        self.kind = kind
        self.delta = _DELTAS[kind]
        self.index = index
        self.call_id = call_id
        self.name = name
        self.ended = False
        # The last snapshot, in recordings that send the whole text each time.
        self.seen = ""
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Append a delta's text."""
        self._parts.append(text)
        if len(self._parts) >= _PARTS:
            self._parts = ["".join(self._parts)]

    def text(self) -> str:
        """All of it so far; halves of a surrogate pair that meet are one character."""
        return merge_surrogates("".join(self._parts))

    def forget(self) -> None:
        """Give the text up."""
        self._parts = []


class Step:
    """One answer; made by `Steps.open`."""

    def __init__(self, out: "Emitter", turn: int, number: int, place: Place) -> None:
        self._out = out
        self._place = place
        self.turn = turn
        self.number = number
        self.blocks: dict[Any, Block] = {}
        self.usage: dict[str, int] | None = None
        self.reason: str | None = None
        self.model: str | None = None
        self.message_id: str | None = None
        self._seqs: list[list[int]] = []
        self._deltas = self._characters = 0
        self.assembled = True

    def block(
        self, key: Any, kind: str, call_id: str | None = None, name: str | None = None
    ) -> Block:
        """The block of `key`, begun if it is new."""
        block = self.blocks.get(key)
        if block is None:
            block = self.blocks[key] = Block(kind, len(self.blocks), call_id or "", name)
            self._chunk({"type": "block-start", "index": block.index, "blockType": kind})
        return block

    def append(self, block: Block, text: str) -> None:
        """One delta; a block that had ended is open again, and will end again."""
        block.ended = False
        if block.kind == "tool-call":
            chunk = {"type": block.delta, "index": block.index, "id": block.call_id}
            if block.name is not None:
                chunk["name"] = block.name
            chunk["argumentsDelta"] = text
        else:
            chunk = {"type": block.delta, "index": block.index, "text": text}
        self._chunk(chunk)
        self._deltas += 1
        self._characters += len(text)
        if self.assembled:
            block.add(text)
            if self._characters > ASSEMBLED_CHARACTERS or self._deltas > ASSEMBLED_DELTAS:
                self._give_up()

    def _give_up(self) -> None:
        self.assembled = False
        self._out.note("not_assembled", "an answer is too long to be put together", self._place)
        for block in self.blocks.values():
            block.forget()
        self._seqs = []

    def end_block(self, block: Block, text: str | None = None) -> None:
        """The end of a block; `text` where the source says what it comes to."""
        if block.ended:
            return
        block.ended = True
        if text is not None and self.assembled and not block.text():
            block.add(text)
        if self.assembled:
            self._chunk({"type": "block-end", "index": block.index, "block": _assembled(block)})

    def close(self, *, interrupted: bool = False) -> None:
        """Ends, usage, finish and message; of a step without blocks nothing is said."""
        for block in self.blocks.values():
            self.end_block(block)
        if self.usage is not None:
            self._chunk({"type": "usage", "usage": self.usage})
        if self.reason is not None:
            self._chunk({"type": "finish", "reason": _reason(self.reason)})
        if not self._seqs or not self.assembled:
            return
        source: dict[str, Any] = {"kind": "model", "assembled": True}
        if self.model is not None:
            source["model"] = self.model
        message: dict[str, Any] = {
            "role": "assistant",
            "content": [_assembled(block) for block in self.blocks.values()],
            "source": source,
        }
        if self.message_id is not None:
            message["id"] = self.message_id
        data: dict[str, Any] = {"turn": self.turn, "step": self.number, "message": message}
        if self.usage is not None:
            data["usage"] = self.usage
        if interrupted:
            data["interrupted"] = True
        seqs = [seq for first, last in self._seqs for seq in range(first, last + 1)]
        self._out.emit_message("assistant/message", data, seqs)

    def _chunk(self, chunk: dict[str, Any]) -> None:
        data = {"turn": self.turn, "step": self.number, "chunk": chunk}
        seq = self._out.emit("assistant/chunk", data)
        if not self.assembled:
            return
        if self._seqs and self._seqs[-1][1] == seq - 1:
            self._seqs[-1][1] = seq
        else:
            self._seqs.append([seq, seq])


class Steps:
    """The steps under way, by whatever key tells a recording's answers apart."""

    def __init__(self, out: "Emitter") -> None:
        self._out = out
        self.turn = 1
        self._number = 0
        self._open: dict[Any, Step] = {}

    def get(self, key: Any) -> Step | None:
        """The open step of `key`."""
        return self._open.get(key)

    def open(self, key: Any, place: Place) -> Step:
        """The open step of `key`, begun if there is none."""
        step = self._open.get(key)
        if step is None:
            if len(self._open) >= _OPEN_STEPS:
                message = f"more than {_OPEN_STEPS} answers under way; the oldest was ended"
                self._out.note("too_many_open", message, place)
                self.close(next(iter(self._open)), interrupted=True)
            self._number += 1
            step = self._open[key] = Step(self._out, self.turn, self._number, place)
        return step

    def close(self, key: Any, *, interrupted: bool = False) -> None:
        """End the step of `key`, if there is one."""
        step = self._open.pop(key, None)
        if step is not None:
            step.close(interrupted=interrupted)

    def close_all(self, *, interrupted: bool = False) -> None:
        """End every step; one that says why it finished was not interrupted."""
        for key in list(self._open):
            self.close(key, interrupted=interrupted and self._open[key].reason is None)

    def close_finished(self) -> None:
        """End every step that has said why it finished."""
        for key in [key for key, step in self._open.items() if step.reason is not None]:
            self.close(key)

    def next_turn(self) -> None:
        """What is opened from now on belongs to another turn."""
        self.turn += 1
        self._number = 0


# The wire's words for why a model stopped, by provider; any other word stays as it is.
_REASONS = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "STOP": "stop",
    "success": "stop",
    "tool_calls": "tool-calls",
    "tool_use": "tool-calls",
    "tool-calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "max-tokens",
    "max_tokens": "max-tokens",
    "max_output_tokens": "max-tokens",
    "MAX_TOKENS": "max-tokens",
    "cancelled": "aborted",
    "abort": "aborted",
    "error": "error",
    "failed": "error",
}


def _reason(word: str) -> dict[str, str]:
    return {"kind": _REASONS.get(word, word)}


def _assembled(block: Block) -> dict[str, Any]:
    if block.kind != "tool-call":
        return {"type": block.kind, "text": block.text()}
    call = {"type": "tool-call", "id": block.call_id}
    if block.name is not None:
        call["name"] = block.name
    return {**call, "arguments": block.text()}
