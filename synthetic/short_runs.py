"""Many tiny blocks: runs of one to `longest_run` deltas, so that a row rarely has members to share.

Reasoning and text alternate, each block with its block-start and block-end: the shape of a provider
that restarts its blocks all the time.  Half of the runs stay below the three deltas that a packed
row needs.
"""

from collections.abc import Iterator
from typing import Any

from synthetic.author import Author
from synthetic.chat import Block, Chat
from synthetic.clocks import Gaps
from synthetic.dice import Dice
from synthetic.profiles import ShortRuns

__all__ = ["short_runs_events"]

_COMPLETED = {"kind": "completed"}


def short_runs_events(profile: ShortRuns, seed: int) -> Iterator[dict[str, Any]]:
    """Whole turns of one step each, the last one ending at or after `profile.events` events."""
    dice = Dice(seed, "short-runs")
    author = Author(seed, languages=profile.languages, reuse=profile.reuse, memory=profile.memory)
    chat = Chat(Dice(seed, "chat"), Gaps(Dice(seed, "gaps")))
    while chat.seq < profile.events:
        prose = author.some_prose()
        yield from chat.open_turn(prose.text(1))
        yield chat.open_step()
        first_chunk = chat.seq
        lengths = [dice.between(1, profile.longest_run) for _ in range(profile.blocks_per_step)]
        fragments = iter(prose.reasoning(sum(lengths)))
        blocks = [
            Block("text" if n % 2 else "reasoning", [next(fragments) for _ in range(length)])
            for n, length in enumerate(lengths)
        ]
        for index, block in enumerate(blocks):
            yield from chat.stream(index, block)
        yield from chat.finish(blocks, first_chunk)
        yield chat.close_step()
        yield chat.close_turn(_COMPLETED)
