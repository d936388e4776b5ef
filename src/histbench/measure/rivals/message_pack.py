"""The rival `msgpack`: the packed page in MessagePack.

    page    {records, hasMore, fromSeq, toSeq, [projections], [cut]}
    record  {event, [view]} | {chunks} | {json}              json: `heads.record_texts`
    chunks  {type, seq0, time0, data}                        the packed row; texts under `texts`

Events and views are MessagePack's own values, so a client that takes values has them after parsing.
What keeps events as JSON text, as everything here does, prints them again.  An event whose JSON text
is not the one that printing gives is sent as text.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from histbench.history import HistoryPage
from histbench.history.page import PageRecord
from histbench.jsontext import decode, encode
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
from histbench.records import Plain, event_of_json
from histbench.rows import RowHead

__all__ = [
    "MessagePackPage",
    "encode_message_pack",
    "parse_message_pack",
    "validate_message_pack",
]


class _Data(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    turn: int | float
    step: int | float
    index: int | float
    dt: list[int]
    texts: list[str]
    id: str | None = None
    name: str | None = None


class _Chunks(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    type: str
    seq0: int
    time0: int
    data: _Data


class _Record(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    event: Any = UNSET
    view: Any = UNSET
    chunks: _Chunks | UnsetType = UNSET
    json: list[str] | UnsetType = UNSET


class MessagePackPage(Head, frozen=True, kw_only=True):
    """The shape of a page as parsed: rows as lists, events as values."""

    records: list[_Record]


_decoder = msgspec.msgpack.Decoder(MessagePackPage)


def encode_message_pack(page: HistoryPage) -> bytes:
    """The page in MessagePack."""
    packed = list(map(_packed, page.records))
    try:
        return _page_bytes(page, packed)
    except (UnicodeEncodeError, OverflowError):
        # Half a surrogate pair, or an integer past 64 bits.
        pairs = zip(packed, page.records, strict=True)
        return _page_bytes(page, [_held(sent, record) for sent, record in pairs])


def _page_bytes(page: HistoryPage, records: list[_Record]) -> bytes:
    head = msgspec.structs.asdict(head_of(page))
    return msgspec.msgpack.encode(MessagePackPage(**head, records=records))


def _held(sent: _Record, record: PageRecord) -> _Record:
    """What is sent of a record, if MessagePack can hold it; its text otherwise."""
    try:
        msgspec.msgpack.encode(sent)
    except (UnicodeEncodeError, OverflowError):
        return _Record(json=record_texts(record))
    return sent


def _packed(record: PageRecord) -> _Record:
    if not isinstance(record, Plain):
        return _chunks(record)
    return _values(record) or _Record(json=record_texts(record))


def _values(record: Plain) -> _Record | None:
    """An event and its view as values; None when they would not come back to the byte."""
    value = decode(record.raw)
    if encode(value) != record.raw:
        return None
    if record.view is None:
        return _Record(event=value)
    view = decode(record.view)
    return _Record(event=value, view=view) if encode(view) == record.view else None


def _chunks(row: RowHead) -> _Record:
    data = _Data(
        turn=row.turn,
        step=row.step,
        index=row.index,
        dt=row.gap_list(),
        texts=row.text_list(),
        id=row.call_id,
        name=row.name,
    )
    return _Record(chunks=_Chunks(row.kind.tag, row.seq0, row.time0, data))


def parse_message_pack(data: bytes) -> MessagePackPage:
    """The page's values, nothing proved.

    Raises:
        InvalidPage: no such page (`page_shape`).
    """
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise not_a_page(error, "a page in MessagePack") from error


def validate_message_pack(parsed: MessagePackPage) -> HistoryPage:
    """The page, every row validated and the interval covered exactly.

    Raises:
        InvalidPage, InvalidRow, InvalidEvent, InvalidJson: as a packed page's.
    """
    return page_of(parsed, [_record_of(record) for record in parsed.records])


def _record_of(record: _Record) -> PageRecord:
    chunks, texts = record.chunks, record.json
    if record.event is not UNSET:
        if chunks is texts is UNSET:
            view = None if record.view is UNSET else encode(record.view)
            return event_of_json(encode(record.event), view)
    elif record.view is UNSET:
        if not isinstance(chunks, UnsetType) and texts is UNSET:
            data = chunks.data
            return list_row(
                chunks.type,
                seq0=chunks.seq0,
                time0=chunks.time0,
                block=(data.turn, data.step, data.index),
                call=(data.id, data.name),
                gaps=data.dt,
                texts=data.texts,
            )
        if not isinstance(texts, UnsetType) and chunks is UNSET:
            return record_of_texts(texts)
    raise not_a_record(record)
