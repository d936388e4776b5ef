"""What a format family is to the registry: how to tell it, and what reads it."""

from collections.abc import Callable
from typing import Literal, Protocol

from msgspec import Struct

from histbench.importers.emitting import Emitter
from histbench.importers.items import Item

__all__ = ["Clock", "Family", "Format"]

# source: the recording has times; capture: whoever recorded it wrote them; synthetic: all are 0.
Clock = Literal["source", "capture", "synthetic"]


class Family(Protocol):
    """Turns items into events; made anew for each recording with the emitter that takes them."""

    def feed(self, item: Item) -> None:
        """Take one item."""

    def finish(self) -> None:
        """The recording is over: end what is still open."""


class Format(Struct, frozen=True, kw_only=True):
    """One row of the registry.

    `recognises` is asked about single items; `family` is None for session logs, which the store
    reads.  `clock` is where times come from, if the recording has any; `deltas` whether the
    format holds token deltas at all; `keeps` says in a line what becomes of it.
    """

    name: str
    title: str
    recognises: Callable[[Item], bool]
    family: Callable[[Emitter], Family] | None
    clock: Clock
    deltas: bool
    keeps: str
