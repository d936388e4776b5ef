"""The parts of a message in one shape, whichever dialect wrote them.

    chat part                              agent session block            kind
    {text}                                 {type: text, text}             text
    {text, thought: true}                  {type: thinking, thinking}     thought
    {inlineData: {data, mimeType}}         {type: image, source}          image
    {fileData: {fileUri}}                  {type: image, source: {url}}   link
    {functionCall: {id, name, args}}       {type: tool_use, id, ...}      call
    {functionResponse: {id, name, ...}}    {type: tool_result, ...}       result

One chat part may be several of these at once.  Two kinds hold nothing that can be shown: `unknown`,
a shape that nobody has heard of, and `malformed`, a known one with a field of another type.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from histbench.transcript.replay.fields import first_text, list_of, object_of, text_of

__all__ = ["Part", "parts_of_blocks", "parts_of_message", "result_output"]


class Part(Struct, frozen=True, kw_only=True):
    """One thing a message holds; `number` is the place of its part in the message.

    `content` is a content block of the protocol (text, image, resource_link); `value` the
    arguments of a call or the response to one.
    """

    kind: str
    number: int
    content: dict[str, Any] = {}
    call_id: str | None = None
    name: str | None = None
    value: Any = None
    failed: bool = False


def parts_of_message(message: object) -> list[Part]:
    """The parts of a record's message, in order; a message that is none has none."""
    fields = object_of(message)
    parts = fields.get("parts", fields.get("content"))
    if message is not None and (not fields or (parts is not None and _no_parts(parts))):
        return [Part(kind="malformed", number=0)]
    return parts_of_blocks(parts)


def _no_parts(parts: object) -> bool:
    return not isinstance(parts, list | str)


def parts_of_blocks(blocks: object) -> list[Part]:
    """The parts of a list of blocks, or of a string, which is one text."""
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    return [
        part for number, block in enumerate(list_of(blocks)) for part in _read_part(block, number)
    ]


def _read_part(block: object, number: int) -> Iterator[Part]:
    if isinstance(block, str):
        block = {"type": "text", "text": block}
    if not isinstance(block, dict):
        yield Part(kind="malformed", number=number)
        return
    kind = block.get("type")
    if isinstance(kind, str):
        readers = [_BLOCK_READERS[kind]] if kind in _BLOCK_READERS else []
    else:
        readers = [_CHAT_READERS[key] for key in block if key in _CHAT_READERS]
    if not readers:
        yield Part(kind="unknown", number=number)
    for reader in readers:
        part = reader(block, number)
        if part is not None:
            yield part


def _text(block: dict[str, Any], number: int) -> Part | None:
    kind = "thought" if block.get("thought") is True else "text"
    return _text_part(block["text"], kind, number) if "text" in block else _malformed(number)


def _thinking(block: dict[str, Any], number: int) -> Part | None:
    return _text_part(block.get("thinking"), "thought", number)


def _text_part(text: object, kind: str, number: int) -> Part | None:
    if not isinstance(text, str):
        return _malformed(number)
    if not text:
        return None
    return Part(kind=kind, number=number, content={"type": "text", "text": text})


def _inline_data(block: dict[str, Any], number: int) -> Part:
    inline = object_of(block["inlineData"])
    return _image(inline.get("data"), inline.get("mimeType"), number)


def _block_image(block: dict[str, Any], number: int) -> Part:
    source = object_of(block.get("source"))
    if source.get("type") == "url":
        return _link(source.get("url"), number)
    return _image(source.get("data"), source.get("media_type"), number)


def _image(data: object, mime_type: object, number: int) -> Part:
    if isinstance(data, str) and isinstance(mime_type, str) and mime_type.startswith("image/"):
        content = {"type": "image", "data": data, "mimeType": mime_type}
        return Part(kind="image", number=number, content=content)
    return _malformed(number)


def _file_data(block: dict[str, Any], number: int) -> Part:
    return _link(object_of(block["fileData"]).get("fileUri"), number)


def _link(uri: object, number: int) -> Part:
    if not isinstance(uri, str) or not uri:
        return _malformed(number)
    name = uri.rstrip("/").rpartition("/")[2] or uri
    content = {"type": "resource_link", "uri": uri, "name": name}
    return Part(kind="link", number=number, content=content)


def _function_call(block: dict[str, Any], number: int) -> Part:
    call = object_of(block["functionCall"])
    return _call(call, call.get("args"), number)


def _tool_use(block: dict[str, Any], number: int) -> Part:
    return _call(block, block.get("input"), number)


def _call(fields: dict[str, Any], arguments: object, number: int) -> Part:
    name = text_of(fields.get("name"))
    if name is None:
        return _malformed(number)
    call_id = text_of(fields.get("id"))
    value = {} if arguments is None else arguments
    return Part(kind="call", number=number, call_id=call_id, name=name, value=value)


def _function_response(block: dict[str, Any], number: int) -> Part:
    response = object_of(block["functionResponse"])
    value = response.get("response")
    return Part(
        kind="result",
        number=number,
        call_id=text_of(response.get("id")),
        name=text_of(response.get("name")),
        value=value,
        failed=object_of(value).get("error") is not None,
    )


def _tool_result(block: dict[str, Any], number: int) -> Part:
    return Part(
        kind="result",
        number=number,
        call_id=text_of(block.get("tool_use_id")),
        value=block.get("content"),
        failed=block.get("is_error") is True,
    )


def _malformed(number: int) -> Part:
    return Part(kind="malformed", number=number)


def _hidden(_block: dict[str, Any], _number: int) -> None:
    return None


_Reader = Callable[[dict[str, Any], int], Part | None]

_CHAT_READERS: dict[str, _Reader] = {
    "text": _text,
    "inlineData": _inline_data,
    "fileData": _file_data,
    "functionCall": _function_call,
    "functionResponse": _function_response,
}
_BLOCK_READERS: dict[str, _Reader] = {
    "text": _text,
    "thinking": _thinking,
    # What only the provider can read; the record has it.
    "redacted_thinking": _hidden,
    "image": _block_image,
    "tool_use": _tool_use,
    "server_tool_use": _tool_use,
    "tool_result": _tool_result,
}


def result_output(value: object) -> tuple[str | None, list[dict[str, Any]]]:
    """What a response says: the text of its error, and the content blocks of its output."""
    fields = object_of(value)
    error = first_text(fields, "error") or first_text(object_of(fields.get("error")), "message")
    output = fields.get("output") if fields else value
    shown = [part.content for part in parts_of_blocks(output) if part.content]
    return error, shown
