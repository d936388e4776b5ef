"""A recording as a stream of events, or as a log: sniffed, read, mapped, in bounded memory.

Memory holds one item, the deltas since the last envelope, and the texts of answers that are under
way.  The last event says what was read: `source/import {format, clock, items, deltas}`, so that a
converted file still tells where its times come from.  (A session log of this project has none: it
is read as it is.)
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from histbench.codec import pack_runs
from histbench.errors import HistbenchError, Place, UsageError
from histbench.events import Event
from histbench.importers.carriers import read_items
from histbench.importers.content import IMPORT_LIMITS, Content, Replay
from histbench.importers.emitting import Emitter
from histbench.importers.family import Clock, Format
from histbench.importers.items import Item
from histbench.importers.registry import SNIFFED_ITEMS, find_format, first_items, sniff_items
from histbench.importers.stored import StoredEvents
from histbench.jsontext import decode
from histbench.log import Diagnostic, EventLog, LogBuilder
from histbench.rows import ListRow
from histbench.store.header import header_line
from histbench.store.limits import DEFAULT_LIMITS, MIB, Limits
from histbench.store.reading import read_log
from histbench.store.scan import LogSource

__all__ = ["Import", "import_events", "import_session"]

# What sniffing reads first; more only where the first item is longer.
_HEAD_BYTES = 256 * 1024
_IDENTIFYING_BYTES = 4096


class Import:
    """One pass over a recording; iterating gives its events, with seqs from 0.

    A context manager; the file is closed after the last event in any case.  `format` and `header`
    are known at once; `clock`, `diagnostics`, `items`, `events` and `deltas` after the last event.

    Raises (while iterating):
        InvalidStream: the recording contradicts itself (`snapshot_not_extension`).
        InvalidJson, InvalidLog, LimitExceeded: what the carriers refuse.
        All with file, line and byte.
        UsageError: `already_read`.
    """

    def __init__(
        self, source: LogSource, *, format_name: str | None, limits: Limits | None = None
    ) -> None:
        self._source = source
        self._limits = limits or IMPORT_LIMITS
        self._stored_limits = limits or DEFAULT_LIMITS
        forced = None if format_name is None else find_format(format_name)
        with _naming(source):
            head, items = _head(source, self._limits)
            self.format: Format = forced or sniff_items(items, head)
        self._replay = Replay(head, source)
        self._read = self._replay.read
        self.header: dict[str, Any] = _header(head, items)
        self.clock: Clock = "synthetic"
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.items = self.events = self.deltas = 0
        self.file_bytes = 0
        self._begun = False

    def __iter__(self) -> Iterator[Event]:
        if self._begun:
            message = "the recording was read before; import it again"
            raise UsageError(message, code="already_read", where=Place(file=self._source.name))
        self._begun = True
        try:
            with _naming(self._source):
                yield from self._stored() if self.format.family is None else self._mapped()
        finally:
            self.close()

    def _stored(self) -> Iterator[Event]:
        stored = StoredEvents(self._read, self._stored_limits)
        self.header = stored.header
        yield from stored
        self.items, self.events, self.deltas = stored.records, stored.events, stored.deltas
        self.diagnostics = tuple(stored.diagnostics)
        self.file_bytes = stored.file_bytes
        without = any(each.code == "synthesised_clock" for each in self.diagnostics)
        self.clock = "synthetic" if without else "source"

    def _mapped(self) -> Iterator[Event]:
        out = Emitter()
        family = self.format.family(out)  # type: ignore[misc]
        content = Content(self._read, limits=self._limits)
        for item in read_items(content, exact=content.exact, limits=self._limits):
            out.count(item)
            if item.text is not None and item.text != "[DONE]" and item.frame is None:
                out.note("kept_as_text", "text that is no JSON was kept as text", item.place)
            try:
                family.feed(item)
            except HistbenchError as error:
                raise error.at(line=item.line, byte=item.byte) from None
            events = out.take()
            self.events += len(events)
            yield from events
        out.flush()
        family.finish()
        self.items, self.deltas = out.items, out.deltas
        self.file_bytes = content.file_bytes
        self.clock = self.format.clock if out.timed else "synthetic"
        self.diagnostics = (*out.diagnostics(), *self._remarks(out, content))
        counts = {"items": out.items, "deltas": out.deltas}
        out.emit("source/import", {"format": self.format.name, "clock": self.clock, **counts})
        events = out.take()
        self.events += len(events)
        yield from events

    def _remarks(self, out: Emitter, content: Content) -> Iterator[Diagnostic]:
        if content.torn_at is not None:
            message = "the compressed file ends too early; what it holds was read"
            yield Diagnostic(code="torn_tail", message=message, byte=content.torn_at)
        elif content.cut_bytes:
            message = f"the recording ends inside a character, of which {content.cut_bytes.hex()}"
            yield Diagnostic(code="torn_tail", message=f"{message} is there and was not kept")
        if not self.format.deltas:
            message = "the format holds no token deltas: packing does nothing for it"
            yield Diagnostic(code="no_deltas", message=message)
        elif not out.deltas:
            message = "the recording holds no token deltas: packing does nothing for it"
            yield Diagnostic(code="no_deltas", message=message)
        if not out.timed:
            message = "the recording carries no times; all are 0"
            yield Diagnostic(code="synthesised_clock", message=message)
        elif not out.moved and out.timed > 1:
            message = "all times of the recording are the same"
            yield Diagnostic(code="constant_clock", message=message)
        if 0 < out.timed < out.items:
            message = f"{out.items - out.timed:,} of {out.items:,} values have no time of their own"
            yield Diagnostic(
                code="partial_clock", message=f"{message} and got that of the one before"
            )
        if out.padding_bytes:
            message = f"{out.padding_bytes:,} bytes of blanks before closing braces were not kept"
            yield Diagnostic(code="padding_dropped", message=message)
        if out.random_bytes:
            share = f"{out.random_bytes:,} of {out.item_bytes:,} bytes"
            message = f"{share} are random padding, which is kept and does not compress"
            yield Diagnostic(code="padding_kept", message=message)

    def for_store(self) -> Path | BinaryIO:
        """What the store's readers take, where `format` is a session log that they read."""
        return self._replay if self._source.path is None else self._source.path  # type: ignore[return-value]

    def close(self) -> None:
        """Close the file, if it was opened here."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _naming:  # noqa: N801 - reads as a phrase after `with`
    """Adds the file's name to errors."""

    def __init__(self, source: LogSource) -> None:
        self._source = source

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, HistbenchError):
            error.at(file=self._source.name)


def _head(source: LogSource, limits: Limits) -> tuple[bytes, list[Item]]:
    """The beginning of a recording, with so much of it that there is an item to look at."""
    head = _read_to(source, b"", _HEAD_BYTES)
    while True:
        items = first_items(head)
        known = [item for item in items if item.text is None]
        if known or len(items) == SNIFFED_ITEMS or len(head) > limits.line_bytes:
            return head, items
        more = _read_to(source, head, 4 * len(head))
        if len(more) == len(head):
            return head, items
        head = more


def _read_to(source: LogSource, head: bytes, size: int) -> bytes:
    parts, length = [head], len(head)
    while length < size and (data := source.read(min(size - length, MIB))):
        parts.append(data)
        length += len(data)
    return b"".join(parts)


def _header(head: bytes, items: list[Item]) -> dict[str, Any]:
    """The header of the log; the recording's own where it is a log of a later version."""
    digest = hashlib.sha256(head[:_IDENTIFYING_BYTES]).hexdigest()[:16]
    fields: dict[str, Any] = {"session_id": f"imported-{digest}", "created_at": 0}
    own = items[0].value if items else None
    if isinstance(own, dict) and own.get("type") == "session":
        if isinstance(own.get("id"), str) and own["id"]:
            fields["session_id"] = own["id"]
        if type(own.get("createdAt")) is int and own["createdAt"] >= 0:
            fields["created_at"] = own["createdAt"]
        if isinstance(own.get("cwd"), str):
            fields["cwd"] = own["cwd"]
    header: dict[str, Any] = decode(header_line(**fields))
    return header


def import_events(
    source: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,  # noqa: A002 - the word that everybody looks for
    *,
    limits: Limits | None = None,
) -> Import:
    """The events of any recording, as a stream.

    Args:
        source: a path, or an open binary stream, which is read to its end.
        format: a name from `FORMATS`; sniffed by content for None.
        limits: how long one value may be, and how far a compressed file may expand;
            `IMPORT_LIMITS` for None, and the store's own for a session log.

    Raises:
        StorageError: the file cannot be read.
        InvalidStream: `unknown_format`, `empty_stream`, ...
        UsageError: `unknown_format_name`.
    """
    opened = LogSource(source)
    try:
        return Import(opened, format_name=format, limits=limits)
    except BaseException:
        opened.close()
        raise


def import_session(
    source: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,  # noqa: A002 - as above
    *,
    limits: Limits | None = None,
) -> EventLog:
    """The log of any recording, packed; its diagnostics say what to know about the clock.

    Raises:
        As `import_events` and `Import`.
    """
    builder = LogBuilder()
    with import_events(source, format, limits=limits) as imported:
        if imported.format.family is None:
            return read_log(imported.for_store(), limits=limits or DEFAULT_LIMITS)
        for record in pack_runs(imported):
            if isinstance(record, ListRow):
                builder.add_record(record)
            else:
                builder.add_event(record)
        return builder.build(header=imported.header, diagnostics=imported.diagnostics)
