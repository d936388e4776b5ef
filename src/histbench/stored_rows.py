"""A row as it is stored: its shape in JSON, and the proof of its columns.

msgspec checks the shape while it parses and leaves the two columns raw.  A row whose columns are
proved on their bytes (`raw_columns`) keeps those bytes; one that is not surely canonical is read
value by value by `codec.check_row`, which decides, and words the refusal.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from histbench.codec import check_row
from histbench.errors import InvalidRow
from histbench.events import KIND_BY_TAG, MAX_SAFE_INTEGER, DeltaKind
from histbench.jsontext import decode, js_number
from histbench.raw_columns import proved_gaps, proved_texts
from histbench.rows import Row

__all__ = ["StoredRow", "row_of_stored"]

_TAGS = ", ".join(KIND_BY_TAG)


class _StoredData(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    turn: int | float
    step: int | float
    index: int | float
    dt: Raw
    texts: Raw | UnsetType = UNSET
    args: Raw | UnsetType = UNSET
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class StoredRow(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The wire shape of a row, its columns still raw; `row_of_stored` proves and names them."""

    type: str
    seq0: int
    time0: int
    data: _StoredData


def row_of_stored(stored: StoredRow) -> Row:
    """The row of a parsed storage line or wire record; its columns are proved, or read.

    Raises:
        InvalidRow: a rule of the grammar is broken, or the tag is none of a row (`row_tag`).
        InvalidJson: a column is not UTF-8.
    """
    kind = KIND_BY_TAG.get(stored.type)
    if kind is None:
        raise InvalidRow("unknown row tag", code="row_tag", found=stored.type, expected=_TAGS)
    row = _proved_row(stored, kind)
    return Row.of(check_row(_value_of_stored(stored), kind)) if row is None else row


def _value_of_stored(stored: StoredRow) -> dict[str, Any]:
    """The JSON value that was parsed as `stored`."""
    value: dict[str, Any] = msgspec.structs.asdict(stored)
    value["data"] = {
        key: decode(bytes(field)) if isinstance(field, Raw) else field
        for key, field in msgspec.structs.asdict(stored.data).items()
        if field is not UNSET
    }
    return value


def _proved_row(stored: StoredRow, kind: DeltaKind) -> Row | None:
    """The row, if its columns are proved canonical; None when only the slow way can tell."""
    data = stored.data
    column, other = (data.args, data.texts) if kind.is_call else (data.texts, data.args)
    if isinstance(column, UnsetType) or other is not UNSET or (data.id is UNSET) == kind.is_call:
        return None
    if not kind.is_call and data.name is not UNSET:
        return None
    texts, gaps = bytes(column), bytes(data.dt)
    count = proved_texts(texts)
    if (
        count is None
        or not 0 <= stored.seq0 <= MAX_SAFE_INTEGER - (count - 1)
        or not -MAX_SAFE_INTEGER <= stored.time0 <= MAX_SAFE_INTEGER
        or not proved_gaps(gaps, count, stored.time0)
    ):
        return None
    turn, step, index = js_number(data.turn), js_number(data.step), js_number(data.index)
    if turn is None or step is None or index is None:
        return None
    return Row(
        kind=kind,
        seq0=stored.seq0,
        time0=stored.time0,
        turn=turn,
        step=step,
        index=index,
        call_id=data.id if isinstance(data.id, str) else None,
        name=data.name if isinstance(data.name, str) else None,
        count=count,
        gaps=gaps,
        texts=texts,
    )
