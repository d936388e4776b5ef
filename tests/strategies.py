"""What Hypothesis draws logs from: any JSON, and above all what nearly is a run of deltas."""

import json
from typing import Any

from hypothesis import strategies as st

import oracle

__all__ = [
    "Event",
    "any_records",
    "deltas",
    "event_lists",
    "gap_lists",
    "hostile_texts",
    "json_keys",
    "json_numbers",
    "json_texts",
    "json_values",
    "layouts",
    "lines",
    "logs",
    "near_rows",
    "ordinary_events",
    "rows",
    "spellings",
]

Event = dict[str, Any]

MAX_SAFE = 2**53 - 1
TAGS = tuple(oracle.KINDS)

# Each piece has fooled some reader that counts quotes, splits at separators or trims.
_FRAGMENTS = [
    *('","', '"', ",", "\\", '\\"', '\\",', '\\\\"', '","\\', "]", "[", "}", "{", "(", ")", "\x7f"),
    *("", " ", "\t", "\n", "\x00", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff", "/"),
    *("\ud83d", "\ude00", "\ud800", "\udfff", "\U0001f600", "é", "漢", "\\u0041", "a", "1", "n"),
]


def _merged(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


# Two halves that meet in one string are one character, to JavaScript and in what is read back.
json_texts = st.one_of(
    st.text(max_size=6),
    st.lists(st.sampled_from(_FRAGMENTS), max_size=5).map("".join).map(_merged),
)
# One choice each, since a run is many: every fragment, and every two next to each other.
hostile_texts = st.sampled_from(
    [*_FRAGMENTS, *(_merged(one + other) for one in _FRAGMENTS for other in _FRAGMENTS)]
)
json_keys = st.one_of(
    json_texts,
    st.sampled_from(["", "0", "1", "10", "01", "-1", "4294967294", "4294967295", "1e3", "type"]),
)
json_numbers = st.one_of(
    st.integers(-3, 70),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**60), 2**60).map(float),
    st.sampled_from([0.0, -0.0, 1e3, 1e16, 1e21, 1e-6, 1e-7, 5e-324, MAX_SAFE, 2**53, 2**53 + 1]),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), json_numbers, json_texts),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(json_keys, inner, max_size=3),
    max_leaves=4,
)

# Mostly one step, so that a message finds the deltas it completes.
_numbers = st.sampled_from([1, 1, 1, 1, 1.0, 0, 2, 0.5, -1, 1e21, 2**53 - 1])
_one_gap = st.sampled_from([0, 1, 5, 28, 61, 62, 61.0, -1, -100, 3_600_000, -(2**40), 2**53])
# Most gaps of a recorded session are 0.
_gaps = st.one_of(st.just(0), st.just(0), _one_gap)
_times = st.one_of(
    st.integers(0, 100),
    st.just(1_700_000_000_000),
    st.sampled_from([-5, MAX_SAFE, -MAX_SAFE, MAX_SAFE - 3]),
)


# Runs of zeros and of ones, of all lengths in a map's characters, between gaps of all sizes.
_some_gaps = st.one_of(
    st.integers(0, 40).map(lambda zeros: [0] * zeros),
    st.integers(0, 14).map(lambda ones: [1] * ones),
    st.lists(st.sampled_from([0, 0, 0, 1, 1, 2]), max_size=20),
    st.integers(-3, 70).map(lambda gap: [gap]),
    st.sampled_from([100, 255, 256, 10_009, -700, MAX_SAFE, -MAX_SAFE]).map(lambda gap: [gap]),
)
gap_lists = st.lists(_some_gaps, max_size=8).map(
    lambda pieces: [gap for piece in pieces for gap in piece]
)


def deltas(seq: float, time: float, text: str, block: dict[str, Any]) -> Event:
    """A delta of `block`: its tag, turn, step, index and, for calls, id and perhaps name."""
    chunk_type, text_key, _ = oracle.KINDS[block["tag"]]
    call: Event = {key: block[key] for key in ("id", "name") if key in block}
    chunk: Event = {"type": chunk_type, "index": block["index"], **call, text_key: text}
    data = {"turn": block["turn"], "step": block["step"], "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": time, "data": data}


@st.composite
def _blocks(draw: st.DrawFn) -> dict[str, Any]:
    block: dict[str, Any] = {
        "tag": draw(st.sampled_from(TAGS)),
        "turn": draw(_numbers),
        "step": draw(_numbers),
        "index": draw(_numbers),
    }
    if block["tag"] == "tool-call-chunks":
        block["id"] = draw(st.sampled_from(["", "c1", "c2", "\ud83d"]))
        if draw(st.booleans()):
            block["name"] = draw(st.sampled_from(["", "read", '","']))
    return block


# Each makes of a delta something that looks like one; some are still packable.
def _spoil(draw: st.DrawFn, event: Event) -> Event:
    data = event["data"]
    chunk = data["chunk"]
    way = draw(st.integers(0, 17))
    if way == 0:
        return {**event, draw(st.sampled_from(["ignorable", "surfaceOp", "x"])): True}
    if way == 1:
        data["x"] = draw(json_values)
    elif way == 2:
        chunk["x"] = draw(json_values)
    elif way == 3:
        chunk.pop(draw(st.sampled_from(sorted(chunk))))
    elif way == 4:
        data.pop(draw(st.sampled_from(sorted(data))))
    elif way == 5:
        data[draw(st.sampled_from(["turn", "step"]))] = draw(
            st.sampled_from([True, False, None, "1", 1.5, -1, 2**53, 2**53 + 1, 1e300, []])
        )
    elif way == 6:
        chunk["index"] = draw(st.sampled_from([True, None, "0", 0.5, -1, -0.0, 2**53 + 1]))
    elif way == 7:
        event["seq"] = float(event["seq"])
    elif way == 8:
        event["time"] = draw(st.sampled_from([1.5, 2**53, -(2**53), 7.0, 1e300]))
    elif way == 9:
        chunk["name"] = draw(st.sampled_from([None, "", "read", 7]))
    elif way == 10:
        chunk["id"] = draw(st.sampled_from([None, "", "c1", 7]))
    elif way == 11:
        chunk["type"] = draw(st.sampled_from(["text-delta", "reasoning-delta", "usage", "", None]))
    elif way == 12:
        key = "argumentsDelta" if "argumentsDelta" in chunk else "text"
        chunk[key] = draw(st.sampled_from([None, 1, ["a"], True]))
    elif way == 13:
        # Other orders of keys are packable all the same.
        event["data"] = {key: data[key] for key in reversed(data)}
        return {key: event[key] for key in reversed(event)}
    elif way == 14:
        data["chunk"] = draw(json_values)
    elif way == 15:
        event["data"] = draw(json_values)
    elif way == 16:
        event["type"] = draw(st.sampled_from(["assistant/chunks", "text-delta", "chunk", "é"]))
    else:
        del event["data"]
    return event


_TYPES = [
    "note",
    "turn/start",
    "step/start",
    "step/end",
    "user/message",
    "assistant/message",
    "",
    "é",
]


@st.composite
def ordinary_events(draw: st.DrawFn, seq: int = 0) -> Event:
    """An event that is no delta: some of the format's own, and some nobody has heard of."""
    kind = draw(st.sampled_from(_TYPES))
    event: Event = {"type": kind, "seq": seq, "time": draw(_times)}
    if draw(st.booleans()):
        event["data"] = {"turn": draw(_numbers), "step": draw(_numbers)}
        if draw(st.booleans()):
            event["data"]["message"] = draw(json_values)
    else:
        event["data"] = draw(json_values)
    if kind.endswith("message"):
        event["sourceEventSeqs"] = draw(st.lists(st.integers(0, 9), max_size=3))
        event["surfaceOp"] = draw(
            st.sampled_from(["append", {"op": "replace", "start": 0, "end": 1}])
        )
    elif draw(st.integers(0, 3)) == 0:
        event[draw(json_keys.filter(lambda key: key not in event))] = draw(json_values)
    return event


_fates = st.integers(0, 19)
_SPOILED, _JUMPING = 18, 19


@st.composite
def event_lists(
    draw: st.DrawFn,
    *,
    dense: bool = False,
    spoiled: bool = True,
    max_pieces: int = 6,
    max_run: int = 7,
    start: int | None = None,
) -> list[Event]:
    """Events in which runs form, nearly form and break.

    Every event has a type, a seq and a time, so that a log can hold it; `dense` seqs follow each
    other, others may jump, and `start` is the first.
    """
    events: list[Event] = []
    seq = draw(st.sampled_from([0, 0, 1, 7, 2**40])) if start is None else start
    blocks = draw(st.lists(_blocks(), min_size=1, max_size=2))
    for _ in range(draw(st.integers(0, max_pieces))):
        if draw(st.integers(0, 3)) == 0:
            events.append(draw(ordinary_events(seq)))
            seq += 1
            continue
        block, time = draw(st.sampled_from(blocks)), draw(_times)
        for _ in range(draw(st.integers(1, max_run))):
            event = deltas(seq, time, draw(hostile_texts), block)
            fate = draw(_fates)
            if spoiled and fate == _SPOILED:
                event = _spoil(draw, event)
            events.append(event)
            seq += 1 if dense or fate != _JUMPING else draw(st.integers(-2, 5))
            seq = max(seq, 0)
            time = min(max(int(time + draw(_gaps)), -MAX_SAFE), MAX_SAFE)
    return events


@st.composite
def logs(draw: st.DrawFn, /, **options: Any) -> list[Event]:
    """A dense list of events with at least one."""
    return draw(event_lists(dense=True, **options).filter(bool))


@st.composite
def rows(draw: st.DrawFn, *, max_members: int = 5) -> dict[str, Any]:
    """A row that the grammar accepts, with as few as one member."""
    block = draw(_blocks())
    texts = draw(st.lists(hostile_texts, min_size=1, max_size=max_members))
    time0 = draw(st.sampled_from([0, -5, 1_700_000_000_000]))
    gaps = draw(st.lists(_gaps, min_size=len(texts) - 1, max_size=len(texts) - 1))
    gaps = [gap if oracle.safe(gap) else 7 for gap in gaps]
    data = {"turn": block["turn"], "step": block["step"], "index": block["index"], "dt": gaps}
    data |= {key: block[key] for key in ("id", "name") if key in block}
    data[oracle.KINDS[block["tag"]][2]] = texts
    seq0 = draw(st.sampled_from([0, 3, MAX_SAFE - 10]))
    return {"type": block["tag"], "seq0": seq0, "time0": time0, "data": data}


_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, "", "x", [], {}, ["a"], ["a", 1], [1], [1.0], [0.5], [True], [None]),
        *(0.5, -1, -0.0, 1.0, 2**53, 2**53 - 1, -(2**53) + 1, 1e300, 10**400, [2**53], [10**400]),
    ]
)


@st.composite
def near_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A row with a fault or two, or with none."""
    row = draw(rows())
    for _ in range(draw(st.integers(0, 2))):
        data = row.get("data")
        target = data if isinstance(data, dict) and draw(st.booleans()) else row
        key = draw(
            st.sampled_from(
                sorted({*target, "x"})
                if target is row
                else sorted({*target, "id", "name", "texts"})
            )
        )
        if draw(st.integers(0, 3)) == 0:
            target.pop(key, None)
        elif key == "type":
            row["type"] = draw(st.sampled_from([*TAGS, "text-chunk", "note"]))
        elif key in ("dt", "texts", "args") and draw(st.booleans()):
            column = target.get(key)
            if isinstance(column, list):
                target[key] = [*column, draw(st.sampled_from([0, 1, "a", None, MAX_SAFE]))]
        else:
            target[key] = draw(_ODD)
    return row


def _runs(events: list[Event]) -> list[list[Event]]:
    return oracle.runs_of(events)


@st.composite
def layouts(draw: st.DrawFn, events: list[Event]) -> list[Any]:
    """The storage records of `events` as some writer may have left them.

    Each run is cut where batches ended; each piece is a row (also of one or two members) or stays
    verbatim.
    """
    records: list[Any] = []
    for run in _runs(events):
        rest = run
        while rest:
            size = draw(st.integers(1, len(rest)))
            piece, rest = rest[:size], rest[size:]
            packable = oracle.delta_of(piece[0]) is not None
            records.extend([oracle.row_of(piece)] if packable and draw(st.booleans()) else piece)
    return records


any_records = st.one_of(rows(), near_rows(), json_values, ordinary_events())


@st.composite
def spellings(draw: st.DrawFn, value: Any) -> bytes:
    """Some JSON text of `value`: compact, escaped or with white space."""
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    ascii_only = draw(st.booleans())
    try:
        compact = raw.encode()
    except UnicodeEncodeError:
        ascii_only = True
    if not ascii_only and draw(st.booleans()):
        return compact
    spaced = draw(st.booleans())
    return json.dumps(
        value, ensure_ascii=ascii_only, separators=(" , ", " : ") if spaced else (",", ":")
    ).encode()


@st.composite
def lines(draw: st.DrawFn, events: list[Event]) -> list[bytes]:
    """The lines of a log that holds `events`, in some layout and some spelling."""
    return [draw(spellings(record)) for record in draw(layouts(events))]
