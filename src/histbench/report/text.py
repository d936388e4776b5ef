"""Text that others chose (names of inputs, files, forms, settings), made safe to stand in a page.

Escaping keeps it from being markup.  That is not all: a mark that turns the direction of writing
would reach beyond the name into our own sentence, and a control character means something to some
reader; both are replaced, visibly.
"""

from html import escape

__all__ = ["escaped", "printable"]

_STAND_IN = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """`text` with a stand-in for each character that is not for showing.

    >>> printable("a" + chr(0x202E) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    return "".join(letter if letter.isprintable() else _STAND_IN for letter in text)


def escaped(text: str) -> str:
    """`text` as HTML text or attribute value.

    >>> escaped("<b>")
    '&lt;b&gt;'
    """
    return escape(printable(text))
