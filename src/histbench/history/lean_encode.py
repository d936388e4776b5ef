"""A page in the `lean` form: joined rows, and events without what their page holds already.

Each string of an event that equals the joined texts of a block's deltas, byte for byte as JSON,
becomes a marker, and so does each run in `sourceEventSeqs`.  Nothing else of the text is touched:
putting the strings and runs back gives the very bytes that were taken, whatever the event's other
spellings are.  What differs in one escape, and what was streamed outside of the page, stays.

A reader bounds what markers stand for, so an encoder stops at the same bounds: further copies stay
as they are.
"""

import re

from histbench.history.joined import joined_json, joined_text
from histbench.history.lean_budget import RANGE_BYTES, CopyBudget
from histbench.history.lean_copies import SHORTEST, BlockTexts
from histbench.history.lean_markers import copy_marker, has_empty_key
from histbench.history.lean_ranges import range_edits
from histbench.history.page import HistoryPage, PageRecord
from histbench.history.wire import event_record, packed_record, page_json
from histbench.records import Plain
from histbench.rows import CHUNK_TYPE

__all__ = ["LeanEncoder", "encode_lean"]

# The shortest event that has something to take out.
_SHORTEST_EVENT = len(b'{"type":"","seq":0,"time":0,"data":""}') + SHORTEST

# Everything up to the next string of `SHORTEST` bytes or with an escape; its content; a key's colon.
_NEXT_STRING = re.compile(
    rb'[^"]*+(?:"[^"\\]{0,%d}+"[^"]*+)*+"((?:[^"\\]++|\\.)*+)"[ \t\n\r]*+(:?)' % (SHORTEST - 1)
)


def encode_lean(page: HistoryPage) -> bytes:
    """The page with its rows joined, and without the copies that its rows tell anyway."""
    encoder = LeanEncoder(page)
    return page_json(page, map(encoder.record, page.records))


class LeanEncoder:
    """Gives the wire text of each record of a page, in order."""

    def __init__(self, page: HistoryPage) -> None:
        self._texts = BlockTexts()
        self._budget = CopyBudget()
        self._range_room = RANGE_BYTES * (page.to_seq - page.from_seq)

    def record(self, record: PageRecord) -> bytes:
        """The wire text of the next record."""
        if not isinstance(record, Plain):
            text = joined_text(record)
            self._texts.add_row(record, text)
            joined = None if text is None else joined_json(record, text)
            return packed_record(record) if joined is None else b'{"joined":%b}' % joined
        if len(record.raw) < _SHORTEST_EVENT or has_empty_key(record.raw):
            return event_record(record)
        if record.type == CHUNK_TYPE and self._texts.add_chunk(record):
            return event_record(record)
        raw = self._shortened(record.raw)
        return event_record(record) if raw is None else event_record(record, raw, key=b"lean")

    def _shortened(self, raw: bytes) -> bytes | None:
        """An event's JSON text with markers in it; None when there is nothing to mark."""
        edits = range_edits(raw, self._range_room)
        self._range_room -= sum(stop - start for start, stop, _ in edits)
        edits += self._copy_edits(raw)
        if not edits:
            return None
        parts, kept = [], 0
        for start, stop, marker in sorted(edits):
            parts += [raw[kept:start], marker]
            kept = stop
        return b"".join((*parts, raw[kept:]))

    def _copy_edits(self, raw: bytes) -> list[tuple[int, int, bytes]]:
        edits = []
        position = 0
        # Searching would try every byte after the last string again.
        while (string := _NEXT_STRING.match(raw, position)) is not None:
            position = string.end()
            content, is_key = string.groups()
            records = None if is_key else self._texts.find(content)
            if records is None:
                continue
            marker = copy_marker([seq for seq, _ in records])
            if len(marker) < len(content) and self._budget.take(records, len(content)):
                edits.append((string.start(1) - 1, string.end(1) + 1, marker))
        return edits
