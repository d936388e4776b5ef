r"""Pages with half a surrogate pair somewhere, without giving up how their events are spelled.

msgspec refuses a `\ud83d` that no other half follows, even in text that it only skips.  A page
that has one, and streams cut emoji in two all the time, would have to be read as values, which
forget order, spaces and escapes.  So the escapes of all halves are hidden from msgspec behind a
noncharacter, which no text has, and shown again in what it cuts out.
"""

import re

__all__ = ["hide_halves", "show_halves"]

_MARK = "\ufdd0".encode()
_HALF = re.compile(rb"\\u(?=[dD][89a-fA-F])")
# Of the same length as the two backslashes of an escaped one, and in no JSON text.
_BACKSLASHES = b"\x00\x00"


def hide_halves(data: bytes) -> bytes | None:
    r"""`data` with the `\u` of every half of a surrogate pair hidden; None where that cannot be.

    >>> hide_halves(rb'["\ud83d", "\\ud83d"]') == '["\ufdd0d83d", "\\\\ud83d"]'.encode()
    True
    """
    if _MARK in data or b"\x00" in data:
        return None
    hidden = _HALF.sub(_MARK, data.replace(rb"\\", _BACKSLASHES))
    return hidden.replace(_BACKSLASHES, rb"\\")


def show_halves(hidden: bytes) -> bytes:
    """What `hidden` was a part of the hiding of."""
    return hidden.replace(_MARK, rb"\u")
