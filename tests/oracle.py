"""A second codec, fold and projection, written from the format's description and not from `src`.

They expand everything, copy everything and know no rows, raw columns or fast paths: what they
agree on with the library, two readings of the description agree on.  Nothing of ours is imported.
Values are what `json.loads` gives; `Refused` names the first broken rule of the row grammar.
"""

import math
import unicodedata
from decimal import Decimal
from itertools import pairwise
from typing import Any

__all__ = ["Refused", "decode", "fold", "joined", "pack", "project", "row_of", "token"]

MAX_SAFE = 9007199254740991
KINDS = {
    "text-chunks": ("text-delta", "text", "texts"),
    "reasoning-chunks": ("reasoning-delta", "text", "texts"),
    "tool-call-chunks": ("tool-call-delta", "argumentsDelta", "args"),
}
TAGS = {chunk_type: tag for tag, (chunk_type, _, _) in KINDS.items()}


class Refused(Exception):  # noqa: N818 - a verdict, not a failure of the oracle
    """The value is no row; the argument is the rule it breaks first."""


def number(value: Any) -> float | None:
    """`value` as a double, None when it is no number or none that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        double = float(value)
    except OverflowError:
        return None
    if not math.isfinite(double):
        return None
    if abs(value) <= MAX_SAFE or abs(value) >= 1e21:
        return value if abs(value) <= MAX_SAFE else double
    # What JavaScript prints: the shortest digits that tell the double, then zeros.
    return int(Decimal(repr(double)))


def safe(value: Any) -> bool:
    """Whether `value` is a safe integer."""
    double = number(value)
    return double is not None and double % 1 == 0 and abs(double) <= MAX_SAFE


def decode(value: Any) -> list[Any]:
    """The events of one stored value."""
    tag = value.get("type") if isinstance(value, dict) else None
    if not isinstance(tag, str) or tag not in KINDS:
        return [value]
    chunk_type, text_key, texts_key = KINDS[tag]
    is_call = chunk_type == "tool-call-delta"

    def rule(name: str, *, holds: bool) -> None:
        if not holds:
            raise Refused(name)

    rule("envelope", holds=set(value) == {"type", "seq0", "time0", "data"})
    seq0, time0, data = value["seq0"], value["time0"], value["data"]
    rule("seq0", holds=safe(seq0) and seq0 >= 0)
    rule("time0", holds=safe(time0))
    rule("data", holds=isinstance(data, dict | list))
    wanted = {"turn", "step", "index", "dt", texts_key} | ({"id"} if is_call else set())
    keys = set(data) if isinstance(data, dict) else set()
    rule("data_keys", holds=keys == wanted or (is_call and keys == wanted | {"name"}))
    named = {key: data[key] for key in ("id", "name") if key in data}
    rule("call_strings", holds=all(isinstance(each, str) for each in named.values()))
    turn, step, index = (number(data[key]) for key in ("turn", "step", "index"))
    rule("numbers", holds=None not in (turn, step, index))
    texts, gaps = data[texts_key], data["dt"]
    rule("texts", holds=isinstance(texts, list) and bool(texts))
    rule("texts", holds=all(isinstance(text, str) for text in texts))
    rule("dt", holds=isinstance(gaps, list) and all(map(safe, gaps)))
    rule("dt_length", holds=len(gaps) == len(texts) - 1)
    rule("seq_range", holds=int(seq0) + len(texts) - 1 <= MAX_SAFE)
    times = [int(time0)]
    for gap in gaps:
        times.append(times[-1] + int(gap))
    rule("time_range", holds=all(map(safe, times)))
    return [
        {
            "type": "assistant/chunk",
            "seq": int(seq0) + k,
            "time": times[k],
            "data": {
                "turn": turn,
                "step": step,
                "chunk": {"type": chunk_type, "index": index, **named, text_key: text},
            },
        }
        for k, text in enumerate(texts)
    ]


def delta_of(event: Any) -> tuple[Any, ...] | None:
    """What makes a packable delta: its block as one comparable value, then seq, time and text."""
    if not isinstance(event, dict) or set(event) != {"type", "seq", "time", "data"}:
        return None
    data = event["data"]
    if event["type"] != "assistant/chunk" or not isinstance(data, dict):
        return None
    chunk = data.get("chunk")
    if set(data) != {"turn", "step", "chunk"} or not isinstance(chunk, dict):
        return None
    if not isinstance(chunk.get("type"), str) or chunk["type"] not in TAGS:
        return None
    tag = TAGS[chunk["type"]]
    text_key = KINDS[tag][1]
    wanted = {"type", "index", text_key}
    if tag == "tool-call-chunks":
        wanted |= {"id"} | ({"name"} if "name" in chunk else set())
    if set(chunk) != wanted or not all(isinstance(chunk[k], str) for k in wanted - {"index"}):
        return None
    numbers = [data["turn"], data["step"], chunk["index"]]
    # Not in the description, which knows only doubles: a number that is none would lose digits.
    if any(number(each) is None or number(each) != each for each in numbers):
        return None
    if not safe(event["seq"]) or event["seq"] < 0 or not safe(event["time"]):
        return None
    block = (tag, *numbers, chunk.get("id"), "name" in chunk, chunk.get("name"))
    return block, event["seq"], event["time"], chunk[text_key]


def row_of(run: list[Any]) -> dict[str, Any]:
    """One or more deltas of one run as a row."""
    deltas = [delta_of(event) for event in run]
    (block, seq0, time0, _) = deltas[0]  # type: ignore[misc]
    tag, turn, step, index, call_id, is_named, name = block
    times = [delta[2] for delta in deltas if delta]
    data = {"turn": turn, "step": step, "index": index}
    data["dt"] = [later - earlier for earlier, later in pairwise(times)]
    if call_id is not None:
        data["id"] = call_id
    if is_named:
        data["name"] = name
    data[KINDS[tag][2]] = [delta[3] for delta in deltas if delta]
    return {"type": tag, "seq0": seq0, "time0": time0, "data": data}


def runs_of(events: list[Any]) -> list[list[Any]]:
    """The events in maximal runs; what is no delta is a run of its own."""
    runs: list[list[Any]] = []
    previous = None
    for event in events:
        delta = delta_of(event)
        if (
            delta
            and previous
            and delta[0] == previous[0]
            and delta[1] == previous[1] + 1
            and abs(delta[2] - previous[2]) <= MAX_SAFE
        ):
            runs[-1].append(event)
        else:
            runs.append([event])
        previous = delta
    return runs


def pack(events: list[Any]) -> list[Any]:
    """The storage records of `events`."""
    records: list[Any] = []
    for run in runs_of(events):
        records.extend([row_of(run)] if len(run) >= 3 else run)
    return records


def joined(texts: list[str]) -> str:
    """Texts joined as UTF-16 joins them."""
    return "".join(texts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def blank(text: str) -> bool:
    """Whether JavaScript's trim leaves nothing: white space is category Zs and these eight."""
    return all(unicodedata.category(c) == "Zs" or c in "\t\n\v\f\r\u2028\u2029\ufeff" for c in text)


def token(event: Any) -> bool:
    """Whether a delta carries a token."""
    (block, _, _, text) = delta_of(event)  # type: ignore[misc]
    return bool(text) or bool(block[5])


def step_of(event: Any) -> tuple[Any, Any] | None:
    """The turn and step that an event's data names."""
    data = event.get("data")
    if not isinstance(data, dict):
        return None
    named = (data.get("turn"), data.get("step"))
    return None if None in map(number, named) else named


def fold(events: list[Any]) -> dict[Any, dict[str, Any]]:
    """What the benchmark's fold knows of each step, one delta at a time."""
    steps: dict[Any, dict[str, Any]] = {}
    for event in events:
        delta, step = delta_of(event), step_of(event)
        if step is None or (delta is None and event["type"] != "step/start"):
            continue
        state = steps.setdefault(
            step, {"blocks": {}, "count": 0, "last": None, "token": None, "visible": None}
        )
        if delta is None:
            continue
        block, seq, time, text = delta
        state["blocks"][block[3]] = joined([state["blocks"].get(block[3], ""), text])
        state["count"] += 1
        state["last"] = seq
        if state["token"] is None and token(event):
            state["token"] = time
        if state["visible"] is None and block[0] != "tool-call-chunks" and not blank(text):
            state["visible"] = (seq, time)
    return steps


def project(events: list[Any]) -> list[Any]:
    """The events that the completed-step projection keeps."""
    completed = [
        step_of(event)
        for event in events
        if event["type"] == "assistant/message" and event.get("surfaceOp") == "append"
    ]
    kept, begun = [], set()
    for event in events:
        step = step_of(event)
        if delta_of(event) and step in completed:
            if step in begun or not token(event):
                continue
            begun.add(step)
        kept.append({key: value for key, value in event.items() if key != "sourceEventSeqs"})
    return kept
