"""What the rivals have in common: a page's head, proved rows, and records as JSON text.

A rival's types cannot hold everything that a log may: half a surrogate pair is no UTF-8, integers
end at 64 bits, and a number or a letter may be spelled in several ways.  A record that would not
come back to the byte is sent as its JSON text instead, the record's own or that of its packed row,
and a view's text behind it.
"""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from msgspec import Struct

from histbench.errors import InvalidPage, InvalidRow, Place
from histbench.events import KIND_BY_TAG, MAX_SAFE_INTEGER
from histbench.history import HistoryPage, Projections
from histbench.history.page import PageCut, PageRecord, check_cover
from histbench.jsontext import decode, js_number
from histbench.records import Plain, event_of_json, read_line
from histbench.rows import ListRow, Row

__all__ = [
    "Head",
    "has_halves",
    "head_of",
    "list_row",
    "not_a_page",
    "not_a_record",
    "page_of",
    "record_of_texts",
    "record_texts",
]


_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class _Derived(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    as_of_seq: int
    values: str


class Head(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """What a page says besides its records; derived values are JSON text in a string."""

    has_more: bool
    from_seq: int
    to_seq: int
    projections: _Derived | None = None
    cut: PageCut | None = None


def head_of(page: HistoryPage) -> Head:
    """The head of a page."""
    derived = page.projections
    return Head(
        has_more=page.has_more,
        from_seq=page.from_seq,
        to_seq=page.to_seq,
        projections=None
        if derived is None
        else _Derived(derived.as_of_seq, derived.values.decode()),
        cut=page.cut,
    )


def page_of(head: Head, records: Sequence[PageRecord]) -> HistoryPage:
    """The page of a head and records that are proved each.

    Raises:
        InvalidPage: they do not cover the interval (`check_cover`), or `page_projections`.
        InvalidJson: the derived values are no JSON.
    """
    check_cover(records, head.from_seq, head.to_seq)
    derived = None
    if head.projections is not None:
        values = head.projections.values.encode()
        decode(values)
        if not -1 <= head.projections.as_of_seq <= MAX_SAFE_INTEGER:
            found = head.projections.as_of_seq
            raise InvalidPage(
                "bad asOfSeq", code="page_projections", found=found, expected="-1 or a seq"
            )
        derived = Projections(as_of_seq=head.projections.as_of_seq, values=values)
    return HistoryPage(
        records=tuple(records),
        has_more=head.has_more,
        from_seq=head.from_seq,
        to_seq=head.to_seq,
        projections=derived,
        cut=head.cut,
    )


def has_halves(*texts: bytes | None) -> bool:
    """Whether JSON texts may hold half of a surrogate pair; an escaped pair counts as well."""
    return any(text is not None and _HALF.search(text) is not None for text in texts)


def record_texts(record: PageRecord) -> list[str]:
    """A record as its JSON text, and behind it that of its view."""
    if not isinstance(record, Plain):
        return [Row.of(record).json().decode()]
    return [record.raw.decode(), *([] if record.view is None else [record.view.decode()])]


def record_of_texts(texts: Sequence[str]) -> PageRecord:
    """The inverse of `record_texts`.

    Raises:
        InvalidPage: not one or two texts (`page_record`).
        InvalidJson, InvalidRow, InvalidEvent: they hold no record.
    """
    if len(texts) == 1:
        record = read_line(texts[0].encode())
        return record if isinstance(record, Row) else event_of_json(texts[0].encode())
    if len(texts) != 2:
        raise not_a_record(texts)
    raw, view = (text.encode() for text in texts)
    decode(view)
    return event_of_json(raw, view)


def not_a_record(found: object) -> InvalidPage:
    """The refusal of what is no record."""
    return InvalidPage("not a record", code="page_record", found=found)


def not_a_page(error: Exception, expected: str) -> InvalidPage:
    """The refusal of bytes that a library could not read as a page."""
    return InvalidPage("not a page", code="page_shape", found=str(error), expected=expected)


def list_row(
    tag: str,
    *,
    seq0: int,
    time0: int,
    block: tuple[int | float, int | float, int | float],
    call: tuple[str | None, str | None],
    gaps: list[int],
    texts: list[str],
) -> ListRow:
    """A row of parsed columns, proved; `block` is turn, step and index, `call` id and name.

    Raises:
        InvalidRow: with the code of the packed row's same rule.
    """
    kind = KIND_BY_TAG.get(tag)
    where = Place(seq=seq0 if 0 <= seq0 <= MAX_SAFE_INTEGER else None)

    def refuse(rule: str, found: object, expected: str) -> InvalidRow:
        return InvalidRow(
            f"malformed row: {rule}",
            code=f"row_{rule}",
            where=where,
            found=found,
            expected=expected,
        )

    if kind is None:
        raise refuse("tag", tag, ", ".join(KIND_BY_TAG))
    call_id, name = call
    if (call_id is None) == kind.is_call or (name is not None and not kind.is_call):
        raise refuse("data_keys", tag, "id only on tool calls")
    if not texts:
        raise refuse("texts", texts, "at least one text")
    if len(gaps) != len(texts) - 1:
        raise refuse("dt_length", len(gaps), f"{len(texts) - 1} gaps")
    if not 0 <= seq0 <= MAX_SAFE_INTEGER - (len(texts) - 1):
        raise refuse("seq_range", seq0, "safe integers")
    if abs(time0) + sum(map(abs, gaps)) > MAX_SAFE_INTEGER:
        _check_times(time0, gaps, refuse)
    turn, step, index = map(js_number, block)
    if turn is None or step is None or index is None:
        raise refuse("numbers", list(block), "numbers")
    return ListRow(
        kind=kind,
        seq0=seq0,
        time0=time0,
        turn=turn,
        step=step,
        index=index,
        call_id=call_id,
        name=name,
        count=len(texts),
        gaps=gaps,
        texts=texts,
    )


def _check_times(
    time0: int, gaps: list[int], refuse: Callable[[str, object, str], InvalidRow]
) -> None:
    for gap in gaps:
        if not -MAX_SAFE_INTEGER <= gap <= MAX_SAFE_INTEGER:
            raise refuse("dt", gap, "safe integers")
    for time in accumulate(gaps, initial=time0):
        if not -MAX_SAFE_INTEGER <= time <= MAX_SAFE_INTEGER:
            raise refuse("time_range", time, "safe integers")
