"""Which characters redaction replaces, and by which others: the alphabets.

A character is replaced by another of its alphabet, so that its UTF-8 and UTF-16 lengths, its
script, its case and its general category stay.  Letters, marks and numbers have an alphabet;
punctuation, symbols, white space, controls and halves of surrogate pairs have none and stay.

- Scripts in which much is written have one alphabet each, in the table below.  Where they have
  cases, the two cases share one order, so that a word maps alike in both.
- Everything else shares an alphabet with its kind (general category) in its block of 64 code
  points, in which all UTF-8 bytes but the last are the same.
- A character that Unicode 3.2 did not know shares one with the others that it did not know.

Unicode 3.2 is the database that every Python carries unchanged, so that a key gives the same text
under all of them.
"""

import unicodedata

from msgspec import Struct

__all__ = ["DIGITS", "LEADING_DIGITS", "Alphabet", "Letter", "letter_of"]

_database = unicodedata.ucd_3_2_0


class Alphabet(Struct, frozen=True, gc=False):
    """Characters that stand for each other; `family` names the order that both cases share.

    Letters of an alphabet that stands `alone` are words of one character each: an ideograph, a
    syllable, a pictograph.  A change of `script` starts a new word.
    """

    family: str
    members: str
    alone: bool = False
    script: str = ""


class Letter(Struct, frozen=True, gc=False):
    """A character's alphabet, its place there, its spelling for contexts, and whether it is upper case."""

    alphabet: Alphabet
    index: int
    folded: str
    upper: bool


def _span(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


DIGITS = Alphabet("digit", _span(0x30, 0x39))
# A number may not begin with a zero that its source did not begin with.
LEADING_DIGITS = Alphabet("leading digit", _span(0x31, 0x39))

# The signs of multiplication and division lie among the letters.
_LATIN_1 = _span(0xE0, 0xFE).replace("\xf7", "")
_GREEK = _span(0x3B1, 0x3C9).replace("\u03c2", "")

# family, lower case, upper case
_CASED = (
    ("latin", _span(0x61, 0x7A), _span(0x41, 0x5A)),
    ("latin-1", _LATIN_1, _span(0xC0, 0xDE).replace("\xd7", "")),
    ("greek", _GREEK, _span(0x391, 0x3A9).replace("\u03a2", "")),
    ("cyrillic", _span(0x430, 0x44F), _span(0x410, 0x42F)),
)

_UNCASED = (
    DIGITS,
    Alphabet("arabic", _span(0x621, 0x63A) + _span(0x641, 0x64A)),
    Alphabet("devanagari", _span(0x905, 0x939)),
    Alphabet("hiragana", _span(0x3041, 0x3094), script="hiragana"),
    Alphabet("katakana", _span(0x30A1, 0x30FA), script="katakana"),
    Alphabet("ideographs", _span(0x4E00, 0x9FA5), alone=True),
    Alphabet("ideographs A", _span(0x3400, 0x4DB5), alone=True),
    Alphabet("hangul", _span(0xAC00, 0xD7A3), alone=True),
    # Pictographs, apart by their first surrogate half, which may end one delta while the second
    # begins the next.
    Alphabet("pictographs 1", _span(0x1F300, 0x1F3FA), alone=True),
    Alphabet("pictographs 2", _span(0x1F400, 0x1F64F) + _span(0x1F680, 0x1F6C5), alone=True),
    Alphabet("pictographs 3", _span(0x1F910, 0x1F93A) + _span(0x1F980, 0x1F991), alone=True),
    Alphabet("regional indicators", _span(0x1F1E6, 0x1F1FF), alone=True),
)

# They choose how the character before them looks, and are no text themselves.
_MODIFIERS = frozenset(_span(0xFE00, 0xFE0F) + _span(0x1F3FB, 0x1F3FF))

_BLOCK = 64
_ASTRAL = 0x10000
_SINGLE = 2


def _table() -> dict[str, Letter]:
    letters = {}
    for family, lower, upper in _CASED:
        for members in (lower, upper):
            alphabet = Alphabet(family, members)
            for index, char in enumerate(members):
                letters[char] = Letter(alphabet, index, lower[index], members is upper)
    for alphabet in _UNCASED:
        for index, char in enumerate(alphabet.members):
            letters[char] = Letter(alphabet, index, char, upper=False)
    return letters


_TABLE = _table()
# At most one entry for each character there is.
_others: dict[str, Letter | None] = {}


def letter_of(char: str) -> Letter | None:
    """The letter that `char` is to redaction, None for one that stays.

    >>> letter_of("é").alphabet.family, letter_of("!")
    ('latin-1', None)
    """
    found = _TABLE.get(char)
    if found is not None:
        return found
    if char not in _others:
        _others[char] = _neighbour_letter(char)
    return _others[char]


def _neighbour_letter(char: str) -> Letter | None:
    kind = _kind(char)
    if kind is None:
        return None
    start = ord(char) - ord(char) % _BLOCK
    members = "".join(
        other
        for other in map(chr, range(start, start + _BLOCK))
        if other not in _TABLE and _kind(other) == kind
    )
    if len(members) < _SINGLE:
        return None
    family = f"{start:x} {kind}"
    alphabet = Alphabet(family, members, alone=ord(char) >= _ASTRAL)
    return Letter(alphabet, members.index(char), char, kind == "Lu")


def _kind(char: str) -> str | None:
    """The general category of a character that is replaced, None for one that stays."""
    if char in _MODIFIERS:
        return None
    kind = _database.category(char)
    if kind == "Cn":
        # The two last of each plane, and these, are never characters.
        code = ord(char)
        return None if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF else kind
    return kind if kind[0] in "LMN" else None
