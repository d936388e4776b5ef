"""Events of a `lean` page, their markers proved: expanded to the byte, or elided for a fold."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from histbench.fold.elided import ElidedEvent, FoldRecord
from histbench.history.lean_copies import texts_json
from histbench.history.lean_markers import integers
from histbench.history.lean_proof import LeanEvent, LeanProof, ProvedEvent
from histbench.history.page import PageRecord
from histbench.records import Plain

__all__ = ["elide_events", "expand_events"]

# Python 3.11 has no brackets for it.
T = TypeVar("T", bound=Plain | ElidedEvent)


def expand_events(records: Sequence[PageRecord | LeanEvent]) -> list[PageRecord]:
    """The records of a page, with each LeanEvent as the event that it stands for.

    Raises:
        InvalidPage: `lean_marker`, `lean_source`.
        LimitExceeded: `lean_expands`.
    """
    # A copy is told two or three times: marker -> string.
    strings: dict[bytes, bytes] = {}
    return _proved_events(records, lambda proved: _expand(proved, strings))


def elide_events(records: Sequence[PageRecord | LeanEvent]) -> list[FoldRecord]:
    """The records of a page for a fold, with each LeanEvent as an ElidedEvent.

    Raises:
        As `expand_events`, of the same pages.
    """
    return _proved_events(records, _elide)


def _proved_events(
    records: Sequence[PageRecord | LeanEvent], make: Callable[[ProvedEvent], T]
) -> list[PageRecord | T]:
    exact = [record for record in records if not isinstance(record, LeanEvent)]
    if len(exact) == len(records):
        return [*exact]
    made: list[PageRecord | T] = []
    proof = LeanProof(events=sum([record.count for record in records]))
    for record in records:
        if isinstance(record, LeanEvent):
            made.append(make(proof.prove(record)))
        else:
            proof.add(record)
            made.append(record)
    return made


def _elide(proved: ProvedEvent) -> ElidedEvent:
    record = proved.record
    return ElidedEvent(
        type=record.type,
        seq=record.seq,
        time=record.time,
        raw=proved.raw,
        view=record.view,
        rows=proved.rows,
    )


def _expand(proved: ProvedEvent, strings: dict[bytes, bytes]) -> Plain:
    record, raw = proved.record, proved.raw
    parts: list[bytes] = []
    kept = 0
    for marker, rows in proved.markers:
        if rows:
            told = strings.get(marker[0])
            if told is None:
                told = strings[marker[0]] = texts_json(rows)
        else:
            told = integers(int(marker["first"]), int(marker["last"]))
        parts += (raw[kept : marker.start()], told)
        kept = marker.end()
    parts.append(raw[kept:])
    return Plain(
        type=record.type,
        seq=record.seq,
        time=record.time,
        raw=b"".join(parts),
        view=record.view,
    )
