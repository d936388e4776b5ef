"""Sessions that tell things twice: blocks in deltas, and copies that are, or only nearly are, theirs.

What is drawn are stored lines, so that an event's own spelling is part of it.
"""

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from histbench.history import HistoryPage
from histbench.jsontext import encode
from histbench.log import LogBuilder
from histbench.records import Plain

__all__ = ["page_of_lines", "raw_events", "told_sessions"]

# Long enough together that a marker pays; the rest is what escaping and joining may get wrong.
_TEXTS = [
    *(
        "twelve words about one thing ",
        "wörter ",
        "漢字かな",
        "x" * 30,
        "y" * 30,
        '{"command": "ls"}',
    ),
    *('"', "\\", '\\"', "\\ud83d", "\ud83d", "\ude00", "😀", "\x7f", "\n", "\x01", "/", "", '","'),
]
_KINDS = [
    ("text", "text-delta"),
    ("reasoning", "reasoning-delta"),
    ("tool-call", "tool-call-delta"),
]


def _altered(draw: st.DrawFn, text: str) -> str:
    """The text, or one that differs by a character, a half of one, or an ending."""
    way = draw(st.integers(0, 9))
    place = draw(st.integers(0, max(0, len(text) - 1)))
    if way == 0:
        return (
            text[:place] + draw(st.sampled_from(["z", "\ud83d", "\ude00", '"'])) + text[place + 1 :]
        )
    if way == 1:
        return text[:place] + text[place + 1 :]
    if way == 2:
        return text + draw(st.sampled_from(["z", "\ude00", "\\"]))
    return text


def _spelled(draw: st.DrawFn, value: Any) -> bytes:
    """JSON text of an event, mostly as JavaScript writes it."""
    way = draw(st.integers(0, 9))
    if way == 0:
        return json.dumps(value, separators=(",", ":")).encode()
    if way == 1:
        return json.dumps(value).encode()
    if way == 2:
        return encode(value).replace(b"w", b"\\u0077", 1)
    if way == 3:
        return encode(value).replace(b"/", b"\\/")
    if way == 4:
        return encode({key: value[key] for key in reversed(value)})
    return encode(value)


def _copies(draw: st.DrawFn, where: dict[str, Any], blocks: list[dict[str, Any]]) -> list[Any]:
    """The events of a step that tell its blocks again."""
    told: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        text = _altered(draw, block["said"])
        key = "arguments" if block["kind"] == "tool-call" else "text"
        again: dict[str, Any] = {"type": block["kind"], key: text}
        if draw(st.integers(0, 9)) == 0:
            again = {key: text, "": 1, "type": block["kind"]}
        if draw(st.integers(0, 9)) == 0:
            again[text] = "as a key"
        told.append(again)
        ended = {"type": "block-end", "index": index, "block": again}
        if draw(st.booleans()):
            events.append({"type": "assistant/chunk", "data": {**where, "chunk": ended}})
    message = {"type": "assistant/message", "data": {**where, "message": {"content": told}}}
    calls = [
        {"type": "tool/call", "data": {**where, "arguments": _altered(draw, block["said"])}}
        for block in blocks
        if block["kind"] == "tool-call"
    ]
    return [*events, message, *calls]


@st.composite
def told_sessions(draw: st.DrawFn) -> list[bytes]:
    """The lines of a session, dense from some seq on."""
    seq = draw(st.sampled_from([0, 0, 7, 99_990]))
    lines: list[bytes] = []

    def add(event: dict[str, Any], **fields: Any) -> None:
        stamped = {"type": event["type"], "seq": seq + len(lines), "time": 5, "data": event["data"]}
        lines.append(_spelled(draw, stamped | fields))

    for step in range(draw(st.integers(1, 3))):
        where = {"turn": 1, "step": step}
        first = seq + len(lines)
        blocks = []
        for index in range(draw(st.integers(1, 3))):
            kind, delta = draw(st.sampled_from(_KINDS))
            texts = draw(st.lists(st.sampled_from(_TEXTS), min_size=1, max_size=8))
            call = {"id": "c"} if kind == "tool-call" else {}
            key = "argumentsDelta" if call else "text"
            for text in texts:
                chunk = {"type": delta, "index": index, **call, key: text}
                add({"type": "assistant/chunk", "data": {**where, "chunk": chunk}})
                if draw(st.integers(0, 6)) == 0:
                    add({"type": "note", "data": None})
            said = "".join(texts)
            blocks.append({"kind": kind, "said": draw(st.sampled_from([said, said, texts[-1]]))})
        for event in _copies(draw, where, blocks):
            seqs = list(range(first, seq + len(lines)))
            if draw(st.integers(0, 3)) == 0:
                seqs.insert(draw(st.integers(0, len(seqs))), draw(st.integers(0, 2**53 + 1)))
            add(event, **({"sourceEventSeqs": seqs} if "message" in event["data"] else {}))
    return lines


def page_of_lines(lines: Iterable[bytes]) -> HistoryPage:
    """All of these lines' events as one page."""
    builder = LogBuilder()
    for line in lines:
        builder.add_line(line)
    log = builder.build()
    return HistoryPage(
        records=log.records(), has_more=False, from_seq=log.from_seq, to_seq=log.to_seq
    )


def raw_events(page: HistoryPage) -> list[bytes]:
    """The JSON text of every event of a page, as it is kept."""
    return [
        raw
        for record in page.records
        for raw in ([record.raw] if isinstance(record, Plain) else record.event_jsons())
    ]
