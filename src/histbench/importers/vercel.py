"""The Vercel AI SDK's UI message stream, and the rows in which Cloudflare Agents buffer it.

    text-delta.delta, reasoning-delta.delta     text, reasoning; blocks by `id`
    tool-input-delta.inputTextDelta             tool-call; blocks by `toolCallId`

A step ends where the next one starts, or the whole message finishes, which says why; `tool-input-available` ends a call and has its
whole input, for those that had no deltas.

A row of Cloudflare's table has in `body` the JSON text of one chunk, or of an array of such texts.
Its chunks are read as if they stood alone.  What else the rows say is kept in `source/rows` events,
up to `ROWS_AT_ONCE` together behind their chunks; `chunks` counts those of each row, `array` tells
the two forms apart.  Their `created_at` is a capture clock.
"""

from typing import Any

from histbench.errors import HistbenchError
from histbench.importers.emitting import Emitter
from histbench.importers.family import Format
from histbench.importers.fields import at, number_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.steps import Steps
from histbench.jsontext import decode, encode

__all__ = ["CLOUDFLARE", "VERCEL", "CloudflareRows", "VercelStream"]

ROWS_AT_ONCE = 1024

# type: (kind, the name of its id, the name of its text)
_DELTAS = {
    "text-delta": ("text", "id", "delta"),
    "reasoning-delta": ("reasoning", "id", "delta"),
    "tool-input-delta": ("tool-call", "toolCallId", "inputTextDelta"),
}
_STARTS = {"text-start": ("text", "id"), "reasoning-start": ("reasoning", "id")}
_ENDS = {"text-end": ("text", "id"), "reasoning-end": ("reasoning", "id")}
_OTHERS = frozenset(
    {
        "start-step",
        "finish-step",
        "tool-input-start",
        "tool-input-available",
        "tool-output-available",
    }
)
_KNOWN = frozenset({*_DELTAS, *_STARTS, *_ENDS, *_OTHERS})

_ANSWER = "answer"


class VercelStream:
    """The reader of chunks."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        self._message_id: str | None = None
        # Whether the open step has ended; why it did is said by `finish`.
        self._ended = False

    def feed(self, item: Item) -> None:
        """Take one chunk."""
        value = item.value
        kind = text_at(value, "type") or ""
        if kind in _DELTAS:
            block_kind, id_name, text_name = _DELTAS[kind]
            named, text = text_at(value, id_name), text_at(value, text_name)
            if named is not None and text is not None:
                step = self._steps.open(_ANSWER, item.place)
                block = step.block((block_kind, named), block_kind, named)
                step.message_id = self._message_id
                self._out.fragments(item, [(("value", text_name), step, block, text)])
                return
        self._out.verbatim(item)
        if kind == "start":
            self._message_id = text_at(value, "messageId")
        elif kind == "start-step":
            self._steps.close(_ANSWER, interrupted=not self._ended)
            self._ended = False
        elif kind == "finish-step":
            self._ended = True
        elif kind in _STARTS:
            block_kind, id_name = _STARTS[kind]
            named = text_at(value, id_name)
            step = self._steps.open(_ANSWER, item.place)
            step.message_id = self._message_id
            step.block((block_kind, named), block_kind, named)
        elif kind in {"tool-input-start", "tool-input-available"}:
            self._feed_call(item, kind, value)
        elif kind in _ENDS:
            block_kind, id_name = _ENDS[kind]
            open_step = self._steps.get(_ANSWER)
            key = (block_kind, text_at(value, id_name))
            if open_step is not None and key in open_step.blocks:
                open_step.end_block(open_step.blocks[key])
        elif kind in {"finish", "abort", "error"}:
            self._end(kind, value)

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=not self._ended)

    def _feed_call(self, item: Item, kind: str, value: Any) -> None:
        call_id = text_at(value, "toolCallId")
        step = self._steps.open(_ANSWER, item.place)
        step.message_id = self._message_id
        name = text_at(value, "toolName")
        block = step.block(("tool-call", call_id), "tool-call", call_id, name)
        if kind == "tool-input-available":
            step.end_block(block, encode(value.get("input")).decode())

    def _end(self, kind: str, value: Any) -> None:
        step = self._steps.get(_ANSWER)
        if step is None:
            return
        step.reason = text_at(value, "finishReason") if kind == "finish" else kind
        usage = object_at(value, "messageMetadata", "usage") or object_at(value, "usage")
        names = ("inputTokens", "outputTokens", "reasoningTokens")
        counts = {name: at(usage, name) for name in names if type(at(usage, name)) is int}
        if {"inputTokens", "outputTokens"} <= counts.keys():
            step.usage = counts
        self._steps.close(_ANSWER)


class CloudflareRows:
    """The reader of rows."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._stream = VercelStream(out)
        self._rows: list[dict[str, Any]] = []

    def feed(self, item: Item) -> None:
        """Take one row."""
        value = item.value
        self._out.set_clock(number_at(value, "created_at"))
        chunks = _chunks(text_at(value, "body"))
        if chunks is None:
            self._put_rows()
            self._out.verbatim(item)
            return
        inner, is_array = chunks
        self._rows.append({**value, "body": {"chunks": len(inner), "array": is_array}})
        for chunk in inner:
            size = item.size // len(inner)
            self._stream.feed(Item(value=chunk, line=item.line, byte=item.byte, size=size))
        if len(self._rows) >= ROWS_AT_ONCE:
            self._put_rows()

    def finish(self) -> None:
        """End what is open."""
        self._put_rows()
        self._stream.finish()

    def _put_rows(self) -> None:
        if self._rows:
            self._out.flush()
            self._out.emit("source/rows", {"rows": self._rows})
            self._rows = []


def _chunks(body: str | None) -> tuple[list[Any], bool] | None:
    """The chunks in a row's body, and whether it was an array; None when it holds none."""
    try:
        value = decode(body) if body is not None else None
        if isinstance(value, dict):
            return [value], False
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return [decode(each) for each in value], True
    except HistbenchError:
        pass
    return None


def _is_row(item: Item) -> bool:
    if not {"body", "chunk_index"} <= object_at(item.value).keys():
        return False
    return _chunks(text_at(item.value, "body")) is not None


VERCEL = Format(
    name="vercel-ui",
    title="Vercel AI SDK UI message stream",
    recognises=lambda item: text_at(item.value, "type") in _KNOWN,
    family=VercelStream,
    clock="synthetic",
    deltas=True,
    keeps="every chunk",
)

CLOUDFLARE = Format(
    name="cloudflare-rows",
    title="Cloudflare Agents' rows of UI message chunks",
    recognises=_is_row,
    family=CloudflareRows,
    clock="capture",
    deltas=True,
    keeps="every chunk, and the rows' other columns; the JSON text inside a row is spelled anew",
)
