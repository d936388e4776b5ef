r"""One text for another of the same shape, as it arrives: words replaced, everything else kept.

Letters and digits are replaced word by word (`words`).  Three things stay although they are
letters, because something reads them:

- the letter after a backslash where JSON has such an escape, and the first two of the four digits
  of a `\u` (the third too after `00`), so that arguments, which are JSON inside a string, stay JSON;
- `true`, `false` and `null`, the `e` of a number and its exponent, outside of strings, in a text
  that begins like a JSON object or array and has been one so far;
- halves of surrogate pairs that have no other half.

What becomes of a character depends on what stands before it in the text and on nothing after it.
Therefore the pieces of a text, fed one after the other, give the pieces of its replacement, and a
`TextRedactor` remembers no more than one word.
"""

import re
from typing import Literal

from histbench.jsontext import merge_surrogates
from histbench.privacy.words import Pseudonyms

__all__ = ["TextRedactor", "redact_text"]

_ESCAPE = r'\\(?:u[0-9A-Fa-f]{0,4}|[bfnrt"\\/])?'
_WORD = r"[0-9A-Za-z\u0080-\ud7ff\ue000-\U0010ffff]+"
_UNIT = re.compile(f"({_ESCAPE}|{_WORD})")

# Up to the quote that ends a string; `\"` ends none.
_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*\\?', re.DOTALL)

_BLANKS = " \t\n\r"
_DIGITS = "0123456789"
# What may stand outside of strings: a number, its exponent, or the start of one of three words.
_NUMBER, _EXPONENT = "0", "e"
_LITERAL_STARTS = frozenset(
    word[:length] for word in ("true", "false", "null") for length in range(1, len(word) + 1)
)

# The lengths of `\u`, of what stays of an escape, and of all of it.
_ESCAPE_START, _ESCAPE_KEPT, _ESCAPE_LENGTH = 2, 4, 6


class TextRedactor:
    """Redacts one text in pieces; `feed` gives for each piece as many UTF-16 units as it has.

    `plain` texts are never taken for JSON: names and keys, which must stay different.
    """

    __slots__ = ("_high", "_inside", "_mode", "_pseudonyms", "_tail", "_token")

    def __init__(self, pseudonyms: Pseudonyms, *, plain: bool = False) -> None:
        self._pseudonyms = pseudonyms
        self._mode: Literal["start", "json", "prose"] = "prose" if plain else "start"
        # The unit that the text so far ends in and the next piece may go on with.
        self._tail = ""
        # In JSON: whether inside a string, and the literal or number so far outside of one.
        self._inside = False
        self._token = ""
        self._high = ""

    def feed(self, piece: str) -> str:
        """The replacement of the next piece of the text."""
        piece = merge_surrogates(piece)
        out = []
        if self._high and "\udc00" <= piece[:1] <= "\udfff":
            pair = merge_surrogates(self._high + piece[0])
            out.append(_low_half(self._pseudonyms.run(pair)[0]))
            piece, self._high = piece[1:], ""
        if piece:
            self._high = piece[-1] if "\ud800" <= piece[-1] <= "\udbff" else ""
        position = 0
        while position < len(piece):
            if self._mode == "prose":
                out.append(self._units(piece[position:]))
                break
            if self._mode == "start":
                start = position
                while position < len(piece) and piece[position] in _BLANKS:
                    position += 1
                out.append(piece[start:position])
                if position < len(piece):
                    self._mode = "json" if piece[position] in "{[" else "prose"
            elif self._inside:
                stop = self._string_end(piece, position)
                out.append(self._units(piece[position:stop]))
                if stop < len(piece):
                    out.append('"')
                    self._inside, self._tail = False, ""
                position = stop + 1
            else:
                position = self._outside(piece, position, out)
        return "".join(out)

    def _string_end(self, piece: str, start: int) -> int:
        """Where the quote is that ends the string, or the end of the piece."""
        # Only the first string of a piece goes on from an earlier one, whose end may be half of
        # an escaped quote.
        open_length = len(self._tail)
        text, start = (self._tail + piece, 0) if open_length else (piece, start)
        found = _IN_STRING.match(text, start)
        return len(piece) if found is None else found.end() - open_length

    def _units(self, piece: str) -> str:
        """The replacement of a piece of prose or of a JSON string."""
        if not piece:
            return ""
        known = len(self._tail)
        parts = _UNIT.split(self._tail + piece)
        start = 0
        for position in range(1, len(parts), 2):
            unit = parts[position]
            if unit[0] == "\\":
                parts[position] = self._escape(unit)
                start = 0 if len(unit) < (_ESCAPE_LENGTH if unit[1:2] == "u" else 2) else len(unit)
            else:
                parts[position], start = self._pseudonyms.run(unit)
        # The text ends in a unit if nothing follows the last one.
        self._tail = unit[start:] if len(parts) > 1 and not parts[-1] else ""
        return "".join(parts)[known:]

    def _escape(self, unit: str) -> str:
        kept = _ESCAPE_KEPT + 1 if unit[_ESCAPE_START:_ESCAPE_KEPT] == "00" else _ESCAPE_KEPT
        replaced = (
            self._pseudonyms.hex_digits(unit[:position], unit[position])
            for position in range(kept, len(unit))
        )
        return unit[:kept] + "".join(replaced)

    def _outside(self, piece: str, start: int, out: list[str]) -> int:
        """Pass on what stands before the next string, or before what no JSON has; where that is."""
        for position in range(start, len(piece)):
            char, token = piece[position], self._token
            if char == '"':
                out.append(char)
                self._inside, self._token, self._tail = True, "", ""
                return position + 1
            if not _is_word(char):
                out.append(char)
                # A sign belongs to the exponent before it.
                self._token, self._tail = token if char in "+-" and token == _EXPONENT else "", ""
            elif token == _EXPONENT and char in _DIGITS:
                out.append(char)
            elif token in ("", _NUMBER) and char in _DIGITS:
                out.append(self._units(char))
                self._token = _NUMBER
            elif token == _NUMBER and char in "eE":
                out.append(char)
                self._token, self._tail = _EXPONENT, ""
            elif token + char in _LITERAL_STARTS:
                out.append(char)
                self._token = token + char
            else:
                self._mode, self._tail = "prose", ""
                return position
        return len(piece)


def _is_word(char: str) -> bool:
    return char.isalnum() if char.isascii() else char >= "\x80"


def _low_half(pair: str) -> str:
    return pair.encode("utf-16-be")[2:].decode("utf-16-be", "surrogatepass")


def redact_text(text: str, pseudonyms: Pseudonyms, *, plain: bool = False) -> str:
    """The replacement of a whole text; see the module."""
    return TextRedactor(pseudonyms, plain=plain).feed(text)
