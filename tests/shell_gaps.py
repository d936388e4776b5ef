"""Joined rows whose gaps are spelled in every way, or in none.

Only `randrange` is used, whose numbers are the same in every version of Python.
"""

from random import Random

from histbench.jsontext import encode
from oracle_lean import RUN_SIGNS, SIGNS, gaps_of
from shell_logs import pick

_MAX_SAFE = 2**53 - 1
_LONG = ("(62)", "(-1)", "(-100)", "(1000)", "(9007199254740991)", "(-9007199254740991)")
_FAULTY = (
    *("!", "(", ")", "(0)", "(61)", "(-0)", "(062)"),
    *("(#)", "(1#)", "\\", '"', " ", "\x7f", "é"),
)
_ODD_COUNTS = (0, 1, 2, 27, 28, 29)


def draw_row(random: Random) -> bytes:
    """A page of one joined row, mostly one that may be read."""
    faulty = not random.randrange(4)
    signs = "".join(_piece(random) for _ in range(random.randrange(9)))
    count = len(gaps_of(signs)) + 1
    if faulty and random.randrange(2):
        place = random.randrange(len(signs) + 1)
        signs = signs[:place] + pick(random, _FAULTY) + signs[place:]
    elif faulty:
        count = max(1, count - 14 + pick(random, _ODD_COUNTS))
    data = {"turn": 1, "step": 1, "index": 0, "dt": signs, "text": "\x7f".join("a" * count)}
    time0 = pick(random, (0, 0, -5, 1_700_000_000_000, _MAX_SAFE, -_MAX_SAFE, _MAX_SAFE - 62))
    row = {"type": "text-joined", "seq0": 0, "time0": time0, "data": data}
    page = {"records": [{"joined": row}], "hasMore": False, "fromSeq": 0, "toSeq": count}
    return encode(page)


def _piece(random: Random) -> str:
    runs = (pick(random, RUN_SIGNS), pick(random, RUN_SIGNS) * random.randrange(4))
    zeros = "0" * random.randrange(4)
    long = pick(random, _LONG) if random.randrange(2) else pick(random, _LONG[:4])
    piece: str = pick(random, (*runs, zeros, pick(random, SIGNS), long))
    return piece
