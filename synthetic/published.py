"""A log with the cardinalities of the private sample behind the published transport figures.

The sample itself is not public; known are its counts (events, ordinary events, packed rows, and
how many events the completed-step projection keeps) and the sizes of three forms.  This model
meets the counts exactly and the sizes nearly; docs/profiles.md tells which parameter answers for
which size.  Clocks are those of `session`, and so is the text, with two differences that the sizes
ask for: words longer than `whole` letters are cut into pieces of at most `piece`, and phrases come
back far more often.

* *completed turns*, with few long steps of reasoning and text.  All but the last step of a turn
  end in a small tool call whose arguments arrive whole, in one delta.  Their chunks are what the
  projection drops, so their number follows from `kept_by_projection`;
* *abandoned turns*, each one step that was stopped while it streamed, the very last one still
  streaming.  No message tells their text, so the projection keeps every delta.  Every
  `abandoned_call_every`th was in the middle of writing a file: a streamed tool call.  And steps
  that never come to an end are, typically, the ones that go round in circles: their prose returns
  to one of the last `abandoned_memory` phrases in `abandoned_reuse` of 100 cases, against `reuse`
  and `memory` elsewhere.

Ordinary events that the plan leaves over are `todo/write` events, spread over the completed steps.
"""

from collections.abc import Iterator
from typing import Any

from histbench.errors import UsageError
from synthetic.author import Author
from synthetic.chat import Block, Chat, block_of_call
from synthetic.clocks import Gaps
from synthetic.dice import Dice
from synthetic.profiles import Published
from synthetic.prose import Prose

__all__ = ["published_events"]

_COMPLETED = {"kind": "completed"}
_ABORTED = {"kind": "aborted", "reason": {"kind": "user"}}
# Run lengths lie between 60 and 140 % of their mean.
_LENGTH_WEIGHTS = (60, 140)
_QUESTION_SENTENCES = [1, 2, 4, 9]
_TITLE_CHARACTERS = 40
# The fewest deltas per run, so that a file being written has room for its frame of JSON.
_LEAST_DELTAS = 50
# Fragments of code in a small call that writes or edits.
_SMALL_CALL = 30
# Events of a turn besides its steps: open_turn and close_turn.
_TURN = 5
# Title, request/header and request/context, once.
_ONCE = 3


def _shares(total: int, count: int, dice: Dice) -> list[int]:
    """`count` numbers of similar size that add up to `total`."""
    weights = [dice.between(*_LENGTH_WEIGHTS) for _ in range(count)]
    whole = sum(weights)
    done, shares, used = 0, [], 0
    for weight in weights:
        done += weight
        shares.append(total * done // whole - used)
        used += shares[-1]
    return shares


def _even(total: int, count: int) -> list[int]:
    """`total` split into `count` numbers that differ by at most one."""
    return [total * (n + 1) // count - total * n // count for n in range(count)]


class _Plan:
    """How many runs and deltas each step gets, and how many todo events are left to place."""

    def __init__(self, profile: Published, dice: Dice) -> None:
        steps = profile.completed_steps
        self.turns = _even(steps, profile.completed_turns)
        self.completed_runs = _even(profile.completed_runs, steps)
        self.abandoned_runs = _even(profile.runs - profile.completed_runs, profile.abandoned_turns)
        deltas = profile.events - profile.ordinary
        calls = steps - profile.completed_turns
        # A completed step keeps one of its chunks.  The others are its deltas, block-start and
        # block-end of each block, usage and finish; a call's one delta is an ordinary event.
        chunks = profile.events - profile.kept_by_projection + steps
        completed_deltas = chunks - 2 * profile.completed_runs - 3 * calls - 2 * steps
        planned = (
            _ONCE
            + _TURN * (profile.completed_turns + profile.abandoned_turns)
            - 1  # the last turn never ends
            # step/start, usage, finish, message, step/end; two per block; a call's five
            + 5 * steps
            + 2 * profile.completed_runs
            + 5 * calls
            # step/start and block-starts
            + profile.abandoned_turns
            + sum(self.abandoned_runs)
        )
        todos = profile.ordinary - planned
        fits = (
            todos >= 0
            and profile.completed_turns <= steps <= profile.completed_runs
            and profile.abandoned_turns <= profile.runs - profile.completed_runs
            and min(completed_deltas, deltas - completed_deltas) >= _LEAST_DELTAS * profile.runs
        )
        if not fits:
            raise UsageError(
                "the counts of this profile leave no room for its steps",
                code="invalid_profile",
                found=f"{profile.ordinary} ordinary events, {deltas} deltas",
                expected=f"at least {planned} ordinary events, {_LEAST_DELTAS} deltas in every run, "
                "and turns <= steps <= runs",
            )
        self.todos = _even(todos, steps)
        self.completed_lengths = iter(_shares(completed_deltas, profile.completed_runs, dice))
        rest = deltas - completed_deltas
        self.abandoned_lengths = iter(_shares(rest, sum(self.abandoned_runs), dice))


def _prose_kinds(runs: int) -> list[str]:
    return ["text" if n % 2 else "reasoning" for n in range(runs)]


def published_events(profile: Published, seed: int) -> Iterator[dict[str, Any]]:
    """The events of the model; every count of the profile is met exactly.

    Raises:
        UsageError: the counts do not fit together (`invalid_profile`), on the first event.
    """
    dice = Dice(seed, "published")
    author = Author(
        seed,
        languages=profile.languages,
        reuse=profile.reuse,
        memory=profile.memory,
        whole=profile.whole,
        piece=profile.piece,
    )
    chat = Chat(Dice(seed, "chat"), Gaps(Dice(seed, "gaps")))
    plan = _Plan(profile, dice)
    runs = iter(plan.completed_runs)
    todos = iter(plan.todos)
    for steps in plan.turns:
        prose = author.some_prose()
        yield from _open(chat, prose, dice)
        for step in range(1, steps + 1):
            blocks = [
                _block(kind, next(plan.completed_lengths), author, prose, chat)
                for kind in _prose_kinds(next(runs))
            ]
            if step < steps:
                call = author.toolbox().draw(_SMALL_CALL)
                whole = call._replace(fragments=["".join(call.fragments)])
                blocks.append(block_of_call(whole, chat.call_id()))
            yield chat.open_step()
            if chat.turn == chat.step == 1:
                yield from chat.request(author.system_prompt(), author.tool_schemas(), "initial")
            first_chunk = chat.seq
            for index, block in enumerate(blocks):
                yield from chat.stream(index, block)
            yield from chat.finish(blocks, first_chunk)
            for _ in range(next(todos)):
                todo = {"content": prose.text(1), "status": "in_progress"}
                yield chat.event("todo/write", {"todos": [todo]})
            yield chat.close_step()
        yield chat.close_turn(_COMPLETED)
    circling = Author(
        seed,
        languages=profile.languages,
        reuse=profile.abandoned_reuse,
        memory=profile.abandoned_memory,
        code_reuse=profile.abandoned_reuse,
        whole=profile.whole,
        piece=profile.piece,
    )
    for turn, count in enumerate(plan.abandoned_runs, 1):
        prose = circling.some_prose()
        yield from _open(chat, prose, dice)
        kinds = _prose_kinds(count)
        if turn % profile.abandoned_call_every == 0:
            kinds[-1] = "tool-call"
        yield chat.open_step()
        for index, kind in enumerate(kinds):
            block = _block(kind, next(plan.abandoned_lengths), circling, prose, chat)
            yield from chat.stream(index, block)
        if turn < profile.abandoned_turns:
            yield chat.close_turn(_ABORTED)


def _open(chat: Chat, prose: Prose, dice: Dice) -> Iterator[dict[str, Any]]:
    question = prose.text(dice.quantile(_QUESTION_SENTENCES))
    yield from chat.open_turn(question)
    if chat.turn == 1:
        yield chat.title(question[:_TITLE_CHARACTERS])


def _block(kind: str, length: int, author: Author, prose: Prose, chat: Chat) -> Block:
    if kind == "tool-call":
        return block_of_call(author.toolbox().write(length), chat.call_id())
    return Block(kind, prose.answer(length) if kind == "text" else prose.reasoning(length))
