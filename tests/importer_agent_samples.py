"""Small recordings of what agents and their servers stream and keep."""

import json
from typing import Any

from importer_words import ALL_BLOCKS, ARGUMENTS, MODEL, THOUGHTS, WORDS, Sample, joined

__all__ = ["AGENT_SAMPLES"]


def _acp_update(kind: str, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": "s-1", "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _said(kind: str, text: str) -> dict[str, Any]:
    return _acp_update(kind, content={"type": "text", "text": text})


def _acp() -> Sample:
    values = [
        {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s-1"}}
    ]
    values += [_said("user_message_chunk", "Well?")]
    values += [_said("agent_thought_chunk", thought) for thought in THOUGHTS]
    values += [_said("agent_message_chunk", word) for word in WORDS]
    values += [
        _acp_update("tool_call", toolCallId="t-1", title="look", rawInput={"path": "."}),
        _said("agent_message_chunk", "Done."),
        {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}},
    ]
    blocks = [("reasoning", "".join(THOUGHTS)), ("text", joined(WORDS)), ("text", "Done.")]
    return Sample(format="acp", values=values, blocks=blocks)


def _grok() -> Sample:
    values = []
    updates = [_said("agent_message_chunk", word) for word in WORDS]
    updates += [
        _acp_update("turn_completed", stop_reason="end_turn"),
        _acp_update("rewind_marker", target_prompt_index=0),
    ]
    for number, update in enumerate(updates):
        del update["jsonrpc"]
        update["params"]["_meta"] = {"totalTokens": 100 + number}
        values.append({"timestamp": 1767225600 + number // 4, **update})
    return Sample(format="grok", values=values, blocks=[("text", joined(WORDS))], clock="source")


def _codex_live() -> Sample:
    def message(method: str, **params: Any) -> dict[str, Any]:
        return {"method": method, "params": {"threadId": "t", "turnId": "1", **params}}

    values = [message("turn/started", turn={"id": "1"})]
    values += [
        message("item/reasoning/summaryTextDelta", itemId="i-1", summaryIndex=0, delta=thought)
        for thought in THOUGHTS
    ]
    values += [message("item/agentMessage/delta", itemId="i-2", delta=word) for word in WORDS]
    ended = {"id": "i-2", "type": "agentMessage", "text": joined(WORDS)}
    counts = {"inputTokens": 9, "cachedInputTokens": 4, "outputTokens": 5}
    values += [
        message("item/completed", item=ended),
        message("thread/tokenUsage/updated", tokenUsage={"last": counts}),
        message("turn/completed", turn={"id": "1", "status": "completed"}),
    ]
    return Sample(format="codex-live", values=values, blocks=ALL_BLOCKS[:2])


def _agui() -> Sample:
    values: list[dict[str, Any]] = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "REASONING_MESSAGE_START", "messageId": "m-1", "role": "reasoning"},
    ]
    values += [
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m-1", "delta": thought}
        for thought in THOUGHTS
    ]
    values += [{"type": "REASONING_MESSAGE_END", "messageId": "m-1"}]
    for number, word in enumerate(WORDS):
        # The chunk form names its message on the first only.
        named = {} if number else {"messageId": "m-2", "role": "assistant"}
        raw = {"contents": [{"text": word}]}
        values.append({"type": "TEXT_MESSAGE_CHUNK", **named, "delta": word, "rawEvent": raw})
    values.append({"type": "TOOL_CALL_START", "toolCallId": "c-1", "toolCallName": "weather"})
    values += [{"type": "TOOL_CALL_ARGS", "toolCallId": "c-1", "delta": part} for part in ARGUMENTS]
    usage = [{"model": MODEL, "inputTokens": 9, "outputTokens": 4, "cachedInputTokens": 2}]
    values += [
        {"type": "TOOL_CALL_END", "toolCallId": "c-1"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "usage": usage},
    ]
    return Sample(format="ag-ui", values=values, blocks=ALL_BLOCKS)


def _agui_timed() -> Sample:
    values = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": word, "timestamp": 1000 + 7 * n}
        for n, word in enumerate(WORDS)
    ]
    return Sample(format="ag-ui", values=values, blocks=[("text", joined(WORDS))], clock="source")


def _vercel_values() -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = [
        {"type": "start", "messageId": "m-1"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "0"},
    ]
    values += [{"type": "reasoning-delta", "id": "0", "delta": thought} for thought in THOUGHTS]
    values += [{"type": "reasoning-end", "id": "0"}, {"type": "text-start", "id": "1"}]
    values += [{"type": "text-delta", "id": "1", "delta": word} for word in WORDS]
    values += [{"type": "text-end", "id": "1"}]
    values += [{"type": "tool-input-start", "toolCallId": "c-1", "toolName": "weather"}]
    values += [
        {"type": "tool-input-delta", "toolCallId": "c-1", "inputTextDelta": part}
        for part in ARGUMENTS
    ]
    whole = {"toolCallId": "c-1", "toolName": "weather", "input": json.loads("".join(ARGUMENTS))}
    values += [{"type": "tool-input-available", **whole}]
    values += [{"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}]
    return values


def _vercel() -> Sample:
    return Sample(format="vercel-ui", values=_vercel_values(), blocks=ALL_BLOCKS)


def _snapshots(parts: list[str]) -> list[str]:
    return [joined(parts[: end + 1]) for end in range(len(parts))]


def _langgraph() -> Sample:
    values: list[Any] = [{"run_id": "r-1"}]
    events = ["metadata"]
    base = {"type": "AIMessageChunk", "id": "run-1", "response_metadata": {"model_name": MODEL}}
    call = {"type": "input_json", "id": "c-1", "name": "weather"}
    whole = _snapshots(WORDS)
    values += [[{**base, "content": [{"type": "text", "text": text}]}] for text in whole]
    for arguments in _snapshots(ARGUMENTS):
        content = [{"type": "text", "text": whole[-1]}, {**call, "partial_json": arguments}]
        values.append([{**base, "content": content}])
    events += ["messages/partial"] * (len(values) - 1)
    values.append([values[-1][0]])
    events.append("messages/complete")
    blocks = [("text", whole[-1]), ("tool-call", "".join(ARGUMENTS))]
    return Sample(format="langgraph", values=values, blocks=blocks, events=events)


def _langgraph_tuples() -> Sample:
    metadata = {"langgraph_node": "agent", "thread_id": "t-1"}
    values: list[Any] = [
        [{"type": "AIMessageChunk", "id": "run-1", "content": word}, metadata] for word in WORDS
    ]
    for number, part in enumerate(ARGUMENTS):
        named = {"name": None, "id": None} if number else {"name": "weather", "id": "c-1"}
        chunk = {**named, "args": part, "index": 1, "type": "tool_call_chunk"}
        values.append(
            [
                {
                    "type": "AIMessageChunk",
                    "id": "run-1",
                    "content": "",
                    "tool_call_chunks": [chunk],
                },
                metadata,
            ]
        )
    events = ["messages"] * len(values)
    blocks = [("text", joined(WORDS)), ("tool-call", "".join(ARGUMENTS))]
    return Sample(format="langgraph", values=values, blocks=blocks, events=events)


def _opencode_parts() -> list[dict[str, Any]]:
    parts = []
    for name, kind in (("p-1", "reasoning"), ("p-2", "text")):
        for number, text in enumerate(_snapshots(THOUGHTS if name == "p-1" else WORDS)):
            part: dict[str, Any] = {"id": name, "messageID": "m-1", "type": kind, "text": text}
            part["time"] = {"start": 1000 + number}
            parts.append(part)
    parts.append(
        {
            "id": "p-3",
            "messageID": "m-1",
            "type": "step-finish",
            "reason": "stop",
            "tokens": {"input": 5, "output": 6, "reasoning": 2, "cache": {"read": 1, "write": 0}},
        }
    )
    return parts


def _opencode_live() -> Sample:
    values = [
        {"type": "message.part.updated", "properties": {"part": part}} for part in _opencode_parts()
    ]
    return Sample(format="opencode", values=values, blocks=ALL_BLOCKS[:2], clock="source")


def _opencode_rows() -> Sample:
    """Rows of the table, their payload as JSON text."""
    values = [
        {
            "seq": number,
            "type": "message.part.updated.1",
            "data": json.dumps({"part": part}, separators=(",", ":"), ensure_ascii=False),
            "time_created": 1700000000000 + number,
        }
        for number, part in enumerate(_opencode_parts())
    ]
    # A lone half is written as an escape, by JavaScript too.
    for value in values:
        text = str(value["data"])
        value["data"] = "".join(
            f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter for letter in text
        )
    return Sample(format="opencode", values=values, blocks=ALL_BLOCKS[:2], clock="source")


def _opencode_deltas() -> Sample:
    values = [
        {
            "type": "message.part.delta",
            "properties": {"messageID": "m-1", "partID": "p-1", "field": "text", "delta": word},
        }
        for word in WORDS
    ]
    return Sample(format="opencode", values=values, blocks=[("text", joined(WORDS))])


def _record(number: int, kind: str, message: Any) -> dict[str, Any]:
    return {
        "uuid": f"u-{number}",
        "parentUuid": f"u-{number - 1}" if number else None,
        "sessionId": "s-1",
        "timestamp": f"2026-01-02T03:04:{number:02}.250Z",
        "type": kind,
        "message": message,
    }


def _claude_code() -> Sample:
    result = [{"type": "tool_result", "tool_use_id": "c-1", "content": "ok"}]
    values = [
        _record(0, "user", {"role": "user", "content": "Hello"}),
        _record(1, "assistant", {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}),
        _record(2, "user", {"role": "user", "content": result}),
    ]
    return Sample(format="claude-code", values=values, blocks=[], clock="source")


def _qwen_code() -> Sample:
    values = [
        _record(0, "user", {"role": "user", "parts": [{"text": "Hello"}]}),
        _record(1, "assistant", {"role": "model", "parts": [{"text": "Hi"}]}),
        _record(2, "tool_result", {"role": "user", "parts": [{"functionResponse": {}}]}),
    ]
    return Sample(format="qwen-code", values=values, blocks=[], clock="source")


def _codex() -> Sample:
    time = "2026-01-02T03:04:05Z"
    message = {"type": "message", "role": "assistant", "content": [{"text": "Hi"}]}
    values = [
        {"timestamp": time, "type": "session_meta", "payload": {"id": "s-1"}},
        {"timestamp": time, "type": "response_item", "payload": message},
        {"timestamp": time, "type": "event_msg", "payload": {"type": "token_count"}},
    ]
    return Sample(format="codex", values=values, blocks=[], clock="source")


def _gemini_cli() -> Sample:
    time = "2026-01-02T03:04:05.5Z"
    values = [
        {"sessionId": "s-1", "startTime": time, "kind": "main"},
        {"id": "a", "timestamp": time, "type": "user", "content": [{"text": "Hello"}]},
        {"id": "b", "timestamp": time, "type": "gemini", "content": "Hi"},
        {"$set": {"lastUpdated": time}},
        {"$rewindTo": "a"},
    ]
    return Sample(format="gemini-cli", values=values, blocks=[], clock="source")


AGENT_SAMPLES = {
    "acp": _acp(),
    "grok": _grok(),
    "codex-live": _codex_live(),
    "ag-ui": _agui(),
    "ag-ui-timed": _agui_timed(),
    "vercel": _vercel(),
    "langgraph": _langgraph(),
    "langgraph-tuples": _langgraph_tuples(),
    "opencode": _opencode_live(),
    "opencode-rows": _opencode_rows(),
    "opencode-deltas": _opencode_deltas(),
    "claude-code": _claude_code(),
    "qwen-code": _qwen_code(),
    "codex": _codex(),
    "gemini-cli": _gemini_cli(),
}
