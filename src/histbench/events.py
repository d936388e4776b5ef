"""The logical event: what a session log is a sequence of, whatever its physical layout.

An event is a plain dict `{type, seq, time, data, ...}`; fields nobody has heard of belong to it.
`seq` is a non-negative safe integer, dense in a log; `time` is milliseconds since the epoch, may
be negative and may run backwards.  A *delta* is an `assistant/chunk` event whose chunk appends one
token-sized text to one block; three kinds exist, and the table `DELTA_KINDS` is all that the
packing codec knows of them (facts: session history, sections 1 and 2).
"""

from typing import Any

from msgspec import Struct

from histbench.jsontext import js_number

__all__ = [
    "BLANKS",
    "DELTA_KINDS",
    "KIND_BY_DELTA",
    "KIND_BY_TAG",
    "MAX_SAFE_INTEGER",
    "DeltaKind",
    "Event",
    "is_blank",
    "named_step",
    "safe_integer",
]

Event = dict[str, Any]

# Number.MAX_SAFE_INTEGER: the largest n for which n and n + 1 are both exact doubles.
MAX_SAFE_INTEGER = 2**53 - 1


class DeltaKind(Struct, frozen=True):
    """One kind of delta: its chunk type, the tag of its packed row, and the keys of its texts.

    Only calls (`is_call`) carry an id and, on some members, a name.
    """

    delta: str
    tag: str
    text_key: str
    texts_key: str
    is_call: bool


DELTA_KINDS = (
    DeltaKind("text-delta", "text-chunks", "text", "texts", is_call=False),
    DeltaKind("reasoning-delta", "reasoning-chunks", "text", "texts", is_call=False),
    DeltaKind("tool-call-delta", "tool-call-chunks", "argumentsDelta", "args", is_call=True),
)
KIND_BY_DELTA = {kind.delta: kind for kind in DELTA_KINDS}
KIND_BY_TAG = {kind.tag: kind for kind in DELTA_KINDS}

# What JavaScript's trim() strips (ECMA-262 WhiteSpace and LineTerminator).  str.strip differs on
# both sides: it keeps U+FEFF and strips U+0085 and U+001C to U+001F.
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def is_blank(text: str) -> bool:
    r"""Whether JavaScript's `text.trim()` is empty; linear in the blanks that lead.

    >>> is_blank(" \ufeff"), is_blank("\x85")
    (True, False)
    """
    return not text.lstrip(BLANKS)


def named_step(data: object) -> tuple[int | float, int | float] | None:
    """The turn and step that an event's `data` names, None when it names none.

    >>> named_step({"turn": 1.0, "step": 2, "reason": "x"}), named_step({"turn": True, "step": 2})
    ((1, 2), None)
    """
    if not isinstance(data, dict):
        return None
    turn, step = js_number(data.get("turn")), js_number(data.get("step"))
    return None if turn is None or step is None else (turn, step)


def safe_integer(value: object) -> int | None:
    """`value` as int when JavaScript calls it a safe integer (1.0 is one, true is not), else None.

    >>> safe_integer(1000.0), safe_integer(True), safe_integer(2**53)
    (1000, None, None)
    """
    number = js_number(value)
    if type(number) is int and -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return number
    return None
