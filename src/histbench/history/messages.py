"""Messages: the events that a page is measured in, and how far back each one reaches.

A *message* is a `user/message` or `assistant/message` whose `surfaceOp` is `append`; results of
tools and replacing copies are none.  A message was made from earlier events, which it names in
`sourceEventSeqs`; a page that begins with it begins with the first of them: its *cut*, the least
of its own seq and those (facts: session history, section 4).  What is no seq in that list cannot
be a page's first event and does not count.
"""

from typing import Any

import msgspec
from msgspec import Struct

from histbench.events import safe_integer
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["is_message", "message_cut"]

_MESSAGE_TYPES = frozenset({"user/message", "assistant/message"})


class _Operation(Struct, frozen=True, gc=False):
    surfaceOp: Any = None  # noqa: N815 - the wire's name


class _Surface(_Operation, frozen=True, gc=False):
    sourceEventSeqs: list[int] = []  # noqa: N815 - the wire's name


# How the original ends a message.  A quote inside a string has a backslash before it, so this is the
# event's own last key, and the last of that name counts.
_APPENDED = b',"surfaceOp":"append"}'

_operation = msgspec.json.Decoder(_Operation)
_surface = msgspec.json.Decoder(_Surface)


def is_message(record: Plain | RowHead) -> bool:
    """Whether a page counts this record; cheaper than its cut, which only one of them is asked for."""
    if not isinstance(record, Plain) or record.type not in _MESSAGE_TYPES:
        return False
    if record.raw.endswith(_APPENDED):
        return True
    try:
        return bool(_operation.decode(record.raw).surfaceOp == "append")
    except (msgspec.DecodeError, RecursionError):
        return bool(record.event().get("surfaceOp") == "append")


def message_cut(record: Plain | RowHead) -> int | None:
    """The seq at which a page that begins with this message is cut; None for all that is none."""
    if not isinstance(record, Plain) or record.type not in _MESSAGE_TYPES:
        return None
    try:
        surface = _surface.decode(record.raw)
    except (msgspec.DecodeError, RecursionError):
        return _cut_of_event(record)
    if surface.surfaceOp != "append":
        return None
    first = min(surface.sourceEventSeqs, default=record.seq)
    # Below 0 is no seq; which of the others is the least is then a question for the slow way.
    return _cut_of_event(record) if first < 0 else min(first, record.seq)


def _cut_of_event(record: Plain) -> int | None:
    event = record.event()
    if event.get("surfaceOp") != "append":
        return None
    sources = event.get("sourceEventSeqs")
    seqs = map(safe_integer, sources if isinstance(sources, list) else [])
    return min([record.seq, *(seq for seq in seqs if seq is not None and seq >= 0)])
