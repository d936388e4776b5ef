"""Transcripts once more, written plainly from docs/transcript.md: slow, short, and independent."""

from typing import Any

_BOOKKEEPING = ("session_artifact_", "session_sources_snapshot", "managed_session_")


def active_chain(records: list[dict[str, Any]]) -> tuple[list[str], tuple[str, str] | None]:
    """The ids on the chain of a file's records, oldest first, and its gap: child and parent."""
    parents: dict[str, str | None] = {}
    ranks: dict[str, int] = {}
    for record in records:
        if record["uuid"] not in parents:
            parents[record["uuid"]] = record["parentUuid"]
            ranks[record["uuid"]] = _rank(record)
    main = [record["uuid"] for record in records if ranks[record["uuid"]] == 2]
    side = [record["uuid"] for record in records if ranks[record["uuid"]] == 1]
    if not main and not side:
        return [], None
    chain = [(main or side)[-1]]
    while True:
        parent = parents[chain[0]]
        if parent is None or parent in chain:
            return chain, None
        if parent not in parents:
            return chain, (chain[0], parent)
        chain.insert(0, parent)


def _rank(record: dict[str, Any]) -> int:
    if record["type"] not in ("user", "assistant", "tool_result", "system"):
        return 0
    if record.get("subtype", "").startswith(_BOOKKEEPING):
        return 0
    return 1 if record.get("isSidechain") else 2
