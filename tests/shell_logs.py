"""Small session logs that two languages must agree on, drawn from a seeded generator.

Only `randrange` is used, whose numbers are the same in every version of Python.
"""

from random import Random
from typing import Any

Event = dict[str, Any]

_TEXTS = ("", " ", "a", "née", '"', "\\", ",", "two words", "\n", '","', "𝄞", "\ufeff", "\x85")
_KINDS = ("text-delta", "reasoning-delta", "tool-call-delta")
_BLOCKS: tuple[Any, ...] = (
    {"type": "text", "text": "done"},
    {"type": "reasoning", "text": " "},
    {"type": "tool-call", "id": "c1", "name": "read", "arguments": "{}"},
    {"type": "image", "source": {"10": [1.5, None], "2": "x"}},
    {"type": 7},
    "no block",
)
_START = 1_700_000_000_000


def pick(random: Random, options: Any) -> Any:
    """One of the options."""
    return options[random.randrange(len(options))]


def draw_events(random: Random, parts: int) -> list[Event]:
    """A dense log of as many runs and ordinary events, its first seq any."""
    bare: list[Event] = []
    for _ in range(parts):
        step = {"turn": random.randrange(2), "step": pick(random, (0, 1, 1, 0.5))}
        draw = pick(random, (_run, _run, _chunk, _ordinary, _told))
        bare.extend(draw(random, step))
    seq, time = pick(random, (0, 0, 7, 2**53 - 10_000)), _START
    events = []
    for number, event in enumerate(bare):
        time += pick(random, (0, 1, 7, 61, 62, 900, -5))
        # The keys in the order in which the format writes them.
        stamped = {"type": event.pop("type"), "seq": seq + number, "time": time}
        events.append({**stamped, **event})
    return events


def _event(kind: str, step: Event, **more: Any) -> Event:
    return {"type": kind, "data": {**step, **more}}


def _delta(kind: str, index: int, text: str, call: Event) -> Event:
    key = "argumentsDelta" if kind == "tool-call-delta" else "text"
    return {"type": kind, "index": index, **call, key: text}


def _run(random: Random, step: Event) -> list[Event]:
    kind, index = pick(random, _KINDS), random.randrange(3)
    call: Event = {}
    if kind == "tool-call-delta":
        call["id"] = pick(random, ("", "c1", "c2"))
        if random.randrange(2):
            call["name"] = pick(random, ("", "read"))
    blank = random.randrange(3)
    texts = [pick(random, _TEXTS[:2] if blank == 0 else _TEXTS) for _ in range(random.randrange(9))]
    if texts and not random.randrange(5):
        # A separator, or half of a surrogate pair and perhaps its other half.
        texts[-1:] = pick(random, (["\x7f"], ["\ud83d"], ["\ud83d", "\ude00"]))
    return [_event("assistant/chunk", step, chunk=_delta(kind, index, t, call)) for t in texts]


def _chunk(random: Random, step: Event) -> list[Event]:
    index = random.randrange(3)
    chunk = pick(
        random,
        (
            {"type": "block-start", "index": index, "blockType": pick(random, ("text", "image"))},
            {"type": "block-end", "index": index, "block": pick(random, _BLOCKS)},
            {"type": "usage", "usage": {"inputTokens": index, "x": True, "__proto__": 4}},
            {"type": "text-delta", "index": index, "text": "more than a delta", "extra": 1},
            {"type": "finish", "reason": {"kind": "stop"}},
            "no chunk",
        ),
    )
    return [_event("assistant/chunk", step, chunk=chunk)]


def _ordinary(random: Random, step: Event) -> list[Event]:
    kinds = ("turn/start", "step/start", "step/start", "step/end", "turn/end", "llm/retry", "note")
    event = _event(pick(random, kinds), step)
    if not random.randrange(6):
        event["data"] = pick(random, (None, [], "text", {"": 0}, {"turn": "1", "step": 1}))
    if event["type"] == "note":
        event["ignorable"] = True
    return [event]


def _told(random: Random, step: Event) -> list[Event]:
    """A step as a whole: its deltas, the block that they come to, and the message."""
    text = pick(random, ("The answer to all of it is forty-two.", "short", "naïve 😀 " * 5))
    parts = [text[k : k + 4] for k in range(0, len(text), 4)]
    deltas = [
        _event("assistant/chunk", step, chunk=_delta("text-delta", 0, part, {})) for part in parts
    ]
    block = {"type": "text", "text": text}
    end = _event("assistant/chunk", step, chunk={"type": "block-end", "index": 0, "block": block})
    content = [block, pick(random, _BLOCKS)]
    message = _event("assistant/message", step, message={"role": "assistant", "content": content})
    message["surfaceOp"] = pick(random, ("append", "append", {"op": "replace"}))
    if random.randrange(2):
        message["data"]["interrupted"] = bool(random.randrange(2))
    message["sourceEventSeqs"] = list(range(1000, 1000 + random.randrange(2, 9)))
    return [*deltas, end, message]
