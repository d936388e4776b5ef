"""Redacted logs: the same rows, the same bytes, copies that stay copies, and no text of the source."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import InvalidJson, UsageError
from histbench.history import FORMS, encode_page, whole_page
from histbench.jsontext import encode, merge_surrogates, same
from histbench.log import EventLog
from histbench.privacy import Redactor, redact_events, redact_log, redaction
from histbench.privacy.blocks import MAX_OPEN, OpenBlocks
from histbench.records import Plain, record_json
from histbench.rows import Row
from strategies import deltas, event_lists, json_texts, logs
from synthetic import generate, session_header

KEY = b"a key of the tests"
BLOCK = {"tag": "text-chunks", "turn": 1, "step": 1, "index": 0}


def chunk(seq, chunk):
    """An assistant/chunk event."""
    data = {"turn": 1, "step": 1, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": seq, "data": data}


@given(event_lists())
def test_every_record_keeps_its_bounds_and_its_bytes(events):
    """Rows stay rows of the same members and gaps, and no line changes its length."""
    log = EventLog.from_events(events)
    redacted = redact_log(log, key=KEY)

    assert len(redacted) == len(log)
    for source, record in zip(log.records(), redacted.records(), strict=True):
        assert type(record) is type(source)
        assert (record.seq, record.count) == (source.seq, source.count)
        if isinstance(record, Row):
            assert (record.gaps, record.time0, record.kind) == (
                source.gaps,
                source.time0,
                source.kind,
            )
            assert list(map(len, record.text_list())) == list(map(len, source.text_list()))
            assert len(record.json()) == len(source.json())
        else:
            assert len(encode(record.event())) == len(encode(source.event()))


@given(event_lists())
def test_redacting_records_is_redacting_events(events):
    """What a log is redacted to does not depend on how it is stored, and packs as before."""
    redacted = redact_log(EventLog.from_events(events), key=KEY)
    one_by_one = list(redact_events(EventLog.from_events(events), key=KEY))

    assert redacted == EventLog.from_events(one_by_one)
    packed = [
        event for record in pack_chunk_runs(one_by_one) for event in decode_storage_record(record)
    ]
    assert same(packed, one_by_one)


@settings(max_examples=40)
@given(logs(spoiled=False))
def test_every_form_has_the_same_number_of_bytes(events):
    """Sizes measured on a redacted log are those of the log."""
    log = EventLog.from_events(json.loads(encode(events)))
    pages = [whole_page(each) for each in (log, redact_log(log, key=KEY))]

    for form in FORMS:
        assert len(encode_page(pages[0], form)) == len(encode_page(pages[1], form))


@given(st.lists(json_texts, min_size=1, max_size=8), st.booleans())
def test_copies_of_a_block_stay_copies(pieces, interleaved):
    """A block's end and its message repeat the redacted deltas, even where blocks take turns."""
    other = {**BLOCK, "index": 1}
    events = [chunk(0, {"type": "block-start", "index": 0, "blockType": "text"})]
    for piece in pieces:
        events.append(deltas(len(events), 0, piece, BLOCK))
        if interleaved:
            events.append(deltas(len(events), 0, "between", other))
    whole = merge_surrogates("".join(pieces))
    end = {"type": "block-end", "index": 0, "block": {"type": "text", "text": whole}}
    events.append(chunk(len(events), end))
    message = {"message": {"content": [{"type": "text", "text": whole}]}}
    events.append({"type": "assistant/message", "seq": len(events), "time": 0, "data": message})
    redacted = list(redact_events(events, key=KEY))
    texts = [
        each["data"]["chunk"]["text"]
        for each in redacted
        if each["data"].get("chunk", {}).get("type") == "text-delta"
        and each["data"]["chunk"]["index"] == 0
    ]
    joined = merge_surrogates("".join(texts))

    assert redacted[-2]["data"]["chunk"]["block"]["text"] == joined
    assert redacted[-1]["data"]["message"]["content"][0]["text"] == joined


def test_a_new_attempt_at_a_block_is_a_new_text():
    """After an end or another start, the same place holds another text."""
    start = {"type": "block-start", "index": 0, "blockType": "text"}
    events = [
        chunk(0, start),
        deltas(1, 0, "mea", BLOCK),
        chunk(2, start),
        deltas(3, 0, "mea", BLOCK),
        deltas(4, 0, "sure", BLOCK),
    ]
    redacted = list(redact_events(events, key=KEY))
    texts = [redacted[at]["data"]["chunk"]["text"] for at in (1, 3, 4)]

    assert texts[0] == texts[1]
    (word,) = redact_events([deltas(0, 0, "measure", BLOCK)], key=KEY)
    assert word["data"]["chunk"]["text"] == texts[1] + texts[2]


def test_structure_stays_and_everything_else_is_text():
    """Types, roles, numbers, instants and a format's keys stay; names, paths, ids and keys do not."""
    event = {
        "type": "tool/call",
        "seq": 3,
        "time": 5,
        "data": {
            "turn": 1,
            "role": "assistant",
            "kind": "salary",
            "name": "payroll_lookup",
            "callId": "call_ab12",
            "timestamp": "2026-11-30T14:00:00.123Z",
            "title": "user",
            "note": True,
            "Gehalt": {"17": 4200.5, "path": "/home/me/ann.py"},
            "arguments": '{"employee":"Ann","n":10}',
        },
    }
    (redacted,) = redact_events([event], key=KEY)
    data = redacted["data"]

    assert list(redacted) == list(event)
    assert (redacted["type"], redacted["seq"], redacted["time"]) == ("tool/call", 3, 5)
    assert list(data)[:7] == list(event["data"])[:7]
    assert (data["turn"], data["role"], data["timestamp"]) == (
        1,
        "assistant",
        event["data"]["timestamp"],
    )
    gone = encode(redacted).decode()
    for word in ("salary", "payroll", "lookup", "ab12", '"user"', "note", "Gehalt", "ann", "Ann"):
        assert word not in gone
    assert json.loads(data["arguments"]).keys() != {"employee", "n"}
    (other,) = (value for value in data.values() if isinstance(value, dict))
    assert other["17"] == 4200.5


def test_no_word_of_a_session_survives():
    """A whole generated session keeps no word of four letters where it was, names included."""
    log = EventLog.from_events(generate("quick", seed=3), header=session_header("quick", seed=3))
    redacted = redact_log(log, key=KEY)
    source_lines = [record_json(each).decode() for each in log.records()]
    lines = [record_json(each).decode() for each in redacted.records()]
    changed = [line != source for line, source in zip(lines, source_lines, strict=True)]

    assert list(map(len, map(str.encode, lines))) == list(map(len, map(str.encode, source_lines)))
    assert sum(changed) > len(changed) // 4
    assert redacted.header["cwd"] != log.header["cwd"]
    assert redacted.header["createdAt"] == log.header["createdAt"]
    texts = [r.text() for r in log.records() if isinstance(r, Row)]
    gone = [r.text() for r in redacted.records() if isinstance(r, Row)]
    for text, replaced in zip(texts, gone, strict=True):
        for word, other in zip(text.split(" "), replaced.split(" "), strict=True):
            if len(word) >= 4 and word.isalpha() and word not in ("true", "false", "null"):
                assert word != other


def test_a_view_is_redacted_with_its_event():
    """What a page shows beside an event is text as well."""
    raw = encode({"type": "tool/call", "seq": 0, "time": 0, "data": {"name": "payroll"}})
    record = Plain(type="tool/call", seq=0, time=0, raw=raw, view=encode({"title": "Payroll run"}))
    redacted = Redactor(KEY).record(record)

    assert redacted.view is not None
    assert b"ayroll" not in redacted.raw + redacted.view


def test_a_short_key_is_refused():
    """A key that can be tried out keeps nothing secret."""
    with pytest.raises(UsageError) as caught:
        Redactor(b"short")

    assert caught.value.code == "short_key"


def test_what_nests_too_deeply_is_refused():
    """An event that no recursion can follow ends in an error with a code."""
    value = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(InvalidJson) as caught:
        Redactor(KEY).event({"type": "note", "seq": 0, "time": 0, "data": value})

    assert caught.value.code == "too_deep"


def test_open_blocks_are_bounded():
    """A log that never ends its blocks closes the oldest ones, not the memory."""
    closed = []
    blocks = OpenBlocks(list, closed.append)
    for place in range(MAX_OPEN + 10):
        blocks.of((1, 1, place), ("text-chunks", None)).append(place)
    blocks.end_all()

    assert closed[:10] == [[place] for place in range(10)]
    assert len(closed) == MAX_OPEN + 10


def test_a_name_never_becomes_one_that_means_something(monkeypatch):
    """A key that is nobody's is not turned into a format's own, which would change what is read."""
    redactor = Redactor(KEY)
    (made,) = redactor.event({"zqxjk": 1})
    monkeypatch.setattr(redaction, "KEYS", frozenset({made}))
    (walked,) = Redactor(KEY).event({"zqxjk": 1})

    assert walked not in ("zqxjk", made)
    assert len(walked) == len(made)
