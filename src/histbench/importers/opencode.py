"""OpenCode: the events of its server, and the rows of its `event` table.

    message.part.updated    the whole part so far: `part.text` of a text or reasoning part
    message.part.delta      what a part grew by: `delta` of `field: text`
    message.updated         the message: its end, its usage

A row of the table has the same payload in `data` (as an object, or as JSON text) under a type with
a version behind it, `message.part.updated.1`.  Steps are messages, told by id; `step-finish` parts
have counts and reason.  Tools' inputs come whole.  The clock is the row's `time_created`, or the
part's own start and end.
"""

from typing import Any

from histbench.errors import HistbenchError
from histbench.importers.emitting import Emitter
from histbench.importers.envelopes import Path
from histbench.importers.family import Format
from histbench.importers.fields import count_at, number_at, object_at, text_at
from histbench.importers.items import Item
from histbench.importers.snapshots import check_extends, ends_in_half
from histbench.importers.steps import Step, Steps
from histbench.jsontext import decode, encode

__all__ = ["OPENCODE", "OpenCode"]

_KINDS = {"text": "text", "reasoning": "reasoning"}
_PREFIX = "message."


class OpenCode:
    """The reader."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._steps = Steps(out)
        # The kinds of the parts of each message under way.
        self._parts: dict[str | None, dict[str, str]] = {}

    def feed(self, item: Item) -> None:
        """Take one event or row."""
        kind, payload, path = _payload(item)
        part = object_at(payload, "part")
        self._out.set_clock(_time(item.value, part))
        if kind == "message.part.updated" and self._feed_part(item, part, (*path, "part")):
            return
        if kind == "message.part.delta" and self._feed_delta(item, payload, path):
            return
        self._out.verbatim(item)
        message = text_at(part, "messageID")
        if kind == "message.part.updated" and text_at(part, "type") == "step-finish":
            step = self._steps.get(message)
            if step is not None:
                step.usage = _usage(object_at(part, "tokens")) or step.usage
                step.reason = text_at(part, "reason") or step.reason
                self._steps.close(message)
            self._parts.pop(message, None)

    def finish(self) -> None:
        """End what is open."""
        self._steps.close_all(interrupted=True)

    def _feed_part(self, item: Item, part: dict[str, Any], path: Path) -> bool:
        name, text = text_at(part, "id"), text_at(part, "text")
        kind = _KINDS.get(text_at(part, "type") or "")
        if name is None or text is None or kind is None or ends_in_half(text):
            return False
        message = text_at(part, "messageID")
        step = self._step(item, message)
        self._parts.setdefault(message, {})[name] = kind
        block = step.block(name, kind)
        check_extends(block, text, item, name)
        ended = number_at(part, "time", "end") is not None
        self._out.snapshot(item, [((*path, "text"), step, block, text)])
        if ended:
            step.end_block(block)
        return True

    def _feed_delta(self, item: Item, payload: dict[str, Any], path: Path) -> bool:
        name, text = text_at(payload, "partID"), text_at(payload, "delta")
        if name is None or text is None or text_at(payload, "field") != "text":
            return False
        message = text_at(payload, "messageID")
        step = self._step(item, message)
        kind = self._parts.get(message, {}).get(name, "text")
        block = step.block(name, kind)
        block.seen += text
        self._out.fragments(item, [((*path, "delta"), step, block, text)])
        return True

    def _step(self, item: Item, message: str | None) -> Step:
        step = self._steps.open(message, item.place)
        step.message_id = message
        return step


def _payload(item: Item) -> tuple[str, dict[str, Any], Path]:
    """The type without its version, the payload and the path to it; JSON text is opened up."""
    value = item.value
    kind = (text_at(value, "type") or "").rstrip("0123456789").removesuffix(".")
    text = text_at(value, "data")
    if text is not None and item.frame is None and kind.startswith(_PREFIX):
        try:
            inner = decode(text)
        except HistbenchError:
            inner = None
        # Only text that is spelled the same again may be kept as a value.
        if isinstance(inner, dict) and encode(inner).decode() == text:
            value["data"] = inner
            item.frame = {"json": "data"}
    if object_at(value, "data"):
        return kind, object_at(value, "data"), ("value", "data")
    return kind, object_at(value, "properties"), ("value", "properties")


def _time(value: Any, part: dict[str, Any]) -> int | float | None:
    for where in (
        (value, "time_created"),
        (part, "time", "end"),
        (part, "time", "start"),
    ):
        found = number_at(*where)
        if found is not None:
            return found
    return None


def _usage(tokens: dict[str, Any]) -> dict[str, int] | None:
    given, made = count_at(tokens, "input"), count_at(tokens, "output")
    if given is None or made is None:
        return None
    counts = {"inputTokens": given, "outputTokens": made}
    for ours, theirs in (
        ("cacheReadTokens", ("cache", "read")),
        ("cacheWriteTokens", ("cache", "write")),
        ("reasoningTokens", ("reasoning",)),
    ):
        count = count_at(tokens, *theirs)
        if count is not None:
            counts[ours] = count
    return counts


def _recognises(item: Item) -> bool:
    kind = text_at(item.value, "type") or ""
    if not kind.startswith(("message.part.", "message.updated")):
        return False
    return "properties" in item.value or "data" in item.value


OPENCODE = Format(
    name="opencode",
    title="OpenCode events and event rows",
    recognises=_recognises,
    family=OpenCode,
    clock="source",
    deltas=True,
    keeps="every event; a snapshot of a part as what it adds, and its length",
)
