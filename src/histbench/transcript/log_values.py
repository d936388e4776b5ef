"""The events of a session log in the shape of chat records, with the event kept as it was.

    block of a message                chat part
    {type: text, text}                {text}
    {type: reasoning, text}           {text, thought: true}
    {type: tool-call, id, name, ..}   {functionCall: {id, name, args}}, args parsed where they are JSON
    {type: tool-result, ...}          {functionResponse: {id, response: {output} or {error}}}
    {type: image, attachment}         {fileData: {fileUri, mimeType}}

Any other block stays what it is.  Tokens are counted as chat records count them: the prompt's with
what was read from a cache or written to one.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from histbench.errors import InvalidJson
from histbench.events import Event
from histbench.jsontext import decode, js_number, merge_surrogates
from histbench.rows import CHUNK_TYPE, RowHead

__all__ = ["chunk_kind", "is_appended", "iso_text", "value_of_event", "value_of_run"]

Value = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso_text(time_ms: float) -> str | None:
    """The text that JavaScript's `toISOString` prints, None past the years 1 to 9999.

    >>> iso_text(1234)
    '1970-01-01T00:00:01.234Z'
    """
    try:
        moment = _EPOCH + timedelta(milliseconds=int(time_ms))
    except OverflowError:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def chunk_kind(data: object) -> object:
    """The type of the chunk that a chunk event's data holds."""
    return _object(_object(data).get("chunk")).get("type")


def is_appended(event: Event) -> bool:
    """Whether a message goes to the end of the conversation, and replaces nothing in it."""
    return bool(event.get("surfaceOp", "append") == "append")


def value_of_event(event: Event) -> Value:
    """The chat record of one event; `system` for all that is no message."""
    data = _object(event.get("data"))
    kind = event["type"]
    if kind == CHUNK_TYPE and chunk_kind(data) == "usage":
        usage = _usage(_object(data.get("chunk")).get("usage"))
        return {"type": "assistant", "message": _message("model", []), **usage, "event": event}
    make = _MESSAGES.get(kind)
    if make is None or not is_appended(event):
        return {"type": "system", "subtype": kind, "event": event}
    return {**make(data), "event": event}


def value_of_run(run: list[RowHead]) -> Value:
    """The record of the deltas of one block of a step that has no message."""
    first, last = run[0], run[-1]
    text = merge_surrogates("".join(delta.text() for delta in run))
    name = next((delta.name for delta in run if delta.name is not None), None)
    block: Value = {"type": first.kind.delta.removesuffix("-delta"), "text": text}
    if first.kind.is_call:
        block = {"type": "tool-call", "id": first.call_id, "name": name, "arguments": text}
    data = {"turn": first.turn, "step": first.step, "index": first.index, "block": block}
    event = {"type": CHUNK_TYPE, "seq": first.seq, "toSeq": last.end_seq, "data": data}
    return {
        "type": "assistant",
        "message": _message("model", [_part(block)]),
        "event": event,
    }


def _user(data: Value) -> Value:
    value: Value = {"type": "user", "message": _message("user", _parts(data.get("content")))}
    source = _object(data.get("source"))
    if source.get("kind", "user") == "user":
        return value
    return {**value, "subtype": "injected", "systemPayload": {"source": source}}


def _assistant(data: Value) -> Value:
    message = _object(data.get("message"))
    content = message.get("content", data.get("content"))
    value: Value = {"type": "assistant", "message": _message("model", _parts(content))}
    model = _object(message.get("source")).get("model")
    if isinstance(model, str):
        value["model"] = model
    return value | _usage(data.get("usage"))


def _result(data: Value) -> Value:
    content = _list(_object(data.get("message")).get("content"))
    results = [block for block in map(_object, content) if block.get("type") == "tool-result"]
    if "message" not in data:
        results = [{**data, "toolCallId": data.get("callId")}]
    parts = [part for result in results for part in _result_parts(result)]
    recorded: Value = {}
    if len(results) == 1:
        failed = results[0].get("isError") is True
        recorded = {"callId": results[0].get("toolCallId")}
        recorded["status"] = "error" if failed else "success"
    return {
        "type": "tool_result",
        "message": _message("user", parts),
        "toolCallResult": recorded,
    }


def _result_parts(result: Value) -> list[Any]:
    content = result.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [block["text"] for block in map(_object, blocks) if isinstance(block.get("text"), str)]
    key = "error" if result.get("isError") is True else "output"
    response = {"id": result.get("toolCallId"), "response": {key: "\n".join(texts)}}
    media = [block for block in blocks if _object(block).get("type") != "text"]
    return [{"functionResponse": response}, *map(_part, media)]


_MESSAGES = {"user/message": _user, "assistant/message": _assistant, "tool/result": _result}


def _message(role: str, parts: list[Any]) -> Value:
    return {"role": role, "parts": parts}


def _parts(content: object) -> list[Any]:
    if isinstance(content, str):
        return [{"text": content}]
    return [_part(block) for block in _list(content)]


def _part(block: Any) -> Any:
    fields = _object(block)
    kind = fields.get("type")
    if kind == "text":
        return {"text": fields.get("text")}
    if kind == "reasoning":
        return {"text": fields.get("text"), "thought": True}
    if kind == "tool-call":
        call = {"id": fields.get("id"), "name": fields.get("name")}
        return {"functionCall": {**call, "args": _arguments(fields.get("arguments"))}}
    attachment = _object(fields.get("attachment"))
    if kind == "image" and isinstance(attachment.get("attachmentId"), str):
        uri = f"attachment:{attachment['attachmentId']}"
        return {"fileData": {"fileUri": uri, "mimeType": attachment.get("mediaType")}}
    return block


def _arguments(text: object) -> Any:
    """What the arguments' text holds; the text where it is no JSON, as when it was cut."""
    if not isinstance(text, str):
        return text
    try:
        return decode(text)
    except InvalidJson:
        return text


def _usage(reported: object) -> Value:
    fields = _object(reported)
    if not fields:
        return {}
    fresh, output = _count(fields, "inputTokens"), _count(fields, "outputTokens")
    cached, written = _count(fields, "cacheReadTokens"), _count(fields, "cacheWriteTokens")
    prompt = fresh + cached + written
    counts = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": output,
        "totalTokenCount": prompt + output,
        "cachedContentTokenCount": cached,
        "thoughtsTokenCount": _count(fields, "reasoningTokens"),
    }
    return {"usageMetadata": counts}


def _count(fields: Value, name: str) -> int | float:
    count = js_number(fields.get(name))
    return 0 if count is None else count


def _object(value: object) -> Value:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
