"""Bringing a log back into shape after its writer was stopped.

Two things may be left: a torn tail behind the last whole record, and an open turn.  A repair keeps
every whole record, also those that a torn frame still gives out, drops the rest of the tail, and
appends the closing events (`closers`) as one batch.  Damage anywhere else is refused: a repair
never guesses.

A torn file is replaced by a repaired one in one step, so a repair that is stopped itself has not
happened; without a torn tail the closers are an ordinary append.  A log in shape is not touched,
so repairing twice is repairing once.  The whole log is read, and never an index believed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from histbench.events import Event
from histbench.log import Diagnostic
from histbench.store.batch import batch_lines, compress_frame
from histbench.store.durable import append_at, replace_file
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lock import open_locked
from histbench.store.page_index import remove_index
from histbench.store.scan import BlockScan, LogSource, TornTail
from histbench.store.survey import Survey, survey_log

__all__ = ["Repair", "repair_log"]

_COPY_BYTES = 1024 * 1024


class Repair(Struct, frozen=True, kw_only=True):
    """What a repair did: nothing when `torn` is None and there are no `closers`.

    `next_seq` is the seq that the next event must have.
    """

    torn: Diagnostic | None
    closers: tuple[Event, ...]
    next_seq: int

    @property
    def changed(self) -> bool:
        """Whether the file was changed."""
        return self.torn is not None or bool(self.closers)


def repair_log(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Repair:
    """Repair the log at `path`.

    Raises:
        StorageError: `log_locked` while a writer has it open; the disk did not take the bytes, and
            the log is as before.
        InvalidLog, InvalidJson, InvalidRow, InvalidEvent: damage that is no torn tail, with its
            place; nothing was changed.
    """
    path = Path(path)
    descriptor = open_locked(path)
    try:
        with LogSource(path, descriptor=descriptor) as source:
            survey = survey_log(source, limits=limits)
            closers = survey.turns.closers(seq=survey.next_seq, time=survey.last_time)
            batch = batch_lines(closers)
            if survey.torn is not None:
                remove_index(path)
                replace_file(path, _repaired(source, survey, survey.torn, batch, limits))
            elif closers:
                data = compress_frame(batch) if survey.compressed else batch
                append_at(descriptor, data, length=survey.file_bytes, path=path)
    finally:
        os.close(descriptor)
    return Repair(
        torn=survey.diagnostics[0] if survey.diagnostics else None,
        closers=tuple(closers),
        next_seq=survey.next_seq + len(closers),
    )


def _repaired(
    source: LogSource, survey: Survey, torn: TornTail, closers: bytes, limits: Limits
) -> Iterator[bytes]:
    """The repaired file: what can stay as it is, the whole records behind it, the closers."""
    read = source.reader(0, torn.cut)
    while data := read(_COPY_BYTES):
        yield data
    stored = compress_frame if survey.compressed else bytes
    skip_header = False
    if torn.cut == 0:
        # The header shares its frame with what is torn.
        yield stored(survey.header_line + b"\n")
        skip_header = True
    if survey.compressed:
        behind = BlockScan(source.reader(torn.cut), offset=torn.cut, limits=limits)
        for block in behind:
            lines = block.lines[1:] if skip_header else block.lines
            skip_header = False
            if lines:
                yield stored(b"\n".join(lines) + b"\n")
    if closers:
        yield stored(closers)
