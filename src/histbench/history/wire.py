"""A history page as JSON: `{records, hasMore, fromSeq, toSeq, projections?, cut?}`.

A record is `{event, view?}` for an ordinary event, `{chunks}` for a packed row (note 000), or, in
the negotiated spellings, `{joined}` for a row and `{lean, view?}` for an event.  `projections` is `{asOfSeq, values}`; `cut` is
there only when a budget ended the page (see `page.PageCut`).  Encoding passes stored text on: rows and events
are already JSON.  Decoding is strict: unknown keys are refused, every row is validated, and the
records must cover `[fromSeq, toSeq)` exactly.

Parsing and validating are two steps, so that a measurement can tell them apart: `parse_page` lets
msgspec check the shape and leaves events and columns as raw text; `validate_page` proves the rest.
A page that msgspec cannot read, for a lone surrogate or a `1.0`, goes through `jsontext` and is
validated value by value, with the same result.
"""

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from histbench.errors import InvalidJson, InvalidPage, InvalidRow
from histbench.events import KIND_BY_TAG, MAX_SAFE_INTEGER, safe_integer
from histbench.fold.elided import FoldRecord
from histbench.history.halves import hide_halves, show_halves
from histbench.history.joined import StoredJoined, joined_json, joined_of_stored
from histbench.history.lean_decode import elide_events, expand_events
from histbench.history.lean_proof import LeanEvent, lean_of_json
from histbench.history.page import (
    HistoryPage,
    PageCut,
    PageRecord,
    Projections,
    check_cover,
)
from histbench.jsontext import decode, encode, js_number
from histbench.records import Plain, event_of_json, read_value
from histbench.rows import Row
from histbench.skipped_json import check_skipped
from histbench.stored_rows import StoredRow, row_of_stored

__all__ = [
    "WirePage",
    "WireProjections",
    "encode_joined",
    "encode_packed",
    "event_record",
    "packed_record",
    "page_json",
    "parse_page",
    "prove_page",
    "validate_page",
]


class _WireRecord(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    event: Raw | UnsetType = UNSET
    view: Raw | UnsetType = UNSET
    chunks: StoredRow | UnsetType = UNSET
    joined: StoredJoined | UnsetType = UNSET
    lean: Raw | UnsetType = UNSET


class WireProjections(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The shape of a page's projections as parsed."""

    as_of_seq: int
    values: Raw


class WirePage(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The shape of a page as parsed; what it holds is not validated yet."""

    records: list[_WireRecord]
    has_more: bool
    from_seq: int
    to_seq: int
    projections: WireProjections | UnsetType = UNSET
    cut: PageCut | UnsetType = UNSET


class _LoosePage(WirePage, frozen=True):
    """The same, its records not parsed yet."""

    records: list[Raw]  # type: ignore[assignment]


class _RowData(Struct, frozen=True, forbid_unknown_fields=True):
    turn: int | float
    step: int | float
    index: int | float
    dt: Any
    texts: Any = UNSET
    args: Any = UNSET
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class _RowShape(Struct, frozen=True, forbid_unknown_fields=True):
    """What `stored_rows.StoredRow` is of a parsed value."""

    type: str
    seq0: int
    time0: int
    data: _RowData


_decoder = msgspec.json.Decoder(WirePage)
_loose_decoder = msgspec.json.Decoder(_LoosePage)
_record_decoder = msgspec.json.Decoder(_WireRecord)
_cuts = get_args(PageCut)
_A_RECORD = "{event, view?}, {lean, view?}, {chunks} or {joined}"


def encode_packed(page: HistoryPage) -> bytes:
    """The page with its rows packed."""
    return page_json(page, map(packed_record, page.records))


def encode_joined(page: HistoryPage) -> bytes:
    """The page with its rows joined, where their texts allow it."""
    return page_json(page, map(joined_record, page.records))


def packed_record(record: PageRecord) -> bytes:
    """The wire text of one record of a packed page."""
    if isinstance(record, Plain):
        return event_record(record)
    return b'{"chunks":%b}' % Row.of(record).json()


def joined_record(record: PageRecord) -> bytes:
    """The wire text of one record of a joined page."""
    joined = None if isinstance(record, Plain) else joined_json(record)
    return packed_record(record) if joined is None else b'{"joined":%b}' % joined


def event_record(record: Plain, raw: bytes | None = None, key: bytes = b"event") -> bytes:
    """The wire text of an ordinary event, or of another text for it under another key."""
    view = b"" if record.view is None else b',"view":%b' % record.view
    return b'{"%b":%b%b}' % (key, record.raw if raw is None else raw, view)


def page_json(page: HistoryPage, records: Iterable[bytes]) -> bytes:
    """The page around the wire texts of its records."""
    extras = b"" if page.cut is None else b',"cut":"%b"' % page.cut.encode()
    if page.projections is not None:
        derived = page.projections
        extras = b',"projections":{"asOfSeq":%d,"values":%b}%b' % (
            derived.as_of_seq,
            derived.values,
            extras,
        )
    return b'{"records":[%b],"hasMore":%b,"fromSeq":%d,"toSeq":%d%b}' % (
        b",".join(records),
        b"true" if page.has_more else b"false",
        page.from_seq,
        page.to_seq,
        extras,
    )


def parse_page(data: bytes) -> WirePage | dict[str, Any]:
    """The page's shape, its content unread.

    Raises:
        InvalidJson: not JSON.
        InvalidPage: JSON, but no object (`page_shape`).
    """
    for read in (_decoder.decode, _parse_loosely):
        try:
            return read(data)
        except (msgspec.DecodeError, RecursionError, InvalidJson):
            # Perhaps only a surrogate or a number that msgspec will not take.
            continue
    value = decode(data)
    if not isinstance(value, dict):
        raise InvalidPage("not a page", code="page_shape", found=value, expected="an object")
    return value


def _parse_loosely(data: bytes) -> WirePage:
    """The page when halves of surrogate pairs are in it: rows with some as values, events as sent."""
    hidden = hide_halves(data)
    page = _loose_decoder.decode(data if hidden is None else hidden)
    records = list(map(_loose_record, page.records))
    if page.projections is UNSET:
        return msgspec.structs.replace(page, records=records)
    derived = _shown(page.projections, "values")
    return msgspec.structs.replace(page, records=records, projections=derived)


def _loose_record(hidden: Raw) -> Any:
    raw = show_halves(bytes(hidden))
    if len(raw) == len(hidden):
        return _record_decoder.decode(raw)
    record = _record_decoder.decode(hidden)
    if record.chunks is record.joined is UNSET:
        return _shown(record, "event", "lean", "view")
    return decode(raw)


def _shown(struct: Any, *names: str) -> Any:
    """A struct of the page with the halves in its raw fields as they were sent."""
    fields = {name: getattr(struct, name) for name in names}
    shown = {
        name: Raw(show_halves(bytes(field))) for name, field in fields.items() if field is not UNSET
    }
    return msgspec.structs.replace(struct, **shown)


def validate_page(parsed: WirePage | dict[str, Any]) -> HistoryPage:
    """The page, every row validated and the interval covered exactly.

    Raises:
        InvalidPage: a record is none (`page_record`), a field is missing or of another type
            (`page_shape`, `page_projections`), or the records do not cover the interval (see
            `check_cover`).
        InvalidRow, InvalidEvent, InvalidJson: a record's content is wrong.
    """
    page = parsed if isinstance(parsed, WirePage) else _shape_of_value(parsed)
    records = expand_events(_covering(page))
    return HistoryPage(
        records=tuple(records),
        has_more=page.has_more,
        from_seq=page.from_seq,
        to_seq=page.to_seq,
        projections=_projections_of(page),
        cut=None if isinstance(page.cut, UnsetType) else page.cut,
    )


def prove_page(parsed: WirePage | dict[str, Any]) -> tuple[FoldRecord, ...]:
    """The page's records for a fold: lean events are proved alike, and not expanded.

    Raises:
        As `validate_page`, of the same pages.
    """
    page = parsed if isinstance(parsed, WirePage) else _shape_of_value(parsed)
    records = elide_events(_covering(page))
    _projections_of(page)
    return tuple(records)


def _covering(page: WirePage) -> list[PageRecord | LeanEvent]:
    records = [_record_of_wire(record) for record in page.records]
    check_cover(records, page.from_seq, page.to_seq)
    return records


def _projections_of(page: WirePage) -> Projections | None:
    derived: Any = page.projections
    if derived is UNSET:
        return None
    if isinstance(derived, WireProjections):
        return _projections(derived.as_of_seq, bytes(derived.values))
    return _projections_of_value(derived)


def _projections(as_of_seq: int | None, values: bytes) -> Projections:
    if as_of_seq is None or not -1 <= as_of_seq <= MAX_SAFE_INTEGER:
        raise InvalidPage(
            "bad asOfSeq", code="page_projections", found=as_of_seq, expected="-1 or a seq"
        )
    check_skipped(values)
    return Projections(as_of_seq=as_of_seq, values=values)


def _record_of_wire(record: Any) -> PageRecord | LeanEvent:
    if not isinstance(record, _WireRecord):
        return _record_of_value(record)
    chunks, joined, event, lean = record.chunks, record.joined, record.event, record.lean
    if not isinstance(event, UnsetType):
        if chunks is joined is lean is UNSET:
            return event_of_json(bytes(event), _view_of_wire(record))
    elif not isinstance(lean, UnsetType):
        if chunks is joined is UNSET:
            return lean_of_json(bytes(lean), _view_of_wire(record))
    elif record.view is UNSET:
        if not isinstance(chunks, UnsetType):
            if joined is UNSET:
                return row_of_stored(chunks)
        elif not isinstance(joined, UnsetType):
            return joined_of_stored(joined)
    raise InvalidPage("not a record", code="page_record", expected=_A_RECORD)


def _view_of_wire(record: _WireRecord) -> bytes | None:
    return None if isinstance(record.view, UnsetType) else bytes(record.view)


def _shape_of_value(value: dict[str, Any]) -> WirePage:
    """The shape of a page that was read value by value: its records and projections are values."""
    records, has_more = value.get("records"), value.get("hasMore")
    from_seq, to_seq = _watermark(value.get("fromSeq")), _watermark(value.get("toSeq"))
    unknown = value.keys() - {"records", "hasMore", "fromSeq", "toSeq", "projections", "cut"}
    if (
        not isinstance(records, list)
        or not isinstance(has_more, bool)
        or from_seq is None
        or to_seq is None
        or ("cut" in value and value["cut"] not in _cuts)
        or unknown
    ):
        raise InvalidPage(
            "not a page",
            code="page_shape",
            found=sorted(value),
            expected="records, hasMore, fromSeq, toSeq and at most projections and cut",
        )
    return WirePage(
        records=records,
        has_more=has_more,
        from_seq=from_seq,
        to_seq=to_seq,
        projections=value.get("projections", UNSET),
        cut=value.get("cut", UNSET),
    )


def _watermark(value: Any) -> int | None:
    # One past the largest seq is no safe integer any more, but it is exact.
    number = js_number(value)
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) else None


def _projections_of_value(value: Any) -> Projections:
    if not isinstance(value, dict) or value.keys() != {"asOfSeq", "values"}:
        raise InvalidPage(
            "not projections", code="page_projections", found=value, expected="{asOfSeq, values}"
        )
    return _projections(safe_integer(value["asOfSeq"]), encode(value["values"]))


def _record_of_value(value: Any) -> PageRecord | LeanEvent:
    keys = set(value) if isinstance(value, dict) else set()
    if keys == {"joined"}:
        try:
            return joined_of_stored(msgspec.convert(_within_64_bits(value["joined"]), StoredJoined))
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            # The latter for an unknown key with half a surrogate pair.
            raise InvalidPage(
                "not a joined row", code="page_record", found=value["joined"], expected=str(error)
            ) from error
    if keys == {"chunks"}:
        _refuse_other_tag(value["chunks"])
        record = read_value(value["chunks"])
        if isinstance(record, Row):
            return record
    elif keys - {"view"} in ({"event"}, {"lean"}):
        view = encode(value["view"]) if "view" in value else None
        if "lean" in keys:
            return lean_of_json(encode(value["lean"]), view)
        return event_of_json(encode(value["event"]), view)
    raise InvalidPage(
        "not a record", code="page_record", found=sorted(map(str, keys)), expected=_A_RECORD
    )


def _within_64_bits(row: Any) -> Any:
    """A row's value with integers that it may have and msgspec cannot; they stay unsafe ones."""
    if not isinstance(row, dict):
        return row
    unsafe = {
        key: 2**62 if number > 0 else -(2**62)
        for key, number in ((key, js_number(row.get(key))) for key in ("seq0", "time0"))
        if number is not None and abs(number) > 2**62 and float(number).is_integer()
    }
    return {**row, **unsafe}


def _refuse_other_tag(value: Any) -> None:
    """Raise InvalidRow (`row_tag`) for what would be a row, were its tag one."""
    row = _within_64_bits(value)
    tag = row.get("type") if isinstance(row, dict) else None
    if isinstance(tag, str) and tag not in KIND_BY_TAG:
        try:
            shape = msgspec.convert(row, _RowShape)
        except (msgspec.ValidationError, UnicodeEncodeError):
            return
        raise InvalidRow(
            "unknown row tag", code="row_tag", found=shape.type, expected=", ".join(KIND_BY_TAG)
        )
