"""Frames of an event stream (server-sent events): made once, sent to everyone as the same bytes.

    records                  id = the watermark behind it; a history page of what was appended
    session_update           id = the same for a transcript; the updates of appended records
    subscribed               no id; where the stream starts: {v, eventEpoch, lastEventId}
    state_resync_required    no id; what follows does not continue what the client has:
                             {reason, eventEpoch, lastEventId}, and it has to load anew
    : keep-alive             a comment, when nothing else was sent for a while

A frame's data is one line of JSON.  The only line ends that JSON text of a stored record can hold
are carriage returns between its tokens; they become line feeds, which means another `data:` line.
"""

from typing import Any, Literal

from msgspec import Struct

from histbench.serve.message import json_bytes

__all__ = ["KEEP_ALIVE", "RETRY_MS", "Frame", "ResyncReason", "frame_text", "resync", "subscribed"]

# How long a browser waits before it connects again.
RETRY_MS = 3000
KEEP_ALIVE = b": keep-alive\n\n"

ResyncReason = Literal[
    # The id that the client came with was given out for another file, or lies past this one's end.
    "epoch_reset",
    "bad_last_event_id",
    # Meanwhile, under a stream that was open:
    "source_replaced",
    "source_truncated",
    "source_removed",
    "source_unreadable",
    # The transcript went back to an earlier record and on from there.
    "rewound",
]


class Frame(Struct, frozen=True):
    """One frame of what was appended: its watermarks `[start, end)` and its bytes."""

    start: int
    end: int
    text: bytes


def frame_text(event: str, data: bytes, *, last_event_id: int | None = None) -> bytes:
    """The bytes of a frame."""
    if b"\r" in data or b"\n" in data:
        data = b"\ndata: ".join(data.replace(b"\r", b"\n").split(b"\n"))
    name = b"event: %b\ndata: %b\n\n" % (event.encode(), data)
    return name if last_event_id is None else b"id: %d\n%b" % (last_event_id, name)


def subscribed(epoch: str, position: int) -> bytes:
    """The first frame of a stream."""
    data: dict[str, Any] = {"v": 1, "eventEpoch": epoch, "lastEventId": position}
    return b"retry: %d\n%b" % (RETRY_MS, frame_text("subscribed", json_bytes(data)))


def resync(reason: ResyncReason, epoch: str, position: int) -> bytes:
    """Tells a client that what it has is not continued."""
    data = {"v": 1, "reason": reason, "eventEpoch": epoch, "lastEventId": position}
    return frame_text("state_resync_required", json_bytes(data))
