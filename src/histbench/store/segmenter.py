"""Cutting a log into the segments of its index, while somebody reads or writes it anyway.

A segment may end where the next block of lines is aligned: at a frame's start, or at any line of a
text log.  It is closed at the first such place once it holds enough, or where the log ends with a
whole record: a log in one foreign frame is one segment, one of ten thousand small frames a few
hundred.
"""

from histbench.events import Event
from histbench.history.messages import message_cut
from histbench.records import Plain, read_value
from histbench.rows import RowHead
from histbench.store.lines import LineBlock
from histbench.store.page_index import SEGMENT_BYTES, IndexEntry

__all__ = ["OpenSegment", "Segmenter"]


class OpenSegment:
    """What is known of the segment that starts at `start`, record by record."""

    def __init__(self, start: int, from_seq: int) -> None:
        self.start = start
        self.from_seq = from_seq
        self.to_seq = from_seq
        self.content_bytes = 0
        self._messages = 0
        self._lowest_cut: int | None = None

    def add(self, record: Plain | RowHead) -> None:
        """Take one more record in."""
        self._extend(record.end_seq, message_cut(record))

    def add_event(self, event: Event) -> None:
        """Take one more logical event in."""
        # Whatever else a message is, it says so.
        appended = event.get("surfaceOp") == "append"
        self._extend(self.to_seq + 1, message_cut(read_value(event)) if appended else None)

    def _extend(self, to_seq: int, cut: int | None) -> None:
        self.to_seq = to_seq
        if cut is not None:
            self._messages += 1
            if self._lowest_cut is None or cut < self._lowest_cut:
                self._lowest_cut = cut

    def close(self, end: int, digest: bytes) -> IndexEntry:
        """The entry of the segment that ends at byte `end`."""
        return IndexEntry(
            start=self.start,
            end=end,
            from_seq=self.from_seq,
            to_seq=self.to_seq,
            lowest_cut=self.to_seq if self._lowest_cut is None else self._lowest_cut,
            messages=self._messages,
            content_kib=-(-self.content_bytes // 1024),
            digest=digest,
        )


class Segmenter:
    """Segments of a log that is read in order: `block` before each block, `add` for each record.

    `closed` are the segments that ended so far, without their hashes (`spans` says of what);
    `open` is the one that has not.  `body_start` is the byte where the first segment starts.
    """

    def __init__(self, *, start: int | None = None, from_seq: int = 0) -> None:
        self.body_start = start
        self.closed: list[tuple[OpenSegment, int]] = []
        self.open = OpenSegment(start or 0, from_seq)

    def block(self, block: LineBlock) -> None:
        """Learn where the next block starts; close the open segment there if it is due."""
        if self.body_start is None:
            # A header that shares its frame with records belongs to the first segment.
            self.body_start = block.byte if block.aligned else 0
            self.open = OpenSegment(self.body_start, self.open.from_seq)
        elif block.aligned and self.open.content_bytes >= SEGMENT_BYTES:
            self.closed.append((self.open, block.byte))
            self.open = OpenSegment(block.byte, self.open.to_seq)
        self.open.content_bytes += sum(map(len, block.lines)) + len(block.lines)

    def add(self, record: Plain | RowHead) -> None:
        """Take one more record of the block in."""
        self.open.add(record)

    def finish(self, end: int) -> None:
        """The log ends at `end`, with a whole record; close the open segment if it is due."""
        if self.open.content_bytes >= SEGMENT_BYTES:
            self.closed.append((self.open, end))
            self.open = OpenSegment(end, self.open.to_seq)
