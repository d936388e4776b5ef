"""Records, files and chains of records for the tests of transcripts: builders and strategies.

Two dialects: `chat` as chat recorders write it, `session` as agent programs write session files.
"""

import json
from typing import Any

from hypothesis import strategies as st

from histbench.transcript import ChainEntry, MemoryChain, read_head

SESSION = "0123abcd-0000-4000-8000-0123456789ab"


def line_of(value: Any) -> bytes:
    """The compact JSON text of a value, half surrogate pairs escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def record(
    record_id: str, parent_id: str | None, kind: str = "user", **fields: Any
) -> dict[str, Any]:
    """A chat record; a text makes its one part."""
    value: dict[str, Any] = {
        "uuid": record_id,
        "parentUuid": parent_id,
        "sessionId": SESSION,
        "timestamp": "2026-07-17T09:00:00.000Z",
        "type": kind,
    }
    text = fields.pop("text", None)
    if text is not None:
        role = "model" if kind == "assistant" else "user"
        value["message"] = {"role": role, "parts": [{"text": text}]}
    return value | fields


def linear(kinds: str) -> list[dict[str, Any]]:
    """A chain of records, one for each letter: u(ser), a(ssistant), t(ool result), s(ystem).

    r is a realtime message and n a notification, both of type user.
    """
    names = {"u": "user", "a": "assistant", "t": "tool_result", "s": "system"}
    subtypes = {"r": "realtime_message", "n": "notification"}
    made: list[dict[str, Any]] = []
    for number, letter in enumerate(kinds):
        fields = {"subtype": subtypes[letter]} if letter in subtypes else {}
        parent = made[-1]["uuid"] if made else None
        kind = names.get(letter, "user")
        made.append(record(f"r{number}", parent, kind, text=f"text {number}", **fields))
    return made


def chain_of(values: list[dict[str, Any]]) -> MemoryChain:
    """The chain of these records."""
    lines = [line_of(value) for value in values]
    return MemoryChain((read_head(line), len(line)) for line in lines)


FORKED_FROM = {"sessionId": "89ab4567-0000-4000-8000-89abcdef0123", "messageUuid": "m"}
_SOURCES = ["side_task", "side_task", "default", None]


def side_task_fields(source: Any = "side_task") -> dict[str, Any]:
    """The fields of a system's record that says what its session was begun for."""
    return {"subtype": "session_source", "systemPayload": {"sourceType": source}}


_SUBTYPES = {
    "user": [None, None, None, "notification", "realtime_message", "cron", "mid_turn_user_message"],
    "assistant": [None],
    "tool_result": [None],
    "system": [None, "ui_telemetry", "rewind", "session_artifact_event"],
    "progress": [None],
}


@st.composite
def files(draw: st.DrawFn, *, max_records: int = 12) -> list[dict[str, Any]]:
    """Records of one session in the order of a file: branches, rewinds, gaps, cycles, fragments."""
    ids = [f"r{number}" for number in range(draw(st.integers(0, max_records)))]
    made: list[dict[str, Any]] = []
    for number, record_id in enumerate(ids):
        fate = draw(st.integers(0, 15))
        earlier = [each["uuid"] for each in made]
        if fate == 0:
            parent = draw(st.sampled_from([None, "lost", *ids]))
        elif fate <= 2 and earlier:
            parent = draw(st.sampled_from(earlier))
        else:
            parent = made[-1]["uuid"] if made else None
        own_id = draw(st.sampled_from(earlier)) if fate == 3 and earlier else record_id
        kind = draw(st.sampled_from(list(_SUBTYPES)))
        fields: dict[str, Any] = {}
        subtype = draw(st.sampled_from(_SUBTYPES[kind]))
        if subtype:
            fields["subtype"] = subtype
        if draw(st.integers(0, 9)) == 0:
            fields["isSidechain"] = True
        if draw(st.integers(0, 9)) == 0:
            kind, fields = "system", side_task_fields(draw(st.sampled_from(_SOURCES)))
        if draw(st.integers(0, 3)) == 0:
            fields["forkedFrom"] = draw(st.sampled_from([FORKED_FROM, FORKED_FROM, None]))
        made.append(record(own_id, parent, kind, text=f"text {number}", **fields))
    return made


class ListChain:
    """A chain given by its entries, which counts how many of them are looked at."""

    def __init__(self, entries: list[ChainEntry]) -> None:
        self.own = entries
        self.looked_at = 0
        self.widest = 0

    def __len__(self) -> int:
        return len(self.own)

    def entries(self, start: int, stop: int) -> list[ChainEntry]:
        """The entries of a range that must lie within the chain."""
        if not 0 <= start <= stop <= len(self.own):
            raise AssertionError((start, stop))
        self.looked_at += stop - start
        self.widest = max(self.widest, stop - start)
        return self.own[start:stop]

    def position(self, record_id: str) -> int | None:
        """Where a record is."""
        return next((n for n, each in enumerate(self.own) if each.record_id == record_id), None)


_ENTRIES = {
    "u": {"turn_start": True, "page_start": True},
    "r": {"turn_start": True, "page_start": False},
    "a": {"turn_start": False, "page_start": True},
    "t": {"turn_start": False, "page_start": False, "tool_result": True},
    "s": {"turn_start": False, "page_start": False},
}


def entries_of(kinds: str, source_bytes: list[int] | None = None) -> list[ChainEntry]:
    """One entry for each letter (`linear`), 10 bytes each unless told otherwise."""
    sizes = source_bytes or [10] * len(kinds)
    return [
        ChainEntry(
            **{
                "record_id": f"r{number}",
                "source_bytes": sizes[number],
                "tool_result": False,
                "navigation": "prompt" if letter == "u" else None,
                **_ENTRIES[letter],
            }
        )
        for number, letter in enumerate(kinds)
    ]


@st.composite
def list_chains(draw: st.DrawFn, *, max_records: int = 60) -> ListChain:
    """Chains of turns of all lengths, whose records have all sizes."""
    kinds = draw(st.text(st.sampled_from("uaatttsr"), max_size=max_records))
    if draw(st.booleans()):
        kinds = kinds.replace("u", "a").replace("r", "s")
    sizes = st.sampled_from([1, 10, 10, 100, 5000])
    return ListChain(
        entries_of(kinds, draw(st.lists(sizes, min_size=len(kinds), max_size=len(kinds))))
    )
