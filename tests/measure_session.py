"""A session file small enough to be measured in a test."""

import json
from pathlib import Path
from typing import Any

__all__ = ["HEADER", "small_events", "write_session"]

HEADER = {
    "type": "session",
    "version": 0,
    "id": "s-1",
    "createdAt": 1,
    "cwd": "/home/me/secret-project",
    "delegationDepth": 0,
}


def small_events(deltas: int = 40) -> list[dict[str, Any]]:
    """A turn with one step: two runs of deltas, a separator, and two deltas that stay alone."""
    chunks = [
        {"type": "reasoning-delta", "index": 0, "text": f"secret {number}"}
        for number in range(deltas)
    ]
    chunks.append({"type": "usage", "usage": {"inputTokens": 1, "outputTokens": 2}})
    chunks += [{"type": "text-delta", "index": 1, "text": "é\n"} for _ in range(deltas)]
    data: list[tuple[str, dict[str, Any]]] = [
        ("turn/start", {"turn": 1}),
        ("step/start", {"turn": 1, "step": 1}),
    ]
    data += [("assistant/chunk", {"turn": 1, "step": 1, "chunk": chunk}) for chunk in chunks]
    data.append(("step/end", {"turn": 1, "step": 1}))
    data += [("assistant/chunk", {"turn": 1, "step": 2, "chunk": chunk}) for chunk in chunks[:2]]
    return [
        {"type": kind, "seq": seq, "time": 1_000 + 7 * seq, "data": content}
        for seq, (kind, content) in enumerate(data)
    ]


def write_session(path: Path, events: list[dict[str, Any]]) -> Path:
    """A session file of one event a line."""
    lines = [json.dumps(value, ensure_ascii=False) for value in (HEADER, *events)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
