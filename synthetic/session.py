"""A whole session of a coding agent: turns of several steps, tools, answers, assembled copies.

Sizes are drawn from the profile's quantile tables.  The log has exactly `events` events and ends
with a completed turn: a step that would leave no room for an ending is replaced by a last answer
that fills what is left.
"""

from collections.abc import Iterator
from typing import Any

from synthetic.author import Author
from synthetic.chat import Block, Chat, block_of_call
from synthetic.clocks import Gaps
from synthetic.dice import Dice
from synthetic.profiles import Session
from synthetic.prose import Prose

__all__ = ["session_events"]

_COMPLETED = {"kind": "completed"}
_ABORTED = {"kind": "aborted", "reason": {"kind": "user"}}
# step/start, block-start, block-end, usage, finish, assistant/message, step/end, turn/end: what
# the last step costs besides its deltas.
_LAST_STEP = 8
# The last step with one delta, and a turn's beginning before it.
_RESERVE = _LAST_STEP + 1 + 4
_QUESTION_SENTENCES = [1, 2, 4, 9]
_TITLE_CHARACTERS = 40
_TODO_PERCENT = 6


def session_events(profile: Session, seed: int) -> Iterator[dict[str, Any]]:
    """Exactly `profile.events` events."""
    dice = Dice(seed, "session")
    author = Author(seed, languages=profile.languages, reuse=profile.reuse, memory=profile.memory)
    chat = Chat(Dice(seed, "chat"), Gaps(Dice(seed, "gaps")))
    while chat.seq < profile.events:
        prose = author.some_prose()
        question = prose.text(dice.quantile(_QUESTION_SENTENCES))
        yield from chat.open_turn(question)
        if chat.turn == 1:
            yield chat.title(question[:_TITLE_CHARACTERS])
        steps = dice.quantile(profile.steps_per_turn)
        for step in range(1, steps + 1):
            blocks = _step_blocks(profile, dice, author, prose, chat, last=step == steps)
            left = profile.events - chat.seq - _RESERVE
            if _cost(blocks) > left - (2 if chat.turn == step == 1 else 0):
                yield from _last_answer(profile, chat, prose)
                return
            yield chat.open_step()
            if chat.turn == step == 1:
                yield from chat.request(author.system_prompt(), author.tool_schemas(), "initial")
            first_chunk = chat.seq
            for index, block in enumerate(blocks):
                yield from chat.stream(index, block)
            if dice.percent(profile.aborted_percent):
                yield chat.close_step()
                yield chat.close_turn(_ABORTED)
                break
            yield from chat.finish(blocks, first_chunk)
            if step < steps and dice.percent(_TODO_PERCENT):
                yield chat.event("todo/write", {"todos": _todos(prose, dice)})
            yield chat.close_step()
        else:
            yield chat.close_turn(_COMPLETED)


def _step_blocks(
    profile: Session, dice: Dice, author: Author, prose: Prose, chat: Chat, *, last: bool
) -> list[Block]:
    """Reasoning, then text and calls; the last step of a turn has no call and always a text."""
    blocks = []
    if dice.percent(profile.reasoning_percent):
        count = dice.quantile(profile.reasoning_fragments)
        blocks.append(Block("reasoning", prose.reasoning(count)))
    if last or dice.percent(profile.text_percent):
        count = dice.quantile(profile.text_fragments)
        blocks.append(Block("text", prose.answer(count)))
    for _ in range(0 if last else 1 + dice.weighted(profile.calls_per_step)):
        call = author.toolbox().draw(dice.quantile(profile.content_fragments))
        blocks.append(block_of_call(call, chat.call_id()))
    return blocks


def _cost(blocks: list[Block]) -> int:
    """The most events that a step with these blocks takes, todo and turn/end included."""
    calls = sum(block.kind == "tool-call" for block in blocks)
    fragments = sum(len(block.fragments) for block in blocks)
    return fragments + 2 * len(blocks) + 2 * calls + 7


def _last_answer(profile: Session, chat: Chat, prose: Prose) -> Iterator[dict[str, Any]]:
    block = Block("text", prose.answer(profile.events - chat.seq - _LAST_STEP))
    yield chat.open_step()
    first_chunk = chat.seq
    yield from chat.stream(0, block)
    yield from chat.finish([block], first_chunk)
    yield chat.close_step()
    yield chat.close_turn(_COMPLETED)


def _todos(prose: Prose, dice: Dice) -> list[dict[str, str]]:
    count = dice.between(2, 6)
    current = dice.below(count)
    return [
        {
            "content": prose.text(1),
            "status": "completed" if n < current else "in_progress" if n == current else "pending",
        }
        for n in range(count)
    ]
