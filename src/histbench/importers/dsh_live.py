"""dsh's live frames: session events as a host sends them to its clients.

    {"method": "session.event", "params": {"sessionId", "event"}}
    {"type": "session_event", "sessionId", "event"}

The events are the log's own and pass as they are, seq and time included.  Other frames (a status,
say) must not come between events whose seqs follow each other, so they stand behind the last one
with the seq they came before; so do events of other sessions and events that were sent twice.
What surrounds an event is kept once, and again wherever it differs.
"""

import tempfile
from typing import Any

from histbench.events import KIND_BY_TAG, safe_integer
from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import at, number_at, object_at, text_at
from histbench.importers.items import Item
from histbench.jsontext import decode, encode

__all__ = ["DSH_LIVE", "LiveFrames"]

# What waits for the end of the recording goes to a temporary file past this.
_IN_MEMORY_BYTES = 8 * 1024 * 1024


class LiveFrames:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._session: str | None = None
        self._surround: bytes | None = None
        self._first: Any = None
        # Closed by `finish`, or with the object.
        self._waiting = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115

    def feed(self, item: Item) -> None:
        """Take one frame."""
        event, session = _event(item.value)
        if event is None or item.frame is not None:
            self._wait(item)
            return
        seq = safe_integer(event["seq"])
        if self._session is None:
            self._session = session
        if session != self._session:
            message = "frames of other sessions are kept behind the events of the first"
            self._out.note("other_session", message, item.place)
            self._wait(item)
            return
        if seq is None or seq < self._out.seq:
            message = f"a seq that was sent before, {event['seq']}; the frame is kept at the end"
            self._out.note("seq_repeated", message, item.place)
            self._wait(item)
            return
        if seq > self._out.seq:
            message = f"seq {seq} where {self._out.seq} was due"
            self._out.note("seq_gap", message, item.place)
        self._out.set_clock(number_at(event, "time"))
        self._keep_surround(item.value, seq)
        self._out.pass_on({**event, "seq": seq})

    def finish(self) -> None:
        """What is no event of the session, behind its events."""
        if self._first is not None:
            self._out.emit("source/frame", {"same": self._first})
        self._waiting.seek(0)
        for line in self._waiting:
            waited = decode(line)
            self._out.emit(waited["type"], waited["data"])
        self._waiting.close()

    def _keep_surround(self, value: dict[str, Any], seq: int) -> None:
        rest = {**value, "event": None} if "event" in value else {**value}
        if "event" not in value:
            rest["params"] = {**value["params"], "event": None}
        text = encode(rest)
        if self._surround is None:
            self._surround, self._first = text, rest
        elif text != self._surround:
            self._put("source/frame", {"same": rest, "of": seq})

    def _wait(self, item: Item) -> None:
        frame = {"frame": item.frame} if item.frame else {}
        before = {"before": self._out.seq}
        if item.text is None:
            self._put("source/event", {"value": item.value, **frame, **before})
        else:
            self._put("source/text", {"text": item.text, **frame, **before})

    def _put(self, kind: str, data: dict[str, Any]) -> None:
        self._waiting.write(encode({"type": kind, "data": data}) + b"\n")


def _event(value: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The event in a frame, and its session; None for a frame that holds none."""
    if text_at(value, "method") == "session.event":
        holder = object_at(value, "params")
    elif text_at(value, "type") == "session_event":
        holder = object_at(value)
    else:
        return None, None
    event = object_at(holder, "event")
    kind = text_at(event, "type")
    if kind is None or kind in KIND_BY_TAG or "data" not in event:
        return None, None
    if safe_integer(at(event, "seq")) is None or number_at(event, "time") is None:
        return None, None
    return event, text_at(holder, "sessionId")


DSH_LIVE = Format(
    name="dsh-live",
    title="dsh live frames",
    recognises=lambda item: _event(item.value)[0] is not None,
    family=LiveFrames,
    clock="source",
    deltas=True,
    keeps="every event as it is; other frames behind them",
)
