"""Joined rows whose gaps are spelled in either way, or in none.

Only `randrange` is used, whose numbers are the same in every version of Python.
"""

from random import Random

from histbench.jsontext import encode
from oracle_lean import maps_of, signs_of
from shell_logs import pick

_MAX_SAFE = 2**53 - 1
_LONG = (62, -1, -100, 1000, _MAX_SAFE, -_MAX_SAFE)
_FAULTY = (
    *("!", "(", ")", "(0)", "(61)", "(-0)", "(062)", "(9007199254740992)"),
    *(".", "..", "A", "B", "g", "_", "-", "+", "/", "=", "0", "1", "2"),
    *("\\", '"', " ", "\x7f", "é", "２"),
)
_ODD_COUNTS = (-6, -2, -1, 1, 2, 6, 7)


def draw_row(random: Random) -> bytes:
    """A page of one joined row, mostly one that may be read."""
    gaps = [gap for _ in range(random.randrange(9)) for gap in _piece(random)]
    spelled = pick(random, (maps_of, maps_of, signs_of))(gaps)
    count = len(gaps) + 1
    faulty = random.randrange(8)
    if faulty in {0, 1}:
        place = random.randrange(len(spelled) + 1)
        spelled = spelled[:place] + pick(random, _FAULTY) + spelled[place + random.randrange(2) :]
    elif faulty == 2:
        count = max(1, count + pick(random, _ODD_COUNTS))
    data = {"turn": 1, "step": 1, "index": 0, "dt": spelled, "text": "\x7f".join("a" * count)}
    time0 = pick(random, (0, 0, -5, 1_700_000_000_000, _MAX_SAFE, -_MAX_SAFE, _MAX_SAFE - 62))
    row = {"type": "text-joined", "seq0": 0, "time0": time0, "data": data}
    page = {"records": [{"joined": row}], "hasMore": False, "fromSeq": 0, "toSeq": count}
    return encode(page)


def _piece(random: Random) -> list[int]:
    long = pick(random, _LONG) if random.randrange(2) else pick(random, _LONG[:4])
    pieces = ([0] * random.randrange(14), [1] * random.randrange(8), [random.randrange(62)], [long])
    piece: list[int] = pick(random, pieces)
    return piece
