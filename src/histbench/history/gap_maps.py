"""The gaps of a row as one string: signs alone, or maps of the zeros and the ones before them.

    dt     = signs                        every gap, each with its sign (`signs`)
           | zeros "." ones "." waits     where that is shorter
    zeros  = a bit for every gap, 0 where it is 0
    ones   = a bit for every other gap, 0 where it is 1
    waits  = the signs of the gaps that are neither

Bits are told six a character, by base64url's alphabet and without padding; the first gap's is the
highest of the first character, and the last character is filled up with zeros.

Providers flush in bursts: most recorded gaps are 0, and many others 1.  A writer maps a list
where that takes fewer characters, and has one spelling for it; a reader takes either spelling of
any list.  A character stands for six gaps at most, and bits are counted without a value for each:
gaps are only listed in a row that is known to have as many members.
"""

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from histbench.errors import InvalidRow
from histbench.events import MAX_SAFE_INTEGER
from histbench.history.signs import (
    HIGHEST_SIGN,
    LONGEST_SPELLING,
    only_signs,
    read_signs,
    signs_of,
    split_signs,
)
from histbench.rows import RowHead

__all__ = ["MAP_END", "SignedRow", "check_gaps", "gaps_text", "read_gaps", "spell_gaps"]

MAP_END = "."

_BITS = 6
# What the standard alphabet spells otherwise than base64url must not pass for either.
_TO_STANDARD = bytes.maketrans(b"-_+/=", b"+/!!!")
_TO_URL = bytes.maketrans(b"+/", b"-_")
_DIGIT_TO_BIT = bytes.maketrans(b"01", b"\0\1")
# By a gap, or 2 for any that is neither 0 nor 1: its bit in each map.
_ZEROS_BIT = b"0".ljust(256, b"1")
_ONES_BIT = b"00".ljust(256, b"1")


class SignedRow(RowHead, frozen=True, kw_only=True, gc=False):
    """A row whose gaps are one string, in the spelling that they were read in."""

    gaps: str

    def gap_list(self) -> list[int]:
        """The gaps, read from their text."""
        return read_gaps(self.gaps, self.count - 1)

    def time_of(self, member: int) -> int:
        """One member's time, from no more of the text than the gaps before it can take."""
        zeros, end, rest = self.gaps.partition(MAP_END)
        if not end:
            return self.time0 + _sum_signs(zeros, member)
        ones, _, waits = rest.partition(MAP_END)
        others = _first_bits(zeros, member).bit_count()
        waiting = _first_bits(ones, others).bit_count()
        return self.time0 + others - waiting + _sum_signs(waits, waiting)


def gaps_text(row: RowHead) -> str:
    """The row's gaps as one string: as they were read, or as they are written."""
    return row.gaps if isinstance(row, SignedRow) else spell_gaps(row.gap_list())


def spell_gaps(gaps: Sequence[int]) -> str:
    """Gaps, all of them safe integers, in the shorter spelling.

    >>> spell_gaps([0, 5, 0, 0]), spell_gaps([0, 0, 0, 1, 0, 1, 0, 100, 0, 0, 0, 0])
    ('0500', 'FQ.I.(100)')
    """
    waits: Sequence[int]
    try:
        kinds = bytes(gaps)
        others = kinds.translate(None, b"\0")
        waits = others.translate(None, b"\1")
    except ValueError:
        kinds = bytes([gap if 0 <= gap <= 1 else 2 for gap in gaps])
        others = kinds.translate(None, b"\0")
        waits = [gap for gap in gaps if not 0 <= gap <= 1]
    mapped = _characters(len(gaps)) + _characters(len(others)) + 2 * len(MAP_END)
    # Both spellings hold the same signs of waits.
    if mapped >= len(gaps) - len(waits):
        return signs_of(gaps)
    maps = _map_text(kinds.translate(_ZEROS_BIT)), _map_text(others.translate(_ONES_BIT))
    return MAP_END.join([*maps, signs_of(waits)])


def read_gaps(text: str, count: int) -> list[int]:
    """The `count` gaps that are told; what tells none must have been refused before.

    >>> read_gaps("FQ.I.(100)", 12), read_gaps("0s(62)", 3)
    ([0, 0, 0, 1, 0, 1, 0, 100, 0, 0, 0, 0], [0, 28, 62])
    """
    zeros, end, rest = text.partition(MAP_END)
    if not end:
        return read_signs(zeros)
    ones, _, waits = rest.partition(MAP_END)
    bits = _first_bits(zeros, count)
    others = bits.bit_count()
    gaps = _woven(_first_bits(ones, others), others, 1, read_signs(waits))
    return _woven(bits, count, 0, gaps)


def check_gaps(row: SignedRow, refuse: Callable[[str, str, object, str], InvalidRow]) -> None:
    """Prove the text of a row's gaps, its `count` being that of its texts, without listing them.

    Raises:
        InvalidRow: what `refuse` makes of a rule, a reason, what was found and what was expected.
    """
    # One map more than there may be is enough to know.
    *maps, waits = row.gaps.split(MAP_END, 3)
    signs, longs = split_signs(waits)
    if len(maps) not in {0, 2} or not only_signs(signs):
        raise refuse("dt", "bad dt", row.gaps, "signs 0-9 a-z A-Z and (n), perhaps behind two maps")
    if maps and ("0" in signs or "1" in signs):
        raise refuse("dt", "a mapped gap spelled", row.gaps, "0 and 1 in the maps alone")
    furthest = abs(row.time0) + (row.count - 1) * HIGHEST_SIGN
    if longs:
        if any(0 <= gap <= HIGHEST_SIGN for gap in longs):
            raise refuse("dt", "a short gap spelled long", row.gaps, "one sign for 0 to 61")
        # Safe times can lie further apart than a packed row may say.
        if any(abs(gap) > MAX_SAFE_INTEGER for gap in longs):
            raise refuse("dt", "bad dt", row.gaps, "safe integers")
        furthest += sum(map(abs, longs))
    left = row.count - 1
    for each in maps:
        bits = _bits_of(each)
        if bits is None:
            raise refuse("dt", "bad map", row.gaps, "base64url without padding")
        if len(each) != _characters(left):
            raise refuse("dt_length", "a map does not fit", len(each), f"a map of {left} gaps")
        if bits & ((1 << (_BITS * len(each) - left)) - 1):
            raise refuse("dt", "a map with more bits than gaps", row.gaps, "zeros at its end")
        left = bits.bit_count()
    if len(signs) + len(longs) != left:
        raise refuse("dt_length", "dt does not fit", len(signs) + len(longs), f"{left} gaps")
    if furthest > MAX_SAFE_INTEGER:
        # As many times as there are texts.
        for time in accumulate(row.gap_list(), initial=row.time0):
            if not -MAX_SAFE_INTEGER <= time <= MAX_SAFE_INTEGER:
                raise refuse(
                    "time_range", "member times leave the safe integers", time, "safe integers"
                )


def _characters(bits: int) -> int:
    return -(-bits // _BITS)


def _map_text(bits: bytes) -> str:
    """The digits `0` and `1` as a map."""
    # Base64 takes bytes by threes, which are four characters.
    whole = bits.ljust(-(-len(bits) // 24) * 24, b"0")
    octets = int(whole or b"0", 2).to_bytes(len(whole) // 8, "big")
    return b2a_base64(octets, newline=False).translate(_TO_URL)[: _characters(len(bits))].decode()


def _bits_of(text: str) -> int | None:
    """All bits of a map, six for each character; None when something else stands in it."""
    if not text.isascii():
        return None
    missing = -len(text) % 4
    try:
        octets = a2b_base64(
            text.encode().translate(_TO_STANDARD) + b"A" * missing, strict_mode=True
        )
    except Error:
        return None
    return int.from_bytes(octets, "big") >> (_BITS * missing)


def _first_bits(text: str, count: int) -> int:
    """The first bits of a proved map."""
    first = text[: _characters(count)]
    bits = _bits_of(first) or 0
    return bits >> (_BITS * len(first) - count)


def _woven(bits: int, count: int, unset: int, others: Iterable[int]) -> list[int]:
    """A gap for each bit: `unset`, or the next of the others."""
    places = f"{1 << count | bits:b}"[1:].encode().translate(_DIGIT_TO_BIT)
    other = iter(others).__next__
    return [other() if place else unset for place in places]


def _sum_signs(signs: str, count: int) -> int:
    """The sum of the first numbers that are spelled."""
    # What may be left of a number that is cut stands behind them.
    return sum(read_signs(signs[: count * LONGEST_SPELLING])[:count])
