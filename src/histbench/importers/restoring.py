"""The values of a recording, back from the events that it became.

The inverse of every importer that keeps envelopes, and the proof that none loses anything: what
this gives equals, value by value, what the recording's JSON texts hold.  Events that the importer
derived (blocks, usage, messages) are not looked at.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from histbench.events import KIND_BY_DELTA, Event
from histbench.jsontext import encode, merge_surrogates

__all__ = ["restore_values"]

# What somebody says in a transcript; a message that was assembled has no `value`.
_MESSAGES = frozenset({"user/message", "assistant/message"})


def restore_values(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    """What each item of the recording was, in order: {value, frame} or {text, frame}.

    `frame` is absent where there was none.
    """
    deltas: list[str] = []
    blocks: dict[tuple[Any, ...], list[str]] = {}
    shapes: dict[int, Any] = {}
    for event in events:
        kind, data = event["type"], event["data"]
        if kind == "assistant/chunk":
            chunk = data["chunk"]
            delta = KIND_BY_DELTA.get(chunk["type"])
            if delta is not None:
                deltas.append(chunk[delta.text_key])
                block = (data["turn"], data["step"], chunk["index"])
                blocks.setdefault(block, []).append(deltas[-1])
        elif kind in {"source/event", "source/text"} or (kind in _MESSAGES and "value" in data):
            yield _as_recorded(dict(data))
        elif kind == "source/envelope":
            if "same" in data:
                shapes[event["seq"]] = data["same"]
            members = [
                deepcopy(shapes[data.get("like", event["seq"])]) for _ in range(data["count"])
            ]
            texts = _texts(data, deltas, blocks)
            deltas = []
            for column in data.get("columns", ()):
                _fill_column(members, column, texts)
            for member, own in zip(members, texts, strict=True):
                for path, text in zip(data["texts"], own, strict=True):
                    _put(member, path, text)
                yield _as_recorded(member)


def _texts(
    data: dict[str, Any], deltas: list[str], blocks: dict[tuple[Any, ...], list[str]]
) -> list[list[str]]:
    width = len(data["texts"])
    if "lengths" not in data:
        return [deltas[start : start + width] for start in range(0, len(deltas), width)]
    whole = [merge_surrogates("".join(blocks.get(tuple(each), ()))) for each in data["blocks"]]
    return [
        [text[:length] for text, length in zip(whole, own, strict=True)] for own in data["lengths"]
    ]


def _fill_column(members: list[Any], column: dict[str, Any], texts: list[list[str]]) -> None:
    path = column["path"]
    for number, member in enumerate(members):
        if "from" in column:
            value: Any = column["from"] + number
        elif "text" in column:
            value = texts[number][0]
        else:
            value = column["values"][number]
        _put(member, path, deepcopy(value))


def _put(target: Any, path: Sequence[str | int], value: Any) -> None:
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value


def _as_recorded(member: dict[str, Any]) -> dict[str, Any]:
    """`member` with the field that was JSON in a string made so again."""
    frame = member.get("frame")
    if not isinstance(frame, dict) or "json" not in frame:
        return member
    field, value = frame["json"], member["value"]
    recorded = {**member, "value": {**value, field: encode(value[field]).decode()}}
    recorded["frame"] = {key: said for key, said in frame.items() if key != "json"}
    if not recorded["frame"]:
        del recorded["frame"]
    return recorded
