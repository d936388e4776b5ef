"""Which records count as messages when a page is measured out, and how far back each one reaches.

A *message* is a `user/message` or `assistant/message` whose `surfaceOp` is `append`; results of
tools and replacement copies do not count.  A page that starts with a message starts at the first
event that the message was made from: its *cut*, the least of its own seq and its
`sourceEventSeqs` (facts: session history, section 4).
"""

from typing import Any

import msgspec
from msgspec import Struct

from histbench.events import Event, safe_integer
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["event_cut", "message_cut"]

_MESSAGE_TYPES = frozenset({"user/message", "assistant/message"})


class _Surface(Struct, gc=False):
    surfaceOp: Any = None  # noqa: N815 - the file's name
    sourceEventSeqs: Any = None  # noqa: N815 - the file's name


_surface = msgspec.json.Decoder(_Surface)


def message_cut(record: Plain | RowHead) -> int | None:
    """The seq at which a page that starts with this message is cut; None when it is no message."""
    if not isinstance(record, Plain) or record.type not in _MESSAGE_TYPES:
        return None
    try:
        surface = _surface.decode(record.raw)
    except msgspec.DecodeError:
        return event_cut(record.event())
    return _cut(record.seq, surface.surfaceOp, surface.sourceEventSeqs)


def event_cut(event: Event) -> int | None:
    """`message_cut` of a logical event with a seq."""
    if event["type"] not in _MESSAGE_TYPES:
        return None
    return _cut(int(event["seq"]), event.get("surfaceOp"), event.get("sourceEventSeqs"))


def _cut(cut: int, operation: object, sources: object) -> int | None:
    if operation != "append":
        return None
    for source in sources if isinstance(sources, list) else ():
        seq = safe_integer(source)
        if seq is not None and 0 <= seq < cut:
            cut = seq
    return cut
