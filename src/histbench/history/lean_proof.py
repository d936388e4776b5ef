"""The lean events of a page proved: every marker is one, has its sources, and all are not too many.

An event is judged by the text that was sent, in which every marker is a valid JSON value; what
replaces a string is a string, and what replaces an element of an array are elements.  So nothing
that was expanded has to be parsed again, and nothing has to be expanded to be judged.

An event is refused for its markers before it is for their sources, and for these before it is for
what it expands to, in whatever order its markers stand: other languages do not keep the order of
all keys.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from histbench.errors import InvalidPage, LimitExceeded, Place
from histbench.events import MAX_SAFE_INTEGER
from histbench.fold.elided import MarkedEvent
from histbench.history.lean_budget import (
    MOST_COPIES,
    RANGE_BYTES,
    CopyCount,
    TextSize,
    range_bytes,
)
from histbench.history.lean_copies import texts_json
from histbench.history.lean_markers import find_markers, named_records
from histbench.history.page import PageRecord
from histbench.jsontext import decode, encode
from histbench.records import Plain, delta_of_plain, event_of_json
from histbench.rows import RowHead

__all__ = ["LeanEvent", "LeanProof", "ProvedEvent", "lean_of_json"]

_MOST_DIGITS = len(str(MAX_SAFE_INTEGER))


class LeanEvent(MarkedEvent, frozen=True, kw_only=True, gc=False):
    """An event as its page holds it, its markers not proved yet."""


class ProvedEvent(NamedTuple):
    """A lean event whose markers are proved.

    `raw` is its JSON text with all markers in their usual spelling, `markers` are these as they
    stand, each with the rows whose texts it is the copy of; without any it is a range.  `rows` are
    all that were named up to it, by their first seqs.
    """

    record: LeanEvent
    raw: bytes
    markers: Sequence[tuple[re.Match[bytes], Sequence[RowHead]]]
    rows: Mapping[int, RowHead]


def lean_of_json(raw: bytes, view: bytes | None) -> LeanEvent:
    """The event of a lean record's JSON text, its markers not looked at yet.

    Raises:
        InvalidJson, InvalidRow, InvalidEvent: as `event_of_json`; a marker is no type, seq or time.
    """
    plain = event_of_json(raw, view)
    return LeanEvent(type=plain.type, seq=plain.seq, time=plain.time, raw=raw, view=view)


class LeanProof:
    """Takes the records of a page in order."""

    def __init__(self, *, events: int) -> None:
        """`events` is how many the page covers."""
        self._records: dict[int, PageRecord] = {}
        self._rows: dict[int, RowHead] = {}
        self._count = CopyCount(self._size_of)
        self._range_room = RANGE_BYTES * events

    def add(self, record: PageRecord) -> None:
        """Take a record whose text may be named from now on."""
        self._records[record.seq] = record

    def prove(self, record: LeanEvent) -> ProvedEvent:
        """Take a lean event.

        Raises:
            InvalidPage: `lean_marker`, an object with an empty key is no marker, or there is none;
                `lean_source`, a marker names what is no record with a text, or comes later.
            LimitExceeded: `lean_expands`.
        """
        raw, found = _markers_of(record)
        markers: list[tuple[re.Match[bytes], list[RowHead]]] = []
        for marker in found:
            if marker.lastgroup == "last":
                self._range_room -= range_bytes(int(marker["first"]), int(marker["last"]))
                markers.append((marker, []))
            else:
                seqs = named_records(marker)
                markers.append((marker, [self._source(seq, record) for seq in seqs]))
                self._count.add(seqs)
        if self._range_room < 0:
            raise _expands(record, f"ranges of {RANGE_BYTES} bytes for each event of the page")
        if self._count.is_exceeded():
            raise _expands(record, f"copies of {MOST_COPIES} times the texts that they name")
        return ProvedEvent(record, raw, markers, self._rows)

    def _source(self, seq: int, record: LeanEvent) -> RowHead:
        row = self._rows.get(seq)
        if row is None:
            source = self._records.get(seq)
            row = delta_of_plain(source) if isinstance(source, Plain) else source
            if row is None:
                raise InvalidPage(
                    "a marker names no text",
                    code="lean_source",
                    where=Place(seq=record.seq),
                    found=seq,
                    expected="the first seq of a row or delta before the event",
                )
            self._rows[seq] = row
        return row

    def _size_of(self, seq: int) -> TextSize:
        row = self._rows[seq]
        return TextSize.of(row.text(), len(texts_json([row])) - 2)


def _markers_of(record: LeanEvent) -> tuple[bytes, list[re.Match[bytes]]]:
    raw = record.raw
    markers = find_markers(raw)
    if markers is None:
        # Perhaps there are only spaces in a marker, which this project does not write.
        raw = encode(decode(raw))
        markers = find_markers(raw)
    if not markers or not all(map(_is_safe, markers)):
        raise InvalidPage(
            "not a lean event",
            code="lean_marker",
            where=Place(seq=record.seq),
            found=raw,
            expected="markers, and no other empty keys",
        )
    return raw, markers


def _is_safe(marker: re.Match[bytes]) -> bool:
    """Whether a marker's numbers are safe integers, and a range has two or more."""
    if marker.lastgroup == "last":
        return int(marker["first"]) < int(marker["last"]) <= MAX_SAFE_INTEGER
    listed: bytes = marker["one"] or marker["several"]
    if len(listed) < _MOST_DIGITS:
        return True
    return max(map(int, listed.split(b","))) <= MAX_SAFE_INTEGER


def _expands(record: LeanEvent, expected: str) -> LimitExceeded:
    return LimitExceeded(
        "the page expands too far",
        code="lean_expands",
        where=Place(seq=record.seq),
        expected=f"at most {expected}",
    )
