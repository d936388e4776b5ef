"""Transcripts on disk for tests: lines of conversation records, and what a reader of all makes."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from histbench.transcript import MemoryChain

SESSION = "5c0375b4-57a5-4f26-b12d-d022ee4e51b7"
SIDE_TASK: dict[str, Any] = {
    "subtype": "session_source",
    "systemPayload": {"sourceType": "side_task", "sourceId": "another session"},
}
INHERITED: dict[str, Any] = {"forkedFrom": {"sessionId": "another session", "messageUuid": "m"}}


def record_line(
    record_id: str,
    parent_id: str | None,
    *,
    kind: str = "user",
    text: str = "hello",
    session_id: str = SESSION,
    **more: Any,
) -> bytes:
    """One record as a line without its line feed."""
    role = "model" if kind == "assistant" else "user"
    parts: list[Any] = [{"text": text}]
    if kind == "tool_result":
        parts = [{"functionResponse": {"id": "c", "name": "look", "response": {"output": text}}}]
    value = {
        "uuid": record_id,
        "parentUuid": parent_id,
        "sessionId": session_id,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "type": kind,
        "message": {"role": role, "parts": parts},
        **more,
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def chain_lines(count: int, *, turn: int = 4, text: str = "hello") -> list[bytes]:
    """A chain of `count` records `r0`, `r1`, ..., in turns of so many."""
    kinds = ["user", "assistant", *["tool_result", "assistant"] * turn]
    return [
        record_line(
            f"r{at}",
            f"r{at - 1}" if at else None,
            kind=kinds[at % turn],
            text=f"{text} {at}",
        )
        for at in range(count)
    ]


def write_lines(path: Path, lines: list[bytes]) -> Path:
    """The lines as a file."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@st.composite
def forests(draw: st.DrawFn, *, max_size: int = 30) -> list[bytes]:
    """Lines of records in fragments and branches, with parents lost, late and in circles.

    Some begin side tasks, and some are inherited.
    """
    made: list[str] = []
    lines = []
    for at in range(draw(st.integers(1, max_size))):
        again = bool(made) and draw(st.integers(0, 9)) == 0
        record_id = draw(st.sampled_from(made)) if again else f"r{at}"
        near = made[-1] if made else None
        parent = draw(
            st.one_of(
                st.just(near),
                st.just(near),
                st.sampled_from([*made, None, "lost", record_id, f"r{at + 1}", f"r{at + 3}"]),
            )
        )
        made.append(record_id)
        kind = draw(st.sampled_from(["user", "assistant", "tool_result", "system", "unheard-of"]))
        more: dict[str, Any] = draw(
            st.sampled_from([{}, {}, {"isSidechain": True}, {"subtype": "session_artifact_event"}])
        )
        if draw(st.integers(0, 9)) == 0:
            kind, more = "system", SIDE_TASK
        if draw(st.integers(0, 3)) == 0:
            more = more | INHERITED
        lines.append(record_line(record_id, parent, kind=kind, **more))
    return lines


def chain_of(data: bytes) -> MemoryChain:
    """The reference's chain of a file's bytes."""
    return MemoryChain.of_lines(data.split(b"\n"))
