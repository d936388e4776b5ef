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


def shown_chain(records: list[dict[str, Any]]) -> tuple[list[str], tuple[str, str] | None]:
    """The ids on the chain that are shown, and the gap that is."""
    chain, gap = active_chain(records)
    first: dict[str, dict[str, Any]] = {}
    for record in records:
        first.setdefault(record["uuid"], record)
    begins = [place for place, each in enumerate(chain) if _begins_side_task(first[each])]
    if not begins:
        return chain, gap
    own = [each for each in chain[begins[0] :] if first[each].get("forkedFrom") is None]
    return own, None


def _begins_side_task(record: dict[str, Any]) -> bool:
    if (record["type"], record.get("subtype")) != ("system", "session_source"):
        return False
    payload = record.get("systemPayload")
    return isinstance(payload, dict) and payload.get("sourceType") == "side_task"


def _rank(record: dict[str, Any]) -> int:
    if record["type"] not in ("user", "assistant", "tool_result", "system"):
        return 0
    if record.get("subtype", "").startswith(_BOOKKEEPING):
        return 0
    return 1 if record.get("isSidechain") else 2


def backward_start(records: list[Any], end: int, limit: int, soft: float, allowed: float) -> int:
    """Where the page begins that ends before `end`: the five rules, told over whole lists."""
    if end == 0:
        return 0
    turns = [place for place in range(end) if records[place].turn_start]

    def size(start: int, stop: int) -> int:
        return sum(each.source_bytes for each in records[start:stop])

    # 1 and 2
    goal = max(0, end - limit)
    inside = [place for place in turns if place >= goal]
    before = [place for place in turns if goal > place >= end - 2 * limit]
    start = inside[0] if inside else before[-1] if before else goal
    # 3
    while start < end - 1 and size(start, end) > soft:
        start += 1
    # 4
    taken = [place for place in turns if place >= start]
    first = taken[0] if taken else start
    if not [place for place in turns if place < first]:
        start = 0 if end <= 2 * limit and size(0, end) <= allowed else first
    elif taken:
        start = first
    else:
        own = max(place for place in turns if place < start)
        if own >= end - 2 * limit and size(own, end) <= allowed:
            start = own
    # 5
    head = [each for each in records[start:end] if each.page_start or each.tool_result]
    if head and not head[0].page_start:
        owners = [p for p in range(max(0, start - limit), start) if records[p].page_start]
        if owners and size(owners[-1] + 1, start) <= allowed:
            start = owners[-1]
    return start


def forward_stop(records: list[Any], start: int, limit: int, soft: float) -> int:
    """Where the page ends that begins at `start`."""
    stop = min(start + 1, len(records))
    while stop < min(start + limit, len(records)):
        if sum(each.source_bytes for each in records[start : stop + 1]) > soft:
            break
        stop += 1
    return stop
