"""The JSON Schema of a history page, made from the types that read one.

Which fields there are, which may be missing and that no others may come is taken from `WirePage`
and the structs below it.  What those leave open, because a column stays raw text or because one
struct stands for several spellings, is filled in from the same tables that the readers use: the
kinds of delta, the safe integers, the reasons of a cut.

A schema cannot count: that `dt` is one shorter than its texts, that sums stay safe integers, and
that the records cover `[fromSeq, toSeq)` exactly is for a reader to prove (docs: history, "Wire").

The published copy is docs/schemas/history-page.schema.json; `schema_text` is what stands in it.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from histbench.events import DELTA_KINDS, KIND_BY_TAG, MAX_SAFE_INTEGER, DeltaKind
from histbench.history.joined import JOINED_TAGS
from histbench.history.wire import WirePage

__all__ = ["page_schema", "schema_text"]

Schema = dict[str, Any]

# One sign for a short gap, or a long one in decimal; perhaps maps before them (`history.gap_maps`).
_GAPS = (
    r"^(([0-9a-zA-Z]|\(-?[1-9][0-9]{0,16}\))*"
    r"|[0-9a-zA-Z_-]*\.[0-9a-zA-Z_-]*\.([2-9a-zA-Z]|\(-?[1-9][0-9]{0,16}\))*)$"
)
_SEQ: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
# One past the largest seq.
_WATERMARK: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER + 1}
_SAFE: Schema = {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER}
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}

_EVENT: Schema = {
    "description": "A logical event; fields that nobody has heard of belong to it.",
    "type": "object",
    "properties": {
        "type": {"type": "string", "not": {"enum": sorted(KIND_BY_TAG)}},
        "seq": _SEQ,
        "time": {"type": "number"},
    },
    "required": ["type", "seq", "time"],
}


_LEAN: Schema = {
    **_EVENT,
    "description": (
        'An event in which an object whose one key is empty is a marker: {"":n} and {"":[n,d,...]} '
        'stand for strings, {"":"a-b"} in an array for integers.'
    ),
    "properties": {**_EVENT["properties"], "data": {"$ref": "#/$defs/told"}},
    "additionalProperties": {"$ref": "#/$defs/told"},
}

# What may stand in a lean event: any JSON whose objects with an empty key are markers.
_TOLD: Schema = {
    "anyOf": [
        {"type": ["null", "boolean", "number", "string"]},
        {"type": "array", "items": {"$ref": "#/$defs/told"}},
        {
            "type": "object",
            "propertyNames": {"minLength": 1},
            "additionalProperties": {"$ref": "#/$defs/told"},
        },
        {
            "type": "object",
            "properties": {
                "": {
                    "oneOf": [
                        _SEQ,
                        {"type": "array", "items": _SEQ, "minItems": 2},
                        {
                            "type": "string",
                            "pattern": "^(0|[1-9][0-9]{0,15})-[1-9][0-9]{0,15}$",
                        },
                    ]
                }
            },
            "required": [""],
            "additionalProperties": False,
        },
    ]
}


def page_schema() -> Schema:
    """The schema of a page in the forms `packed`, `joined` and `lean`, as JSON values."""
    _, types = msgspec.json.schema_components([WirePage], ref_template="#/$defs/{name}")
    page, record = types["WirePage"], types["_WireRecord"]
    row, row_data = types["StoredRow"], types["_StoredData"]
    joined, joined_data = types["StoredJoined"], types["_JoinedData"]
    top = _fields(
        page,
        page["required"],
        optional=["projections", "cut"],
        records={"type": "array", "items": {"$ref": "#/$defs/record"}},
        fromSeq=_WATERMARK,
        toSeq=_WATERMARK,
        projections={"$ref": "#/$defs/projections"},
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "History page",
        "description": (
            "Records that cover the seqs from fromSeq (inclusive) to toSeq (exclusive), "
            "without gap or overlap."
        ),
        **top,
        "$defs": {
            "record": {
                "oneOf": [
                    _fields(record, ["event"], optional=["view"], event={"$ref": "#/$defs/event"}),
                    _fields(record, ["lean"], optional=["view"], lean={"$ref": "#/$defs/lean"}),
                    _fields(record, ["chunks"], chunks={"$ref": "#/$defs/row"}),
                    _fields(record, ["joined"], joined={"$ref": "#/$defs/joined"}),
                ]
            },
            "event": _EVENT,
            "lean": _LEAN,
            "told": _TOLD,
            "row": {"oneOf": [_row_schema(kind, row, row_data) for kind in DELTA_KINDS]},
            "joined": {
                "oneOf": [_joined_schema(each, joined, joined_data) for each in DELTA_KINDS]
            },
            "projections": _fields(
                types["WireProjections"], ["asOfSeq", "values"], asOfSeq={**_SEQ, "minimum": -1}
            ),
        },
    }


def _row_schema(kind: DeltaKind, row: Schema, data: Schema) -> Schema:
    columns: Schema = {"dt": {"type": "array", "items": _SAFE}, kind.texts_key: _STRINGS}
    call = ["id"] if kind.is_call else []
    return _fields(
        row,
        row["required"],
        type={"const": kind.tag},
        seq0=_SEQ,
        time0=_SAFE,
        data=_fields(
            data,
            [*data["required"], *call, kind.texts_key],
            optional=["name"] if kind.is_call else [],
            **columns,
        ),
    )


def _joined_schema(kind: DeltaKind, joined: Schema, data: Schema) -> Schema:
    return _fields(
        joined,
        joined["required"],
        type={"const": JOINED_TAGS[kind.tag]},
        seq0=_SEQ,
        time0=_SAFE,
        data=_fields(
            data,
            [*data["required"], *(["id"] if kind.is_call else [])],
            optional=["name"] if kind.is_call else [],
            dt={"type": "string", "pattern": _GAPS},
        ),
    )


def _fields(
    struct: Schema, required: Iterable[str], *, optional: Iterable[str] = (), **refined: Schema
) -> Schema:
    """The schema of a struct with only these of its fields, some told more closely."""
    required = list(required)
    generated = struct["properties"]
    properties = {
        name: refined.get(name, _plain(generated[name])) for name in [*required, *optional]
    }
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": struct["additionalProperties"],
    }


def _plain(generated: Schema) -> Schema:
    # `int | float` is a number to every other language.
    choices = [choice.get("type") for choice in generated.get("anyOf", ())]
    return {"type": "number"} if choices == ["integer", "number"] else generated


def schema_text() -> str:
    """The schema as it is published: indented JSON and a newline."""
    return msgspec.json.format(msgspec.json.encode(page_schema()), indent=2).decode() + "\n"
