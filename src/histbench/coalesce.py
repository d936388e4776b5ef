"""The canonical record sequence of a stream of records, whatever layout it was stored in.

A run may reach a reader as one row, as several (a writer packs each batch by itself), as single
delta lines, or mixed; a row may even hold one or two members.  The canonical sequence has one row
for every maximal run of three or more and the verbatim events for the rest: what `codec` would
pack from the logical events.  It is made here without looking inside rows: where two pieces meet,
their raw columns are joined at the seam.

Only where two pieces could meet is the last time of the first one needed, and only then are its
gaps added up.
"""

from collections.abc import Iterable
from itertools import pairwise

import msgspec

from histbench.codec import MIN_RUN
from histbench.events import MAX_SAFE_INTEGER
from histbench.records import Plain, Record, plain_of_delta
from histbench.rows import CHUNK_TYPE, ListRow, Row, RowHead

__all__ = ["Coalescer", "plain_members"]


def plain_members(row: RowHead) -> list[Record]:
    """The members of a row as ordinary records."""
    texts = row.event_jsons()
    return [
        Plain(type=CHUNK_TYPE, seq=seq, time=time, raw=raw)
        for seq, time, raw in zip(range(row.seq0, row.end_seq), row.times(), texts, strict=True)
    ]


class Coalescer:
    """Takes records in order, gives canonical ones; holds back only the run that is still open."""

    def __init__(self) -> None:
        self._out: list[Record] = []
        # The open run: whole pieces, then single deltas that no piece follows yet.
        self._pieces: list[Row] = []
        self._singles: list[ListRow] = []
        self._verbatim: list[bytes | None] = []
        self._head: RowHead | None = None
        self._next_seq = 0

    def add(self, record: Plain | RowHead, raw: bytes | None = None) -> None:
        """Append one record; `raw` is a single delta's own JSON text, kept if it stays single."""
        if isinstance(record, Plain):
            if self._head is not None:
                self._close()
            self._out.append(record)
            return
        if self._head is None or not self._continues(record):
            if self._head is not None:
                self._close()
            self._head = record
        if record.count == 1 and isinstance(record, ListRow):
            self._singles.append(record)
            if len(self._verbatim) < MIN_RUN:
                self._verbatim.append(raw)
        else:
            self._seal_singles()
            self._pieces.append(Row.of(record))
        self._next_seq = record.end_seq

    def extend(self, records: Iterable[Plain | RowHead]) -> None:
        """Append records in order."""
        for record in records:
            if self._head is None and isinstance(record, Plain):
                self._out.append(record)
            else:
                self.add(record)

    def take(self) -> list[Record]:
        """The canonical records that can no longer change; they are forgotten here."""
        out, self._out = self._out, []
        return out

    def finish(self) -> list[Record]:
        """Close the open run and `take` the rest."""
        if self._head is not None:
            self._close()
        return self.take()

    def _continues(self, record: RowHead) -> bool:
        head = self._head
        return (
            head is not None
            and record.seq0 == self._next_seq
            and head.same_block(record)
            and -MAX_SAFE_INTEGER <= record.time0 - self._last_time() <= MAX_SAFE_INTEGER
        )

    def _last_time(self) -> int:
        if self._singles:
            return self._singles[-1].time0
        last = self._pieces[-1]
        return last.time0 + sum(last.gap_list())

    def _seal_singles(self) -> None:
        """Make the single deltas one piece."""
        singles = self._singles
        if not singles:
            return
        times = [single.time0 for single in singles]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        texts = [single.texts[0] for single in singles]
        head = singles[0]
        self._pieces.append(
            Row.of_columns(head, seq0=head.seq0, time0=head.time0, gaps=gaps, texts=texts)
        )
        self._singles = []

    def _close(self) -> None:
        if len(self._singles) < MIN_RUN and not self._pieces:
            for single, raw in zip(self._singles, self._verbatim, strict=True):
                self._out.append(plain_of_delta(single, raw))
            self._singles = []
        else:
            self._seal_singles()
            row = self._pieces[0] if len(self._pieces) == 1 else _joined(self._pieces)
            if row.count < MIN_RUN:
                self._out.extend(plain_members(row))
            else:
                self._out.append(row)
        self._pieces, self._verbatim, self._head = [], [], None


def _joined(pieces: list[Row]) -> Row:
    """The pieces of one run as one row: columns joined, with the gap at each seam in between."""
    gaps: list[bytes] = []
    last_time = pieces[0].time0
    for number, piece in enumerate(pieces):
        if number:
            gaps.append(b"%d" % (piece.time0 - last_time))
        if piece.count > 1:
            gaps.append(piece.gaps[1:-1])
        last_time = piece.time0 + sum(piece.gap_list())
    return msgspec.structs.replace(
        pieces[0],
        count=sum(piece.count for piece in pieces),
        gaps=b"[%b]" % b",".join(gaps),
        texts=b"[%b]" % b",".join(piece.texts[1:-1] for piece in pieces),
    )
