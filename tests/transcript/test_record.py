"""Records of several fragments: who says what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidJson, InvalidTranscript
from histbench.transcript import merge_fragments, read_head
from histbench.transcript import record as record_module
from histbench.transcript.record import time_of
from transcript_records import line_of, record


def test_one_fragment_is_the_record_as_it_was_written():
    """The usual record is not touched."""
    value = record("b", "a", text="hi", model="m", unheard={"of": [1, None]})
    merged = merge_fragments([line_of(value)])

    assert merged.value == value
    assert merged.raw == (line_of(value),)
    assert merged.source_bytes == len(line_of(value))
    assert (merged.record_id, merged.parent_id, merged.diagnostics) == ("b", "a", ())


def test_the_first_fragment_says_what_it_is_and_the_others_add_parts():
    """Parts are joined in order, usage is the last, the time the latest, the rest the first's."""
    first = record("b", "a", "assistant", text="one", model="m1", usageMetadata={"n": 1})
    second = record("b", "z", "system", text="two", model="m2", usageMetadata={"n": 2})
    third = record("b", "a", "assistant", toolCallResult={"callId": "c"}, usageMetadata={"n": 3})
    second["timestamp"], third["timestamp"] = "2026-07-17T12:00:00+01:00", "soon"
    merged = merge_fragments([line_of(each) for each in (first, second, third)])

    assert [part["text"] for part in merged.value["message"]["parts"]] == ["one", "two"]
    assert merged.value["model"] == "m1"
    assert merged.value["usageMetadata"] == {"n": 3}
    assert merged.value["toolCallResult"] == {"callId": "c"}
    assert (merged.type, merged.parent_id) == ("assistant", "a")
    assert merged.timestamp == merged.value["timestamp"] == second["timestamp"]
    assert [each.code for each in merged.diagnostics] == ["parent_conflict"]


def test_blocks_and_strings_are_joined_too():
    """A string is one block of text."""
    first = {"uuid": "b", "parentUuid": None, "type": "user", "message": {"content": "one"}}
    second = first | {"message": {"content": [{"type": "text", "text": "two"}]}}
    third = {"uuid": "b", "parentUuid": None, "type": "user", "message": 5}
    joined = merge_fragments([line_of(third), line_of(first), line_of(second)])

    assert [part["text"] for part in joined.value["message"]["content"]] == ["one", "two"]


def test_a_fragment_written_twice_counts_once():
    """A retried append does not double the text; its bytes are there all the same."""
    raw = line_of(record("b", "a", text="hi"))
    merged = merge_fragments([raw, raw])

    assert merged.value["message"]["parts"] == [{"text": "hi"}]
    assert merged.source_bytes == 2 * len(raw)
    assert [each.code for each in merged.diagnostics] == ["fragment_repeated"]


def test_bad_bytes_and_times_are_told():
    """What cannot be read as it was meant is read as well as can be."""
    raw = line_of(record("b", "a", text="xyz")).replace(b"xyz", b"x\xffz")
    merged = merge_fragments([raw.replace(b"2026-07-17T", b"yesterday")])

    assert merged.value["message"]["parts"] == [{"text": "x\ufffdz"}]
    assert [each.code for each in merged.diagnostics] == ["invalid_utf8", "timestamp_unreadable"]
    later = merge_fragments([line_of(record("b", "a", text="w")), raw])
    assert later.value["message"]["parts"] == [{"text": "w"}, {"text": "x\ufffdz"}]
    assert [each.code for each in later.diagnostics] == ["invalid_utf8"]


@pytest.mark.parametrize(
    "number", [b"1e999", b"9" * 5000, b'[1e999,"\\ud83d"]', b'-1e999,"subtype":5']
)
def test_a_number_that_nobody_can_hold_costs_the_payload_only(number):
    """The record is on the chain, and its bytes are there."""
    raw = line_of(record("b", "a", text="hi"))[:-1] + b',"n":' + number + b"}"
    merged = merge_fragments([raw])
    torn = raw.replace(b"hi", b"h\xff\\ud83d")
    assert read_head(torn).repaired
    assert merge_fragments([torn]).record_id == "b"

    assert (merged.record_id, merged.parent_id, merged.raw) == ("b", "a", (raw,))
    assert merged.value == {"uuid": "b", "parentUuid": "a", "type": "user"}
    assert [each.code for each in merged.diagnostics] == ["number_out_of_range"]


def test_a_record_that_nests_as_deep_as_the_stack_goes_is_no_dead_end(monkeypatch):
    """Its head was read with less on the stack; the page that holds it is served without it."""

    def refuse(raw):
        raise InvalidJson("nested too deeply", code="too_deep")

    monkeypatch.setattr(record_module, "read_json", refuse)
    merged = merge_fragments([line_of(record("b", "a", text="hi"))])

    assert merged.value == {"uuid": "b", "parentUuid": "a", "type": "user"}
    assert [each.code for each in merged.diagnostics] == ["too_deep"]


@pytest.mark.parametrize(
    ("raws", "code"),
    [
        ([], "no_fragment"),
        ([line_of(record("a", None)), line_of(record("b", None))], "mixed_fragments"),
    ],
)
def test_fragments_are_of_one_record(raws, code):
    """Nobody joins what does not belong together."""
    with pytest.raises(InvalidTranscript) as caught:
        merge_fragments(raws)

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "time_ms"),
    [
        ("1970-01-01T00:00:00.001Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00", 0),
        ("9999-12-31T23:59:59.999Z", 253402300799999),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times(text, time_ms):
    """Where no zone is named it is UTC, whatever the machine's is."""
    assert time_of(text) == time_ms


@given(st.text(max_size=30))
def test_no_time_crashes(text):
    """Any text is a time or none."""
    assert time_of(text) is None or isinstance(time_of(text), int)
