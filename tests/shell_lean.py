"""Lean pages that no encoder writes: markers wherever a fold looks, or that are none at all.

A string of an event may be any text of the page here, a block's kind or `append` for one, so that
whoever folds a page without expanding it has to look as closely as whoever expands it first.
Only `randrange` is used, whose numbers are the same in every version of Python.
"""

from itertools import pairwise
from random import Random
from typing import Any

from histbench.jsontext import encode
from shell_logs import pick

_KINDS = ("text", "reasoning", "tool-call")
_WORDS = (
    *("text-delta", "reasoning-delta", "tool-call-delta", "block-end", "block-start", "usage"),
    *("text", "reasoning", "tool-call", "append", "assistant/chunk", "c1", "read", "{}", "image"),
    *("", " ", "\ufeff", "\x85", "née 😀", "\ud83d", "\ude00", "a\n", '"', "\\", "forty-two"),
)
_FAULTY: tuple[Any, ...] = (
    *({"": 3.5}, {"": -1}, {"": None}, {"": []}, {"": [0]}, {"": [0, 0]}, {"": [0, -1]}),
    *({"": 2**53}, {"": [0, 2**53]}, {"": "0-0"}, {"": "1-0"}, {"": "0-9007199254740992"}),
    *({"": "0-1 "}, {"": "00-1"}, {"": 0, "a": 1}, {"": {"": 0}}, {"": 9_999_999_999_999_999}),
    *({"": 2**53 - 1}, {"": "0-500"}, {"": "5"}, {"": True}, {"": "x"}),
)


def draw_page(random: Random) -> bytes:
    """A page, mostly one that may be read."""
    draw = _Draw(random)
    for _ in range(2 + random.randrange(9)):
        pick(random, (draw.row, draw.row, draw.delta, draw.lean, draw.lean, draw.plain))()
    return draw.page()


class _Draw:
    """The records of a page so far, and the first seqs of those that have a text."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._start: int = pick(random, (0, 0, 7, 99_998, 2**53 - 10_000))
        self._seq: int = self._start
        self._sources: list[int] = []
        self._records: list[dict[str, Any]] = []
        # One page in five has faults.
        self._faults = not random.randrange(5)

    def page(self) -> bytes:
        value = {
            "records": self._records,
            "hasMore": False,
            "fromSeq": self._start,
            "toSeq": self._seq,
        }
        return encode(value)

    def row(self) -> None:
        """A row, joined where its texts allow it."""
        random = self._random
        kind = pick(random, _KINDS)
        texts = [pick(random, _WORDS) for _ in range(1 + random.randrange(3))]
        call = {"id": pick(random, ("", "c1"))} if kind == "tool-call" else {}
        if call and random.randrange(2):
            call["name"] = pick(random, ("", "read"))
        place = {**self._step(), "index": random.randrange(2)}
        gaps = len(texts) - 1
        if random.randrange(2):
            data = {**place, "dt": "3" * gaps, **call, "text": "\x7f".join(texts)}
            record, tag = "joined", f"{kind}-joined"
        else:
            key = "args" if call else "texts"
            data = {**place, "dt": [3] * gaps, **call, key: texts}
            record, tag = "chunks", f"{kind}-chunks"
        row = {"type": tag, "seq0": self._seq, "time0": self._time(), "data": data}
        self._sources.append(self._seq)
        self._records.append({record: row})
        self._seq += len(texts)

    def delta(self) -> None:
        """A delta that is an ordinary event."""
        chunk = {"type": "text-delta", "index": 0, "text": pick(self._random, _WORDS)}
        self._sources.append(self._seq)
        self._add("event", "assistant/chunk", data={**self._step(), "chunk": chunk})

    def plain(self) -> None:
        """An event as it is."""
        kind, data, fields = self._event()
        self._add("event", kind, data=data, **fields)

    def lean(self) -> None:
        """An event with markers in it."""
        kind, data, fields = self._event()
        if not self._random.randrange(3):
            first = 900 + self._random.randrange(200)
            listed = [first - 5, {"": f"{first}-{first + 1 + self._random.randrange(3)}"}]
            fields = {**fields, "sourceEventSeqs": listed}
        marked = {key: self._marked(value) for key, value in {"data": data, **fields}.items()}
        # An event without markers is a fault, too.
        has_some = b'{"":' in encode(marked) or (self._faults and not self._random.randrange(4))
        self._add("lean" if has_some else "event", kind, **marked)

    def _add(self, record: str, kind: str, **fields: Any) -> None:
        event = {"type": kind, "seq": self._seq, "time": self._time(), **fields}
        self._records.append({record: event})
        self._seq += 1

    def _time(self) -> int:
        return 1_700_000_000_000 + 10 * (self._seq - self._start)

    def _step(self) -> dict[str, Any]:
        return {"turn": self._random.randrange(2), "step": self._random.randrange(2)}

    def _block(self) -> Any:
        random = self._random
        text = {pick(random, ("text", "text", "arguments")): pick(random, _WORDS)}
        block = {"type": pick(random, _WORDS[6:9]), **text, "id": "c1", "name": "read"}
        other = {"type": "image", "source": {"10": [1, "x"], "2": pick(random, _WORDS)}}
        return pick(random, (block, block, block, other, "no block", [1, "two"]))

    def _event(self) -> tuple[str, Any, dict[str, Any]]:
        random = self._random
        step, index = self._step(), random.randrange(2)
        content = [self._block() for _ in range(random.randrange(4))]
        usage = {"inputTokens": 4, "note": pick(random, _WORDS), "seqs": [7, 8]}
        chunk = pick(
            random,
            (
                {"type": "block-end", "index": index, "block": self._block()},
                {"type": "block-end", "index": index, "block": self._block()},
                {"type": "block-start", "index": index, "blockType": pick(random, _WORDS)},
                {"type": "text-delta", "index": index, "text": pick(random, _WORDS)},
                {"type": "tool-call-delta", "index": index, "id": "c1", "argumentsDelta": "{}"},
                {"type": "usage", "usage": usage},
                "no chunk",
            ),
        )
        if random.randrange(2):
            return "assistant/chunk", {**step, "chunk": chunk}, {}
        operation = pick(random, ("append", "append", "other"))
        message = {**step, "message": {"role": "assistant", "content": content}}
        kinds = ("step/start", "step/end", "turn/end", "llm/retry", "note")
        if random.randrange(3):
            return "assistant/message", message, {"surfaceOp": operation}
        return pick(random, kinds), {**step, "why": pick(random, _WORDS)}, {}

    def _marked(self, value: Any) -> Any:
        """The value with markers for some of its strings, and ranges in some of its lists."""
        random = self._random
        if self._faults and not random.randrange(12):
            return self._fault()
        if isinstance(value, dict) and "" in value:
            return value
        if isinstance(value, dict):
            return {key: self._marked(each) for key, each in value.items()}
        if isinstance(value, list):
            marked = [self._marked(each) for each in value]
            if not random.randrange(6):
                first = random.randrange(12)
                place = random.randrange(len(marked) + 1)
                marked.insert(place, {"": f"{first}-{first + 1 + random.randrange(3)}"})
            return marked
        if isinstance(value, str) and self._sources and not random.randrange(3):
            return self._copy()
        return value

    def _fault(self) -> Any:
        random = self._random
        often = [self._copy()] * (6 + random.randrange(6)) if self._sources else []
        somewhere = {"": self._start + random.randrange(self._seq - self._start + 2)}
        return pick(random, (pick(random, _FAULTY), somewhere, somewhere, often, often))

    def _copy(self) -> dict[str, Any]:
        first = self._random.randrange(len(self._sources))
        named = self._sources[first : first + 1 + self._random.randrange(3)]
        if len(named) == 1:
            return {"": named[0]}
        steps = [after - before for before, after in pairwise(named)]
        return {"": [named[0], *steps]}
