"""One long run whose text stays blank until its last member: `members - 1` spaces, then an `x`.

A fold that trims the text of a block after every delta to see whether it has become visible takes
quadratic time on it.  The published benchmark runs it with 10,000, 20,000 and 40,000 members.  It
draws nothing, so it is the same for every seed.
"""

from collections.abc import Iterator
from typing import Any

from synthetic.chat import T0
from synthetic.profiles import WhitespacePrefix
from synthetic.transport import FIXED_ID

__all__ = ["whitespace_prefix_events"]


def whitespace_prefix_events(profile: WhitespacePrefix) -> Iterator[dict[str, Any]]:
    """`turn/start`, `user/message`, `step/start` and the run, 1 ms apart; the step stays open."""
    message = {
        "content": [{"type": "text", "text": "whitespace prefix"}],
        "source": {"kind": "user"},
        "role": "user",
        "id": FIXED_ID,
    }
    where = {"turn": 1, "step": 1}
    yield {"type": "turn/start", "seq": 0, "time": T0, "data": {"turn": 1}}
    yield {"type": "user/message", "seq": 1, "time": T0 + 1, "data": message, "surfaceOp": "append"}
    yield {"type": "step/start", "seq": 2, "time": T0 + 2, "data": where}
    for member in range(profile.members):
        text = " " if member < profile.members - 1 else "x"
        seq = 3 + member
        chunk = {"type": "reasoning-delta", "index": 0, "text": text}
        yield {
            "type": "assistant/chunk",
            "seq": seq,
            "time": T0 + seq,
            "data": {**where, "chunk": chunk},
        }
