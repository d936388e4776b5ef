"""A writer's side of the page index: one entry more whenever enough has been appended.

The sidecar is opened for each entry and only ever appended to, so a reader that rebuilt it in the
meantime loses nothing and neither does the writer.  When it cannot be kept (no permission, a full
disk, somebody else's entry at its end) the writer goes on without; readers build what is missing.
"""

from collections.abc import Sequence
from pathlib import Path

from histbench.errors import HistbenchError
from histbench.events import Event
from histbench.store.page_index import (
    SEGMENT_BYTES,
    PageIndex,
    append_entry,
    digest_of,
    write_index,
)
from histbench.store.scan import LogSource
from histbench.store.segmenter import OpenSegment
from histbench.store.survey import Survey

__all__ = ["IndexKeeper"]


class IndexKeeper:
    """Keeps the index of the log at `path` while one writer appends to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._source: LogSource | None = None
        self._open = OpenSegment(0, 0)

    def published(self, descriptor: int, body_start: int) -> None:
        """The log came into being, its header ending at `body_start`."""
        source = LogSource(self._path, descriptor=descriptor)
        if write_index(source, body_start, ()):
            self._source = source
            self._open = OpenSegment(body_start, 0)

    def adopt(self, source: LogSource, survey: Survey, index: PageIndex | None) -> None:
        """An existing log was opened and surveyed, with the help of `index` if that was sound."""
        segmenter = survey.segmenter
        if survey.resumed and index is not None:
            kept = all(append_entry(self._path, entry) for entry in survey.entries())
        else:
            kept = write_index(source, segmenter.body_start or 0, survey.entries())
        if kept and source.descriptor is not None:
            self._source = LogSource(self._path, descriptor=source.descriptor)
            self._open = segmenter.open

    def appended(self, batch: Sequence[Event], *, content_bytes: int, length: int) -> None:
        """The log is `length` bytes long now that it ends with `batch`, whose lines have so many."""
        if self._source is None:
            return
        try:
            kept = self._extend(self._source, batch, content_bytes, length)
        except HistbenchError:
            # The batch is stored; nothing that goes wrong here may say otherwise.
            kept = False
        if not kept:
            self._source = None

    def _extend(
        self, source: LogSource, batch: Sequence[Event], content_bytes: int, length: int
    ) -> bool:
        for event in batch:
            self._open.add_event(event)
        self._open.content_bytes += content_bytes
        if self._open.content_bytes < SEGMENT_BYTES:
            return True
        entry = self._open.close(length, digest_of(source, self._open.start, length))
        self._open = OpenSegment(length, self._open.to_seq)
        return append_entry(self._path, entry)
