"""Parallel tool calls that stream at the same time: no two neighbours belong to one block.

Each step opens `parallel_calls` calls and takes the next fragment from one of them in turn, so no
run reaches the three deltas that a packed row needs: packing stores every delta verbatim.  The
calls of a step get the same number of fragments, so that none is left to stream alone.
"""

from collections.abc import Iterator
from typing import Any

from synthetic.author import Author
from synthetic.chat import Chat, block_of_call
from synthetic.clocks import Gaps
from synthetic.dice import Dice
from synthetic.profiles import Interleaved

__all__ = ["interleaved_events"]

_COMPLETED = {"kind": "completed"}


def interleaved_events(profile: Interleaved, seed: int) -> Iterator[dict[str, Any]]:
    """Whole turns of one step each, the last one ending at or after `profile.events` events."""
    author = Author(seed, languages=profile.languages, reuse=profile.reuse, memory=profile.memory)
    gaps = Gaps(Dice(seed, "gaps"))
    chat = Chat(Dice(seed, "chat"), gaps)
    while chat.seq < profile.events:
        yield from chat.open_turn(author.some_prose().text(1))
        yield chat.open_step()
        first_chunk = chat.seq
        blocks = [
            block_of_call(author.toolbox().write(profile.fragments_per_call), chat.call_id())
            for _ in range(profile.parallel_calls)
        ]
        for index, block in enumerate(blocks):
            yield chat.chunk({"type": "block-start", "index": index, "blockType": block.kind})
        waits = iter(gaps.take(profile.parallel_calls * profile.fragments_per_call))
        for n in range(profile.fragments_per_call):
            for index, block in enumerate(blocks):
                delta = {
                    "type": "tool-call-delta",
                    "index": index,
                    "id": block.call_id,
                    "name": block.name,
                    "argumentsDelta": block.fragments[n],
                }
                yield chat.chunk(delta, wait=next(waits))
        yield from chat.finish(blocks, first_chunk)
        yield chat.close_step()
        yield chat.close_turn(_COMPLETED)
