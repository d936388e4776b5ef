"""The Assistant fold: what a reader shows of every step, as a chat and as a trajectory.

It takes whatever a reader has and gives the same state: logical events one by one, records with
rows taken whole, or compact inputs; mixed, too.  Which events matter is the table `_HANDLERS`;
what they do to a step stands in `assistant_step`.

A node is *settled* when its append message came, *interrupted* when that says so or when
`step/end` or `turn/end` came without one, *running* otherwise.  Its anchor says where it stands
among the events: at its message; just before the event that ended it (0.9 of a seq, so that
whatever else is anchored there comes after it); at its start, or its first token if the events
begin within the step.  Chat and trajectory differ in the usage: the chat shows the last one of the
last attempt, the trajectory adds up all, attempts that were given up included.

Where the facts are silent (which event bounds an interruption, where a running node is anchored,
what a retry does to usage), the rules above are this project's own.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct, structs

from histbench.events import KIND_BY_DELTA, DeltaKind, Event
from histbench.fold.assistant_step import Block, Moment, Step
from histbench.fold.compact import CompactInput
from histbench.fold.elided import ElidedEvent
from histbench.jsontext import decode, js_number
from histbench.records import Plain, delta_of_plain
from histbench.rows import CHUNK_TYPE, ListRow, RowHead

__all__ = ["AssistantInput", "AssistantNode", "AssistantState", "fold_assistant"]

AssistantInput = Event | Plain | ElidedEvent | RowHead | CompactInput

# How far before its boundary an interrupted node stands (facts: session history, section 6).
_BEFORE_BOUNDARY = 0.9


class AssistantNode(Struct, frozen=True, kw_only=True):
    """One step as shown; times are milliseconds, None where the events do not tell."""

    turn: int | float
    step: int | float
    status: Literal["running", "settled", "interrupted"]
    anchor_seq: int | float | None
    time: int | float | None
    visible: bool
    blocks: tuple[Block, ...]
    usage: dict[str, Any] | None
    step_start_time: int | float | None
    first_token_time: int | float | None
    first_visible_seq: int | None
    first_visible_time: int | float | None
    completed_time: int | float | None


class AssistantState(Struct, frozen=True, kw_only=True):
    """The nodes of both views, in the order their steps began."""

    chat: tuple[AssistantNode, ...]
    trajectory: tuple[AssistantNode, ...]


def fold_assistant(inputs: Iterable[AssistantInput]) -> AssistantState:
    """Both views after these events, records or compact inputs, given in order."""
    fold = _Fold()
    for given in inputs:
        fold.add(given)
    chat = tuple(map(_node, fold.steps.values()))
    steps = zip(chat, fold.steps.values(), strict=True)
    trajectory = tuple(structs.replace(node, usage=step.summed_usage) for node, step in steps)
    return AssistantState(chat=chat, trajectory=trajectory)


def _node(step: Step) -> AssistantNode:
    status: Literal["running", "settled", "interrupted"] = "running"
    anchor = step.started or step.first_token
    anchor_seq: int | float | None = anchor.seq if anchor else None
    if step.message is not None:
        status = "interrupted" if step.interrupted else "settled"
        anchor, anchor_seq = step.message, step.message.seq
    elif step.boundary is not None:
        status = "interrupted"
        anchor, anchor_seq = step.boundary, step.boundary.seq - _BEFORE_BOUNDARY
    completed = step.message or step.boundary
    first_visible = step.first_visible
    return AssistantNode(
        turn=step.turn,
        step=step.step,
        status=status,
        anchor_seq=anchor_seq,
        time=anchor.time if anchor else None,
        visible=step.visible,
        blocks=step.blocks(),
        usage=step.last_usage,
        step_start_time=step.started.time if step.started else None,
        first_token_time=step.first_token.time if step.first_token else None,
        first_visible_seq=first_visible.seq if first_visible else None,
        first_visible_time=first_visible.time if first_visible else None,
        completed_time=completed.time if completed else None,
    )


class _Ordinary(Struct, frozen=True, gc=False):
    """What of an ordinary event is looked at."""

    data: Raw = Raw(b"null")
    surfaceOp: Any = None  # noqa: N815 - the wire's name


_ordinary = msgspec.json.Decoder(_Ordinary)


class _Fold:
    """The steps seen so far, and of each turn those that have not ended."""

    def __init__(self) -> None:
        self.steps: dict[tuple[int | float, int | float], Step] = {}
        self._open: dict[int | float, dict[int | float, Step]] = {}

    def add(self, given: AssistantInput) -> None:
        """Take one input."""
        if isinstance(given, RowHead):
            self._step(given.turn, given.step).add_row(given)
        elif isinstance(given, CompactInput):
            self._step(given.turn, given.step).add_compact(given)
        elif isinstance(given, Plain):
            if given.type in _HANDLERS:
                self._add_plain(given)
        elif isinstance(given, ElidedEvent):
            if given.type in _HANDLERS:
                self._add_ordinary(given)
        elif isinstance(given.get("type"), str) and given["type"] in _HANDLERS:
            moment = Moment(given["seq"], given["time"])
            self._handle(given["type"], moment, given.get("data"), given.get("surfaceOp"))

    def _add_plain(self, record: Plain) -> None:
        delta = delta_of_plain(record)
        if delta is not None:
            self._step(delta.turn, delta.step).add_row(delta)
        else:
            self._add_ordinary(record)

    def _add_ordinary(self, record: Plain | ElidedEvent) -> None:
        try:
            ordinary = _ordinary.decode(record.raw)
            data, operation = decode(bytes(ordinary.data)), ordinary.surfaceOp
        except (msgspec.DecodeError, RecursionError):
            event = record.event()
            data, operation = event.get("data"), event.get("surfaceOp")
        else:
            if isinstance(record, ElidedEvent):
                data, operation = record.told(data), record.told(operation)
        self._handle(record.type, Moment(record.seq, record.time), data, operation)

    def _handle(self, kind: str, moment: Moment, data: Any, operation: Any) -> None:
        if isinstance(data, dict):
            _HANDLERS[kind](self, moment, data, operation)

    def _step(self, turn: float, step: float) -> Step:
        """The step; events may begin within one, so whatever belongs to it begins it."""
        found = self.steps.get((turn, step))
        if found is None:
            found = self.steps[turn, step] = Step(turn, step)
            self._open.setdefault(turn, {})[step] = found
        return found

    def _step_of(self, data: dict[str, Any], *, begin: bool) -> Step | None:
        turn, step = js_number(data.get("turn")), js_number(data.get("step"))
        if turn is None or step is None:
            return None
        return self._step(turn, step) if begin else self.steps.get((turn, step))

    def step_start(self, moment: Moment, data: dict[str, Any], _operation: Any) -> None:
        step = self._step_of(data, begin=True)
        if step is not None and step.started is None:
            step.started = moment

    def chunk(self, moment: Moment, data: dict[str, Any], _operation: Any) -> None:
        chunk = data.get("chunk")
        step = self._step_of(data, begin=isinstance(chunk, dict))
        if step is None or not isinstance(chunk, dict):
            return
        kind, index = chunk.get("type"), js_number(chunk.get("index"))
        if kind == "usage":
            step.add_usage(chunk.get("usage"))
        elif index is None or not isinstance(kind, str):
            return
        elif kind == "block-start":
            step.start_block(index, chunk.get("blockType"), moment)
        elif kind == "block-end":
            step.end_block(index, chunk.get("block"), moment)
        elif kind in KIND_BY_DELTA:
            delta = _delta(moment, step, index, chunk, KIND_BY_DELTA[kind])
            if delta is not None:
                step.add_row(delta)

    def message(self, moment: Moment, data: dict[str, Any], operation: Any) -> None:
        message = data.get("message")
        if operation != "append" or not isinstance(message, dict):
            return
        step = self._step_of(data, begin=True)
        if step is not None:
            step.settle(message.get("content"), moment, interrupted=data.get("interrupted") is True)

    def retry(self, _moment: Moment, data: dict[str, Any], _operation: Any) -> None:
        step = self._step_of(data, begin=False)
        if step is not None:
            step.retry()
            # An end of its turn that came before it was that of the attempt.
            self._open.setdefault(step.turn, {})[step.step] = step

    def step_end(self, moment: Moment, data: dict[str, Any], _operation: Any) -> None:
        step = self._step_of(data, begin=False)
        if step is not None:
            step.end(moment)

    def turn_end(self, moment: Moment, data: dict[str, Any], _operation: Any) -> None:
        turn = js_number(data.get("turn"))
        for step in self._open.pop(turn, {}).values() if turn is not None else ():
            step.end(moment)


def _delta(
    moment: Moment, step: Step, index: float, chunk: dict[str, Any], kind: DeltaKind
) -> ListRow | None:
    """A delta as a row of one member; it may have fields that keep it out of a stored row."""
    text = chunk.get(kind.text_key)
    if not isinstance(text, str):
        return None
    call_id = chunk.get("id") if kind.is_call else None
    name = chunk.get("name") if kind.is_call else None
    return ListRow(
        kind=kind,
        seq0=moment.seq,
        # A fractional time is no row's, but nothing is added to it here.
        time0=moment.time,  # type: ignore[arg-type]
        turn=step.turn,
        step=step.step,
        index=index,
        call_id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        count=1,
        gaps=[],
        texts=[text],
    )


_HANDLERS: dict[str, Callable[[_Fold, Moment, dict[str, Any], Any], None]] = {
    "step/start": _Fold.step_start,
    CHUNK_TYPE: _Fold.chunk,
    "assistant/message": _Fold.message,
    "llm/retry": _Fold.retry,
    "step/end": _Fold.step_end,
    "turn/end": _Fold.turn_end,
}
