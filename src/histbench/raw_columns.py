"""Proofs on raw JSON arrays: that a row's two columns are what the grammar wants, without parsing.

The bytes come from a parser that has checked their JSON syntax and skipped them.  Most of what is
left to prove can be counted, and counting runs at the speed of memory:

Texts.  In an array without backslashes every quote bounds a string.  If the array starts with
`["`, ends with `"]`, and each quote in between belongs to one `","`, then nothing but strings
stands in it, one more than there are `","`.  With backslashes, the escaped quotes and backslashes
are first put out of sight; then the same holds.  Escapes are canonical if they all are of one
letter; with others, what is left when every `","` is gone is the content of one JSON string, whose
escapes are canonical if it prints as it was read.

Gaps.  Without its digits and signs an array of integers is brackets and commas.  Its numbers are
safe, and so is every partial sum, if no number is longer than the digits that `count` of them
could add up to.

Each function answers None for "not proved"; the caller then reads the array value by value.
"""

import msgspec

from histbench.events import MAX_SAFE_INTEGER
from histbench.jsontext import is_utf8

__all__ = ["joined_content", "proved_gaps", "proved_texts"]

_SEPARATOR = b'","'
# Stand-ins of the same length, which no JSON text holds: control characters are always escaped.
_HIDDEN_BACKSLASH, _HIDDEN_QUOTE = b"\x00\x00", b"\x00\x01"
# The escapes of one letter that are canonical wherever they stand.
_SHORT_ESCAPES = (rb"\n", rb"\t", rb"\r", rb"\b", rb"\f")
_INTEGER_BYTES = b"-0123456789"
_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
# The bytes that continue a character in UTF-8, all made alike.
_TO_FIRST_CONTINUATION = bytes.maketrans(bytes(range(0x80, 0xC0)), b"\x80" * 0x40)
_one_text = msgspec.json.Decoder(str)


def proved_texts(raw: bytes) -> int | None:
    r"""The number of texts, when `raw` is the canonical JSON array of one or more strings.

    Args:
        raw: a syntactically valid JSON array in UTF-8 (unless it is ASCII, that is checked too).

    >>> proved_texts(b'["a",",","b"]'), proved_texts(b'["a",1]'), proved_texts(b'["\\u0041"]')
    (3, None, None)
    """
    if len(raw) < len(b'[""]') or raw[:2] != b'["' or raw[-2:] != b'"]':
        return None
    inner = raw[2:-2]
    # Prose has newlines, and nothing else that is escaped.
    escapes = inner.count(b"\\")
    only_newlines = not escapes or inner.count(rb"\n") == escapes
    hidden = inner if only_newlines else _hide(inner)
    if only_newlines or _escapes_are_short(hidden):
        separators = hidden.count(_SEPARATOR)
        if hidden.count(b'"') != 2 * separators or not is_utf8(inner):
            return None
        return separators + 1
    found = joined_content(inner)
    if found is None or _splits_character(inner):
        return None
    content, count = found
    quoted = b'"%b"' % content
    try:
        text = _one_text.decode(quoted)
    except msgspec.DecodeError:
        return None
    # Canonical escapes survive the round trip; an escaped letter or solidus does not.
    return count if msgspec.json.encode(text) == quoted else None


def joined_content(inner: bytes, between: bytes = b"") -> tuple[bytes, int] | None:
    r"""All texts of an array as the content of one JSON string, and how many there were.

    Args:
        inner: what stands between `["` and `"]` of a syntactically valid JSON array.
        between: a byte, or nothing, to stand between the texts.

    Returns:
        None when the array holds anything but strings, or white space.

    >>> joined_content(rb'say \"","hi'), joined_content(b'a",1,"b')
    ((b'say \\"hi', 2), None)
    """
    backslashes, quotes = b"\\\\" in inner, b'\\"' in inner
    if backslashes:
        inner = inner.replace(b"\\\\", _HIDDEN_BACKSLASH)
    if quotes:
        inner = inner.replace(b'\\"', _HIDDEN_QUOTE)
    joined = inner.replace(_SEPARATOR, between)
    if b'"' in joined:
        return None
    count = (len(inner) - len(joined)) // (len(_SEPARATOR) - len(between)) + 1
    if quotes:
        joined = joined.replace(_HIDDEN_QUOTE, b'\\"')
    if backslashes:
        joined = joined.replace(_HIDDEN_BACKSLASH, b"\\\\")
    return joined, count


def proved_gaps(raw: bytes, count: int, time0: int) -> bool:
    """Whether `raw` is the canonical array of `count - 1` gaps that keep every time safe.

    Args:
        raw: a syntactically valid JSON array.
        count: the members of the row, at least 1.
        time0: the first member's time, a safe integer.

    >>> proved_gaps(b"[0,-5,28]", 4, 1_700_000_000_000), proved_gaps(b"[1.0]", 2, 0)
    (True, False)
    """
    bare = raw.translate(None, _INTEGER_BYTES)
    # Looking for one byte first: few gaps are negative.
    if bare != b"[%b]" % (b"," * (count - 2)) or (b"-" in raw and b"-0" in raw):
        return False
    if (raw == b"[]") != (count == 1):
        return False
    room = (MAX_SAFE_INTEGER - abs(time0)) // count
    # A run of `digits` zeros stands for a number of at least that many digits.
    digits = len(str(room))
    return b"0" * digits not in raw.translate(_TO_ZERO)


def _escapes_are_short(hidden: bytes) -> bool:
    left = hidden.count(b"\\")
    for escape in _SHORT_ESCAPES:
        if not left:
            break
        left -= hidden.count(escape)
    return not left


def _hide(inner: bytes) -> bytes:
    """The same without its escaped backslashes and quotes, in as many bytes."""
    return inner.replace(b"\\\\", _HIDDEN_BACKSLASH).replace(b'\\"', _HIDDEN_QUOTE)


def _splits_character(inner: bytes) -> bool:
    """Whether two texts may hold the halves of one character's bytes; joined, they would not tell."""
    return not inner.isascii() and b'"\x80' in inner.translate(_TO_FIRST_CONTINUATION)
