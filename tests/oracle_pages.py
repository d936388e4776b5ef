"""Pages the slow way, from docs/history.md alone: every event a dict, every candidate page encoded.

Nothing of the library's page code is used.  `encode` is the standard library's writer, so logs for
comparing budgets of bytes must not hold what JavaScript writes differently (`jsontext`).
"""

import json
from itertools import pairwise
from typing import Any, NamedTuple

Event = dict[str, Any]

CHUNK_KEYS = {
    "text-delta": ("text-chunks", "text", "texts", {"type", "index", "text"}),
    "reasoning-delta": ("reasoning-chunks", "text", "texts", {"type", "index", "text"}),
    "tool-call-delta": (
        "tool-call-chunks",
        "argumentsDelta",
        "args",
        {"type", "index", "id", "argumentsDelta"},
    ),
}


class Page(NamedTuple):
    """What a page must hold."""

    events: list[Event]
    has_more: bool
    from_seq: int
    to_seq: int
    cut: str | None = None


def cut_of(event: Event) -> int | None:
    """The cut of a message; None for what is none."""
    if event["type"] not in ("user/message", "assistant/message"):
        return None
    if event.get("surfaceOp") != "append":
        return None
    sources = event.get("sourceEventSeqs")
    seqs = [s for s in sources if type(s) is int and s >= 0] if isinstance(sources, list) else []
    return int(min([event["seq"], *seqs]))


def select(
    events: list[Event],
    *,
    before_seq: int | None = None,
    max_messages: int = 50,
    max_events: int | None = None,
    max_bytes: int | None = None,
) -> Page:
    """The page of these events, which are dense."""
    window = [e for e in events if before_seq is None or e["seq"] < before_seq]
    if not window:
        log_end = events[-1]["seq"] + 1 if events else 0
        end = log_end if before_seq is None else min(before_seq, log_end)
        return Page([], has_more=False, from_seq=end, to_seq=end)
    cuts = [cut for event in reversed(window) if (cut := cut_of(event)) is not None]
    start = cuts[max_messages - 1] if len(cuts) >= max_messages else window[0]["seq"]
    page = page_from(events, window, start, None)
    if max_events is not None and len(page.events) > max_events:
        page = page_from(events, window, page.to_seq - max_events, "events")
    if max_bytes is None:
        return page
    candidates = [page] + [
        page_from(events, page.events, event["seq"], "bytes") for event in page.events[1:]
    ]
    for candidate in candidates:
        if len(encode(candidate)) <= max_bytes:
            return candidate
    return page_from(events, page.events, page.to_seq - 1, "oversize")


def page_from(events: list[Event], window: list[Event], start: int, cut: str | None) -> Page:
    """The page of the window's events from `start` on."""
    kept = [event for event in window if event["seq"] >= start]
    return Page(kept, kept[0]["seq"] > events[0]["seq"], kept[0]["seq"], kept[-1]["seq"] + 1, cut)


def encode(page: Page) -> bytes:
    """The page in the packed form."""
    value = {
        "records": records(page.events),
        "hasMore": page.has_more,
        "fromSeq": page.from_seq,
        "toSeq": page.to_seq,
    }
    if page.cut is not None:
        value["cut"] = page.cut
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def records(events: list[Event]) -> list[Any]:
    """The wire records: every longest run of three or more deltas as a row."""
    out: list[Any] = []
    start = 0
    while start < len(events):
        stop = start + 1
        while stop < len(events) and continues(events[stop - 1], events[stop]):
            stop += 1
        if is_delta(events[start]) and stop - start >= 3:
            out.append({"chunks": row(events[start:stop])})
            start = stop
        else:
            out.append({"event": events[start]})
            start += 1
    return out


def is_delta(event: Event) -> bool:
    """Whether the event may stand in a row."""
    if event["type"] != "assistant/chunk" or event.keys() != {"type", "seq", "time", "data"}:
        return False
    data = event["data"]
    if not isinstance(data, dict) or data.keys() != {"turn", "step", "chunk"}:
        return False
    chunk = data["chunk"]
    if not isinstance(chunk, dict) or chunk.get("type") not in CHUNK_KEYS:
        return False
    _, text_key, _, keys = CHUNK_KEYS[chunk["type"]]
    strings = [chunk.get(key) for key in (text_key, "id", "name") if key in chunk]
    numbers = [data["turn"], data["step"], chunk.get("index")]
    return (
        chunk.keys() - {"name"} == keys
        and ("name" not in chunk or chunk["type"] == "tool-call-delta")
        and all(isinstance(each, str) for each in strings)
        and all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
        and type(event["time"]) is int
        and abs(event["time"]) < 2**53
    )


def continues(before: Event, event: Event) -> bool:
    """Whether two events are neighbours in a row."""
    if not is_delta(before) or not is_delta(event):
        return False
    return shared(before) == shared(event) and abs(event["time"] - before["time"]) < 2**53


def shared(event: Event) -> tuple[Any, ...]:
    """What all members of a row have in common."""
    data, chunk = event["data"], event["data"]["chunk"]
    call = (chunk.get("id"), chunk.get("name"))
    return (chunk["type"], data["turn"], data["step"], chunk["index"], *call)


def row(events: list[Event]) -> dict[str, Any]:
    """The row of a run."""
    data, chunk = events[0]["data"], events[0]["data"]["chunk"]
    tag, text_key, texts_key, _ = CHUNK_KEYS[chunk["type"]]
    times = [event["time"] for event in events]
    columns: dict[str, Any] = {"turn": data["turn"], "step": data["step"], "index": chunk["index"]}
    columns["dt"] = [later - earlier for earlier, later in pairwise(times)]
    columns |= {key: chunk[key] for key in ("id", "name") if key in chunk}
    columns[texts_key] = [event["data"]["chunk"][text_key] for event in events]
    return {"type": tag, "seq0": events[0]["seq"], "time0": times[0], "data": columns}
