"""The benchmark's fold: two consumers, chat and trajectory, each building its own state.

Both are given every input and keep, for each step of each turn, the text of its blocks, when the
first token came and when something was first visible, and, where the inputs are exact, how many
deltas there were and the seq of the last (facts: session history, section 6).  It exists to
measure what a form costs its reader to the end, so it does the whole work twice, as two consumers
do; the Assistant fold that a product would use is another one.

Three kinds of input give the same state: logical events one by one, rows taken whole, and compact
inputs, which leave `delta_count` and `last_delta_seq` None.  All are linear in the members: texts
are collected and joined once, and a blank prefix is looked at once.

A token is a delta with a text, or a call with a name; an empty text is none, in every version.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from histbench.codec import split_delta
from histbench.events import Event, is_blank, named_step
from histbench.fold.compact import CompactInput
from histbench.fold.elided import ElidedEvent
from histbench.jsontext import merge_surrogates
from histbench.records import Plain, delta_of_plain
from histbench.rows import RowHead

__all__ = ["PairState", "StepState", "fold_pair"]

FoldInput = Event | Plain | ElidedEvent | RowHead | CompactInput


class StepState(Struct, frozen=True, kw_only=True):
    """What a consumer knows of one step; `blocks` maps a block's index to its text.

    Times are milliseconds; the two counts are None when the inputs were compact.
    """

    turn: int | float
    step: int | float
    blocks: dict[int | float, str]
    delta_count: int | None
    last_delta_seq: int | None
    first_token_time: int | None
    first_visible_seq: int | None
    first_visible_time: int | None


class PairState(Struct, frozen=True):
    """The states of both consumers, steps in the order they began."""

    chat: tuple[StepState, ...]
    trajectory: tuple[StepState, ...]

    def without_counts(self) -> "PairState":
        """What survives compact inputs: everything but delta counts and last-delta seqs."""

        def bare(steps: tuple[StepState, ...]) -> tuple[StepState, ...]:
            return tuple(
                msgspec.structs.replace(step, delta_count=None, last_delta_seq=None)
                for step in steps
            )

        return PairState(bare(self.chat), bare(self.trajectory))


class _Step:
    """One step while it is being folded."""

    def __init__(self, turn: float, step: float) -> None:
        self.turn = turn
        self.step = step
        self.parts: dict[int | float, list[str]] = {}
        self.delta_count: int | None = 0
        self.last_delta_seq: int | None = None
        self.first_token_time: int | None = None
        self.first_visible_seq: int | None = None
        self.first_visible_time: int | None = None

    def add_row(self, row: RowHead) -> None:
        """Fold a row whole; its columns are read only for what is not known yet."""
        self.parts.setdefault(row.index, []).append(row.text())
        if self.delta_count is not None:
            self.delta_count += row.count
            self.last_delta_seq = row.end_seq - 1
        if self.first_token_time is None:
            token = row.first_token()
            if token is not None:
                self.first_token_time = row.time_of(token)
        if self.first_visible_seq is None:
            visible = row.first_visible()
            if visible is not None:
                self.first_visible_seq = row.seq0 + visible
                self.first_visible_time = row.time_of(visible)

    def add_compact(self, given: CompactInput) -> None:
        """Fold a compact input; from then on the exact counts are unknown."""
        self.parts.setdefault(given.index, []).append(given.text)
        self.delta_count = self.last_delta_seq = None
        if self.first_token_time is None and (given.text or given.name is not None):
            self.first_token_time = given.time
        if self.first_visible_seq is None and not given.kind.is_call and not is_blank(given.text):
            self.first_visible_seq = given.seq
            self.first_visible_time = given.time

    def state(self) -> StepState:
        return StepState(
            turn=self.turn,
            step=self.step,
            blocks={index: merge_surrogates("".join(text)) for index, text in self.parts.items()},
            delta_count=self.delta_count,
            last_delta_seq=self.last_delta_seq,
            first_token_time=self.first_token_time,
            first_visible_seq=self.first_visible_seq,
            first_visible_time=self.first_visible_time,
        )


class _Consumer:
    """One of the two: the steps it has seen, by turn and step."""

    def __init__(self) -> None:
        self._steps: dict[tuple[int | float, int | float], _Step] = {}

    def step(self, turn: float, step: float) -> _Step:
        key = (turn, step)
        found = self._steps.get(key)
        if found is None:
            # A window may begin inside a step, so a delta begins one as well as its start does.
            found = self._steps[key] = _Step(turn, step)
        return found

    def add(self, given: FoldInput) -> None:
        if isinstance(given, RowHead):
            self.step(given.turn, given.step).add_row(given)
        elif isinstance(given, CompactInput):
            self.step(given.turn, given.step).add_compact(given)
        else:
            started = _started_step(given)
            if started is not None:
                self.step(*started)

    def states(self) -> tuple[StepState, ...]:
        return tuple(step.state() for step in self._steps.values())


def fold_pair(inputs: Iterable[FoldInput]) -> PairState:
    """Both consumers' states after these inputs: events, records, rows or compact inputs."""
    chat, trajectory = _Consumer(), _Consumer()
    for given in inputs:
        # A delta is recognised once, whoever consumes it.
        delta = _delta_of(given)
        chat.add(given if delta is None else delta)
        trajectory.add(given if delta is None else delta)
    return PairState(chat.states(), trajectory.states())


def _started_step(given: Event | Plain | ElidedEvent) -> tuple[int | float, int | float] | None:
    """The turn and step that a `step/start` begins; None for every other event."""
    if isinstance(given, Plain | ElidedEvent):
        return named_step(given.event().get("data")) if given.type == "step/start" else None
    return named_step(given.get("data")) if given.get("type") == "step/start" else None


def _delta_of(given: FoldInput) -> RowHead | None:
    """The delta that an event, or an ordinary record, holds."""
    if isinstance(given, Plain):
        return delta_of_plain(given)
    if isinstance(given, ElidedEvent):
        return given.delta()
    return split_delta(given) if isinstance(given, dict) else None
