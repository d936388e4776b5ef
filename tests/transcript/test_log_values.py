"""What a session log's events look like as chat records."""

from log_events import answer, event, made, said


def test_only_the_users_own_messages_begin_turns():
    """What a program put in their place continues one, and tells its source."""
    source = {"kind": "plugin", "plugin": "p"}
    content = [{"type": "text", "text": "hi"}]
    messages = [
        event(0, "user/message", {"content": content, "source": {"kind": "user"}}),
        event(1, "user/message", {"content": content, "source": source}),
        event(2, "user/message", {"content": "hi"}, surfaceOp={"op": "replace"}),
        event(3, "user/message", {"content": " "}),
    ]
    heads = [each.head for each in made(messages)]

    assert [head.turn_start for head in heads] == [True, False, False, True]
    assert [head.navigation for head in heads] == ["prompt", None, None, None]
    assert [(head.type, head.subtype) for head in heads] == [
        ("user", None),
        ("user", "injected"),
        ("system", "user/message"),
        ("user", None),
    ]


def test_a_message_may_be_written_in_the_oldest_way():
    """Its content a string, or in the event itself; the model is told where it is known."""
    source = {"kind": "model", "model": "m"}
    old = event(0, "user/message", {"content": "hi"})
    bare = event(1, "assistant/message", {"content": [{"type": "text", "text": "a"}, 7]})
    named = answer(2, source=source)
    named["data"]["message"]["source"] = source
    found = made([old, bare, named, event(3, "tool/result", {"message": {"content": 1}})])

    assert said(found) == [
        ("seq:0", [{"text": "hi"}]),
        ("seq:1", [{"text": "a"}, 7]),
        ("seq:2", []),
        ("seq:3", []),
    ]
    assert [each.record.value.get("model") for each in found] == [None, None, "m", None]


def test_arguments_that_were_cut_stay_a_text():
    """As does whatever else is no JSON, or no text."""
    blocks = [{"type": "tool-call", "id": "c", "name": "read", "arguments": a} for a in ('{"a', 1)]
    (found,) = made([answer(0, *blocks)])
    parts = found.record.value["message"]["parts"]

    assert [part["functionCall"]["args"] for part in parts] == ['{"a', 1]


def test_results_say_how_the_call_went():
    """In the shape of today and in the flat one; images are told by where they lie."""
    image = {"type": "image", "attachment": {"attachmentId": "sha256:0", "mediaType": "image/png"}}
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, image]
    result = {"type": "tool-result", "toolCallId": "c", "content": blocks, "isError": False}
    flat = {"callId": "c", "content": "no", "isError": True}
    today, legacy = made(
        [
            event(0, "tool/result", {"message": {"content": [result]}}, surfaceOp="append"),
            event(1, "tool/result", flat),
        ]
    )

    assert today.head.tool_result
    assert today.record.value["toolCallResult"] == {"callId": "c", "status": "success"}
    assert today.record.value["message"]["parts"] == [
        {"functionResponse": {"id": "c", "response": {"output": "a\nb"}}},
        {"fileData": {"fileUri": "attachment:sha256:0", "mimeType": "image/png"}},
    ]
    assert legacy.record.value["toolCallResult"]["status"] == "error"
    assert legacy.record.value["message"]["parts"] == [
        {"functionResponse": {"id": "c", "response": {"error": "no"}}}
    ]


def test_times_are_texts_as_javascript_prints_them():
    """UTC, with three digits; a time past every calendar is none."""
    found = made([event(0, "note", {}) | {"time": time} for time in (1_700_000_000_005,)])
    never = made([event(0, "note", {}) | {"time": 2**53 - 1}])

    assert found[0].record.timestamp == "2023-11-14T22:13:20.005Z"
    assert never[0].record.timestamp is None
