"""The raw form: `{events: [{event, view?}], hasMore}`, one envelope for every logical event.

This is what histories were shipped as before they were packed, and what the lossy projection is
shipped as.  It has no watermarks: they are read off the events.  A client gains nothing from a
dict per token either, so reading goes straight to records: neighbouring deltas whose text before
the payload is the same, byte for byte, are one run, and their payloads joined by commas are the
texts column of its row, which is then proved as any other (`raw_columns`).
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter, sub
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from histbench.coalesce import Coalescer
from histbench.codec import MIN_RUN
from histbench.errors import InvalidPage, Place
from histbench.events import MAX_SAFE_INTEGER, Event
from histbench.history.page import HistoryPage, PageRecord
from histbench.jsontext import decode, encode
from histbench.raw_columns import proved_texts
from histbench.records import (
    DeltaData,
    Plain,
    delta_of_plain,
    event_of_json,
    row_of_delta,
)
from histbench.rows import CHUNK_TYPE, ListRow, Row, encode_texts

__all__ = ["RawPage", "encode_events", "encode_raw", "parse_raw", "validate_raw"]


class _RawEvent(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    type: str
    seq: int
    time: int
    data: Raw
    ignorable: Raw | UnsetType = UNSET
    sourceEventSeqs: Raw | UnsetType = UNSET  # noqa: N815 - the wire's name
    surfaceOp: Raw | UnsetType = UNSET  # noqa: N815 - the wire's name


class _KnownEntry(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    event: _RawEvent


class _AnyEntry(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    event: Raw
    view: Raw | UnsetType = UNSET


class RawPage(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The shape of a raw page whose events have only fields that the format knows."""

    events: list[_KnownEntry]
    has_more: bool


class _AnyPage(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    events: list[_AnyEntry]
    has_more: bool


_data_decoder = msgspec.json.Decoder(DeltaData)
_text_list = msgspec.json.Decoder(list[str])
_known_decoder = msgspec.json.Decoder(RawPage)
_any_decoder = msgspec.json.Decoder(_AnyPage)

Parsed = RawPage | _AnyPage | dict[str, Any]


def encode_raw(page: HistoryPage) -> bytes:
    """The page with every event in an envelope of its own."""
    parts: list[bytes] = []
    for record in page.records:
        if isinstance(record, Plain):
            view = b"" if record.view is None else b',"view":' + record.view
            parts.append(b'{"event":%b%b}' % (record.raw, view))
        else:
            parts.extend([b'{"event":%b}' % event for event in record.event_jsons()])
    more = b"true" if page.has_more else b"false"
    return b'{"events":[%b],"hasMore":%b}' % (b",".join(parts), more)


def encode_events(events: Iterable[Event], *, has_more: bool = False) -> bytes:
    """The same bytes for logical events that were never in a log."""
    # One by one: what needs the slow writer then slows one event only.
    texts = [b'{"event":%b}' % encode(event) for event in events]
    more = b"true" if has_more else b"false"
    return b'{"events":[%b],"hasMore":%b}' % (b",".join(texts), more)


def parse_raw(data: bytes) -> Parsed:
    """The page's shape, its content unread.

    Raises:
        InvalidJson: not JSON.
        InvalidPage: JSON, but no raw page (`page_shape`).
    """
    for decoder in (_known_decoder, _any_decoder):
        try:
            page = decoder.decode(data)
        except (msgspec.DecodeError, RecursionError):
            continue
        if not isinstance(page, RawPage) or _is_usual(page, data):
            return page
    return _shaped(decode(data))


def _is_usual(page: RawPage, data: bytes) -> bool:
    """Whether the first ordinary event is spelled as the format writes it, as its writer's others.

    Of another order of keys, which `RawPage` cannot tell, only the text of an event still knows.
    """
    for entry in page.events:
        if entry.event.type != CHUNK_TYPE:
            return _text_of(entry.event) in data
    return True


def _shaped(value: Any) -> dict[str, Any]:
    """`value` if it has a page's shape."""
    if (
        not isinstance(value, dict)
        or value.keys() != {"events", "hasMore"}
        or not isinstance(value["events"], list)
        or not isinstance(value["hasMore"], bool)
    ):
        found = sorted(value) if isinstance(value, dict) else value
        raise InvalidPage(
            "not a raw page", code="page_shape", found=found, expected="{events, hasMore}"
        )
    return value


def validate_raw(parsed: Parsed, *, lossy: bool = False) -> HistoryPage:
    """The page; its events must follow each other unless the form is `lossy`.

    Raises:
        InvalidPage: an entry is none (`page_record`), or an event does not follow the one before
            (`page_gap`, `page_overlap`).
        InvalidEvent, InvalidJson: an event is none.
    """
    coalescer = Coalescer()
    if isinstance(parsed, RawPage):
        _add_known([entry.event for entry in parsed.events], coalescer)
        has_more = parsed.has_more
    elif isinstance(parsed, dict):
        for entry in parsed["events"]:
            _add_event(_entry_of_value(entry), coalescer)
        has_more = parsed["hasMore"]
    else:
        for entry in parsed.events:
            view = None if isinstance(entry.view, UnsetType) else bytes(entry.view)
            _add_event(event_of_json(bytes(entry.event), view), coalescer)
        has_more = parsed.has_more
    records = tuple(coalescer.finish())
    _check_order(records, lossy=lossy)
    return HistoryPage(
        records=records,
        has_more=has_more,
        from_seq=records[0].seq if records else 0,
        to_seq=records[-1].end_seq if records else 0,
        covered=not lossy,
    )


_seq_of, _time_of = attrgetter("seq"), attrgetter("time")


def _add_known(events: list[_RawEvent], coalescer: Coalescer) -> None:
    """Add events, neighbours that may be deltas together."""
    chunks = bytes(
        [
            event.type == CHUNK_TYPE
            and event.ignorable is event.sourceEventSeqs is event.surfaceOp is UNSET
            for event in events
        ]
    )
    start = 0
    while start < len(events):
        stop = chunks.find(0, start) if chunks[start] else chunks.find(1, start)
        stop = len(events) if stop < 0 else stop
        if chunks[start]:
            _add_chunks(events[start:stop], coalescer)
        else:
            for event in events[start:stop]:
                _add_event(event_of_json(_text_of(event)), coalescer)
        start = stop


def _add_chunks(events: list[_RawEvent], coalescer: Coalescer) -> None:
    """Add neighbouring `assistant/chunk` events, runs of deltas as one row each."""
    datas = [bytes(event.data) for event in events]
    start = 0
    while start < len(events):
        stop = start + 1
        head = _delta_of(events[start])
        if head is not None:
            shared = head.data_json_start()
            if datas[start].startswith(shared):
                while stop < len(events) and datas[stop].startswith(shared):
                    stop += 1
            row = _row_of_run(head, events[start:stop], datas[start:stop], len(shared))
            if row is not None:
                coalescer.add(row)
                start = stop
                continue
        for event in events[start:stop]:
            _add_event(event_of_json(_text_of(event)), coalescer)
        start = stop


def _delta_of(event: _RawEvent) -> ListRow | None:
    """The delta that starts a run; None when the event is none, or only the slow way can tell."""
    try:
        return row_of_delta(event.seq, event.time, _data_decoder.decode(event.data))
    except msgspec.DecodeError:
        return None


def _row_of_run(
    head: ListRow, events: list[_RawEvent], datas: list[bytes], text_start: int
) -> Row | None:
    """The row of events whose data start alike, None when they are no run or too few for a row.

    What follows the shared start is the text and `}}`; if it is anything else, an extra key say,
    the joined column is no array of strings, and the proof fails.
    """
    count = len(events)
    seqs = list(map(_seq_of, events))
    if count < MIN_RUN or seqs != list(range(head.seq0, head.seq0 + count)):
        return None
    times = list(map(_time_of, events))
    if min(times) < -MAX_SAFE_INTEGER or max(times) > MAX_SAFE_INTEGER:
        return None
    gaps = list(map(sub, times[1:], times))
    if max(map(abs, gaps)) > MAX_SAFE_INTEGER or head.end_seq + count > MAX_SAFE_INTEGER:
        return None
    column = b"[%b]" % b",".join([data[text_start:-2] for data in datas])
    if proved_texts(column) != count:
        try:
            texts = _text_list.decode(column)
        except msgspec.DecodeError:
            return None
        if len(texts) != count:
            return None
        column = encode_texts(texts)
    return Row(
        kind=head.kind,
        seq0=head.seq0,
        time0=head.time0,
        turn=head.turn,
        step=head.step,
        index=head.index,
        call_id=head.call_id,
        name=head.name,
        count=count,
        gaps=msgspec.json.encode(gaps),
        texts=column,
    )


def _text_of(event: _RawEvent) -> bytes:
    """The JSON text of a parsed event, its keys in the order the format writes them."""
    parts = [b'{"type":%b,"seq":%d,"time":%d' % (encode(event.type), event.seq, event.time)]
    for key in ("data", "ignorable", "sourceEventSeqs", "surfaceOp"):
        field = getattr(event, key)
        if field is not UNSET:
            parts.append(b',"%b":%b' % (key.encode(), bytes(field)))
    parts.append(b"}")
    return b"".join(parts)


def _entry_of_value(entry: Any) -> Plain:
    keys = set(entry) if isinstance(entry, dict) else set()
    if keys not in ({"event"}, {"event", "view"}):
        found = sorted(map(str, keys))
        raise InvalidPage(
            "not an entry", code="page_record", found=found, expected="{event, view?}"
        )
    view = encode(entry["view"]) if "view" in entry else None
    return event_of_json(encode(entry["event"]), view)


def _add_event(plain: Plain, coalescer: Coalescer) -> None:
    """Add an event; a delta may become part of a row unless it carries a view."""
    delta = delta_of_plain(plain) if plain.view is None else None
    coalescer.add(plain if delta is None else delta, plain.raw)


def _check_order(records: Sequence[PageRecord], *, lossy: bool) -> None:
    due = records[0].seq if records else 0
    for record in records:
        if record.seq < due or (record.seq > due and not lossy):
            raise InvalidPage(
                "events do not follow each other",
                code="page_gap" if record.seq > due else "page_overlap",
                where=Place(seq=record.seq),
                found=record.seq,
                expected=str(due),
            )
        due = record.end_seq
