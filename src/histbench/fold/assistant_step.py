"""One step of the assistant while it is being folded: its blocks, and when it was first seen.

The rules, in the words of this project (facts: session history, section 6):

- Blocks stand under their index.  `block-start` puts an empty one there, a delta appends to it, and
  a delta of another kind begins it anew; `block-end` puts the finished block there.
- A call's id is the first that is not empty, its name the last that was given, its text the
  argument fragments.
- An append `assistant/message` replaces all blocks, whatever they were.
- `llm/retry` forgets everything but the first token; nothing is visible any more.
- Visible is a block of text or reasoning that is not blank, and any block that is neither of them
  nor a call.  First visible is the first event after which something is.
- The first token is the first delta with a text, or of a named call.

A row is folded whole, and so is a compact input: the text is appended at once, and members are
looked at only for a boundary that is not known yet.  Every block knows whether it is visible, so
a text is never looked at twice.
"""

from typing import Any, NamedTuple

from msgspec import Struct

from histbench.events import DELTA_KINDS, is_blank
from histbench.fold.compact import CompactInput
from histbench.jsontext import merge_surrogates
from histbench.rows import RowHead

__all__ = ["Block", "Moment", "Step"]

_TEXT, _REASONING, _CALL = DELTA_KINDS

# What block-start, block-end and a message's content call the block that a delta appends to.
_KIND_OF_DELTA = {_TEXT: "text", _REASONING: "reasoning", _CALL: "tool-call"}
_TEXT_KINDS = frozenset({"text", "reasoning"})
_CALL_KIND = "tool-call"


class Moment(NamedTuple):
    """An event's seq, and its time in milliseconds."""

    seq: int
    time: int | float


class Block(Struct, frozen=True, kw_only=True):
    """One block of a step; a call's `text` is its arguments as they were written.

    `value` is the JSON value of a finished block of any other kind.
    """

    kind: str
    text: str = ""
    call_id: str = ""
    name: str = ""
    value: Any = None


class _OpenBlock:
    """A block that may still grow."""

    __slots__ = ("call_id", "kind", "name", "parts", "value", "visible")

    def __init__(self, kind: str, text: str = "", value: Any = None) -> None:
        self.kind = kind
        self.parts = [text]
        self.call_id = ""
        self.name = ""
        self.value = value
        self.visible = not is_blank(text) if kind in _TEXT_KINDS else kind != _CALL_KIND

    def block(self) -> Block:
        """The block as it is now."""
        return Block(
            kind=self.kind,
            text=merge_surrogates("".join(self.parts)),
            call_id=self.call_id,
            name=self.name,
            value=self.value,
        )


def _finished_block(value: Any) -> _OpenBlock:
    """The block that a block-end or a message's content holds."""
    fields = value if isinstance(value, dict) else {}
    kind = _string(fields.get("type"))
    if kind in _TEXT_KINDS:
        return _OpenBlock(kind, _string(fields.get("text")))
    if kind == _CALL_KIND:
        block = _OpenBlock(kind, _string(fields.get("arguments")))
        block.call_id, block.name = _string(fields.get("id")), _string(fields.get("name"))
        return block
    return _OpenBlock(kind, value=value)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


class Step:
    """One step of one turn, event by event, row by row, or input by input."""

    def __init__(self, turn: float, step: float) -> None:
        self.turn = turn
        self.step = step
        self.started: Moment | None = None
        self.first_token: Moment | None = None
        self.first_visible: Moment | None = None
        self.message: Moment | None = None
        self.interrupted = False
        # The event that ended the step before it had a message.
        self.boundary: Moment | None = None
        self.last_usage: dict[str, Any] | None = None
        self.summed_usage: dict[str, Any] | None = None
        self._blocks: dict[int | float, _OpenBlock] = {}

    @property
    def visible(self) -> bool:
        """Whether anything of the step is visible now."""
        return any(block.visible for block in self._blocks.values())

    def blocks(self) -> tuple[Block, ...]:
        """The blocks by ascending index."""
        return tuple(self._blocks[index].block() for index in sorted(self._blocks))

    def add_row(self, row: RowHead) -> None:
        """Fold a run of deltas of any length, one included."""
        block = self._growing_block(row)
        if self.first_token is None:
            member = row.first_token()
            if member is not None:
                self.first_token = _moment_in(row, member)
        if not row.kind.is_call and not block.visible:
            member = row.first_visible()
            if member is not None:
                self._show(block, _moment_in(row, member))
        block.parts.append(row.text())

    def add_compact(self, given: CompactInput) -> None:
        """Fold a compact input, whose seq and time are those of its first token or visible member."""
        block = self._growing_block(given)
        moment = Moment(given.seq, given.time)
        if self.first_token is None and (given.text or given.name is not None):
            self.first_token = moment
        if not given.kind.is_call and not block.visible and not is_blank(given.text):
            self._show(block, moment)
        block.parts.append(given.text)

    def _growing_block(self, delta: RowHead | CompactInput) -> _OpenBlock:
        """The block that a delta appends to, which it begins anew if its kind is another."""
        kind = _KIND_OF_DELTA[delta.kind]
        block = self._blocks.get(delta.index)
        if block is None or block.kind != kind:
            block = self._blocks[delta.index] = _OpenBlock(kind)
        block.call_id = block.call_id or delta.call_id or ""
        if delta.name is not None:
            block.name = delta.name
        return block

    def start_block(self, index: float, kind: object, moment: Moment) -> None:
        """Put an empty block at `index`."""
        self._put(index, _OpenBlock(_string(kind)), moment)

    def end_block(self, index: float, value: Any, moment: Moment) -> None:
        """Put a finished block at `index`."""
        self._put(index, _finished_block(value), moment)

    def _put(self, index: float, block: _OpenBlock, moment: Moment) -> None:
        self._blocks[index] = block
        if block.visible:
            self._show(block, moment)

    def _show(self, block: _OpenBlock, moment: Moment) -> None:
        block.visible = True
        if self.first_visible is None:
            self.first_visible = moment

    def add_usage(self, usage: Any) -> None:
        """Keep the usage for the chat, add it up for the trajectory."""
        if not isinstance(usage, dict):
            return
        self.last_usage = usage
        total = dict(self.summed_usage or {})
        for name, value in usage.items():
            # bool is an int to Python, and no count.
            if isinstance(value, int | float) and not isinstance(value, bool):
                total[name] = total.get(name, 0) + value
        self.summed_usage = total

    def settle(self, content: Any, moment: Moment, *, interrupted: bool) -> None:
        """Take an append message's content for all blocks."""
        self._blocks = {}
        for index, value in enumerate(content if isinstance(content, list) else []):
            self._put(index, _finished_block(value), moment)
        self.message, self.interrupted = moment, interrupted

    def end(self, moment: Moment) -> None:
        """Learn that the step is over; without a message, that interrupts it."""
        if self.message is None and self.boundary is None:
            self.boundary = moment

    def retry(self) -> None:
        """Forget the attempt, but for when its first token came and what it used."""
        self._blocks = {}
        self.first_visible = self.last_usage = None
        self.message = self.boundary = None
        self.interrupted = False


def _moment_in(row: RowHead, member: int) -> Moment:
    return Moment(row.seq0 + member, row.time_of(member))
