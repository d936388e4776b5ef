"""The raw page: one envelope an event, read into rows without a dict per token."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, counted_calls, same
from histbench.errors import HistbenchError
from histbench.history import HistoryPage, decode_page, encode_page, raw, whole_page
from histbench.history.raw import encode_events, parse_raw, validate_raw
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.records import Plain, delta_of_plain, event_of_json, record_json
from histbench.rows import Row, RowHead
from strategies import event_lists, json_values, logs, spellings


def read(data):
    """A raw page."""
    return decode_page(data, "raw")


def slow(data):
    """The same read value by value alone."""
    return validate_raw(raw._shaped(decode(data)))


def middle(data):
    """The same read event by event: what is done when some event has a field nobody has heard of."""
    return validate_raw(raw._any_decoder.decode(data))


def outcome(function, data):
    """A page as one comparable value, or the code of its refusal."""
    try:
        page = function(data)
    except HistbenchError as error:
        return error.code
    except (raw.msgspec.DecodeError, RecursionError):
        return "not read this way"
    records = [
        (json.dumps(decode(record_json(r)), sort_keys=True), r.view and decode(r.view))
        if isinstance(r, Plain)
        else (r.json(), None)
        for r in page.records
    ]
    return records, page.has_more, page.from_seq, page.to_seq


@given(st.data(), logs(), st.booleans())
def test_every_raw_page_is_read_alike_in_every_way(data, events, more):
    """The canonical records of its events, however it is spelled."""
    page = {"events": [{"event": event} for event in events], "hasMore": more}
    text = data.draw(spellings(page))
    expected = oracle.pack(events)

    assert outcome(read, text) == outcome(slow, text)
    assert outcome(middle, text) in (outcome(slow, text), "not read this way")
    found = read(text)
    assert same([decode(record_json(record)) for record in found.records], expected)
    assert same(found.events(), events)
    assert (found.has_more, found.from_seq) == (more, events[0]["seq"])


@given(st.data(), logs())
def test_views_stay_with_their_events(data, events):
    """Also a delta's, which then is no member of a row."""
    entries = [{"event": event} for event in events]
    at = data.draw(st.integers(0, len(events) - 1))
    entries[at]["view"] = data.draw(json_values)
    text = data.draw(spellings({"events": entries, "hasMore": False}))
    found = read(text)

    assert outcome(read, text) == outcome(slow, text)
    assert same(found.events(), events)
    (viewed,) = [r for r in found.records if isinstance(r, Plain) and r.view is not None]
    assert viewed.seq == events[at]["seq"]
    assert same(decode(viewed.view), entries[at]["view"])


@st.composite
def damaged_pages(draw):
    """The bytes of a raw page with a few of them changed."""
    events = draw(logs(max_pieces=3))
    text = bytearray(encode({"events": [{"event": e} for e in events], "hasMore": False}))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text) - 1))
        text[at : at + draw(st.integers(0, 2))] = draw(
            st.sampled_from(
                [
                    *(b"", b'"', b"\\", b",", b"1", b"-", b".0", b"e3", b"e999", b" ", b"\xff"),
                    *(b"\x01", b"true", b"null", b"]", b"}", b"[", b"{", b":", b"NaN", b"\\ud83d"),
                    *(b'"x":1,', b'"seq":1,', b'"view":{},', b"}}", b'"},"x":{"y":"b', b'","'),
                ]
            )
        )
    return bytes(text)


def delta(seq, payload, *, time=7, start=b""):
    """The text of a delta whose payload is spelled by hand."""
    return (
        b'{"type":"assistant/chunk","seq":%d,"time":%d,"data":%b{"turn":1,"step":1,'
        b'"chunk":{"type":"text-delta","index":0,"text":%b}}}' % (seq, time, start, payload)
    )


def page_of(*events, more=b"false"):
    """A raw page of these texts."""
    return b'{"events":[%b],"hasMore":%b}' % (
        b",".join(b'{"event":%b}' % event for event in events),
        more,
    )


def run(*payloads):
    """A raw page whose deltas have these payloads in a row."""
    return page_of(*(delta(seq, payload) for seq, payload in enumerate(payloads)))


@given(damaged_pages())
@example(run(b'"a"', b'"b"', b'"c"'))
@example(run(b'"a"', b'"b","x":1', b'"c"'))
@example(run(b'"a"', b'"b","text":"d"', b'"c"'))
@example(run(b'"a"', b'"b"},"x":{"y":"d"', b'"c"'))
@example(run(b'"a"', b'"\xff"', b'"c"'))
@example(run(b'"a\\n\xe2\x82"', b'"\xac"', b'"c"'))
@example(run(b'"a"', b"1", b'"c"'))
@example(run(b'"a"', b'["b"]', b'"c"'))
@example(run(b'"a"', b'"\\ud83d"', b'"\\ude00"'))
@example(run(b'"a"', b'"\\u0062"', b'"c"'))
@example(run(b'"\\"', b'","', b'"c"'))
@example(run(b'"a"', b' "b"', b'"c" '))
@example(run(b'"a"', b'"b","type":"reasoning-delta"', b'"c"'))
@example(page_of(*(delta(s, b'"a"', time=t) for s, t in enumerate([-(2**53) + 1, 2**53 - 1, 0]))))
@example(page_of(*(delta(s, b'"a"', time=2**53) for s in range(3))))
@example(page_of(*(delta(s, b'"a"', time=t) for s, t in enumerate([0, 2**53, 0]))))
@example(page_of(*(delta(2**53 - 2 + s, b'"a"') for s in range(4))))
@example(page_of(*(delta(s, b'"a"') for s in (0, 1, 3, 4))))
@example(page_of(delta(0, b'"a"'), delta(1, b'"a"'), delta(2, b'"a"').replace(b'"seq"', b'"s"')))
@example(page_of(b'{"type":"note","seq":0,"time":0,"data":1e999}'))
@example(page_of(b'{"type":"note","seq":0,"time":0,"data":"\xff"}'))
@example(page_of(b'{"type":"\\ud83d","seq":0,"time":0,"data":0}'))
@example(page_of(b'{"type":"note","seq":0,"time":0,"data":0,"ignorable":1e999}'))
@example(page_of(b'{"type":"note","seq":0,"time":0,"data":%b}' % (b"[" * 9000 + b"]" * 9000)))
@example(page_of(b'{"type":"text-chunks","seq0":0,"time0":0,"data":{}}'))
@example(page_of(b'{"type":"text-chunks","seq":0,"time":0,"data":{}}'))
@example(b'{"events":5,"hasMore":true}')
@example(b'{"events":{"event":1},"hasMore":true}')
@example(b'{"events":[],"hasMore":"x"}')
@example(b'{"events":[],"hasMore":false,"events":[{}]}')
def test_damaged_pages_end_in_a_page_or_a_refusal(data):
    """All ways agree on which, and what is accepted can be read to the last digit."""
    fast, slowly, between = outcome(read, data), outcome(slow, data), outcome(middle, data)

    assert fast == slowly or (isinstance(fast, str) and isinstance(slowly, str))
    assert between in (fast, "not read this way") or isinstance(fast, str)


@given(event_lists())
def test_a_raw_page_is_the_envelopes_of_its_events(events):
    """Written from a log or from events that never were in one, by hand and by the form."""
    expected = encode({"events": [{"event": event} for event in events], "hasMore": False})

    assert encode_events(events) == expected
    assert encode_events(iter(events), has_more=True) == expected[:-6] + b"true}"
    log = EventLog.from_events(events)
    page = HistoryPage(records=log.records(), has_more=False, from_seq=0, to_seq=0)
    written = encode_page(page, "raw")
    assert same(decode(written), decode(expected))


@given(logs())
def test_what_was_written_is_read_and_written_again(events):
    """The same page; an event's own white space and order of keys are not part of it."""
    page = whole_page(EventLog.from_events(events))
    written = encode_page(page, "raw")

    assert encode_page(read(written), "raw") == encode_page(
        read(encode_page(read(written), "raw")), "raw"
    )
    assert read(written).events() == page.events()
    assert EventLog.from_records(read(written).records) == EventLog.from_records(page.records)


def test_a_run_is_read_without_looking_at_its_texts():
    """Its payloads are the column of its row; no dict is made for any token."""
    text = run(*(b'"t%d"' % k for k in range(1000)))
    with counted_calls(decode, delta_of_plain, Row.text_list, RowHead.events, Plain.event) as calls:
        (row,) = read(text).records

    assert row.count == 1000
    assert not calls


def test_runs_that_touch_are_one_row():
    """However their common start is spelled."""
    spaced = delta(3, b'"d"').replace(b'"turn":1', b'"turn": 1')
    text = page_of(
        *(delta(k, b'"a"') for k in range(3)), spaced, *(delta(k, b'"e"') for k in (4, 5))
    )
    (row,) = read(text).records

    assert row.text() == "aaadee"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"[]", "page_shape"),
        (b"null", "page_shape"),
        (b"{}", "page_shape"),
        (b'{"events":[]}', "page_shape"),
        (b'{"events":[],"hasMore":0}', "page_shape"),
        (b'{"events":{},"hasMore":false}', "page_shape"),
        (b'{"events":[],"hasMore":false,"x":1}', "page_shape"),
        (b'{"events":[],"hasMore":false,"\\ud83d":1}', "page_shape"),
        (b'{"events":[null],"hasMore":false}', "page_record"),
        (b'{"events":[{}],"hasMore":false}', "page_record"),
        (b'{"events":[{"event":{},"x":1}],"hasMore":false}', "page_record"),
        (b'{"events":[{"event":null}],"hasMore":false}', "event_shape"),
        (page_of(b'{"type":"note","seq":-1,"time":0,"data":0}'), "event_seq"),
        (page_of(b'{"type":"note","seq":0,"time":null,"data":0}'), "event_time"),
        (page_of(delta(0, b'"a"'), delta(2, b'"a"')), "page_gap"),
        (page_of(delta(1, b'"a"'), delta(1, b'"a"')), "page_overlap"),
        (page_of(delta(1, b'"a"'), delta(0, b'"a"')), "page_overlap"),
        (page_of(delta(0, b'"\xff"')), "invalid_utf8"),
        (
            b'{"events":[{"event":%b,"view":"\xff"}],"hasMore":false}' % delta(0, b'"a"'),
            "invalid_utf8",
        ),
        (b"{", "invalid_json"),
        (b"", "invalid_json"),
    ],
)
def test_what_is_no_raw_page_is_refused(data, code):
    """Each fault with its code."""
    check_refused(code, read, data)


def test_a_lossy_page_may_have_gaps_but_no_overlaps():
    """What the projection leaves out is left out; nothing comes twice."""
    gap = page_of(delta(0, b'"a"'), delta(5, b'"b"'))
    page = decode_page(gap, "projection")

    assert [record.seq for record in page.records] == [0, 5]
    assert (page.from_seq, page.to_seq, page.covered) == (0, 6, False)
    overlap = page_of(delta(5, b'"a"'), delta(5, b'"b"'))
    check_refused("page_overlap", decode_page, overlap, "projection")


def test_an_empty_page_is_a_page():
    """It has no watermarks to read off its events."""
    page = read(b'{"events":[],"hasMore":true}')

    assert (page.records, page.has_more, page.from_seq, page.to_seq) == ((), True, 0, 0)


def test_the_shape_is_parsed_before_anything_is_proved():
    """So that a measurement can tell the two apart."""
    parsed = parse_raw(run(b'"a"', b'"b"', b'"c"'))

    assert isinstance(parsed, raw.RawPage)
    assert len(validate_raw(parsed).records) == 1


def test_events_whose_keys_stand_in_another_order_keep_it():
    """A log that somebody wrote by hand is no less of one."""
    raws = [b'{"data":{"b":1,"a":2},"seq":%d,"type":"note","time":5}' % seq for seq in range(3)]
    page = HistoryPage(
        records=tuple(map(event_of_json, raws)), has_more=False, from_seq=0, to_seq=3
    )

    assert decode_page(encode_page(page, "raw"), "raw") == page
