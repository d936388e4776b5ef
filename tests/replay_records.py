"""Records for the replay: well-formed chains of both dialects, and records with anything in them."""

from collections.abc import Callable
from typing import Any

from acp.schema import SessionNotification
from hypothesis import strategies as st

from histbench.jsontext import encode
from histbench.transcript.record import TranscriptRecord, merge_fragments
from histbench.transcript.replay import RECORD_ID, Update
from strategies import json_keys, json_values

__all__ = [
    "TEMPLATES",
    "agent",
    "assistant",
    "call",
    "chats",
    "check_updates",
    "payload",
    "record",
    "records_of",
    "response",
    "texts",
    "texts_of",
    "wild_records",
]

Value = dict[str, Any]

# The protocol's Python models refuse half a surrogate pair, so the schema is not asked about it.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def record(kind: str, record_id: str = "r1", subtype: str | None = None, **fields: Any) -> Value:
    """A chat record's value."""
    value = {"uuid": record_id, "parentUuid": None, "sessionId": "s", "type": kind, **fields}
    return value if subtype is None else {**value, "subtype": subtype}


def assistant(*parts: Value, record_id: str = "r1", **fields: Any) -> Value:
    """An answer of these parts."""
    return record("assistant", record_id, message={"role": "model", "parts": parts}, **fields)


def call(name: str, call_id: str | None = None, **arguments: Any) -> Value:
    """The part that calls a tool."""
    named = {"name": name, "args": arguments}
    return {"functionCall": named if call_id is None else {"id": call_id, **named}}


def response(
    name: str | None,
    call_id: str | None = None,
    output: Any = "done",
    *,
    record_id: str = "r2",
    **recorded: Any,
) -> Value:
    """A tool's result; `recorded` is its toolCallResult."""
    given: Value = {"response": {"output": output}}
    given |= {} if call_id is None else {"id": call_id}
    given |= {} if name is None else {"name": name}
    message = {"role": "user", "parts": [{"functionResponse": given}]}
    value = record("tool_result", record_id, message=message)
    return {**value, "toolCallResult": recorded} if recorded else value


def agent(kind: str, *blocks: Value | str, record_id: str = "r1", **fields: Any) -> Value:
    """A record of an agent session file."""
    content = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else list(blocks)
    return record(kind, record_id, message={"role": kind, "content": content}, **fields)


def records_of(*values: Value) -> list[TranscriptRecord]:
    """The records that these values are read as."""
    return [merge_fragments([encode(value)]) for value in values]


def check_updates(updates: list[Update], records: list[TranscriptRecord]) -> None:
    """Every update is one of the published schema and names a record of the page."""
    known = {record.record_id for record in records}
    for update in updates:
        SessionNotification.model_validate({"sessionId": "s", "update": update})
        assert update["_meta"][RECORD_ID] in known
        assert update["_meta"]["qwenTranscript"]["sourceRecordIds"]


def texts_of(updates: list[Update], *kinds: str) -> str:
    """The texts of the chunks of these kinds, one after the other."""
    return "".join(
        update["content"]["text"]
        for update in updates
        if update["sessionUpdate"] in kinds and update["content"]["type"] == "text"
    )


_CALL_IDS = st.sampled_from([None, "a", "b", "a:2", "x" * 300])
_TOOLS = st.sampled_from(["read_file", "bash", "todo_write", "TodoWrite", "task"])
_USAGE = st.fixed_dictionaries({"promptTokenCount": st.integers(0, 9)})


def _text_part(text: str) -> Value:
    return {"text": text}


def _thought(text: str) -> Value:
    return {"text": text, "thought": True}


def _calls(tool: st.SearchStrategy[str]) -> st.SearchStrategy[Value]:
    return st.builds(call, tool, _CALL_IDS, path=texts)


_ANSWER_PARTS = st.one_of(texts.map(_text_part), texts.map(_thought), _calls(_TOOLS))
_BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, texts),
    st.builds(lambda text: {"type": "thinking", "thinking": text}, texts),
    st.builds(
        lambda name, call_id: {"type": "tool_use", "id": call_id, "name": name, "input": {}},
        _TOOLS,
        _CALL_IDS,
    ),
)
_PAYLOAD_SUBTYPES = st.sampled_from(
    ["mid_turn_user_message", "notification", "cron", "agent_mention", "agent_message"]
)


def _user(text: str) -> Value:
    return record("user", message={"role": "user", "parts": [{"text": text}]})


def _payload_user(subtype: str, text: str) -> Value:
    return {**_user(text), "subtype": subtype, "systemPayload": {"displayText": text}}


def _tool_block(call_id: str | None) -> Value:
    return agent("user", {"type": "tool_result", "tool_use_id": call_id, "content": "ok"})


_VALUES: st.SearchStrategy[Value] = st.one_of(
    texts.map(_user),
    st.builds(_payload_user, _PAYLOAD_SUBTYPES, texts),
    st.lists(_ANSWER_PARTS, max_size=4).map(lambda parts: assistant(*parts)),
    st.builds(
        lambda parts, usage: assistant(*parts, usageMetadata=usage),
        st.lists(_ANSWER_PARTS, max_size=3),
        _USAGE,
    ),
    st.builds(response, st.none() | _TOOLS, _CALL_IDS, texts),
    st.builds(response, _TOOLS, _CALL_IDS, texts, status=st.sampled_from(["success", "error"])),
    st.lists(_BLOCKS, max_size=3).map(lambda blocks: agent("assistant", *blocks)),
    _CALL_IDS.map(_tool_block),
    st.sampled_from(["rewind", "chat_compression", "ui_telemetry"]).map(
        lambda subtype: record("system", subtype=subtype)
    ),
)


def _numbered(values: list[Value]) -> list[TranscriptRecord]:
    return records_of(
        *({**value, "uuid": f"r{n}", "timestamp": "2026-07-14T00:00:00Z"}
          for n, value in enumerate(values))
    )  # fmt: skip


chats: st.SearchStrategy[list[TranscriptRecord]] = st.lists(_VALUES, max_size=12).map(_numbered)

# The keys and words that any rule looks at, so that wild values land where they can do harm.
_KEY_NAMES = """
    message role parts content text thought type thinking inlineData data mimeType fileData fileUri
    functionCall functionResponse id name args input response output error source url media_type
    tool_use_id is_error toolCallResult callId status resultDisplay todos toolUseResult newContent
    originalContent filePath fileName truncatedForSession executionSummary inputTokens usageMetadata
    promptTokenCount usage input_tokens systemPayload displayText hookContext backgroundTask author
    runId attachmentReferences resourceLinks uri phase outputHistoryItems uiEvent event.name
    duration_ms call_id state cancelledAt startedAt promptId subagentSessionReady snapshot cause
    event reason kind daemonPromptId isMeta path line command
"""
_WORDS = """
    text thinking redacted_thinking image tool_use tool_result url success error cancelled result
    todo_list task_execution todo_write TodoWrite read_file goal_status api_response image/png a b
"""
_KEYS = st.sampled_from(_KEY_NAMES.split())
_KINDS = st.sampled_from(_WORDS.split())
_wild_values = st.recursive(
    json_values | _KINDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_KEYS | json_keys, inner, max_size=5)
    ),
    max_leaves=12,
)
_TYPES = st.sampled_from(["user", "assistant", "tool_result", "system", "summary", "other"])
_SUBTYPES = st.sampled_from(
    [
        *(None, "mid_turn_user_message", "notification", "realtime_message", "agent_message"),
        *(
            "slash_command",
            "ui_telemetry",
            "turn_result",
            "background_task_completed",
            "goal_state",
        ),
        *("agent_session_ready", "todo/write", "turn/end", "local_command", "injected", "new"),
    ]
)


def payload(subtype: str, *, kind: str = "system", **fields: Any) -> Value:
    """A record that says in its payload what there is to see."""
    return record(kind, subtype=subtype, systemPayload=fields)


_TASK = {"type": "task_execution", "executionSummary": {"inputTokens": 1, "outputTokens": 2}}
_CHANGE = {"fileName": "a.py", "fileDiff": "+1", "originalContent": "0", "newContent": "1"}
_IMAGE = {"inlineData": {"data": "aGk=", "mimeType": "image/png"}}
_SOURCE = {"type": "base64", "media_type": "image/png", "data": "aGk="}
_LINK = {"type": "resource_link", "uri": "file:///a/b.txt", "name": "b", "mimeType": "text/plain"}
_TIMING = {"event.name": "x.api_response", "duration_ms": 12, "model": "m", "call_id": "1"}
_TODOS = [{"content": "boil", "status": "in_progress", "priority": "high"}, {"title": "cool"}]

# One record of every kind that a rule knows.
TEMPLATES: list[Value] = [
    record(
        "user", message={"parts": [{"text": "hi"}, _IMAGE, {"fileData": {"fileUri": "a://b/c"}}]}
    ),
    record(
        "user",
        message={"parts": [{"text": "hi there"}]},
        systemPayload={"displayText": "hi", "hookContext": "there", "resourceLinks": [_LINK]},
        daemonPromptId="p",
    ),
    *(
        {
            **payload(subtype, kind="user", displayText="shown", author={"name": "a"}, runId="r"),
            "message": {"parts": [{"text": "told"}]},
        }
        for subtype in (
            *("mid_turn_user_message", "notification", "cron", "goal_runtime"),
            *("realtime_message", "agent_message", "agent_mention", "injected"),
        )
    ),
    assistant(
        {"text": "a"}, call("bash", "1", command="ls"), usageMetadata={"promptTokenCount": 3}
    ),
    response("bash", "1", status="success", resultDisplay="text"),
    response("edit", "1", callId="1", status="error", error={"message": "no"}),
    response("edit", "1", status="success", resultDisplay=_CHANGE),
    response("task", "1", status="success", resultDisplay=_TASK),
    response("todo_write", "1", resultDisplay={"type": "todo_list", "todos": _TODOS}),
    agent("user", "hi"),
    agent("user", {"type": "image", "source": _SOURCE}, isMeta=True),
    agent("user", {"type": "tool_result", "tool_use_id": "1", "content": [], "is_error": True}),
    agent(
        "assistant",
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "id": "1", "name": "TodoWrite", "input": {"todos": _TODOS}},
    ),
    payload("slash_command", phase="result", outputHistoryItems=[{"type": "info", "text": "ok"}]),
    payload("ui_telemetry", uiEvent=_TIMING),
    payload("turn_result", state="cancelled", cancelledAt=9, startedAt=4, promptId="p"),
    payload("background_task_completed", displayText="done", backgroundTask={"id": "t"}),
    payload("agent_session_ready", callId="1", subagentSessionReady=True),
    payload("goal_state", snapshot={"goal": "win"}, cause="set"),
    record("system", subtype="local_command", content="out"),
    record("system", subtype="todo/write", event={"data": {"todos": _TODOS}}),
    record("system", subtype="turn/end", event={"data": {"reason": {"kind": "aborted"}}}),
]


def _places(value: Any) -> list[tuple[Any, ...]]:
    """The path of every value inside `value`, its own first."""
    paths: list[tuple[Any, ...]] = [()]
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list | tuple):
        inside = enumerate(value)
    return [*paths, *((key, *path) for key, member in inside for path in _places(member))]


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    key, *rest = path
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[key] = _replaced(value[key], tuple(rest), new)
    return changed


@st.composite
def _damaged(draw: st.DrawFn) -> TranscriptRecord:
    """A template with one or two of its values replaced by anything."""
    value = draw(st.sampled_from(TEMPLATES))
    kind, subtype = value["type"], value.get("subtype")
    for _ in range(draw(st.integers(1, 2))):
        value = _replaced(value, draw(st.sampled_from(_places(value)[1:])), draw(_wild_values))
    return _wild(kind, subtype, value, None)


def _wild(kind: str, subtype: str | None, fields: Value, timestamp: str | None) -> TranscriptRecord:
    return TranscriptRecord(
        record_id="w",
        parent_id=None,
        session_id=None,
        type=kind,
        subtype=subtype,
        timestamp=timestamp,
        value=fields,
        source_bytes=0,
        raw=(),
    )


_build_wild: Callable[..., TranscriptRecord] = _wild
wild_records = _damaged() | st.builds(
    _build_wild,
    _TYPES,
    _SUBTYPES,
    st.dictionaries(_KEYS, _wild_values, max_size=6),
    st.none() | texts | st.just("2026-07-14T00:00:00.5Z"),
)
