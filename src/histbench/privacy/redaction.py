"""A log with its text replaced by text of the same shape; structure, numbers and times stay.

What the text of a block is replaced by depends on the whole block (`text`), so the deltas of a
block and its assembled copies, in `block-end` and in messages, stay copies of each other, and runs
stay the same runs.  The deltas of a block are one text from its `block-start` to its `block-end`,
even where blocks take turns; what is kept for each open block is one word and a few flags.

Of every other value each string is a text of its own, keys included, except what `structure` names.
Numbers, booleans and null stay.  For JSON text in its canonical spelling (what `jsontext.encode`
writes) the number of bytes stays too.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import structs

from histbench.errors import InvalidJson, UsageError
from histbench.events import Event
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.privacy.blocks import OpenBlocks, delta_of_event, edge_of_event, place_of_row
from histbench.privacy.structure import KEYS, KINDS, NAMING, is_kept_key, is_kept_value
from histbench.privacy.text import TextRedactor, redact_text
from histbench.privacy.words import Pseudonyms
from histbench.records import Plain, Record
from histbench.rows import CHUNK_TYPE, encode_texts

__all__ = ["MIN_KEY_BYTES", "Redactor", "redact_events", "redact_log"]

# Shorter keys can be tried out.
MIN_KEY_BYTES = 16

# Texts kept with their replacements: names and ids, which recur.
_CACHED = 1 << 14
_CACHED_LENGTH = 64


class Redactor:
    """Redacts the events or records of one log, in order, in memory that does not grow with it.

    Args:
        key: at least MIN_KEY_BYTES; who has it can undo much of the redaction.

    Raises:
        UsageError: `short_key`.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise UsageError(
                "the key is too short to keep anything secret",
                code="short_key",
                found=f"{len(key)} bytes",
                expected=f"at least {MIN_KEY_BYTES}",
            )
        self._pseudonyms = Pseudonyms(key)
        self._blocks = OpenBlocks(lambda: TextRedactor(self._pseudonyms))
        self._texts: dict[str, str] = {}

    def event(self, event: Event) -> Event:
        """The redacted event, a new dict.

        Raises:
            InvalidJson: the event nests too deeply (`too_deep`).
        """
        try:
            if event.get("type") == CHUNK_TYPE:
                return self._chunk_event(event)
            redacted: Event = self._value(event, "")
        except RecursionError:
            raise InvalidJson("nested too deeply", code="too_deep") from None
        return redacted

    def record(self, record: Record) -> Record:
        """The redacted storage record: a row of the same members, or an ordinary event.

        Raises:
            InvalidJson: as `event`.
        """
        if isinstance(record, Plain):
            redacted = self.event(record.event())
            view = None if record.view is None else encode(self._value(decode(record.view), ""))
            return structs.replace(record, type=redacted["type"], raw=encode(redacted), view=view)
        stream = self._blocks.of(*place_of_row(record))
        return structs.replace(
            record,
            call_id=None if record.call_id is None else self._name(record.call_id),
            name=None if record.name is None else self._name(record.name),
            texts=encode_texts(_feed_all(stream, record.text_list())),
        )

    def header(self, header: dict[str, Any]) -> dict[str, Any]:
        """The redacted header of a log: its id, folder and parent are text."""
        redacted: dict[str, Any] = self._value(header, "")
        return redacted

    def _chunk_event(self, event: Event) -> Event:
        delta = delta_of_event(event)
        redacted: Event
        if delta is None:
            edge = edge_of_event(event)
            if edge is not None:
                self._blocks.end(edge)
            redacted = self._value(event, "")
            return redacted
        fed = self._blocks.of(delta.place, delta.own).feed(delta.text)
        source = event["data"]["chunk"]
        # What was fed need not be redacted a second time.
        rest = {**source, delta.kind.text_key: ""}
        redacted = self._value({**event, "data": {**event["data"], "chunk": rest}}, "")
        chunk = redacted["data"]["chunk"]
        chunk[delta.kind.text_key] = fed
        if delta.kind.is_call:
            for key in ("id", "name"):
                if isinstance(source.get(key), str):
                    chunk[key] = self._name(source[key])
        return redacted

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, str):
            return value if is_kept_value(key, value) else self._text(value, key)
        if isinstance(value, dict):
            return {
                name if is_kept_key(name) else self._name(name, KEYS): self._value(member, name)
                for name, member in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._value(member, key) for member in value]
        return value

    def _text(self, text: str, key: str) -> str:
        if key in NAMING:
            return self._name(text, KINDS)
        if len(text) > _CACHED_LENGTH:
            return redact_text(text, self._pseudonyms)
        found = self._texts.get(text)
        if found is None:
            if len(self._texts) >= _CACHED:
                self._texts.clear()
            found = self._texts[text] = redact_text(text, self._pseudonyms)
        return found

    def _name(self, name: str, taken: frozenset[str] = frozenset()) -> str:
        """A name's replacement, never one of `taken`, which have a meaning and are not `name`.

        Walking on where it would be one keeps different names different.
        """
        replaced = redact_text(name, self._pseudonyms, plain=True)
        while replaced in taken and replaced != name:
            replaced = redact_text(replaced, self._pseudonyms, plain=True)
        return replaced


def _feed_all(stream: TextRedactor, texts: list[str]) -> list[str]:
    joined = "".join(texts)
    try:
        joined.isascii() or joined.encode()
    except UnicodeEncodeError:
        return [stream.feed(text) for text in texts]
    # Without halves of pairs, a text and its replacement have the same number of characters.
    fed, start, out = stream.feed(joined), 0, []
    for text in texts:
        out.append(fed[start : start + len(text)])
        start += len(text)
    return out


def redact_events(events: Iterable[Event], *, key: bytes) -> Iterator[Event]:
    """The events of one log, redacted; see `Redactor`.

    >>> event = {"type": "session/title", "seq": 0, "time": 5, "data": {"title": "Hi, Ann!"}}
    >>> next(redact_events([event], key=b"0123456789abcdef"))["data"]["title"][2:4]
    ', '
    """
    redactor = Redactor(key)
    return map(redactor.event, events)


def redact_log(log: EventLog, *, key: bytes) -> EventLog:
    """The log redacted: the same records, rows and diagnostics.

    Raises:
        UsageError, InvalidJson: as `Redactor`.
    """
    redactor = Redactor(key)
    header = None if log.header is None else redactor.header(log.header)
    return EventLog(map(redactor.record, log.records()), header=header, diagnostics=log.diagnostics)
