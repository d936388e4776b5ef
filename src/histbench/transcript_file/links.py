"""Ancestors of an entry: found in steps that grow with the logarithm of the distance.

A transcript is a forest: each entry has at most one parent, appended before it.  Besides its parent
an entry has a *jump*: an ancestor so chosen that any ancestor is reached from anywhere in a
logarithmic number of steps, each to the jump where that is not too far, else to the parent (Myers'
skew-binary lists).  A new entry's jump follows from its parent's, so links are only ever added.

The depth of an entry, 0 for one without a parent, is its position on every chain that it is on.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

__all__ = ["Linked", "ancestor_at", "first_with_turns", "jump_of_child"]


class Linked(Protocol):
    """What is needed of an entry; a root is its own jump."""

    @property
    def number(self) -> int:
        """Its place among all entries."""

    @property
    def parent(self) -> int | None:
        """The number of its parent."""

    @property
    def jump(self) -> int:
        """The number of its jump."""

    @property
    def depth(self) -> int:
        """How many ancestors it has."""

    @property
    def turns(self) -> int:
        """How many of it and its ancestors are turns to navigate to."""


# Python 3.11 has no brackets for it.
L = TypeVar("L", bound=Linked)


def jump_of_child(parent: L, fetch: Callable[[int], L]) -> int:
    """The jump of an entry that is added under `parent`."""
    jump = fetch(parent.jump)
    further = fetch(jump.jump)
    # Two jumps of one length become one of the double length.
    if parent.depth - jump.depth == jump.depth - further.depth:
        return further.number
    return parent.number


def ancestor_at(entry: L, depth: int, fetch: Callable[[int], L]) -> L:
    """The ancestor of `entry`, or itself, that has this depth, from 0 to its own."""
    return _climb(entry, lambda upper: upper.depth >= depth, fetch)


def first_with_turns(entry: L, turns: int, fetch: Callable[[int], L]) -> L:
    """The turn of `entry`'s chain with that count, from 1 to the entry's own: the first entry so."""
    return _climb(entry, lambda upper: upper.turns >= turns, fetch)


def _climb(entry: L, reaches: Callable[[L], bool], fetch: Callable[[int], L]) -> L:
    """The furthest ancestor for which `reaches` still holds; it holds for all nearer ones."""
    while True:
        upper = fetch(entry.jump)
        if upper.number == entry.number or not reaches(upper):
            if entry.parent is None:
                return entry
            upper = fetch(entry.parent)
            if not reaches(upper):
                return entry
        entry = upper
