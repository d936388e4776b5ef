"""Everything that a packing codec and a JSON reader may stumble over, in one valid log.

Short stretches of deltas, each with one peculiarity that holds for the whole stretch or breaks
its run: texts that cannot be compressed, that need escapes or hold the syntax of the row around
them (`","`), the separator of the joined form (U+007F), halves of surrogate pairs, empty texts;
clocks that run backwards or jump across the whole range of safe integers, so that a gap is no
safe integer any more; fractional and negative turns, steps and indices; calls that lose their name
or change their id half-way; unknown keys and flags that forbid packing; unknown events between.

Every seq is dense and every event is one that a reader must keep.  Packing barely pays here, and
compression does not: most bytes are noise.
"""

from collections.abc import Callable, Iterator
from typing import Any

from synthetic.chat import T0
from synthetic.dice import Dice
from synthetic.profiles import Adversarial

__all__ = ["adversarial_events"]

Event = dict[str, Any]

_MAX_SAFE = 2**53 - 1
_STRETCH = (1, 5)
_NOISE_CHARACTERS = (20, 400)
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# Syntax of rows and JSON, separators, controls, and what JavaScript and Python see differently.
_TRAPS = (
    '","', '"', "\\", "\\\\", "\\u0041", "\\ud83d", "\x7f", "a\x7fb", "\x7f\x7f", "\n", "\r\n",
    "\t", "\x00", "\x1f", "\x0b\x0c\x08", "\x85", "\u2028", "\u2029", "\ufeff", "\u00a0", "\u3000",
    "]}", '{"type":"text-chunks"}', "]]>", "</script>", "", " ", "0", "null", "NaN", "1e999",
    "\ud83d", "\ude00", "\ud83d\ude00"[:1] + "x", "\ude00\ud83d", "\U0001f600", "e\u0301", "\u202e",
    "ﷺ", "İ", "ß", "\U0010ffff", "\ufffd", "\uffff",
)  # fmt: skip
# Numbers that are the same in every JSON reader, but none that a careless one expects.
_ODD_NUMBERS = (0, 1, 2, -1, 0.5, 2.25, -3.75, _MAX_SAFE, -_MAX_SAFE, 1e-7)
_SOMETIMES = 12


class _Writer:
    """The next events: knows seq and clock, and draws what is odd about each stretch."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.seq = 0
        self.now = T0

    def event(self, type_: str, data: Any, **fields: Any) -> Event:
        event = {"type": type_, "seq": self.seq, "time": self.now, "data": data, **fields}
        self.seq += 1
        return event

    def text(self) -> str:
        dice = self.dice
        if dice.percent(50):
            return dice.one_of(_TRAPS)
        return "".join(dice.one_of(_ALPHABET) for _ in range(dice.between(*_NOISE_CHARACTERS)))

    def number(self) -> int | float:
        dice = self.dice
        return dice.one_of(_ODD_NUMBERS) if dice.percent(_SOMETIMES) else dice.between(0, 3)

    def tick(self, mode: int) -> None:
        """Moves the clock: a burst, backwards, by a huge step, or to either end of its range."""
        dice = self.dice
        if mode == 1:
            self.now -= dice.between(0, 5_000)
        elif mode == 2:
            self.now += dice.between(-(2**40), 2**40)
        elif mode == 3:
            self.now = dice.one_of((_MAX_SAFE, -_MAX_SAFE, 0, -1))
        else:
            self.now += dice.one_of((0, 0, 1, 28))
        self.now = max(-_MAX_SAFE, min(_MAX_SAFE, self.now))

    def stretch(self) -> Iterator[Event]:
        """One to five deltas of one block."""
        dice = self.dice
        kind = dice.one_of(("text-delta", "reasoning-delta", "tool-call-delta"))
        where: Event = {"turn": self.number(), "step": self.number()}
        block: Event = {"type": kind, "index": self.number()}
        call = kind == "tool-call-delta"
        if call:
            block["id"] = dice.one_of(("call_1", "call_2", "", "\ud800", '"'))
            if dice.percent(60):
                block["name"] = dice.one_of(("bash", "", "\\", "read"))
        odd = dice.one_of(_ODDITIES) if dice.percent(60) else None
        clock = dice.weighted((70, 12, 10, 8))
        length = dice.between(*_STRETCH)
        for member in range(length):
            chunk = {**block, ("argumentsDelta" if call else "text"): self.text()}
            event = self.event("assistant/chunk", {**where, "chunk": chunk})
            if odd is not None and member == length // 2:
                odd(event)
            yield event
            self.tick(clock)


def _flagged(event: Event) -> None:
    event["ignorable"] = True


def _extra_chunk_key(event: Event) -> None:
    event["data"]["chunk"]["annotations"] = [{"__proto__": None, "0": 1}]


def _extra_data_key(event: Event) -> None:
    event["data"]["attempt"] = 2


def _other_index(event: Event) -> None:
    event["data"]["chunk"]["index"] = 77


def _other_name(event: Event) -> None:
    chunk = event["data"]["chunk"]
    if "id" in chunk and chunk.pop("name", None) is None:
        text = chunk.pop("argumentsDelta")
        chunk |= {"name": "late", "argumentsDelta": text}


def _keys_in_other_order(event: Event) -> None:
    data = event["data"]
    data["turn"] = data.pop("turn")
    event["data"] = data


_ODDITIES: tuple[Callable[[Event], None], ...] = (
    _flagged, _extra_chunk_key, _extra_data_key, _other_index, _other_name, _keys_in_other_order,
)  # fmt: skip


def adversarial_events(profile: Adversarial, seed: int) -> Iterator[Event]:
    """Stretches and other events, the last one ending at or after `profile.events` events."""
    dice = Dice(seed, "adversarial")
    writer = _Writer(dice)
    yield writer.event("turn/start", {"turn": 1})
    content = [{"type": "text", "text": '\\ud83d " \ud83d </script>'}]
    message = {"content": content, "source": {"kind": "user"}, "role": "user", "id": dice.uuid()}
    yield writer.event("user/message", message, surfaceOp="append")
    yield writer.event("step/start", {"turn": 1, "step": 1})
    while writer.seq < profile.events:
        yield from writer.stretch()
        if dice.percent(_SOMETIMES):
            data = {"deep": [[[{}]], {}, [], None, True, 0.1, 1e21], "": "", "seq": -1}
            yield writer.event("benchmark/separator", data, ignorable=True)
            writer.tick(0)
