"""The synthetic fixture of the published transport benchmark, bit for bit.

One turn with one step that never ends: `turn/start`, one appended `user/message`, `step/start`,
then `runs` runs of reasoning deltas (run number = block index), each followed by ignorable
`benchmark/separator` events.  Time is `T0 + seq`, so every gap is 1.

A text is the last two base-36 digits of

    uint32((run + 1) * 0x9E3779B1)  xor  uint32((member + 1) * 0x85EBCA6B)

Every text has two characters and every gap is 1: the fixture says much about the number of values
in a response and nothing about real text.  It draws nothing, so it is the same for every seed.
"""

from collections.abc import Iterator
from typing import Any

from synthetic.chat import T0
from synthetic.profiles import Transport

__all__ = ["FIXED_ID", "transport_events"]

# The published fixture puts a random UUID here; a fixed one of the same length keeps the bytes.
FIXED_ID = "00000000-0000-4000-8000-000000000000"


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
_RUN_FACTOR = 0x9E3779B1
_MEMBER_FACTOR = 0x85EBCA6B
_UINT32 = 0xFFFFFFFF


def transport_events(profile: Transport) -> Iterator[dict[str, Any]]:
    """The fixture's events, dense in seq from 0; `profile` holds its cardinalities."""
    message = {
        "content": [{"type": "text", "text": "synthetic history transport benchmark"}],
        "source": {"kind": "user"},
        "role": "user",
        "id": FIXED_ID,
    }
    yield {"type": "turn/start", "seq": 0, "time": T0, "data": {"turn": 1}}
    yield {
        "type": "user/message",
        "seq": 1,
        "time": T0 + 1,
        "data": message,
        "surfaceOp": "append",
    }
    yield {"type": "step/start", "seq": 2, "time": T0 + 2, "data": {"turn": 1, "step": 1}}
    seq = 3
    longest = profile.members_of_long_runs
    members = [(n * _MEMBER_FACTOR) & _UINT32 for n in range(1, longest + 1)]
    for run in range(profile.runs):
        key = ((run + 1) * _RUN_FACTOR) & _UINT32
        length = longest if run < profile.long_runs else longest - 1
        first = seq
        for seq, member in enumerate(members[:length], first):
            yield {
                "type": "assistant/chunk",
                "seq": seq,
                "time": T0 + seq,
                "data": {
                    "turn": 1,
                    "step": 1,
                    "chunk": {
                        "type": "reasoning-delta",
                        "index": run,
                        "text": _PAIRS[(key ^ member) % 1296],
                    },
                },
            }
        seq += 1
        separators = profile.separators - (run < profile.runs_with_one_separator_less)
        for separator in range(separators):
            yield {
                "type": "benchmark/separator",
                "seq": seq,
                "time": T0 + seq,
                "data": {"run": run, "separator": separator},
                "ignorable": True,
            }
            seq += 1
