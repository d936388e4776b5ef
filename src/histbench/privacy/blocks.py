"""The blocks that are open at one point of a log, each with what somebody keeps of its text.

A block is a place (turn, step and index) from its `block-start` to its `block-end`; where deltas
of several kinds or calls share a place, each has a text of its own.  Blocks take turns, so several
are open at a time; of too many the one that was not continued for longest is closed.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from histbench.events import KIND_BY_DELTA, DeltaKind, Event
from histbench.rows import CHUNK_TYPE, RowHead

__all__ = ["MAX_OPEN", "Delta", "OpenBlocks", "delta_of_event", "edge_of_event", "place_of_row"]

# Far more than any session has; a log that leaves its blocks open must not fill the memory.
MAX_OPEN = 4096

_EDGES = ("block-start", "block-end")

T = TypeVar("T")
Place = tuple[Any, Any, Any]


class Delta(NamedTuple):
    """Where a delta's text belongs, and the text."""

    place: Place
    own: tuple[str, str | None]
    kind: DeltaKind
    text: str


class OpenBlocks(Generic[T]):
    """What is kept for each open block; `close` is called with it when the block ends."""

    def __init__(
        self, make: Callable[[], T], close: Callable[[T], object] = lambda _kept: None
    ) -> None:
        self._make = make
        self._close = close
        self._open: OrderedDict[Place, dict[tuple[str, str | None], T]] = OrderedDict()
        self._size = 0

    def of(self, place: Place, own: tuple[str, str | None]) -> T:
        """What is kept for this block."""
        texts = self._open.setdefault(place, {})
        self._open.move_to_end(place)
        if own not in texts:
            if self._size >= MAX_OPEN:
                oldest = next(iter(self._open))
                self.end(oldest)
                texts = self._open.setdefault(place, {})
            texts[own] = self._make()
            self._size += 1
        return texts[own]

    def end(self, place: Place) -> None:
        """Close what is open in this place."""
        texts = self._open.pop(place, {})
        self._size -= len(texts)
        for kept in texts.values():
            self._close(kept)

    def end_all(self) -> None:
        """Close everything."""
        for place in list(self._open):
            self.end(place)


def place_of_row(row: RowHead) -> tuple[Place, tuple[str, str | None]]:
    """The place of a row, and what sets its text apart there."""
    return (row.turn, row.step, row.index), (row.kind.tag, row.call_id)


def delta_of_event(event: Event) -> Delta | None:
    """The delta that an event carries, packable or not; None where there is no text to append."""
    chunk, place = _chunk(event)
    named = chunk.get("type")
    kind = KIND_BY_DELTA.get(named) if isinstance(named, str) else None
    text = None if kind is None else chunk.get(kind.text_key)
    if kind is None or not isinstance(text, str):
        return None
    call = chunk.get("id") if kind.is_call else None
    return Delta(place, (kind.tag, call if isinstance(call, str) else None), kind, text)


def edge_of_event(event: Event) -> Place | None:
    """The place where an event starts or ends a block."""
    chunk, place = _chunk(event)
    return place if chunk.get("type") in _EDGES else None


def _chunk(event: Event) -> tuple[dict[str, Any], Place]:
    data = event.get("data") if event.get("type") == CHUNK_TYPE else None
    chunk = data.get("chunk") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(chunk, dict):
        return {}, (None, None, None)
    return chunk, _place_of(data.get("turn"), data.get("step"), chunk.get("index"))


def _place_of(*numbers: Any) -> Place:
    # 1 and 1.0 are the same place, 1 and true are not; what is no number is told by its spelling.
    turn, step, index = (
        each if isinstance(each, int | float) and not isinstance(each, bool) else repr(each)
        for each in numbers
    )
    return turn, step, index
