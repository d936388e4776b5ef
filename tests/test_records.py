"""Records: the fast way of reading a line and the slow one are one way."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, counted_calls, refusal_of_row, same
from histbench import records
from histbench.codec import check_row
from histbench.errors import HistbenchError, InvalidEvent, InvalidRow
from histbench.events import KIND_BY_TAG
from histbench.jsontext import decode, encode
from histbench.records import (
    Plain,
    event_of_json,
    read_line,
    read_value,
    record_events,
    record_json,
)
from histbench.rows import Row, RowHead
from strategies import any_records, event_lists, near_rows, ordinary_events, rows, spellings

CHUNK = b'{"type":"assistant/chunk","seq":%b,"time":%b,"data":{"turn":%b,"step":1,"chunk":%b}}'
TEXT = b'{"type":"text-delta","index":0,"text":"a"}'
ROW = b'{"type":"text-chunks","seq0":%b,"time0":%b,"data":{"turn":%b,"step":1,"index":0,"dt":%b,"texts":%b}}'


def outcome(function, *args):
    """What a call gives, as one comparable value: logical events, or the code of the refusal."""
    try:
        record = function(*args)
    except HistbenchError as error:
        return error.code
    if isinstance(record, Plain):
        return "plain", record.seq, record.time, json.dumps(record.event(), sort_keys=True)
    return "row", record.count, json.dumps(record.value(), sort_keys=True)


def is_row(value):
    """Whether a stored value says that it is a row."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in oracle.KINDS


def both_ways(line):
    """A line read as it comes, and read by the slow way alone."""
    return outcome(read_line, line), outcome(lambda: read_value(decode(line), line))


@given(st.data(), any_records)
def test_fast_and_slow_reading_are_one(data, value):
    """Accepted alike with the same events, or refused with the same code."""
    line = data.draw(spellings(value))
    fast, slow = both_ways(line)

    assert fast == slow


@given(st.data(), st.one_of(rows(), near_rows()))
def test_a_canonical_row_and_its_oracle_agree(data, value):
    """What the oracle expands is what the line holds; what it refuses is refused for that rule."""
    line = data.draw(spellings(value))
    broken = refusal_of_row(value)
    if broken is not None:
        check_refused(broken, read_line, line)
    elif is_row(value):
        row = read_line(line)
        assert isinstance(row, Row)
        assert same(record_events(row), oracle.decode(value))


@st.composite
def damaged(draw):
    """The canonical line of some record with a few bytes changed, and keys told twice."""
    value = draw(
        st.one_of(rows(), ordinary_events(), event_lists().filter(bool).map(lambda e: e[0]))
    )
    line = bytearray(encode(value))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(line) - 1))
        width = draw(st.integers(0, 2))
        line[at : at + width] = draw(
            st.sampled_from(
                [
                    *(b"", b'"', b"\\", b",", b"1", b"-", b".0", b"e3", b"e999", b" ", b"\xff"),
                    *(b"\x01", b"true", b"null", b"]", b"}", b'"seq":1,', b'"type":"note",'),
                    *(b"\\ud83d", b"[", b"{", b":", b"9007199254740993"),
                ]
            )
        )
    return bytes(line)


@given(damaged())
@example(ROW % (b"0", b"0", b"1", b"[0]", b'["\\n\xe2\x82","\xac"]'))
@example(ROW % (b"0", b"0", b"1", b"[1e999]", b'["a","b"]'))
@example(ROW % (b"0", b"0", b"1e999", b"[]", b'["a"]'))
@example(ROW % (b"0", b"0", b"1" * 5000, b"[]", b'["a"]'))
@example(ROW % (b"0", b"0", b"1" * 400, b"[]", b'["a"]'))
@example(ROW % (b"1" * 5000, b"0", b"1", b"[]", b'["a"]'))
@example(CHUNK % (b"0", b"0", b"1", TEXT.replace(b'"a"', b'"a","type":"reasoning-delta"')))
@example(CHUNK % (b"0", b"0", b"1", TEXT.replace(b'"a"', b'"\xff"')))
@example(CHUNK % (b"0", b"0", b"9007199254740993", TEXT))
@example(b'{"type":"note","seq":0,"time":0,"data":"\xff"}')
@example(b'{"type":"note","seq":0,"time":0,"\xff":1}')
@example(b'{"type":"note","seq":0,"time":0,"data":1e999}')
@example(b'{"type":"note","seq":0,"time":0,"data":' + b"1" * 5000 + b"}")
@example(b'{"type":"note","seq":0,"time":1e999}')
@example(b'{"type":"note","seq":0,"time":' + b"1" * 400 + b"}")
@example(b'{"type":"note","seq":0,"time":0,"seq":1,"type":"text-chunks"}')
@example(b'{"type":"text-chunks","seq":0,"time":0,"type":"note"}')
@example(b'{"type":"\\ud83d","seq":0,"time":0}')
@example(b'{"type":"note","seq":0,"time":0,"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}")
def test_damaged_lines_end_in_a_record_or_a_refusal(line):
    """The two ways agree on which, and what is accepted can be read to the last digit."""
    fast, slow = both_ways(line)

    assert fast == slow or (isinstance(fast, str) and isinstance(slow, str))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"null", "event_shape"),
        (b"[]", "event_shape"),
        (b"", "invalid_json"),
        (b'{"seq":0,"time":0}', "event_type"),
        (b'{"type":1,"seq":0,"time":0}', "event_type"),
        (b'{"type":"note","time":0}', "event_seq"),
        (b'{"type":"note","seq":-1,"time":0}', "event_seq"),
        (b'{"type":"note","seq":0.5,"time":0}', "event_seq"),
        (b'{"type":"note","seq":9007199254740992,"time":0}', "event_seq"),
        (b'{"type":"note","seq":true,"time":0}', "event_seq"),
        (b'{"type":"note","seq":0}', "event_time"),
        (b'{"type":"note","seq":0,"time":"0"}', "event_time"),
        (b'{"type":"note","seq":0,"time":true}', "event_time"),
        (b'{"type":"note","seq":0,"time":1e400}', "number_out_of_range"),
        (b'{"type":"text-chunks","seq0":0,"time0":0,"data":{}}', "row_data_keys"),
        (b'{"type":"text-chunks","seq":0,"time":0,"data":{}}', "row_envelope"),
        (ROW % (b"0", b"0", b"1", b"[0,0]", b'["a","b"]'), "row_dt_length"),
        (ROW % (b"0", b"0", b"1", b"[0]", b'["\xff","b"]'), "invalid_utf8"),
    ],
)
def test_lines_that_hold_no_record(line, code):
    """Each fault has its own code."""
    error = check_refused(code, read_line, line)

    assert isinstance(error, InvalidEvent | InvalidRow | HistbenchError)


def test_a_bad_time_tells_the_seq():
    """Where there is a seq, the place is known."""
    error = check_refused("event_time", read_line, b'{"type":"note","seq":7}')

    assert error.where.seq == 7


@given(rows())
def test_a_canonical_row_is_read_by_counting(value):
    """Its columns are not parsed; with escapes in its texts they may have to be."""
    row = Row.of(check_row(oracle.row_of(oracle.decode(value)), KIND_BY_TAG[value["type"]]))
    line = row.json()
    with counted_calls(Row.text_list, Row.gap_list, RowHead.events, check_row, decode) as calls:
        again = read_line(line)

    assert again == row
    assert not calls or b"\\" in line


@given(st.data(), ordinary_events())
def test_an_ordinary_event_keeps_its_own_text(data, event):
    """Not even its white space is lost, and each reading gives a new event."""
    line = data.draw(spellings(event))
    record = read_line(line)

    assert isinstance(record, Plain)
    assert record_json(record) == line
    assert (record.type, record.seq, record.count, record.end_seq) == (
        event["type"],
        event["seq"],
        1,
        event["seq"] + 1,
    )
    assert record.time == event["time"]
    record.event().clear()
    assert same(record.event(), event)
    assert same(record_events(record), [event])


@given(st.data(), st.one_of(any_records, event_lists().filter(bool).map(lambda events: events[0])))
def test_an_event_is_what_a_line_holds_unless_it_is_a_row(data, value):
    """The same acceptance as a line's, but a row is no event; a delta stays an ordinary record."""
    text = data.draw(spellings(value))
    line, event = outcome(read_line, text), outcome(event_of_json, text)
    if is_row(value):
        assert event == (line if isinstance(line, str) else "event_type")
    elif isinstance(line, str):
        assert event == line
    else:
        assert event[:2] == ("plain", value["seq"])
        assert same(event_of_json(text).event(), value)


def test_a_view_goes_with_its_event():
    """Whichever way the event was read; what is in it can be read too."""
    fast, slow = b'{"type":"note","seq":0,"time":0}', b'{"type":"note","seq":0,"time":0.5}'
    delta = CHUNK % (b"0", b"0", b"1", TEXT)
    for raw in (fast, slow, delta):
        assert event_of_json(raw, b'{"for":"call"}') == msgspec_replace(event_of_json(raw))
        check_refused("invalid_utf8", event_of_json, raw, b'"\xff"')
        check_refused("number_out_of_range", event_of_json, raw, b"[1e999]")


def msgspec_replace(plain):
    """The same record with a view."""
    return Plain(
        type=plain.type, seq=plain.seq, time=plain.time, raw=plain.raw, view=b'{"for":"call"}'
    )


@given(event_lists(max_pieces=2).filter(bool))
def test_a_delta_is_recognised_in_any_order_of_keys(events):
    """In a line, in an ordinary record and in a value alike."""
    event = events[0]
    expected = oracle.delta_of(event)
    plain = event_of_json(encode(event))
    found = records.delta_of_plain(plain)

    assert (found is None) == (expected is None)
    assert isinstance(read_line(encode(event)), RowHead) == (expected is not None)
    if found is not None:
        assert same(found.events(), [event])
        assert same(records.plain_of_delta(found).event(), event)
        assert records.plain_of_delta(found, plain.raw) == plain


@pytest.mark.parametrize("value", [b"x", {1, 2}, float("nan"), {1: 2}])
def test_values_that_json_has_not_are_no_events(value):
    """They would not come back as they were."""
    event = {"type": "note", "seq": 0, "time": 0, "data": value}

    check_refused("not_json", read_value, event)
