"""A session log of this project as a stream of events, by the store's own reader."""

from collections.abc import Iterator

from histbench.events import Event
from histbench.log import Diagnostic
from histbench.records import Plain, read_line, record_events
from histbench.rows import RowHead
from histbench.store.content import Read
from histbench.store.limits import Limits
from histbench.store.reading import BodyReader
from histbench.store.scan import LogScan

__all__ = ["StoredEvents"]


class _Taken:
    """Takes the records of one block."""

    def __init__(self) -> None:
        self.records: list[Plain | RowHead] = []

    def add_line(self, line: bytes) -> Plain | RowHead:
        record = read_line(line)
        self.records.append(record)
        return record

    def add_record(self, record: Plain | RowHead) -> None:
        self.records.append(record)


class StoredEvents:
    """Iterate once; then the counts and `diagnostics` are those of the whole log.

    Raises:
        As `read_log`.
    """

    def __init__(self, read: Read, limits: Limits) -> None:
        self._scan = LogScan(read, limits=limits)
        self.header = self._scan.header
        self.diagnostics: list[Diagnostic] = []
        self.records = self.events = self.deltas = 0
        self.file_bytes = 0

    def __iter__(self) -> Iterator[Event]:
        taken = _Taken()
        body = BodyReader(taken, strict=False, exact=not self._scan.compressed)
        for block in self._scan:
            body.read(block)
            for record in taken.records:
                if isinstance(record, RowHead):
                    self.deltas += record.count
                yield from record_events(record)
            taken.records.clear()
        self.records, self.events = body.records, body.events
        self.diagnostics = body.diagnostics
        if self._scan.torn is not None:
            self.diagnostics.append(self._scan.torn.diagnostic())
        self.file_bytes = self._scan.file_bytes
