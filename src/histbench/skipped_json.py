"""Raw JSON that msgspec skipped: a proof that `decode` will read it, without reading it.

Skipping checks the syntax, but neither the encoding nor whether numbers can be held: `1e400` is
syntax, and no double.  Nearly no text has such a number, and that is told from its bytes.  With
all digits alike, an exponent of three digits or an integer of two hundred is one short pattern;
what has it may still be a part of a name, and only what may be a number is read.  The checks run
at the speed of memory, and best over many lines at once.
"""

from collections.abc import Iterable, Iterator

from histbench.jsontext import check_utf8, decode

__all__ = ["check_skipped", "holds_numbers"]

# With every digit a zero: what a number that no double can hold has in its text, or an integer
# with more digits than the interpreter reads.  An exponent below 100 needs 200 digits more.
_DIGITS_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
_HUGE_EXPONENT, _HUGE_SIGNED = b"0e000", b"0e+000"
# Quicker to look for than the pattern that it is in: a plus sign is rare.
_SIGNED = b"e+"
_HUGE_INTEGER = b"0" * 200
# No longer run of digits is left, so the number before an exponent is within so many bytes.
_MANTISSA = len(b"-.") + 2 * len(_HUGE_INTEGER)
# What stands before a number, outside strings.
_BEFORE_NUMBER = b":,[ \t\r\n"


def check_skipped(data: bytes) -> None:
    """Raise InvalidJson unless `decode` will read `data`, syntactically valid JSON.

    Raises:
        InvalidJson: `invalid_utf8` or `number_out_of_range`.
    """
    check_utf8(data)
    if not holds_numbers((data,)):
        decode(data)


def holds_numbers(texts: Iterable[bytes]) -> bool:
    """Whether each number in these JSON texts surely is one that a double or an integer can hold."""
    alike = b"\n".join(texts).translate(_DIGITS_ALIKE)
    if _HUGE_INTEGER in alike:
        return False
    exponents = (_HUGE_EXPONENT, _HUGE_SIGNED) if _SIGNED in alike else (_HUGE_EXPONENT,)
    return not any(
        _ends_number(alike, at + 1) for exponent in exponents for at in _places(alike, exponent)
    )


def _places(text: bytes, part: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _ends_number(alike: bytes, end: int) -> bool:
    """Whether a number may end here; most of what looks like an exponent is part of a name.

    >>> _ends_number(b'"id":"0a0', 9), _ends_number(b'"n":-0.00', 9)
    (False, True)
    """
    before = alike[max(0, end - _MANTISSA) : end].rstrip(b"0")
    if before.endswith(b"."):
        before = before[:-1].rstrip(b"0")
    before = before.removesuffix(b"-")
    return not before or before[-1] in _BEFORE_NUMBER
