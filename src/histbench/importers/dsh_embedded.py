"""dsh session logs of version 1 and later, which keep a message's stream inside the message.

    data.stream = [{type: chunk, time, chunk}
                  | {type: text-chunks | reasoning-chunks, time0, index, dt, texts}
                  | {type: tool-call-chunks, time0, index, id, [name], dt, args}, ...]

The chunks become events before their message, so events get new seqs.  An event that had one says
so in `source.seq`; `sourceEventSeqs` are translated, and name the chunks too, and
`source.sourceEventSeqs` has the old ones.  `source.stream` has for each record of the stream how
many chunks it held, 0 for one that stood alone.  A stream with a record of another kind stays
where it is (`stream_kept`).  Seqs elsewhere in an event's data are those of the original.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from histbench.events import KIND_BY_TAG, safe_integer
from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import at, list_at, number_at, object_at, text_at
from histbench.importers.items import Item
from histbench.jsontext import js_number

__all__ = ["DSH_EMBEDDED", "EmbeddedStreams"]


class EmbeddedStreams:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._began = False
        # From which old seq on how far events have moved.
        self._from: list[int] = []
        self._moved: list[int] = []
        self._next_old = 0

    def feed(self, item: Item) -> None:
        """Take the header, or one event."""
        value = item.value
        kind = text_at(value, "type")
        if not self._began or kind is None or kind in KIND_BY_TAG or item.frame is not None:
            self._began = True
            self._out.verbatim(item)
            return
        self._out.set_clock(number_at(value, "time"))
        own = safe_integer(value.get("seq"))
        old = self._next_old if own is None else own
        self._next_old = old + 1
        source: dict[str, Any] = {} if own is None else {"seq": own}
        event = {**value, "seq": 0, "time": number_at(value, "time")}
        time = self._out.time
        if event["time"] is None:
            event["time"] = time
        streamed = self._emit_stream(item, event, source)
        if "sourceEventSeqs" in value:
            source["sourceEventSeqs"] = value["sourceEventSeqs"]
        if streamed or "sourceEventSeqs" in value:
            known = [self._new_seq(seq) for seq in _seqs(list_at(value, "sourceEventSeqs"))]
            event["sourceEventSeqs"] = sorted({*known, *streamed})
        self._note_move(old)
        event["seq"] = self._out.seq
        if source:
            event["source"] = source
        self._out.time = time
        self._out.pass_on(event)

    def finish(self) -> None:
        """Nothing stays open."""

    def _emit_stream(self, item: Item, event: dict[str, Any], source: dict[str, Any]) -> range:
        """The chunks of an event's stream, taken out of it; their seqs."""
        start = self._out.seq
        data = event.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("stream"), list):
            return range(0)
        records = [_chunks(record) for record in data["stream"]]
        turn, step = js_number(data.get("turn")), js_number(data.get("step"))
        whole = [record for record in records if record is not None]
        if turn is None or step is None or len(whole) != len(records):
            message = "a stream of another shape stays in its message"
            self._out.note("stream_kept", message, item.place)
            return range(0)
        for chunks in whole:
            for time, chunk in chunks:
                if time is not None:
                    self._out.set_clock(time)
                moment = {"seq": self._out.seq, "time": self._out.time}
                place = {"turn": turn, "step": step}
                self._out.pass_on(
                    {"type": "assistant/chunk", **moment, "data": {**place, "chunk": chunk}}
                )
        source["stream"] = [
            0 if at(record, "type") == "chunk" else len(chunks)
            for record, chunks in zip(data["stream"], whole, strict=True)
        ]
        event["data"] = {name: field for name, field in data.items() if name != "stream"}
        return range(start, self._out.seq)

    def _note_move(self, old: int) -> None:
        move = self._out.seq - old
        if not self._moved or (move != self._moved[-1] and old > self._from[-1]):
            self._from.append(old)
            self._moved.append(move)

    def _new_seq(self, old: int) -> int:
        at_most = bisect_right(self._from, old) - 1
        return old + self._moved[at_most] if at_most >= 0 else old


def _seqs(values: list[Any]) -> list[int]:
    """The seqs that a list of seqs and ranges [first, last] names; what is neither is left out."""
    seqs: list[int] = []
    for value in values:
        if isinstance(value, list) and len(value) == 2:
            first, last = (safe_integer(end) for end in value)
            if first is not None and last is not None and last - first < 2**20:
                seqs.extend(range(first, last + 1))
        elif (seq := safe_integer(value)) is not None:
            seqs.append(seq)
    return seqs


def _chunks(record: Any) -> list[tuple[int | None, dict[str, Any]]] | None:
    """The times and chunks in one record of a stream; None when it is of another shape."""
    kind = text_at(record, "type") or ""
    if kind == "chunk" and set(record) <= {"type", "time", "chunk"}:
        chunk = record.get("chunk")
        time = safe_integer(record.get("time"))
        if not isinstance(chunk, dict) or (time is None and "time" in record):
            return None
        return [(time, chunk)]
    delta = KIND_BY_TAG.get(kind)
    if delta is None:
        return None
    keys = {"type", "time0", "index", "dt", delta.texts_key}
    optional = {"time0", "name"} if delta.is_call else {"time0"}
    keys |= {"id", "name"} if delta.is_call else set()
    texts, gaps = record.get(delta.texts_key), record.get("dt")
    if not (keys - optional <= record.keys() <= keys):
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    if not isinstance(gaps, list) or len(gaps) != len(texts) - 1:
        return None
    steps = [safe_integer(gap) for gap in gaps]
    known = [gap for gap in steps if gap is not None]
    first = safe_integer(record.get("time0", 0))
    if first is None or len(known) != len(gaps):
        return None
    times: list[int | None] = list(accumulate(known, initial=first))
    if "time0" not in record:
        times = [None] * len(texts)
    names = ("index", "id", "name") if delta.is_call else ("index",)
    head = {"type": delta.delta, **{name: record[name] for name in names if name in record}}
    return [(time, {**head, delta.text_key: text}) for time, text in zip(times, texts, strict=True)]


def _is_later_log(item: Item) -> bool:
    value = object_at(item.value)
    return text_at(value, "type") == "session" and (number_at(value, "version") or 0) >= 1


DSH_EMBEDDED = Format(
    name="dsh-embedded",
    title="dsh session logs with embedded streams (version 1 and later)",
    recognises=_is_later_log,
    family=EmbeddedStreams,
    clock="source",
    deltas=True,
    keeps="every event, renumbered; streams taken apart",
)
