"""Small numbers as a string of signs: how a run's gaps, and its lengths, are told compactly.

    one sign for each number: 0-9 a-z A-Z for 0 to 61, otherwise (n), n in decimal
    in gaps, one sign for a run of zeros: # $ % & ' * + , - . / : ; < = > ? @ [ ] ^ _ ` { | } ~
    for 2 to 28 of them

A parser meets one string, and a writer has one spelling for every list of numbers: runs are told
from the left, each as far as a sign goes, so that 58 zeros are `~~#` and 57 are `~~0`.  A reader
takes zeros in any spelling.

Providers flush in bursts, and most recorded gaps are 0.  What needs the gaps' number alone never
expands them: a string stands for at most 28 times as many gaps as it has signs, which only whoever
knows that the row has as many members should hold.
"""

import re
from collections.abc import Sequence

from histbench.rows import RowHead

__all__ = [
    "HIGHEST_SIGN",
    "MOST_ZEROS",
    "SignedRow",
    "count_signs",
    "gap_signs",
    "only_signs",
    "read_signs",
    "signs_of",
    "split_signs",
]

_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# In the order of ASCII, without what JSON escapes, what brackets a long number, and `!`, which was
# frozen as no sign before there were runs.
_RUN_SIGNS = b"#$%&'*+,-./:;<=>?@[]^_`{|}~"

_SIGN_BYTES = _SIGNS.encode()
# What stands where a long number was, and its value, which no short one has.
_NO_SIGN, _NO_SIGN_BYTE, _NO_VALUE = "!", b"!", bytes([len(_SIGN_BYTES)])
_SIGN_TO_VALUE = bytes.maketrans(
    _SIGN_BYTES + _NO_SIGN_BYTE, bytes(range(len(_SIGN_BYTES))) + _NO_VALUE
)
_VALUE_TO_SIGN = _SIGN_BYTES.ljust(256, _NO_SIGN_BYTE)
_ZEROS = {sign: b"0" * zeros for zeros, sign in enumerate(_RUN_SIGNS, 2)}
_RUN_TO_COUNT = bytes(len(_ZEROS.get(sign, b"")) for sign in range(256))
# Zeros that are no digits of a long number; bounded, so that it looks ahead no further than one.
_RUN = re.compile(r"(00++)(?![0-9]{0,16}\))")
_LONG = re.compile(r"\((-?[1-9][0-9]{0,16})\)")
_LONGEST = len("(-9007199254740991)")

HIGHEST_SIGN = len(_SIGNS) - 1
MOST_ZEROS = 1 + len(_RUN_SIGNS)


class _Spellings(dict[int, str]):
    """The spelling of every number: the short ones are members, the long ones are made."""

    def __missing__(self, number: int) -> str:
        return f"({number})"


class _RunSpellings(dict[str, str]):
    """The spelling of every run of zeros: the short ones are members, the long ones are made."""

    def __missing__(self, run: str) -> str:
        whole, left = divmod(len(run), MOST_ZEROS)
        return self["0" * MOST_ZEROS] * whole + self["0" * left]


_spelling = _Spellings(enumerate(_SIGNS)).__getitem__
_run_spelling = _RunSpellings(
    {"": "", "0": "0"} | {zeros.decode(): chr(sign) for sign, zeros in _ZEROS.items()}
).__getitem__


def signs_of(numbers: Sequence[int]) -> str:
    """The numbers as signs, each with its own.

    >>> signs_of([0, 28, 62, -1])
    '0s(62)(-1)'
    """
    try:
        signs = bytes(numbers).translate(_VALUE_TO_SIGN)
    except ValueError:
        # No byte, so no short number either.
        pass
    else:
        if _NO_SIGN_BYTE not in signs:
            return signs.decode()
    return "".join(map(_spelling, numbers))


def gap_signs(gaps: Sequence[int]) -> str:
    """Gaps, all of them safe integers, as signs, with runs of zeros told as such.

    >>> gap_signs([0, 5, 0, 0, 0, 100, 0, 0])
    '05$(100)#'
    """
    signs = signs_of(gaps)
    if "00" not in signs:
        return signs
    parts = _RUN.split(signs)
    parts[1::2] = map(_run_spelling, parts[1::2])
    return "".join(parts)


def read_signs(signs: str) -> list[int]:
    """The numbers that are spelled; what is no sign must have been refused before.

    >>> read_signs("0s(62)#(-1)")
    [0, 28, 62, 0, 0, -1]
    """
    parts = _LONG.split(signs)
    short = _expanded(_NO_SIGN.join(parts[::2]).encode()).translate(_SIGN_TO_VALUE)
    first, *others = short.split(_NO_VALUE)
    numbers = list(first)
    for long, after in zip(parts[1::2], others, strict=True):
        numbers.append(int(long))
        numbers.extend(after)
    return numbers


def _expanded(signs: bytes) -> bytes:
    """The signs with every zero told alone."""
    for sign in _ZEROS.keys() & signs.translate(None, _SIGN_BYTES):
        signs = signs.replace(bytes([sign]), _ZEROS[sign])
    return signs


def split_signs(signs: str) -> tuple[str, list[int]]:
    """The short signs, or whatever else stands between the long ones; and the long ones' numbers."""
    if "(" not in signs:
        return signs, []
    parts = _LONG.split(signs)
    return "".join(parts[::2]), list(map(int, parts[1::2]))


def only_signs(signs: str) -> bool:
    """Whether every number is told by one sign, and none by a sign for several."""
    return signs.isascii() and not signs.encode().translate(None, _SIGN_BYTES)


def count_signs(signs: str) -> int | None:
    """How many gaps are told without a long one among them; None when something else is told.

    >>> count_signs("05$0"), count_signs("0!"), count_signs("(62)")
    (6, None, None)
    """
    if not signs.isascii():
        return None
    runs = signs.encode().translate(None, _SIGN_BYTES)
    if not runs:
        return len(signs)
    counts = runs.translate(_RUN_TO_COUNT)
    return None if 0 in counts else len(signs) - len(runs) + sum(counts)


class SignedRow(RowHead, frozen=True, kw_only=True, gc=False):
    """A row whose gaps are signs, in the spelling that they were read in."""

    gaps: str

    def gap_list(self) -> list[int]:
        """The gaps, read from their signs."""
        return read_signs(self.gaps)

    def time_of(self, member: int) -> int:
        """One member's time, from no more signs than the gaps before it can take."""
        # What may be left of a number that is cut stands behind those gaps.
        return self.time0 + sum(read_signs(self.gaps[: member * _LONGEST])[:member])
