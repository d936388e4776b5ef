"""The Assistant fold the slow way: every event by itself, and everything looked at after each.

Written from the rules at the top of `histbench.fold.assistant` and `assistant_step`, not from
their code; quadratic on purpose.
"""

from typing import Any

Event = dict[str, Any]

NAMES = {"text-delta": "text", "reasoning-delta": "reasoning", "tool-call-delta": "tool-call"}
JS_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def shown(block: dict[str, Any]) -> bool:
    """Whether a block is visible."""
    if block["kind"] in ("text", "reasoning"):
        return bool(block["text"].strip(JS_BLANKS))
    return bool(block["kind"] != "tool-call")


def finished(value: Any) -> dict[str, Any]:
    """The block of a block-end or a message."""
    block = {"kind": value["type"], "text": "", "call_id": "", "name": "", "value": None}
    if value["type"] in ("text", "reasoning"):
        return {**block, "text": value["text"]}
    if value["type"] == "tool-call":
        call = {"call_id": value["id"], "name": value["name"], "text": value["arguments"]}
        return {**block, **call}
    return {**block, "value": value}


def new_step(turn: Any, step: Any) -> dict[str, Any]:
    """A step of which nothing is known."""
    names = ("started", "token", "visible", "message", "boundary", "usage", "total")
    fresh: dict[str, Any] = dict.fromkeys(names)
    return {**fresh, "turn": turn, "step": step, "blocks": {}, "interrupted": False}


def fold(events: list[Event]) -> dict[str, tuple[dict[str, Any], ...]]:
    """Both views as plain values."""
    steps: dict[Any, dict[str, Any]] = {}
    for event in events:
        kind, data, now = event["type"], event["data"], (event["seq"], event["time"])
        key = (data.get("turn"), data.get("step"))
        begins = kind in ("step/start", "assistant/chunk") or (
            kind == "assistant/message" and event["surfaceOp"] == "append"
        )
        if begins and key not in steps:
            steps[key] = new_step(*key)
        if kind == "turn/end":
            for each in steps.values():
                if each["turn"] == data["turn"] and not each["message"]:
                    each["boundary"] = each["boundary"] or now
        if key not in steps:
            continue
        apply(steps[key], event, now)
        if steps[key]["visible"] is None and any(map(shown, steps[key]["blocks"].values())):
            steps[key]["visible"] = now
    return {
        "chat": tuple(node(step, step["usage"]) for step in steps.values()),
        "trajectory": tuple(node(step, step["total"]) for step in steps.values()),
    }


def apply(step: dict[str, Any], event: Event, now: tuple[int, Any]) -> None:
    """What one event does to its step."""
    kind, data = event["type"], event["data"]
    if kind == "step/start":
        step["started"] = step["started"] or now
    elif kind == "step/end" and not step["message"]:
        step["boundary"] = step["boundary"] or now
    elif kind == "llm/retry":
        kept = {name: step[name] for name in ("turn", "step", "started", "token", "total")}
        step.update({**new_step(None, None), **kept})
    elif kind == "assistant/message" and event["surfaceOp"] == "append":
        step["blocks"] = dict(enumerate(map(finished, data["message"]["content"])))
        step["message"], step["interrupted"] = now, data.get("interrupted") is True
    elif kind == "assistant/chunk":
        apply_chunk(step, data["chunk"], now)


def apply_chunk(step: dict[str, Any], chunk: dict[str, Any], now: tuple[int, Any]) -> None:
    """What one chunk does to its step."""
    kind, blocks = chunk["type"], step["blocks"]
    if kind == "block-start":
        empty = {"text": "", "call_id": "", "name": "", "value": None}
        blocks[chunk["index"]] = {"kind": chunk["blockType"], **empty}
    elif kind == "block-end":
        blocks[chunk["index"]] = finished(chunk["block"])
    elif kind == "usage":
        step["usage"] = chunk["usage"]
        total = dict(step["total"] or {})
        for name, value in chunk["usage"].items():
            total[name] = total.get(name, 0) + value
        step["total"] = total
    elif kind in NAMES:
        block = blocks.get(chunk["index"])
        if block is None or block["kind"] != NAMES[kind]:
            block = {"kind": NAMES[kind], "text": "", "call_id": "", "name": "", "value": None}
            blocks[chunk["index"]] = block
        text = chunk["argumentsDelta"] if kind == "tool-call-delta" else chunk["text"]
        block["text"] += text
        block["call_id"] = block["call_id"] or chunk.get("id", "")
        block["name"] = chunk.get("name", block["name"])
        if step["token"] is None and (text or "name" in chunk):
            step["token"] = now


def whole(block: dict[str, Any]) -> dict[str, Any]:
    """A block whose text has met its other halves, as in UTF-16."""
    text = block["text"].encode("utf-16-le", "surrogatepass")
    return {**block, "text": text.decode("utf-16-le", "surrogatepass")}


def node(step: dict[str, Any], usage: Any) -> dict[str, Any]:
    """A step as it is shown."""
    status, anchor = "running", step["started"] or step["token"]
    anchor_seq = anchor[0] if anchor else None
    if step["message"]:
        status = "interrupted" if step["interrupted"] else "settled"
        anchor = step["message"]
        anchor_seq = anchor[0]
    elif step["boundary"]:
        status, anchor = "interrupted", step["boundary"]
        anchor_seq = anchor[0] - 0.9
    completed = step["message"] or step["boundary"]
    visible = step["visible"] or (None, None)
    return {
        "turn": step["turn"],
        "step": step["step"],
        "status": status,
        "anchor_seq": anchor_seq,
        "time": anchor[1] if anchor else None,
        "visible": any(map(shown, step["blocks"].values())),
        "blocks": tuple(whole(step["blocks"][index]) for index in sorted(step["blocks"])),
        "usage": usage,
        "step_start_time": step["started"][1] if step["started"] else None,
        "first_token_time": step["token"][1] if step["token"] else None,
        "first_visible_seq": visible[0],
        "first_visible_time": visible[1],
        "completed_time": completed[1] if completed else None,
    }
