"""The rival `columns`: a row's texts as one string, and where they end in a column of its own.

    page     {records, hasMore, fromSeq, toSeq, [projections], [cut]}
    record   {event, [view]} | {columns} | {json}            json: `heads.record_texts`
    columns  {type, seq0, time0, data}       type: text-columns, reasoning-columns, tool-call-columns
    data     {turn, step, index, dt, [id], [name], lens, text}
    dt       the gaps, as those of a joined row (`history.gap_maps`)
    lens     one sign for every text (`history.signs`)

A length counts UTF-16 code units: what JavaScript's strings are cut by, and what still tells the
halves of a pair apart that was cut in two.  On even texts this is the smallest form there is; on
real ones a boundary is almost a function of the text, and dear when it is told away from it.
"""

from itertools import pairwise

import msgspec
import numpy as np
from msgspec import UNSET, Raw, Struct, UnsetType
from numpy.typing import NDArray

from histbench.errors import InvalidRow, Place
from histbench.events import DELTA_KINDS, MAX_SAFE_INTEGER
from histbench.history import HistoryPage
from histbench.history.gap_maps import SignedRow, check_gaps, gaps_text
from histbench.history.page import PageRecord
from histbench.history.signs import HIGHEST_SIGN, only_signs, read_signs, signs_of, split_signs
from histbench.jsontext import js_number
from histbench.measure.rivals.heads import (
    Head,
    has_halves,
    head_of,
    not_a_page,
    not_a_record,
    page_of,
    record_of_texts,
    record_texts,
)
from histbench.records import Plain, event_of_json
from histbench.rows import RowHead, numbers_json

__all__ = ["ColumnsPage", "ColumnsRow", "encode_columns", "parse_columns", "validate_columns"]

_TAGS = {kind.tag: f"{kind.tag.removesuffix('-chunks')}-columns" for kind in DELTA_KINDS}
_KIND_BY_TAG = {_TAGS[kind.tag]: kind for kind in DELTA_KINDS}
_UTF_16 = "utf-16-le"


class ColumnsRow(SignedRow, frozen=True, kw_only=True, gc=False):
    """A row whose columns are three strings; the joined text is there already."""

    lengths: str
    joined: str

    def text_list(self) -> list[str]:
        """The members' texts, cut out."""
        joined = self.joined
        units = np.array(read_signs(self.lengths), np.int64).cumsum()
        cuts = [0, *units.tolist()]
        if cuts[-1] != len(joined):
            # What takes two units is one character here.
            halves = _second_halves(joined)
            if halves[units].any():
                return _cut_units(joined, cuts)
            cuts = [0, *(units - halves.cumsum()[units]).tolist()]
        return [joined[start:stop] for start, stop in pairwise(cuts)]

    def text(self) -> str:
        """All texts joined."""
        return self.joined

    def first_text(self) -> str:
        """The first member's text, cut out alone."""
        first = self.lengths.find(")") + 1 if self.lengths.startswith("(") else 1
        (length,) = read_signs(self.lengths[:first])
        units = self.joined[:length].encode(_UTF_16, "surrogatepass")[: 2 * length]
        return units.decode(_UTF_16, "surrogatepass")


def _second_halves(text: str) -> NDArray[np.bool_]:
    """For each UTF-16 unit of a text, and for its end, whether it is the second half of a pair."""
    units = np.frombuffer(text.encode(_UTF_16, "surrogatepass"), "<u2")
    halves = np.zeros(len(units) + 1, np.bool_)
    halves[1:-1] = ((units[:-1] & 0xFC00) == 0xD800) & ((units[1:] & 0xFC00) == 0xDC00)
    return halves


def _cut_units(text: str, cuts: list[int]) -> list[str]:
    """The pieces of a text that is cut inside a pair."""
    units = text.encode(_UTF_16, "surrogatepass")
    return [
        units[2 * start : 2 * stop].decode(_UTF_16, "surrogatepass")
        for start, stop in pairwise(cuts)
    ]


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(_UTF_16, "surrogatepass")) // 2


def encode_columns(page: HistoryPage) -> bytes:
    """The page with its rows in columns."""
    head = msgspec.json.encode(head_of(page))
    return b'{"records":[%b],%b' % (b",".join(map(_record_json, page.records)), head[1:])


def _record_json(record: PageRecord) -> bytes:
    if isinstance(record, Plain):
        if not has_halves(record.raw, record.view):
            view = b"" if record.view is None else b',"view":%b' % record.view
            return b'{"event":%b%b}' % (record.raw, view)
    else:
        columns = _columns_json(record)
        if columns is not None:
            return b'{"columns":%b}' % columns
    return b'{"json":%b}' % msgspec.json.encode(record_texts(record))


def _columns_json(row: RowHead) -> bytes | None:
    """The row in columns; None when half a surrogate pair is in it."""
    texts = row.text_list()
    joined = "".join(texts)
    call = {"id": row.call_id} if row.name is None else {"id": row.call_id, "name": row.name}
    try:
        text = msgspec.json.encode(joined)
        named = b"" if row.call_id is None else msgspec.json.encode(call)[1:-1] + b","
    except UnicodeEncodeError:
        return None
    even = _units(joined) == len(joined)
    lengths = signs_of(list(map(len if even else _units, texts)))
    turn, step, index = numbers_json(row.turn, row.step, row.index)
    return b'{"type":"%b","seq0":%d,"time0":%d,"data":{"turn":%b,"step":%b,"index":%b,%b}}' % (
        _TAGS[row.kind.tag].encode(),
        row.seq0,
        row.time0,
        turn,
        step,
        index,
        b'"dt":"%b",%b"lens":"%b","text":%b'
        % (gaps_text(row).encode(), named, lengths.encode(), text),
    )


class _Data(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    turn: int | float
    step: int | float
    index: int | float
    dt: str
    lens: str
    text: str
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class _Columns(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    type: str
    seq0: int
    time0: int
    data: _Data


class _Record(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    event: Raw | UnsetType = UNSET
    view: Raw | UnsetType = UNSET
    columns: _Columns | UnsetType = UNSET
    json: list[str] | UnsetType = UNSET


class ColumnsPage(Head, frozen=True, kw_only=True):
    """The shape of a page as parsed."""

    records: list[_Record]


_decoder = msgspec.json.Decoder(ColumnsPage)


def parse_columns(data: bytes) -> ColumnsPage:
    """The page's shape, its content unread.

    Raises:
        InvalidPage: no such page (`page_shape`).
    """
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise not_a_page(error, "a page in columns") from error


def validate_columns(parsed: ColumnsPage) -> HistoryPage:
    """The page, every row validated and the interval covered exactly.

    Raises:
        InvalidPage, InvalidRow, InvalidEvent, InvalidJson: as a packed page's, and
            `row_lengths`, the lengths are not those of the text.
    """
    return page_of(parsed, [_record_of(record) for record in parsed.records])


def _record_of(record: _Record) -> PageRecord:
    columns, event, texts = record.columns, record.event, record.json
    if not isinstance(event, UnsetType) and columns is texts is UNSET:
        view = None if isinstance(record.view, UnsetType) else bytes(record.view)
        return event_of_json(bytes(event), view)
    if event is record.view is UNSET:
        if not isinstance(columns, UnsetType) and texts is UNSET:
            return _row_of(columns)
        if not isinstance(texts, UnsetType) and columns is UNSET:
            return record_of_texts(texts)
    raise not_a_record(record)


def _row_of(stored: _Columns) -> ColumnsRow:
    data = stored.data

    def refuse(rule: str, reason: str, found: object, expected: str) -> InvalidRow:
        return InvalidRow(
            f"malformed row in columns: {reason}",
            code=f"row_{rule}",
            where=Place(seq=stored.seq0 if stored.seq0 >= 0 else None),
            found=found,
            expected=expected,
        )

    kind = _KIND_BY_TAG.get(stored.type)
    if kind is None:
        raise refuse("tag", "unknown tag", stored.type, ", ".join(_KIND_BY_TAG))
    if not 0 <= stored.seq0 <= MAX_SAFE_INTEGER:
        raise refuse("seq0", "bad seq0", stored.seq0, "a non-negative safe integer")
    if not -MAX_SAFE_INTEGER <= stored.time0 <= MAX_SAFE_INTEGER:
        raise refuse("time0", "bad time0", stored.time0, "a safe integer")
    if (data.id is UNSET) == kind.is_call or (data.name is not UNSET and not kind.is_call):
        raise refuse("data_keys", "wrong keys in data", stored.type, "id only on tool calls")
    count, units = _counted(data.lens)
    if not count or units != _units(data.text):
        raise refuse("lengths", "bad lens", data.lens, "the lengths of one text or more, as signs")
    if count - 1 > MAX_SAFE_INTEGER - stored.seq0:
        raise refuse("seq_range", "member seqs leave the safe integers", count, "safe integers")
    turn, step, index = js_number(data.turn), js_number(data.step), js_number(data.index)
    if turn is None or step is None or index is None:
        found = [data.turn, data.step, data.index]
        raise refuse("numbers", "bad turn, step or index", found, "numbers")
    row = ColumnsRow(
        kind=kind,
        seq0=stored.seq0,
        time0=stored.time0,
        turn=turn,
        step=step,
        index=index,
        call_id=data.id if isinstance(data.id, str) else None,
        name=data.name if isinstance(data.name, str) else None,
        count=count,
        gaps=data.dt,
        lengths=data.lens,
        joined=data.text,
    )
    check_gaps(row, refuse)
    return row


def _counted(lengths: str) -> tuple[int, int]:
    """How many lengths there are and their sum; none when one is spelled otherwise."""
    if only_signs(lengths):
        return len(lengths), sum(read_signs(lengths))
    signs, longs = split_signs(lengths)
    if not only_signs(signs) or min(longs, default=0) <= HIGHEST_SIGN:
        return 0, 0
    return len(signs) + len(longs), sum(read_signs(lengths))
