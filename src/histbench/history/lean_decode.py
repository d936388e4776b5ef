"""Events of a `lean` page: their markers checked, and replaced by what they stand for.

An event is judged by the text that was sent, in which every marker is a valid JSON value; what
replaces a string is a string, and what replaces an element of an array are elements.  So nothing
that was expanded is parsed again.

What a page may expand to is bounded by what it holds: copies by `MOST_COPIES` times the texts that
they name, ranges by `RANGE_BYTES` for each event, and no marker names a text that has markers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from histbench.errors import InvalidPage, LimitExceeded, Place
from histbench.events import MAX_SAFE_INTEGER
from histbench.history.lean_copies import texts_json
from histbench.history.lean_markers import find_markers, integers, named_records
from histbench.history.page import PageRecord
from histbench.jsontext import decode, encode
from histbench.records import Plain, delta_of_plain, event_of_json
from histbench.rows import RowHead

__all__ = ["MOST_COPIES", "RANGE_BYTES", "CopyBudget", "LeanEvent", "expand_events", "lean_of_json"]

# How far the ranges of a page may expand, in bytes for each event that the page covers.  Where
# every chunk is listed once, it is a seq and a comma for each.
RANGE_BYTES = 16

# How often the texts that markers name may be told, on average.  A session has three copies of a
# call's arguments (`block-end`, `assistant/message`, `tool/call`) and two of every other block.
MOST_COPIES = 8


class CopyBudget:
    """Counts what a page's copies stand for against the texts that they name."""

    def __init__(self) -> None:
        self._named: set[int] = set()
        self._room = 0

    def take(self, records: Iterable[tuple[int, int]], size: int) -> bool:
        """Count a copy of `size` bytes, unless it is too many.

        Args:
            records: those that the copy names, each with its first seq and the bytes of its text.
            size: bytes of the copy; quotes count in neither.
        """
        named = {seq: text for seq, text in records if seq not in self._named}
        room = self._room + MOST_COPIES * sum(named.values()) - size
        if room < 0:
            return False
        self._named.update(named)
        self._room = room
        return True


class LeanEvent(Plain, frozen=True, kw_only=True, gc=False):
    """An event as its page holds it, with markers in `raw`."""


def lean_of_json(raw: bytes, view: bytes | None) -> LeanEvent:
    """The event of a lean record's JSON text, its markers not looked at yet.

    Raises:
        InvalidJson, InvalidRow, InvalidEvent: as `event_of_json`; a marker is no type, seq or time.
    """
    plain = event_of_json(raw, view)
    return LeanEvent(type=plain.type, seq=plain.seq, time=plain.time, raw=raw, view=view)


def expand_events(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The records of a page, with each LeanEvent as the event that it stands for.

    Raises:
        InvalidPage: `lean_marker`, an object with an empty key is no marker, or an event has none;
            `lean_source`, a marker names what is no record with a text, or comes later.
        LimitExceeded: `lean_expands`.
    """
    sources: dict[int, PageRecord] = {}
    expansion = _Expansion(sources, events=sum([record.count for record in records]))
    expanded: list[PageRecord] = []
    for record in records:
        if isinstance(record, LeanEvent):
            expanded.append(expansion.expand(record))
        else:
            sources[record.seq] = record
            expanded.append(record)
    return expanded


class _Expansion:
    """Expands the lean events of a page in order, from the records before them."""

    def __init__(self, sources: Mapping[int, PageRecord], *, events: int) -> None:
        self._sources = sources
        self._budget = CopyBudget()
        self._range_room = RANGE_BYTES * events
        # A copy is told two or three times: marker -> string.
        self._strings: dict[bytes, bytes] = {}

    def expand(self, record: LeanEvent) -> Plain:
        """The event."""
        raw, markers = _markers_of(record)
        parts: list[bytes] = []
        kept = 0
        for marker in markers:
            made = self._integers if marker.lastgroup == "last" else self._string
            parts += (raw[kept : marker.start()], made(marker, record))
            kept = marker.end()
        parts.append(raw[kept:])
        return Plain(
            type=record.type,
            seq=record.seq,
            time=record.time,
            raw=b"".join(parts),
            view=record.view,
        )

    def _integers(self, marker: re.Match[bytes], record: LeanEvent) -> bytes:
        """What a range stands for."""
        first, last = int(marker["first"]), int(marker["last"])
        if not first < last <= MAX_SAFE_INTEGER:
            raise _no_marker(record, marker[0], "a range of two or more safe integers")
        # With a digit and a comma for each, what passes is not too long to be made.
        made = integers(first, last) if 2 * (last - first) < self._range_room else b""
        self._range_room -= len(made)
        if not made or self._range_room < 0:
            raise LimitExceeded(
                "the ranges of the page expand too far",
                code="lean_expands",
                where=Place(seq=record.seq),
                found=marker[0].decode(),
                expected=f"at most {RANGE_BYTES} bytes for each event of the page",
            )
        return made

    def _string(self, marker: re.Match[bytes], record: LeanEvent) -> bytes:
        """The JSON string that a copy stands for."""
        named: Iterable[tuple[int, int]] = ()
        string = self._strings.get(marker[0])
        if string is None:
            seqs = named_records(marker)
            rows = [self._source(seq, record) for seq in seqs]
            string = texts_json(rows)
            sizes = [len(string) - 2]
            if len(rows) > 1:
                sizes = [len(texts_json([row])) - 2 for row in rows]
            named = zip(seqs, sizes, strict=True)
            self._strings[marker[0]] = string
        if not self._budget.take(named, len(string) - 2):
            raise LimitExceeded(
                "the page tells its texts too often",
                code="lean_expands",
                where=Place(seq=record.seq),
                found=marker[0].decode(),
                expected=f"at most {MOST_COPIES} times on average",
            )
        return string

    def _source(self, seq: int, record: LeanEvent) -> RowHead:
        source = self._sources.get(seq)
        row = delta_of_plain(source) if isinstance(source, Plain) else source
        if row is None:
            raise InvalidPage(
                "a marker names no text",
                code="lean_source",
                where=Place(seq=record.seq),
                found=seq,
                expected="the first seq of a row or delta before the event",
            )
        return row


def _markers_of(record: LeanEvent) -> tuple[bytes, list[re.Match[bytes]]]:
    """The JSON text of an event in which all markers have their usual spelling, and these."""
    raw = record.raw
    markers = find_markers(raw)
    if markers is None:
        # Perhaps there are only spaces in a marker, which this project does not write.
        raw = encode(decode(raw))
        markers = find_markers(raw)
    if not markers:
        raise _no_marker(record, raw, "markers, and no other empty keys")
    return raw, markers


def _no_marker(record: LeanEvent, found: bytes, expected: str) -> InvalidPage:
    return InvalidPage(
        "not a lean event",
        code="lean_marker",
        where=Place(seq=record.seq),
        found=found,
        expected=expected,
    )
