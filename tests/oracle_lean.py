"""Lean pages the slow way, from docs/history.md alone: JSON values in, every event a dict out.

Nothing of the library is used.  What the page breaks is an `UnreadableError`, without a reason.
"""

import json
from typing import Any

Event = dict[str, Any]

MAX_SAFE = 2**53 - 1
SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
DELTAS = {
    "text": ("text-delta", "text", "texts"),
    "reasoning": ("reasoning-delta", "text", "texts"),
    "tool-call": ("tool-call-delta", "argumentsDelta", "args"),
}


class UnreadableError(Exception):
    """The page breaks a rule."""


def page_events(data: bytes) -> list[Event]:
    """The logical events of a page of rows that are sound."""
    events: list[Event] = []
    texts: dict[int, str] = {}
    page = json.loads(data, parse_float=number)
    limits = Limits(page["toSeq"] - page["fromSeq"])
    for record in page["records"]:
        if "lean" in record:
            before = limits.markers
            event = expanded(record["lean"], texts, limits)
            if limits.markers == before:
                raise UnreadableError
            limits.check()
            events.append(event)
            continue
        members = members_of(record)
        if record.get("event") is None or is_delta(members[0]):
            texts[members[0]["seq"]] = merged("".join(map(text_of, members)))
        events += members
    return events


def number(text: str) -> float:
    """A number as JavaScript has it: 1.0 is 1."""
    value = float(text)
    return int(value) if value.is_integer() else value


class Limits:
    """What the markers so far stand for."""

    def __init__(self, events: int) -> None:
        self.markers = 0
        self.range_bytes = 16 * events
        self.named: dict[int, int] = {}
        self.copied = 0

    def check(self) -> None:
        """Refuse what is too much."""
        if self.range_bytes < 0 or self.copied > 8 * sum(self.named.values()):
            raise UnreadableError


def expanded(value: Any, texts: dict[int, str], limits: Limits) -> Any:
    """A value of a lean event with its markers replaced."""
    if isinstance(value, list):
        made: list[Any] = []
        for each in value:
            if isinstance(each, dict) and isinstance(each.get(""), str):
                made += integers(each, limits)
            else:
                made.append(expanded(each, texts, limits))
        return made
    if not isinstance(value, dict):
        return value
    if "" in value:
        return copy(value, texts, limits)
    return {key: expanded(each, texts, limits) for key, each in value.items()}


def integers(marker: dict[str, Any], limits: Limits) -> list[int]:
    """What a range stands for."""
    limits.markers += 1
    first, dash, last = marker[""].partition("-")
    if len(marker) > 1 or not dash or not (is_number(first) and is_number(last)):
        raise UnreadableError
    if not int(first) < int(last) <= MAX_SAFE or int(last) - int(first) > limits.range_bytes:
        raise UnreadableError
    made = list(range(int(first), int(last) + 1))
    limits.range_bytes -= len(",".join(map(str, made)))
    return made


def copy(marker: dict[str, Any], texts: dict[int, str], limits: Limits) -> str:
    """What a copy stands for."""
    limits.markers += 1
    listed = marker[""]
    numbers = listed if isinstance(listed, list) and len(listed) > 1 else [listed]
    if len(marker) > 1 or not all(type(n) is int and 0 <= n <= MAX_SAFE for n in numbers):
        raise UnreadableError
    seqs = [sum(numbers[: count + 1]) for count in range(len(numbers))]
    if not all(seq in texts for seq in seqs) or 0 in numbers[1:]:
        raise UnreadableError
    for seq in seqs:
        limits.named[seq] = size(texts[seq])
    made = merged("".join(texts[seq] for seq in seqs))
    limits.copied += size(made)
    return made


def is_number(text: str) -> bool:
    """A decimal as it is written in a range."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def size(text: str) -> int:
    """Bytes of a JSON string without its quotes."""
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    return sum(6 if 0xD800 <= ord(char) <= 0xDFFF else len(char.encode()) for char in escaped)


def merged(text: str) -> str:
    """Two halves that meet as one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def members_of(record: dict[str, Any]) -> list[Event]:
    """The events of a record that is not lean."""
    if "event" in record:
        return [record["event"]]
    row = record.get("chunks") or record["joined"]
    data = row["data"]
    delta, text_key, texts_key = DELTAS[row["type"].removesuffix("-chunks").removesuffix("-joined")]
    if "chunks" in record:
        gaps, members = data["dt"], data[texts_key]
    else:
        members = data["text"].split("\x7f")
        gaps = gaps_of(data["dt"], len(members) - 1)
    call = {key: data[key] for key in ("id", "name") if key in data}
    events = []
    time = row["time0"]
    for number, text in enumerate(members):
        time += gaps[number - 1] if number else 0
        chunk = {"type": delta, "index": data["index"], **call, text_key: text}
        inside = {"turn": data["turn"], "step": data["step"], "chunk": chunk}
        seq = row["seq0"] + number
        events.append({"type": "assistant/chunk", "seq": seq, "time": time, "data": inside})
    return events


def gaps_of(text: str, count: int) -> list[int]:
    """The gaps of a joined row that has so many."""
    if "." not in text:
        return numbers_of(text)
    zeros, ones, waits = text.split(".")
    waiting = numbers_of(waits)
    others = [waiting.pop(0) if bit else 1 for bit in bits_of(ones)[: sum(bits_of(zeros))]]
    return [others.pop(0) if bit else 0 for bit in bits_of(zeros)[:count]]


def numbers_of(signs: str) -> list[int]:
    """Numbers told by signs."""
    numbers = []
    while signs:
        if signs[0] == "(":
            number, _, signs = signs[1:].partition(")")
            numbers.append(int(number))
        else:
            numbers.append(SIGNS.index(signs[0]))
            signs = signs[1:]
    return numbers


def bits_of(digits: str) -> list[int]:
    """Six bits for each digit."""
    return [DIGITS.index(digit) >> place & 1 for digit in digits for place in (5, 4, 3, 2, 1, 0)]


def spelling_of(gaps: list[int]) -> str:
    """The gaps of a joined row as they are written."""
    signs, maps = signs_of(gaps), maps_of(gaps)
    return maps if len(maps) < len(signs) else signs


def signs_of(numbers: list[int]) -> str:
    """A sign for each number."""
    return "".join(SIGNS[n] if 0 <= n < len(SIGNS) else f"({n})" for n in numbers)


def maps_of(gaps: list[int]) -> str:
    """Two maps, and signs for the rest."""
    others = [gap for gap in gaps if gap != 0]
    waits = [gap for gap in others if gap != 1]
    return ".".join(
        [
            digits_of([int(gap != 0) for gap in gaps]),
            digits_of([int(gap != 1) for gap in others]),
            signs_of(waits),
        ]
    )


def digits_of(bits: list[int]) -> str:
    """A digit for six bits."""
    digits = ""
    while bits:
        six, bits = [*bits[:6], 0, 0, 0, 0, 0][:6], bits[6:]
        digits += DIGITS[int("".join(map(str, six)), 2)]
    return digits


def is_delta(event: Event) -> bool:
    """Whether an event could stand in a row."""
    if event.keys() != {"type", "seq", "time", "data"} or event["type"] != "assistant/chunk":
        return False
    data = event["data"]
    if not isinstance(data, dict) or data.keys() != {"turn", "step", "chunk"}:
        return False
    chunk = data["chunk"]
    if not isinstance(chunk, dict):
        return False
    for delta, text_key, _ in DELTAS.values():
        if chunk.get("type") == delta:
            call = {"id"} if delta == "tool-call-delta" else set()
            named = {"name"} if call and "name" in chunk else set()
            strings = [chunk.get(key) for key in (text_key, *call, *named)]
            numbers = [data["turn"], data["step"], chunk.get("index")]
            return (
                chunk.keys() == {"type", "index", text_key} | call | named
                and all(isinstance(each, str) for each in strings)
                and all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
            )
    return False


def text_of(event: Event) -> str:
    """What a delta says."""
    chunk = event["data"]["chunk"]
    text: str = chunk["argumentsDelta"] if chunk["type"] == "tool-call-delta" else chunk["text"]
    return text
