"""Small recordings of every format and dialect, made here: the words are this project's own."""

import json
from typing import Any

from msgspec import Struct

__all__ = ["SAMPLES", "Sample", "as_array", "as_lines", "as_sse", "sample"]

WORDS = ["Half", " a", " pear", ",", "", " \ud83c", "\udf50", " and\n", "\u2028tea."]
THOUGHTS = ["Fruit", " first", ".", " Then…"]
ARGUMENTS = ["", '{"ci', 'ty": "', "Łódź", '"}']

MODEL = "demo-1"


class Sample(Struct, frozen=True, kw_only=True):
    """A recording's values, its format, and what its blocks come to as (kind, text).

    `events` are names for server-sent events, where the format has any.
    """

    format: str
    values: list[Any]
    blocks: list[tuple[str, str]]
    events: list[str] | None = None
    clock: str = "synthetic"


def as_lines(values: list[Any]) -> bytes:
    """JSON lines, as JavaScript and Python print them by turns."""
    return "".join(
        json.dumps(value, separators=(",", ":") if number % 2 else None) + "\n"
        for number, value in enumerate(values)
    ).encode()


def as_array(values: list[Any]) -> bytes:
    """One pretty-printed array with a byte order mark."""
    return b"\xef\xbb\xbf" + json.dumps(values, indent=2, ensure_ascii=True).encode()


def as_sse(values: list[Any], events: list[str] | None = None, *, done: bool = True) -> bytes:
    """Server-sent events, with names where there are some."""
    out = []
    for number, value in enumerate(values):
        if events is not None:
            out.append(f"event: {events[number]}\n")
        out.append(f"data: {json.dumps(value)}\n\n")
    if done:
        out.append("data: [DONE]\n\n")
    return "".join(out).encode()


def _joined(parts: list[str]) -> str:
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _chat(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": more.pop("end", None)}
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": MODEL,
        "choices": [choice],
        **more,
    }


def _chat_usage() -> dict[str, Any]:
    counts = {
        "prompt_tokens": 20,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    return {**_chat({}), "choices": [], "usage": counts}


def _openai_chat() -> Sample:
    values = [_chat({"role": "assistant", "content": ""}, obfuscation="Qx")]
    values += [
        _chat({"content": word}, obfuscation="z" * (7 - len(word) % 5) + str(number))
        for number, word in enumerate(WORDS)
    ]
    values += [_chat({}, end="stop", obfuscation="r"), _chat_usage()]
    return Sample(format="openai-chat", values=values, blocks=[("text", _joined(WORDS))])


def _chat_reasoning(field: str) -> Sample:
    values = [_chat({"role": "assistant", "content": None, field: ""})]
    values += [_chat({"content": None, field: thought}) for thought in THOUGHTS]
    values += [_chat({"content": word, field: None}) for word in WORDS]
    values += [_chat({"content": "", field: None}, end="length")]
    blocks = [("reasoning", "".join(THOUGHTS)), ("text", _joined(WORDS))]
    return Sample(format="openai-chat", values=values, blocks=blocks)


def _chat_call(index: int, part: str, **first: Any) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": part}
    call: dict[str, Any] = {"index": index, "function": function}
    if first:
        function["name"] = first["name"]
        call |= {"id": first["id"], "type": "function"}
    return call


def _chat_tools() -> Sample:
    """Two calls whose fragments take turns; id and name stand on the first only."""
    values = []
    for number, part in enumerate(ARGUMENTS):
        for index, name in enumerate(("weather", "clock")):
            first = {} if number else {"id": f"call-{name}", "name": name}
            values.append(_chat({"tool_calls": [_chat_call(index, part, **first)]}))
    values.append(_chat({}, end="tool_calls"))
    return Sample(
        format="openai-chat", values=values, blocks=[("tool-call", "".join(ARGUMENTS))] * 2
    )


def _chat_both_at_once() -> Sample:
    """Two calls in one chunk, then a refusal, and content in parts."""
    values = [
        _chat(
            {
                "tool_calls": [
                    _chat_call(0, "{}", id="a", name="one"),
                    _chat_call(1, "[]", id="b", name="two"),
                ]
            }
        ),
        _chat({"refusal": "I"}),
        _chat({"refusal": " won't."}),
        _chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
        _chat({"content": [{"type": "text", "text": "So"}]}, end="content_filter"),
    ]
    blocks = [
        ("tool-call", "{}"),
        ("tool-call", "[]"),
        ("text", "I won't."),
        ("reasoning", "hm"),
        ("text", "So"),
    ]
    return Sample(format="openai-chat", values=values, blocks=blocks)


def _anthropic_values() -> list[dict[str, Any]]:
    usage = {"input_tokens": 12, "cache_read_input_tokens": 3, "output_tokens": 1}
    message = {"id": "msg-1", "role": "assistant", "model": MODEL, "content": [], "usage": usage}
    values: list[dict[str, Any]] = [{"type": "message_start", "message": message}]

    def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> None:
        values.append({"type": "content_block_start", "index": index, "content_block": start})
        values.extend(
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        )
        values.append({"type": "content_block_stop", "index": index})

    thoughts = [{"type": "thinking_delta", "thinking": thought} for thought in THOUGHTS]
    block(
        0,
        {"type": "thinking", "thinking": ""},
        [*thoughts, {"type": "signature_delta", "signature": "Sg"}],
    )
    values.append({"type": "ping"})
    block(1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": word} for word in WORDS])
    block(
        2,
        {"type": "tool_use", "id": "toolu-1", "name": "weather", "input": {}},
        [{"type": "input_json_delta", "partial_json": part} for part in ARGUMENTS],
    )
    delta = {"stop_reason": "tool_use", "stop_sequence": None}
    values += [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 40}},
        {"type": "message_stop"},
    ]
    return values


_ANTHROPIC_BLOCKS = [
    ("reasoning", "".join(THOUGHTS)),
    ("text", _joined(WORDS)),
    ("tool-call", "".join(ARGUMENTS)),
]


def _anthropic() -> Sample:
    values = _anthropic_values()
    names = [value["type"] for value in values]
    return Sample(format="anthropic", values=values, blocks=_ANTHROPIC_BLOCKS, events=names)


def _claude_stream() -> Sample:
    values: list[Any] = [{"type": "system", "subtype": "init", "session_id": "s-1"}]
    for number, event in enumerate(_anthropic_values()):
        parent = {"parent_tool_use_id": None, "uuid": f"00000000-0000-4000-8000-{number:012}"}
        values.append({"type": "stream_event", "event": event, "session_id": "s-1", **parent})
    values.append({"type": "result", "subtype": "success", "session_id": "s-1"})
    return Sample(format="claude-stream", values=values, blocks=_ANTHROPIC_BLOCKS)


def _responses() -> Sample:
    values: list[dict[str, Any]] = []

    def put(kind: str, **fields: Any) -> None:
        values.append({"type": f"response.{kind}", **fields, "sequence_number": len(values)})

    response = {"id": "resp-1", "model": MODEL, "status": "in_progress", "usage": None}
    put("created", response=response)
    put("output_item.added", output_index=0, item={"id": "rs-1", "type": "reasoning"})
    place: dict[str, Any] = {"item_id": "rs-1", "output_index": 0, "summary_index": 0}
    for thought in THOUGHTS:
        put("reasoning_summary_text.delta", **place, delta=thought)
    put("reasoning_summary_text.done", **place, text="".join(THOUGHTS))
    put("output_item.added", output_index=1, item={"id": "m-1", "type": "message", "content": []})
    place = {"item_id": "m-1", "output_index": 1, "content_index": 0}
    for word in WORDS:
        put("output_text.delta", **place, delta=word, logprobs=[{"token": word, "logprob": -0.5}])
    put("output_text.done", **place, text=_joined(WORDS))
    call = {"id": "fc-1", "type": "function_call", "call_id": "call-1", "name": "weather"}
    put("output_item.added", output_index=2, item=call)
    for part in ARGUMENTS:
        put("function_call_arguments.delta", item_id="fc-1", output_index=2, delta=part)
    put("function_call_arguments.done", output_index=2, arguments="".join(ARGUMENTS))
    usage = {"input_tokens": 9, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 2}}
    put("completed", response={**response, "status": "completed", "usage": usage})
    names = [value["type"] for value in values]
    return Sample(format="openai-responses", values=values, blocks=_ANTHROPIC_BLOCKS, events=names)


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
    blocks = [("reasoning", "".join(THOUGHTS)), ("text", _joined(WORDS)), ("text", "Done.")]
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
    return Sample(format="grok", values=values, blocks=[("text", _joined(WORDS))], clock="source")


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
    return Sample(format="ag-ui", values=values, blocks=_ANTHROPIC_BLOCKS)


def _agui_timed() -> Sample:
    values = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": word, "timestamp": 1000 + 7 * n}
        for n, word in enumerate(WORDS)
    ]
    return Sample(format="ag-ui", values=values, blocks=[("text", _joined(WORDS))], clock="source")


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
    return Sample(format="vercel-ui", values=_vercel_values(), blocks=_ANTHROPIC_BLOCKS)


def _gemini_chunk(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **more}
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r-1"}


def _gemini() -> Sample:
    values = [_gemini_chunk({"text": thought, "thought": True}) for thought in THOUGHTS]
    values += [_gemini_chunk({"text": word}) for word in WORDS]
    for number, value in enumerate(values):
        value["usageMetadata"] = {"promptTokenCount": 5, "candidatesTokenCount": number}
    values.append(_gemini_chunk({"functionCall": {"name": "weather", "args": {"city": "Łódź"}}}))
    values.append(_gemini_chunk({"text": "", "thoughtSignature": "Sg"}, finishReason="STOP"))
    blocks = [
        ("reasoning", "".join(THOUGHTS)),
        ("text", _joined(WORDS)),
        ("tool-call", '{"city":"Łódź"}'),
    ]
    return Sample(format="gemini", values=values, blocks=blocks)


def _interactions() -> Sample:
    values: list[dict[str, Any]] = []
    for index, (kind, parts) in enumerate((("thought", THOUGHTS), ("text", WORDS))):
        values.append({"event_type": "step.start", "index": index, "step": {"type": kind}})
        for part in parts:
            delta = {"type": "text", "text": part}
            values.append({"event_type": "step.delta", "index": index, "delta": delta})
        values.append({"event_type": "step.stop", "index": index})
    return Sample(format="gemini", values=values, blocks=_ANTHROPIC_BLOCKS[:2])


def _snapshots(parts: list[str]) -> list[str]:
    return [_joined(parts[: end + 1]) for end in range(len(parts))]


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
    blocks = [("text", _joined(WORDS)), ("tool-call", "".join(ARGUMENTS))]
    return Sample(format="langgraph", values=values, blocks=blocks, events=events)


def _opencode_parts() -> list[dict[str, Any]]:
    parts = []
    for name, kind, texts in (("p-1", "reasoning", THOUGHTS), ("p-2", "text", WORDS)):
        for number, text in enumerate(_snapshots(texts)):
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
    return Sample(format="opencode", values=values, blocks=_ANTHROPIC_BLOCKS[:2], clock="source")


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
        value["data"] = "".join(
            f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in value["data"]
        )
    return Sample(format="opencode", values=values, blocks=_ANTHROPIC_BLOCKS[:2], clock="source")


def _opencode_deltas() -> Sample:
    values = [
        {
            "type": "message.part.delta",
            "properties": {"messageID": "m-1", "partID": "p-1", "field": "text", "delta": word},
        }
        for word in WORDS
    ]
    return Sample(format="opencode", values=values, blocks=[("text", _joined(WORDS))])


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


SAMPLES = {
    "chat": _openai_chat(),
    "chat-reasoning_content": _chat_reasoning("reasoning_content"),
    "chat-reasoning": _chat_reasoning("reasoning"),
    "chat-tools": _chat_tools(),
    "chat-at-once": _chat_both_at_once(),
    "anthropic": _anthropic(),
    "claude-stream": _claude_stream(),
    "responses": _responses(),
    "acp": _acp(),
    "grok": _grok(),
    "ag-ui": _agui(),
    "ag-ui-timed": _agui_timed(),
    "vercel": _vercel(),
    "gemini": _gemini(),
    "interactions": _interactions(),
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


def sample(name: str) -> Sample:
    """The sample of this name."""
    return SAMPLES[name]
