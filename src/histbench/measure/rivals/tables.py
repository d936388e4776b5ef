"""The rival `parquet`: a table with a line for each record of the packed page.

    type             the row's tag, or the event's type
    seq, time        the first member's, or the event's; time is null where it is no safe integer
    turn, step, index, id, name        of a row
    gaps, texts      a row's columns, as lists, each under a dictionary of what occurs
    raw, view        JSON text of an event and its view, and of a row that the columns cannot hold

What a page says besides its records stands in the file's metadata.  The dictionary of texts is
Parquet's own idea of tokens and what makes this the smallest table for real text (facts:
alternatives, finding 6); a line for each event, as `histbench convert --to parquet` writes for
queries, needs half as much again.

Nothing is compressed inside the file: encodings are for the benchmark to add, as to other forms.
"""

import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any

import msgspec
from msgspec import Struct

from histbench.errors import UsageError
from histbench.events import MAX_SAFE_INTEGER, safe_integer
from histbench.history import HistoryPage
from histbench.history.page import PageRecord
from histbench.measure.rivals.heads import (
    Head,
    head_of,
    list_row,
    not_a_page,
    not_a_record,
    page_of,
    record_of_texts,
    record_texts,
)
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["encode_table", "parse_table", "validate_table"]

_HEAD_KEY = b"histbench.page"
_NUMBERS = ("seq", "time", "turn", "step", "index")
_NAMES = ("type", "id", "name")
_BODIES = ("raw", "view")
_GAPS, _TEXTS = "gaps", "texts"
_LEAVES = ("gaps.list.element", "texts.list.element")

_head = msgspec.json.Decoder(Head)


class _Line(Struct, kw_only=True, gc=False):
    """One line of the table."""

    type: str | None
    seq: int
    time: int | None
    turn: int | None = None
    step: int | None = None
    index: int | None = None
    id: str | None = None
    name: str | None = None
    gaps: list[int] | None = None
    texts: list[str] | None = None
    raw: str | None = None
    view: str | None = None


def _libraries() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise UsageError(
            "pyarrow is not installed; it comes with the extra `corpus`",
            code="missing_extra",
            expected="pip install 'histbench[corpus]'",
        ) from error


def encode_table(page: HistoryPage) -> bytes:
    """The page as a Parquet file.

    Raises:
        UsageError: `missing_extra`.
    """
    arrow, parquet = _libraries()
    lines = list(map(_line_of, page.records))
    columns = {
        **{name: arrow.array(_cells(lines, name), arrow.int64()) for name in _NUMBERS},
        **{name: arrow.array(_cells(lines, name), arrow.string()) for name in (*_NAMES, *_BODIES)},
        _GAPS: _lists(arrow, _cells(lines, _GAPS), arrow.int64()),
        _TEXTS: _lists(arrow, _cells(lines, _TEXTS), arrow.string()),
    }
    table = arrow.table(columns)
    table = table.replace_schema_metadata({_HEAD_KEY: msgspec.json.encode(head_of(page))})
    sink = io.BytesIO()
    parquet.write_table(
        table,
        sink,
        compression="none",
        use_dictionary=[*_NAMES, *_LEAVES],
        column_encoding={
            **dict.fromkeys(_NUMBERS, "DELTA_BINARY_PACKED"),
            **dict.fromkeys(_BODIES, "DELTA_LENGTH_BYTE_ARRAY"),
        },
    )
    return sink.getvalue()


def _cells(lines: Iterable[_Line], name: str) -> list[Any]:
    return [getattr(line, name) for line in lines]


def _lists(arrow: Any, cells: Sequence[list[Any] | None], of: Any) -> Any:
    """A column of lists, from its values one after the other; no list and an empty one are alike."""
    offsets = list(accumulate([len(cell or ()) for cell in cells], initial=0))
    values = [value for cell in cells if cell is not None for value in cell]
    return arrow.ListArray.from_arrays(arrow.array(offsets, arrow.int32()), arrow.array(values, of))


def _line_of(record: PageRecord) -> _Line:
    if not isinstance(record, Plain):
        line = _row_line(record)
        if line is not None:
            return line
    raw, *view = record_texts(record)
    name = record.type if isinstance(record, Plain) else record.kind.tag
    return _Line(
        type=name if _is_text(name) else None,
        seq=record.seq,
        time=safe_integer(record.time) if isinstance(record, Plain) else record.time0,
        raw=raw,
        view=view[0] if view else None,
    )


def _row_line(row: RowHead) -> _Line | None:
    """The row in columns; None when they cannot hold it."""
    numbers = [row.turn, row.step, row.index]
    texts = row.text_list()
    if not all(type(number) is int and abs(number) <= MAX_SAFE_INTEGER for number in numbers):
        return None
    if not _is_text(
        "".join(
            [row.call_id or "", row.name or "", *texts],
        )
    ):
        return None
    return _Line(
        type=row.kind.tag,
        seq=row.seq0,
        time=row.time0,
        turn=int(row.turn),
        step=int(row.step),
        index=int(row.index),
        id=row.call_id,
        name=row.name,
        gaps=row.gap_list(),
        texts=texts,
    )


def _is_text(text: str) -> bool:
    """Whether UTF-8 can hold it: half a surrogate pair it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_table(data: bytes) -> Any:
    """The file read into an Arrow table.

    Raises:
        UsageError: `missing_extra`.
        InvalidPage: no such file (`page_shape`).
    """
    arrow, parquet = _libraries()
    try:
        return parquet.read_table(arrow.BufferReader(data), use_threads=False)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise not_a_page(error, "a Parquet file") from error


def validate_table(parsed: Any) -> HistoryPage:
    """The page, every row validated and the interval covered exactly.

    Raises:
        InvalidPage, InvalidRow, InvalidEvent, InvalidJson: as a packed page's.
    """
    arrow, _ = _libraries()
    try:
        head = _head.decode((parsed.schema.metadata or {}).get(_HEAD_KEY, b""))
        columns = {name: parsed[name].to_pylist() for name in (*_NUMBERS, *_NAMES, *_BODIES)}
        columns |= {name: _read_lists(parsed[name]) for name in (_GAPS, _TEXTS)}
        lines = [
            _Line(**dict(zip(columns, cells, strict=True)))
            for cells in zip(*columns.values(), strict=True)
        ]
        lines = msgspec.convert(lines, list[_Line])
    except (arrow.ArrowException, msgspec.DecodeError, KeyError, ValueError) as error:
        raise not_a_page(error, "the columns of a page") from error
    return page_of(head, list(map(_record_of, lines)))


def _read_lists(column: Any) -> list[list[Any]]:
    """The cells of a column of lists: its values read at once, and cut."""
    lists = column.combine_chunks()
    values = lists.values.to_numpy(zero_copy_only=False).tolist()
    return [values[start:stop] for start, stop in pairwise(lists.offsets.to_pylist())]


def _record_of(line: _Line) -> PageRecord:
    if line.raw is not None:
        return record_of_texts([line.raw] if line.view is None else [line.raw, line.view])
    time, turn, step, index = line.time, line.turn, line.step, line.index
    if line.type is None or time is None or turn is None or step is None or index is None:
        raise not_a_record(line)
    return list_row(
        line.type,
        seq0=line.seq,
        time0=time,
        block=(turn, step, index),
        call=(line.id, line.name),
        gaps=line.gaps or [],
        texts=line.texts or [],
    )
