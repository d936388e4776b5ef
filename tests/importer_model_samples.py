"""Small recordings of what models' interfaces stream."""

from typing import Any

from importer_words import ALL_BLOCKS, ARGUMENTS, MODEL, THOUGHTS, WORDS, Sample, joined

__all__ = ["MODEL_SAMPLES"]


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
    return Sample(format="openai-chat", values=values, blocks=[("text", joined(WORDS))])


def _chat_reasoning(field: str) -> Sample:
    values = [_chat({"role": "assistant", "content": None, field: ""})]
    values += [_chat({"content": None, field: thought}) for thought in THOUGHTS]
    values += [_chat({"content": word, field: None}) for word in WORDS]
    values += [_chat({"content": "", field: None}, end="length")]
    blocks = [("reasoning", "".join(THOUGHTS)), ("text", joined(WORDS))]
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


def _anthropic() -> Sample:
    values = _anthropic_values()
    names = [value["type"] for value in values]
    return Sample(format="anthropic", values=values, blocks=ALL_BLOCKS, events=names)


def _claude_stream() -> Sample:
    values: list[Any] = [{"type": "system", "subtype": "init", "session_id": "s-1"}]
    for number, event in enumerate(_anthropic_values()):
        parent = {"parent_tool_use_id": None, "uuid": f"00000000-0000-4000-8000-{number:012}"}
        values.append({"type": "stream_event", "event": event, "session_id": "s-1", **parent})
    values.append({"type": "result", "subtype": "success", "session_id": "s-1"})
    return Sample(format="claude-stream", values=values, blocks=ALL_BLOCKS)


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
    put("output_text.done", **place, text=joined(WORDS))
    call = {"id": "fc-1", "type": "function_call", "call_id": "call-1", "name": "weather"}
    put("output_item.added", output_index=2, item=call)
    for part in ARGUMENTS:
        put("function_call_arguments.delta", item_id="fc-1", output_index=2, delta=part)
    put("function_call_arguments.done", output_index=2, arguments="".join(ARGUMENTS))
    usage = {"input_tokens": 9, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 2}}
    put("completed", response={**response, "status": "completed", "usage": usage})
    names = [value["type"] for value in values]
    return Sample(format="openai-responses", values=values, blocks=ALL_BLOCKS, events=names)


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
        ("text", joined(WORDS)),
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
    return Sample(format="gemini", values=values, blocks=ALL_BLOCKS[:2])


MODEL_SAMPLES = {
    "chat": _openai_chat(),
    "chat-reasoning_content": _chat_reasoning("reasoning_content"),
    "chat-reasoning": _chat_reasoning("reasoning"),
    "chat-tools": _chat_tools(),
    "chat-at-once": _chat_both_at_once(),
    "anthropic": _anthropic(),
    "claude-stream": _claude_stream(),
    "responses": _responses(),
    "gemini": _gemini(),
    "interactions": _interactions(),
}
