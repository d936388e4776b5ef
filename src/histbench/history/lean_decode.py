"""Events of a `lean` page: their markers proved, and replaced by what they stand for.

This is the exact way to read a lean page, to the byte of every event.  A fold needs less: see
`fold.elided`.
"""

from collections.abc import Sequence

from histbench.history.lean_copies import texts_json
from histbench.history.lean_markers import integers
from histbench.history.lean_proof import LeanEvent, LeanProof, ProvedEvent
from histbench.history.page import PageRecord
from histbench.records import Plain

__all__ = ["expand_events"]


def expand_events(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The records of a page, with each LeanEvent as the event that it stands for.

    Raises:
        InvalidPage: `lean_marker`, `lean_source`.
        LimitExceeded: `lean_expands`.
    """
    proof = LeanProof(events=sum([record.count for record in records]))
    # A copy is told two or three times: marker -> string.
    strings: dict[bytes, bytes] = {}
    expanded: list[PageRecord] = []
    for record in records:
        if isinstance(record, LeanEvent):
            expanded.append(_expand(proof.prove(record), strings))
        else:
            proof.add(record)
            expanded.append(record)
    return expanded


def _expand(proved: ProvedEvent, strings: dict[bytes, bytes]) -> Plain:
    record, raw, markers = proved
    parts: list[bytes] = []
    kept = 0
    for marker, rows in markers:
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
