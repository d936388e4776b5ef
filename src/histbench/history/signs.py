"""Small numbers as a string of signs: how a run's gaps, and its lengths, are told compactly.

    one sign for each number: 0-9 a-z A-Z for 0 to 61, otherwise (n), n in decimal

A parser meets one string, and there is one spelling for every list of numbers.
"""

import re
from collections.abc import Sequence

__all__ = [
    "HIGHEST_SIGN",
    "LONGEST_SPELLING",
    "only_signs",
    "read_signs",
    "signs_of",
    "split_signs",
]

_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SIGN_BYTES = _SIGNS.encode()
# What stands where a long number was, and its value, which no short one has.
_NO_SIGN, _NO_SIGN_BYTE, _NO_VALUE = "!", b"!", bytes([len(_SIGN_BYTES)])
_SIGN_TO_VALUE = bytes.maketrans(
    _SIGN_BYTES + _NO_SIGN_BYTE, bytes(range(len(_SIGN_BYTES))) + _NO_VALUE
)
_VALUE_TO_SIGN = _SIGN_BYTES.ljust(256, _NO_SIGN_BYTE)
_LONG = re.compile(r"\((-?[1-9][0-9]{0,16})\)")

HIGHEST_SIGN = len(_SIGNS) - 1
# Characters that one safe integer takes at most.
LONGEST_SPELLING = len("(-9007199254740991)")


class _Spellings(dict[int, str]):
    """The spelling of every number: the short ones are members, the long ones are made."""

    def __missing__(self, number: int) -> str:
        return f"({number})"


_spelling = _Spellings(enumerate(_SIGNS)).__getitem__


def signs_of(numbers: Sequence[int]) -> str:
    """The numbers as signs.

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


def read_signs(signs: str) -> list[int]:
    """The numbers that are spelled; what is no sign must have been refused before.

    >>> read_signs("0s(62)(-1)")
    [0, 28, 62, -1]
    """
    parts = _LONG.split(signs)
    short = _NO_SIGN.join(parts[::2]).encode().translate(_SIGN_TO_VALUE)
    first, *others = short.split(_NO_VALUE)
    numbers = list(first)
    for long, after in zip(parts[1::2], others, strict=True):
        numbers.append(int(long))
        numbers.extend(after)
    return numbers


def split_signs(signs: str) -> tuple[str, list[int]]:
    """The short signs, or whatever else stands between the long ones; and the long ones' numbers."""
    if "(" not in signs:
        return signs, []
    parts = _LONG.split(signs)
    return "".join(parts[::2]), list(map(int, parts[1::2]))


def only_signs(signs: str) -> bool:
    """Whether every number is told by one sign."""
    return signs.isascii() and not signs.encode().translate(None, _SIGN_BYTES)
