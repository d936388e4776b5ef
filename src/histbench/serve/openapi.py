"""The OpenAPI document of the daemon, made from the tables that it works by.

Paths and parameters are `operations`'s, schemas of answers the types of `wire`, that of a history
page `history.schema`'s, statuses those of `refusals`.  The published copy is
docs/schemas/openapi.json; `document_text` is what stands in it, and what `/openapi.json` answers.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec

from histbench.history.schema import page_schema
from histbench.serve import wire
from histbench.serve.dictionaries import USE_AS_DICTIONARY
from histbench.serve.parameters import Parameter
from histbench.serve.refusals import STATUS
from histbench.serve.routing import Operation
from histbench.transcript.select import MAX_LIMIT

__all__ = ["document_text", "openapi"]

Schema = dict[str, Any]

_ANSWERS = (
    wire.Capabilities,
    wire.ErrorBody,
    wire.Health,
    wire.LoadAnswer,
    wire.SearchAnswer,
    wire.SessionList,
    wire.TranscriptAnswer,
    wire.TurnIndexAnswer,
)

# Any request may meet these: a parameter that is none, a caller who may not, a damaged file, ...
_ALWAYS = (400, 401, 403, 404, 409, 413, 422, 500, 503)

_REASONS = {
    400: "A parameter, a cursor or a body that is none",
    401: "A bearer token is needed",
    403: "The Host header, the origin, or the parent is another",
    404: "No such path, session or workspace",
    405: "The path has not this method",
    409: "The file is not as it was, or not alone",
    413: "More than is sent or taken at once",
    415: "The body is no JSON",
    422: "The session's file is damaged; `where` says at which place",
    500: "A defect of the daemon",
    503: "Not now",
}

# RFC 9842; what a browser sends and reads of its own accord.
_AVAILABLE_DICTIONARY: Schema = {
    "name": "Available-Dictionary",
    "in": "header",
    "required": False,
    "description": "The SHA-256 of a dictionary that the caller has; the page may come as dcz.",
    "schema": {"type": "string", "pattern": "^:[A-Za-z0-9+/]{43}=:$"},
}
_LINK: Schema = {
    "description": "Where a dictionary for such pages is, unless the caller has it or there is none.",
    "schema": {"type": "string"},
}
_USE_AS_DICTIONARY: Schema = {
    "description": "Which requests the dictionary is for.",
    "required": True,
    "schema": {"const": USE_AS_DICTIONARY},
}

_LOAD_BODY: Schema = {
    "type": "object",
    "properties": {
        "historyPageSize": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_LIMIT,
            "description": "Load one page of about so many records; all of them without it.",
        },
        "compactedReplayMode": {"enum": ["full", "summary"]},
        "liveReplayMode": {"enum": ["full", "summary"]},
        "cwd": {"type": "string"},
        "approvalMode": {"type": "string"},
        "sourceType": {"type": "string"},
        "sourceId": {"type": "string"},
    },
    "additionalProperties": False,
    "description": (
        "Both modes are answered in full.  What is said of the agent is taken and means nothing "
        "here: nothing is started."
    ),
}


def openapi(operations: Iterable[Operation]) -> Schema:
    """The document, as JSON values."""
    paths: dict[str, Schema] = {}
    for operation in operations:
        paths.setdefault(operation.template, {})[operation.method.lower()] = _operation(operation)
    _, schemas = msgspec.json.schema_components(
        _ANSWERS, ref_template="#/components/schemas/{name}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "histbench",
            "version": "1",
            "summary": "Pages, transcripts and live events of session histories",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                **{name: _closed(schema) for name, schema in sorted(schemas.items())},
                **_history_pages(),
                "LoadBody": _LOAD_BODY,
            },
        },
    }


def _operation(operation: Operation) -> Schema:
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [
            *_path_parameters(operation),
            *map(_parameter, operation.parameters),
            *([_AVAILABLE_DICTIONARY] if operation.with_dictionary else []),
        ],
        "responses": _responses(operation),
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": False,
            "content": _json({"$ref": f"#/components/schemas/{operation.body}"}),
        }
    return described


def _path_parameters(operation: Operation) -> list[Schema]:
    names = [part[1:-1] for part in operation.template.split("/") if part.startswith("{")]
    schema: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def _parameter(parameter: Parameter) -> Schema:
    schema: Schema
    if parameter.kind == "integer":
        schema = {
            "type": "integer",
            "minimum": parameter.minimum,
            "maximum": parameter.maximum,
        }
    elif parameter.kind == "choice":
        schema = {"enum": list(parameter.choices)}
    else:
        schema = {"type": "string", "minLength": 1, "maxLength": parameter.max_length}
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.required,
        "description": parameter.description,
        "schema": schema,
    }


def _responses(operation: Operation) -> Schema:
    if operation.answer is None:
        content: Schema = {
            "text/event-stream": {"schema": {"type": "string"}},
        }
        good: Schema = {"description": "Events, until somebody ends it", "content": content}
    else:
        octets = operation.returns == "Octets"
        content = {"application/octet-stream": {}} if octets else _json(_returned(operation))
        good = {"description": "Done", "content": content}
    if operation.with_dictionary:
        good["headers"] = {"Link": _LINK}
    elif operation.name == "dictionary":
        good["headers"] = {"Use-As-Dictionary": _USE_AS_DICTIONARY}
    responses: Schema = {"200": good}
    if operation.answer is not None and operation.method == "GET":
        responses["304"] = {"description": "What the caller has still holds"}
    statuses = {*_ALWAYS, *(STATUS.get(code, 400) for code in operation.codes)}
    for status in sorted(statuses):
        responses[str(status)] = {
            "description": _REASONS[status],
            "content": _json({"$ref": "#/components/schemas/ErrorBody"}),
        }
    return responses


def _returned(operation: Operation) -> Schema:
    if operation.returns == "Document":
        return {"type": "object"}
    return {"$ref": f"#/components/schemas/{operation.returns}"}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _closed(schema: Schema) -> Schema:
    """An answer has the fields that are told and no others."""
    return {**schema, "additionalProperties": False} if "properties" in schema else schema


def _history_pages() -> dict[str, Schema]:
    """The page's own schema and its definitions; the forms `raw` and `projection` are looser."""
    page = {name: value for name, value in page_schema().items() if name != "$schema"}
    definitions: Mapping[str, Any] = page.pop("$defs")
    raw: Schema = {
        "title": "Raw page",
        "type": "object",
        "properties": {
            "events": {"type": "array", "items": {"type": "object"}},
            "hasMore": {"type": "boolean"},
        },
        "required": ["events", "hasMore"],
    }
    return {
        "HistoryPage": {"anyOf": [_moved(page), raw]},
        **{f"Page.{name}": _moved(each) for name, each in definitions.items()},
    }


def _moved(value: Any) -> Any:
    """The same schema with its references made from where its definitions are put."""
    if isinstance(value, dict):
        return {
            name: each.replace("#/$defs/", "#/components/schemas/Page.")
            if name == "$ref"
            else _moved(each)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_moved(each) for each in value]
    return value


@cache
def document_text(operations: tuple[Operation, ...]) -> str:
    """The document as it is published: indented JSON and a newline."""
    text = msgspec.json.format(msgspec.json.encode(openapi(operations)), indent=2)
    return text.decode() + "\n"
