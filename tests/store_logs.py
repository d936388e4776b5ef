"""Session files for the store's tests, spelled out without the store's own writer.

The framing here is the zstandard library's and the lines are `json.dumps`, so that what the store
writes is held against something that it did not make.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import strategies as st

from histbench.errors import HistbenchError

Event = dict[str, Any]

# Minutes of crash matrix; what runs by default is a sample of the same.
exhaustive = pytest.mark.skipif(
    not os.environ.get("HISTBENCH_EXHAUSTIVE"), reason="HISTBENCH_EXHAUSTIVE is not set"
)

HEADER = {"type": "session", "version": 0, "id": "s", "createdAt": 5, "delegationDepth": 0}


def line(value: Any) -> bytes:
    """One stored line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


HEADER_LINE = line(HEADER)


def frame(content: bytes, *, checksum: bool = True, level: int = 3) -> bytes:
    """One zstd frame."""
    return zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(content)


def delta(seq: int, text: str = "ab", *, time: int = 7, kind: str = "text", step: int = 1) -> Event:
    """A packable delta."""
    chunk = {"type": f"{kind}-delta", "index": 0, "text": text}
    data = {"turn": 1, "step": step, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": time, "data": data}


def note(seq: int, time: int = 7, **data: Any) -> Event:
    """An ordinary event that means nothing to anybody."""
    return {"type": "note", "seq": seq, "time": time, "data": data, "ignorable": True}


def user_message(seq: int, text: str = "hello") -> Event:
    """A counted message of the user."""
    content = [{"type": "text", "text": text}]
    data = {"content": content, "source": {"kind": "user"}, "role": "user", "id": f"m{seq}"}
    return {"type": "user/message", "seq": seq, "time": 7, "data": data, "surfaceOp": "append"}


def assistant_message(seq: int, sources: list[int], **more: Any) -> Event:
    """A counted message of the assistant, made of the chunks `sources`."""
    message = {"role": "assistant", "content": [{"type": "text", "text": "hi"}], "id": f"m{seq}"}
    return {
        "type": "assistant/message",
        "seq": seq,
        "time": 7,
        "data": {"turn": 1, "step": 1, "message": message},
        "sourceEventSeqs": sources,
        "surfaceOp": "append",
        **more,
    }


def conversation(turns: int, *, deltas: int = 5) -> list[Event]:
    """A dense log: each turn a user message, a step of `deltas` chunks, an assistant message."""
    events: list[Event] = []

    def put(event: Event) -> None:
        events.append(event)

    for turn in range(turns):
        put({"type": "turn/start", "seq": len(events), "time": 7, "data": {"turn": turn}})
        put(user_message(len(events), f"question {turn}"))
        step = {"turn": turn, "step": 1}
        put({"type": "step/start", "seq": len(events), "time": 7, "data": step})
        first = len(events)
        for number in range(deltas):
            put(delta(len(events), f"t{turn}.{number}", time=7 + number))
        put(assistant_message(len(events), list(range(first, len(events)))))
        put({"type": "step/end", "seq": len(events), "time": 8, "data": step})
        end = {"turn": turn, "reason": {"kind": "completed"}}
        put({"type": "turn/end", "seq": len(events), "time": 9, "data": end})
    return events


def plain_log(events: Iterable[Event], header: bytes = HEADER_LINE) -> bytes:
    """An unpacked text log."""
    return header + b"".join(map(line, events))


def framed_log(batches: Iterable[Iterable[Event]], header: bytes = HEADER_LINE) -> bytes:
    """A compressed log: the header's frame, then one frame a batch, lines unpacked."""
    return frame(header) + b"".join(frame(b"".join(map(line, batch))) for batch in batches)


def write(path: Path, data: bytes) -> Path:
    """The file `path` with `data` in it."""
    path.write_bytes(data)
    return path


def refusal(function: Any, *args: Any, **options: Any) -> HistbenchError:
    """The error of ours that a call ends with."""
    try:
        result = function(*args, **options)
    except HistbenchError as error:
        return error
    raise AssertionError(f"no refusal, but {result!r}")


@st.composite
def event_logs(draw: st.DrawFn, max_size: int = 30) -> list[Event]:
    """Dense sequences of events in which runs form, break and nearly form."""
    texts = st.text(max_size=4)
    shapes = draw(st.lists(st.integers(0, 4), max_size=max_size))
    events: list[Event] = []
    for seq, shape in enumerate(shapes):
        time = 1000 + draw(st.integers(-3, 50))
        if shape <= 2:
            kind = "reasoning" if shape == 2 else "text"
            events.append(delta(seq, draw(texts), time=time, kind=kind))
        elif shape == 3:
            events.append({**delta(seq, draw(texts), time=time), "extra": draw(texts)})
        else:
            events.append(note(seq, time, said=draw(texts)))
    return events
