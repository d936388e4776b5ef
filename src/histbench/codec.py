"""The lossless packing of delta runs: events to storage records, and a stored value to events.

Row grammar (facts: session history, section 2; note 004):

    record  = event | row
    row     = {type, seq0, time0, data}                        type: a tag of `events.DELTA_KINDS`
    data    = {turn, step, index, dt, texts}                   text-chunks, reasoning-chunks
            | {turn, step, index, dt, id, [name], args}        tool-call-chunks
    dt      = the gaps between neighbours' times, one fewer than there are members

A *packable delta* has exactly the envelope {type, seq, time, data}, exactly {turn, step, chunk} in
its data and exactly its kind's keys in its chunk, with safe integers for seq (not negative) and
time, numbers for turn, step and index, and strings elsewhere.  It extends a run when kind, turn,
step, index, id and name equal the run's, its seq is the next, and its gap is a safe integer.  A
run of three or more becomes a row; everything else is stored verbatim, including any delta with
one more field than that, which is what keeps the codec lossless.

Reading is the other way round and stricter: a value with a row's tag is a row and must obey all of
the grammar (a row of one or two members does), any other value is one event and is not looked at.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

from msgspec import structs

from histbench.errors import InvalidRow, Place
from histbench.events import (
    KIND_BY_DELTA,
    KIND_BY_TAG,
    MAX_SAFE_INTEGER,
    DeltaKind,
    Event,
    safe_integer,
)
from histbench.jsontext import js_number
from histbench.rows import CHUNK_TYPE, ListRow

__all__ = [
    "MIN_RUN",
    "check_row",
    "decode_storage_record",
    "pack_chunk_runs",
    "pack_runs",
    "split_delta",
]

# Shorter runs cost more as a row than as events.
MIN_RUN = 3

_ENVELOPE_KEYS = {"type", "seq0", "time0", "data"}
_TEXT_DATA_KEYS = {"turn", "step", "index", "dt", "texts"}
_CALL_DATA_KEYS = {"turn", "step", "index", "dt", "id", "args"}

_END: Any = object()


def pack_chunk_runs(events: Iterable[Event]) -> list[dict[str, Any]]:
    """The storage records of `events`: runs of three or more deltas packed, the rest verbatim.

    Verbatim events are the very objects passed in.  Nothing is validated: a value that is no
    event is no packable delta either.

    >>> chunk = lambda k: {"type": "text-delta", "index": 0, "text": f"t{k}"}
    >>> data = lambda k: {"turn": 1, "step": 1, "chunk": chunk(k)}
    >>> run = [{"type": "assistant/chunk", "seq": k, "time": 7, "data": data(k)} for k in range(3)]
    >>> pack_chunk_runs(run)[0]["data"]["texts"]
    ['t0', 't1', 't2']
    """
    return [
        record.value() if isinstance(record, ListRow) else record for record in pack_runs(events)
    ]


def decode_storage_record(value: Any) -> list[Event]:
    """The events that one stored value holds.

    Raises:
        InvalidRow: the value has a row's tag and breaks a rule; the code names the first one.
    """
    if not isinstance(value, dict):
        return [value]
    kind = _kind_of(value.get("type"))
    return [value] if kind is None else check_row(value, kind).events()


def _kind_of(tag: object) -> DeltaKind | None:
    # An unhashable type is no tag.
    return KIND_BY_TAG.get(tag) if isinstance(tag, str) else None


def split_delta(event: Any) -> ListRow | None:
    """A packable delta as a row of one member; None for every other value."""
    if type(event) is not dict or len(event) != 4 or event.get("type") != CHUNK_TYPE:
        return None
    data = event.get("data")
    if type(data) is not dict or len(data) != 3:
        return None
    chunk = data.get("chunk")
    if type(chunk) is not dict:
        return None
    tag = chunk.get("type")
    kind = KIND_BY_DELTA.get(tag) if isinstance(tag, str) else None
    if kind is None:
        return None
    name = chunk.get("name") if kind.is_call else None
    call_id = chunk.get("id") if kind.is_call else None
    if len(chunk) != (3 if not kind.is_call else 5 if "name" in chunk else 4):
        return None
    seq, time = safe_integer(event.get("seq")), safe_integer(event.get("time"))
    turn, step = js_number(data.get("turn")), js_number(data.get("step"))
    index, text = js_number(chunk.get("index")), chunk.get(kind.text_key)
    if (
        seq is None
        or seq < 0
        or time is None
        # Rounding a number past 2^53 would lose digits, so such a delta stays verbatim.
        or turn is None
        or turn != data["turn"]
        or step is None
        or step != data["step"]
        or index is None
        or index != chunk["index"]
        or type(text) is not str
        or (kind.is_call and type(call_id) is not str)
        or ("name" in chunk and type(name) is not str)
    ):
        return None
    return ListRow(
        kind=kind,
        seq0=seq,
        time0=time,
        turn=turn,
        step=step,
        index=index,
        call_id=call_id,
        name=name,
        count=1,
        gaps=[],
        texts=[text],
    )


def pack_runs(events: Iterable[Any]) -> Iterator[ListRow | Any]:
    """`pack_chunk_runs` as a stream, its rows not yet turned into plain values."""
    source = iter(events)
    event = next(source, _END)
    while event is not _END:
        head = split_delta(event)
        if head is None:
            yield event
            event = next(source, _END)
            continue
        members = [event]
        times, texts = [head.time0], list(head.texts)
        event = _extend(head, source, members, times, texts)
        if len(texts) < MIN_RUN:
            yield from members
        else:
            gaps = [later - earlier for earlier, later in pairwise(times)]
            yield structs.replace(head, count=len(texts), gaps=gaps, texts=texts)


def _extend(
    head: ListRow, source: Iterator[Any], members: list[Any], times: list[int], texts: list[str]
) -> Any:
    """Take from `source` while it extends the run of `head`; the first value that does not.

    `members` receives the events only until they are enough for a row.  The test in the loop is
    `split_delta` and `same_block` spelled for the values that occur (exact ints); whatever it
    turns down for its types alone is put to those two.
    """
    kind, turn, step, index = head.kind, head.turn, head.step, head.index
    call_id, name = head.call_id, head.name
    chunk_keys = 3 if not kind.is_call else 4 if name is None else 5
    delta, text_key = kind.delta, kind.text_key
    seq, time = head.seq0, head.time0
    for event in source:
        seq += 1
        if seq > MAX_SAFE_INTEGER:
            return event
        try:
            data = event["data"]
            chunk = data["chunk"]
            text = chunk[text_key]
            now = event["time"]
            # Identity first: parsers share the small ints, and `is` tells 1 from True at once.
            extends = (
                (own := event["seq"]) == seq
                and type(own) is int
                and ((own := chunk["index"]) is index or (own == index and type(own) is int))
                and ((own := data["step"]) is step or (own == step and type(own) is int))
                and ((own := data["turn"]) is turn or (own == turn and type(own) is int))
                and chunk["type"] == delta
                and event["type"] == CHUNK_TYPE
                and len(chunk) == chunk_keys
                and len(data) == 3
                and len(event) == 4
                and type(text) is str
                and type(now) is int
                and -MAX_SAFE_INTEGER <= now <= MAX_SAFE_INTEGER
                and (call_id is None or (chunk["id"] == call_id and chunk.get("name") == name))
            )
        except (KeyError, TypeError, IndexError):
            extends = False
        if not extends:
            member = split_delta(event)
            if member is None or member.seq0 != seq or not head.same_block(member):
                return event
            now, text = member.time0, member.texts[0]
        if not -MAX_SAFE_INTEGER <= now - time <= MAX_SAFE_INTEGER:
            return event
        time = now
        times.append(now)
        texts.append(text)
        if len(members) < MIN_RUN:
            members.append(event)
    return _END


def check_row(value: dict[str, Any], kind: DeltaKind) -> ListRow:
    """The row that a value with `kind`'s tag holds, numbers as JavaScript reads them.

    Raises:
        InvalidRow: with the code of the first of the twelve rules broken, in the original's
            order (facts: session history, section 2), and the row's seq where it has one.
    """
    data: Any = value.get("data")
    seq0, time0 = safe_integer(value.get("seq0")), safe_integer(value.get("time0"))

    def refuse(rule: str, reason: str, found: object, expected: str) -> InvalidRow:
        return InvalidRow(
            f"malformed {kind.tag} row: {reason}",
            code=f"row_{rule}",
            where=Place(seq=seq0 if seq0 is not None and seq0 >= 0 else None),
            found=found,
            expected=expected,
        )

    if value.keys() != _ENVELOPE_KEYS:
        raise refuse("envelope", "wrong envelope", list(value), "type, seq0, time0, data")
    if seq0 is None or seq0 < 0:
        raise refuse("seq0", "bad seq0", value["seq0"], "a non-negative safe integer")
    if time0 is None:
        raise refuse("time0", "bad time0", value["time0"], "a safe integer")
    # JavaScript calls an array an object; it then fails for its keys.
    if not isinstance(data, dict | list):
        raise refuse("data", "bad data", data, "an object")
    texts_key = kind.texts_key
    data = {} if isinstance(data, list) else data
    keys = set(data)
    expected_keys = _CALL_DATA_KEYS if kind.is_call else _TEXT_DATA_KEYS
    if keys != expected_keys and not (kind.is_call and keys == {*expected_keys, "name"}):
        raise refuse(
            "data_keys", "wrong keys in data", sorted(map(str, keys)), str(sorted(expected_keys))
        )
    call_id, name = data.get("id"), data.get("name")
    if kind.is_call and not (type(call_id) is str and ("name" not in data or type(name) is str)):
        raise refuse("call_strings", "bad id or name", [call_id, name], "strings")
    turn, step, index = (js_number(data[key]) for key in ("turn", "step", "index"))
    if turn is None or step is None or index is None:
        found = [data[key] for key in ("turn", "step", "index")]
        raise refuse("numbers", "bad turn, step or index", found, "numbers")
    texts, dt = data[texts_key], data["dt"]
    if not isinstance(texts, list) or set(map(type, texts)) != {str}:
        raise refuse("texts", f"bad {texts_key}", texts, "a non-empty array of strings")
    gaps = _safe_integers(dt)
    if gaps is None:
        raise refuse("dt", "bad dt", dt, "an array of safe integers")
    if len(gaps) != len(texts) - 1:
        raise refuse("dt_length", "dt does not fit", len(gaps), f"{len(texts) - 1} gaps")
    # Not seq0 + length - 1 <= MAX: in doubles that sum rounds, and 2^53 - 1 with two members passes.
    if len(texts) - 1 > MAX_SAFE_INTEGER - seq0:
        raise refuse("seq_range", "member seqs leave the safe integers", seq0, "safe integers")
    times = list(accumulate(gaps, initial=time0))
    furthest = max(max(times), min(times), key=abs)
    if abs(furthest) > MAX_SAFE_INTEGER:
        raise refuse(
            "time_range", "member times leave the safe integers", furthest, "safe integers"
        )
    return ListRow(
        kind=kind,
        seq0=seq0,
        time0=time0,
        turn=turn,
        step=step,
        index=index,
        call_id=call_id,
        name=name,
        count=len(texts),
        gaps=gaps,
        texts=texts,
    )


def _safe_integers(values: Any) -> list[int] | None:
    """A list of safe integers as such; None when it is none."""
    if not isinstance(values, list):
        return None
    if set(map(type, values)) <= {int}:
        most = max(map(abs, values), default=0)
        return values if most <= MAX_SAFE_INTEGER else None
    integers = [number for number in map(safe_integer, values) if number is not None]
    return integers if len(integers) == len(values) else None
