"""The previews of some turns of a snapshot: each made of the one record that begins it."""

from histbench.transcript.turns import TurnPreview, preview_turn
from histbench.transcript_file.snapshot import Snapshot, StaleIndexError

__all__ = ["turn_previews"]


def turn_previews(state: Snapshot, start: int, stop: int) -> tuple[TurnPreview, ...]:
    """The turns `[start, stop)`, counted from 0.

    Raises:
        StaleIndexError: the index does not hold.
    """
    found: list[TurnPreview] = []
    if state.chain is None:
        return ()
    for ordinal in range(start, stop):
        position = state.chain.turn(ordinal)
        (entry,) = state.chain.entries(position, position + 1)
        (record,) = state.records(position, position + 1)
        if entry.navigation is None:
            raise StaleIndexError
        found.append(preview_turn(record, ordinal=ordinal, kind=entry.navigation))
    return tuple(found)
