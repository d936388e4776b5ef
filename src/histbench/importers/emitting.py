"""Where importers put events: one place that numbers them, stamps them and keeps what is left over.

Every item of a recording ends in exactly one of three ways: `fragments` (its texts are deltas, the
rest an envelope), `verbatim` (a `source/event` with the whole value), or, where it is no JSON,
`source/text`.  What an importer derives from it (blocks, usage, messages) comes on top.

The clock is the source's or none: `set_clock` takes a time that the recording has; an event without
one of its own gets the time before it, and a recording that has none at all gets 0 throughout.
"""

from collections.abc import Sequence
from typing import Any

from histbench.errors import Place
from histbench.events import KIND_BY_DELTA, MAX_SAFE_INTEGER, Event
from histbench.importers.envelopes import Path, Segment
from histbench.importers.items import Item
from histbench.importers.steps import Block, Step
from histbench.log import Diagnostic

__all__ = ["Emitter", "Fragment"]

_DELTA_TYPES = tuple(KIND_BY_DELTA)

# Where OpenAI pads deltas, so that their lengths tell nothing to who listens to the wire.
_RANDOM_FIELD = "obfuscation"

# A text in an item: where it stands, the step and block it belongs to, and the text.
Fragment = tuple[Path, Step, Block, str]


class Emitter:
    """Collects events until `take` is called; counts what diagnostics will say."""

    def __init__(self) -> None:
        self.seq = 0
        self.time = 0
        self.deltas = 0
        self.items = self.item_bytes = 0
        self.timed = 0
        self.moved = False
        # Blanks, which are not kept, and random text, which is.
        self.padding_bytes = self.random_bytes = 0
        self._events: list[Event] = []
        self._segment = Segment()
        self._notes: dict[str, tuple[str, int, Place]] = {}

    def count(self, item: Item) -> None:
        """An item is about to be read; its padding is counted."""
        self.items += 1
        self.item_bytes += item.size
        self.padding_bytes += item.padding
        if type(item.value) is dict and type(padding := item.value.get(_RANDOM_FIELD)) is str:
            self.random_bytes += len(padding)

    def take(self) -> list[Event]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def set_clock(self, time: float | None) -> None:
        """The time of this item in milliseconds; None when it has none."""
        if time is not None and abs(time) <= MAX_SAFE_INTEGER:
            self.moved = self.moved or (self.timed > 0 and int(time) != self.time)
            self.time = int(time)
            self.timed += 1

    def emit(self, kind: str, data: dict[str, Any]) -> int:
        """One event, and its seq."""
        seq = self.seq
        self._events.append({"type": kind, "seq": seq, "time": self.time, "data": data})
        self.seq = seq + 1
        return seq

    def emit_message(
        self, kind: str, data: dict[str, Any], source_seqs: list[int] | None = None
    ) -> None:
        """One message that pages count, made from the events with `source_seqs`."""
        event = {"type": kind, "seq": self.seq, "time": self.time, "data": data}
        if source_seqs is not None:
            event["sourceEventSeqs"] = source_seqs
        self._events.append({**event, "surfaceOp": "append"})
        self.seq += 1

    def pass_on(self, event: Event) -> int:
        """An event that the recording holds as such, under the seq that it has; that seq."""
        self._events.append(event)
        self.seq = event["seq"] + 1
        chunk = event["data"].get("chunk") if isinstance(event.get("data"), dict) else None
        if isinstance(chunk, dict) and chunk.get("type") in _DELTA_TYPES:
            self.deltas += 1
        return self.seq - 1

    def verbatim(self, item: Item) -> None:
        """The whole item as one event."""
        self.flush()
        frame = {"frame": item.frame} if item.frame else {}
        if item.text is None:
            self.emit("source/event", {"value": item.value, **frame})
        else:
            self.emit("source/text", {"text": item.text, **frame})

    def fragments(self, item: Item, fragments: Sequence[Fragment]) -> None:
        """The item as deltas, one for each of its texts, and its share of an envelope."""
        shape = (tuple([path for path, _, _, _ in fragments]), _keys(item), None)
        if not self._segment.fits(shape):
            self.flush()
        member = _member(item, fragments)
        self._segment.add(shape, member, [text for _, _, _, text in fragments], self.seq, item.size)
        for _, step, block, text in fragments:
            step.append(block, text)
        self.deltas += len(fragments)

    def snapshot(self, item: Item, fragments: Sequence[Fragment]) -> None:
        """The item as what its texts grew by, and its share of an envelope.

        Each text is the whole of its block so far; the caller has seen that it extends the block.
        """
        member = _member(item, fragments)
        paths = tuple(path for path, _, _, _ in fragments)
        blocks = tuple((step.turn, step.number, block.index) for _, step, block, _ in fragments)
        shape = (paths, _keys(item), blocks)
        if not self._segment.fits(shape):
            self.flush()
        self._segment.add(shape, member, [text for _, _, _, text in fragments], self.seq, item.size)
        for _, step, block, text in fragments:
            grown, block.seen = text[len(block.seen) :], text
            if grown:
                step.append(block, grown)
                self.deltas += 1

    def flush(self) -> None:
        """The envelope of the deltas so far."""
        data = self._segment.flush(self.seq)
        if data is not None:
            self.emit("source/envelope", data)

    def note(self, code: str, message: str, place: Place) -> None:
        """Something worth a diagnostic; of one code the first place is kept, and the count."""
        message, count, place = self._notes.get(code, (message, 0, place))
        self._notes[code] = (message, count + 1, place)

    def diagnostics(self) -> list[Diagnostic]:
        """What was noted, one entry a code."""
        return [
            Diagnostic(
                code=code,
                message=message if count == 1 else f"{message}, and {count - 1:,} more",
                line=place.line,
                byte=place.byte,
            )
            for code, (message, count, place) in self._notes.items()
        ]


def _keys(item: Item) -> Any:
    value = item.value
    names = tuple(value) if isinstance(value, dict) else len(value)
    return (names, tuple(item.frame)) if item.frame else (names, ())


def _member(item: Item, fragments: Sequence[Fragment]) -> dict[str, Any]:
    """The item as envelopes hold it, its texts taken out."""
    member: dict[str, Any] = {"value": item.value}
    if item.frame:
        member["frame"] = item.frame
    for path, _, _, _ in fragments:
        target: Any = member
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = None
    return member
