"""A log as a Parquet table, one row for each event, and back: for DuckDB, pandas and their kin.

    seq, time            integers; null where an event's own is no safe integer
    type                 the event's type
    turn, step           of its `data`, where they are integers
    chunk, index         the type and index of an `assistant/chunk`'s chunk
    text                 a delta's text
    id, name             of the call that a delta belongs to
    raw                  the event's JSON text; null where the columns hold all of it

`raw`, where it is there, is the event; the other columns repeat of it what they can.  An event of
which `raw` is null is a packable delta (`codec`) with the usual order of keys.

The log's header stands in the file's metadata.  Rows are written and read in groups, so memory is
that of one group.  The file is read back before it takes its name.
"""

import hashlib
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from histbench.codec import split_delta
from histbench.corpus.extras import load
from histbench.errors import HistbenchError, InvalidLog, LimitExceeded, Place
from histbench.events import KIND_BY_DELTA, Event, safe_integer
from histbench.importers.converting import write_events
from histbench.jsontext import decode, encode
from histbench.records import event_of_json
from histbench.rows import CHUNK_TYPE
from histbench.store.durable import replace_file, storage_error
from histbench.store.lock import open_locked
from histbench.store.page_index import remove_index

__all__ = ["EventTable", "is_event_table", "log_of_table", "write_event_table"]

_MAGIC = b"PAR1"
_VERSION = b"0"
_VERSION_KEY, _HEADER_KEY = b"histbench.events", b"histbench.header"

_INTEGERS = ("seq", "time", "turn", "step", "index")
_COLUMNS = ("seq", "time", "type", "turn", "step", "chunk", "index", "text", "id", "name", "raw")
_REPEATING = ["type", "chunk", "id", "name"]

# A group of rows ends with so many, or with the row that makes its texts longer than this.
_GROUP_ROWS = 65_536
_GROUP_BYTES = 16 * 1024 * 1024
# What a reader takes as one group, expanded: one event may be 32 MiB, and half of it come twice.
_MOST_GROUP_BYTES = 256 * 1024 * 1024
_BATCH_ROWS = 4096

_Cells = dict[str, Any]


class _Sink(io.RawIOBase):
    """Collects what Parquet's writer writes, to be taken in between."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._length

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._length += len(part)
        return len(part)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def write_event_table(
    events: Iterable[Event], header: dict[str, Any], target: str | os.PathLike[str]
) -> int:
    """Write events as they come as the table `target`; how many there were.

    Raises:
        UsageError: `missing_extra`.
        InvalidLog: `lossy_conversion`, the proof failed.
        StorageError: `log_locked`, or why it could not be written.
        Whatever `events` raises; then nothing has changed.
    """
    path = Path(target)
    written = _Tally()

    def prove(temporary: Path) -> None:
        again = _Tally()
        table = EventTable(temporary)
        for _ in again.events(table):
            pass
        if encode(table.header) != encode(header) or again.value() != written.value():
            raise InvalidLog(
                "the table does not hold the same events",
                code="lossy_conversion",
                where=Place(file=str(path)),
            )

    chunks = _chunks(written.events(events), header)
    lock = open_locked(path) if path.is_file() else None
    try:
        replace_file(path, chunks, prove=prove)
        remove_index(path)
    finally:
        if lock is not None:
            os.close(lock)
    return written.count


class _Tally:
    """Passes events through; counts them and keeps a digest of their JSON text."""

    def __init__(self) -> None:
        self.count = 0
        self._digest = hashlib.sha256()

    def events(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            self.count += 1
            self._digest.update(encode(event) + b"\n")
            yield event

    def value(self) -> tuple[int, bytes]:
        return self.count, self._digest.digest()


def _chunks(events: Iterable[Event], header: dict[str, Any]) -> Iterator[bytes]:
    arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
    schema = _schema(arrow).with_metadata({_VERSION_KEY: _VERSION, _HEADER_KEY: encode(header)})
    sink = _Sink()
    writer = parquet.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        write_page_checksum=True,
        use_dictionary=_REPEATING,
        column_encoding={
            **dict.fromkeys(_INTEGERS, "DELTA_BINARY_PACKED"),
            **dict.fromkeys(("text", "raw"), "DELTA_LENGTH_BYTE_ARRAY"),
        },
    )
    rows: list[_Cells] = []
    waiting = 0
    for event in events:
        cells = _cells(event)
        rows.append(cells)
        waiting += len(cells["raw"] or "") + len(cells["text"] or "")
        if len(rows) >= _GROUP_ROWS or waiting >= _GROUP_BYTES:
            writer.write_table(_table(arrow, rows, schema))
            yield sink.take()
            rows, waiting = [], 0
    if rows:
        writer.write_table(_table(arrow, rows, schema))
    writer.close()
    yield sink.take()


def _schema(arrow: Any) -> Any:
    types = [arrow.int64() if name in _INTEGERS else arrow.string() for name in _COLUMNS]
    return arrow.schema(list(zip(_COLUMNS, types, strict=True)))


def _table(arrow: Any, rows: list[_Cells], schema: Any) -> Any:
    columns = [[cells[name] for cells in rows] for name in _COLUMNS]
    return arrow.table(columns, schema=schema)


def _cells(event: Event) -> _Cells:
    """The row of one event."""
    raw = encode(event)
    cells: _Cells = dict.fromkeys(_COLUMNS)
    cells["seq"], cells["time"] = safe_integer(event.get("seq")), safe_integer(event.get("time"))
    cells["type"] = _string(event.get("type"))
    data = event.get("data")
    if isinstance(data, dict):
        cells["turn"], cells["step"] = (
            safe_integer(data.get("turn")),
            safe_integer(data.get("step")),
        )
        chunk = data.get("chunk")
        if event.get("type") == CHUNK_TYPE and isinstance(chunk, dict):
            cells["chunk"] = _string(chunk.get("type"))
            cells["index"] = safe_integer(chunk.get("index"))
            kind = KIND_BY_DELTA.get(cells["chunk"] or "")
            if kind is not None:
                cells["text"] = _string(chunk.get(kind.text_key))
                cells["id"], cells["name"] = _string(chunk.get("id")), _string(chunk.get("name"))
    rebuilt = _delta(cells)
    if rebuilt is None or encode(rebuilt) != raw:
        cells["raw"] = raw.decode()
    return cells


def _string(value: object) -> str | None:
    """A text that UTF-8 can hold; half a surrogate pair it cannot."""
    if not isinstance(value, str):
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _delta(cells: _Cells) -> Event | None:
    """The packable delta that the columns hold; None when they hold none."""
    kind = KIND_BY_DELTA.get(cells["chunk"] or "")
    if kind is None or cells["type"] != CHUNK_TYPE:
        return None
    call = {key: cells[key] for key in ("id", "name") if cells[key] is not None}
    chunk = {"type": kind.delta, "index": cells["index"], **call, kind.text_key: cells["text"]}
    data = {"turn": cells["turn"], "step": cells["step"], "chunk": chunk}
    event = {"type": CHUNK_TYPE, "seq": cells["seq"], "time": cells["time"], "data": data}
    return event if split_delta(event) is not None else None


def is_event_table(path: str | os.PathLike[str]) -> bool:
    """Whether the file at `path` is Parquet, by its first bytes; False when it cannot be read."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


class EventTable:
    """The events of a table, group by group; iterate as often as needed.

    Raises:
        UsageError: `missing_extra`.
        InvalidLog: `not_an_event_table`, no Parquet file or another one's; `event_table_version`;
            while iterating also `event_table_row`, a row that is no event.
        InvalidJson, InvalidEvent: while iterating, a row's `raw` holds no event.
        LimitExceeded: while iterating, `expands_too_far`.
        StorageError: `file_not_found`, ...
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._arrow, self._parquet = load("pyarrow"), load("pyarrow.parquet")
        with self._opened() as table:
            schema = table.schema_arrow
            told = schema.metadata or {}
            if _VERSION_KEY not in told or not schema.equals(_schema(self._arrow)):
                raise self._foreign("it has other columns, or no mark of this layout")
            if told[_VERSION_KEY] != _VERSION:
                raise InvalidLog(
                    "the table has a layout that this reader does not know",
                    code="event_table_version",
                    where=Place(file=str(path)),
                    found=told[_VERSION_KEY],
                    expected=_VERSION.decode(),
                )
            header = decode(told.get(_HEADER_KEY, b"null"))
        if not isinstance(header, dict):
            raise self._foreign("its metadata hold no header")
        self.header: dict[str, Any] = header

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        try:
            with self._parquet.ParquetFile(self._path, page_checksum_verification=True) as table:
                yield table
        except UnicodeDecodeError as error:
            raise self._foreign("a text in it is not UTF-8") from error
        except (self._arrow.ArrowException, OSError) as error:
            # What Parquet's reader finds wrong inside is an OSError too, without a number.
            if isinstance(error, OSError) and error.errno is not None:
                raise storage_error(error, self._path) from error
            raise self._foreign("it is damaged, or cut off") from error
        except HistbenchError as error:
            raise error.at(file=str(self._path)) from None

    def _foreign(self, reason: str) -> InvalidLog:
        return InvalidLog(
            f"not a table of events: {reason}",
            code="not_an_event_table",
            where=Place(file=str(self._path)),
            expected="a Parquet file that `histbench convert` wrote",
        )

    def __iter__(self) -> Iterator[Event]:
        with self._opened() as table:
            count = 0
            for group in range(table.num_row_groups):
                size = table.metadata.row_group(group).total_byte_size
                if size > _MOST_GROUP_BYTES:
                    raise LimitExceeded(
                        "a group of rows expands too far",
                        code="expands_too_far",
                        found=f"{size:,} bytes",
                        expected=f"at most {_MOST_GROUP_BYTES:,}",
                    )
                for batch in table.iter_batches(_BATCH_ROWS, row_groups=[group]):
                    columns = [batch.column(name).to_pylist() for name in _COLUMNS]
                    count += batch.num_rows
                    for values in zip(*columns, strict=True):
                        yield _event(dict(zip(_COLUMNS, values, strict=True)))
            if count != table.metadata.num_rows:
                raise self._foreign(f"it has {count:,} of {table.metadata.num_rows:,} rows")


def _event(cells: _Cells) -> Event:
    """The event of one row."""
    raw = cells["raw"]
    event = _delta(cells) if raw is None else event_of_json(raw.encode()).event()
    if event is None:
        raise InvalidLog(
            "a row without `raw` is no delta",
            code="event_table_row",
            where=Place(seq=cells["seq"]),
            expected="seq, time, turn, step, chunk, index and text",
        )
    return event


@contextmanager
def log_of_table(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A session log of a table's events, proved, which is there while the context is open.

    Raises:
        As `EventTable` and `write_events`.
    """
    table = EventTable(path)
    with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
        log = Path(folder) / f"{Path(path).stem}.jsonl"
        # Not compressed: a reader would ask how far it expands.
        write_events(table, table.header, log, compressed=False)
        yield log
