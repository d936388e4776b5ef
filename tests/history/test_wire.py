"""Packed and joined pages: read strictly, the fast way and the slow one alike, and written back."""

import copy
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, counted_calls, same
from histbench.errors import HistbenchError
from histbench.history import HistoryPage, decode_page, encode_page, whole_page, wire
from histbench.history.page import Projections
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.records import Plain, event_of_json
from histbench.rows import Row, RowHead
from strategies import json_values, layouts, logs, rows, spellings

NOTE = b'{"type":"note","seq":%d,"time":0,"data":null}'
JOINED = (
    b'{"type":"text-joined","seq0":0,"time0":0,'
    b'"data":{"turn":1,"step":1,"index":0,"dt":"","text":"a"}}'
)
ODD = st.sampled_from(
    [
        *(None, True, 0, 1, -1, 0.5, 1.0, 2**53, 2**53 - 1, 10**400, "", "x", [], {}, [1], ["a"]),
        *(
            [None],
            {"type": "note", "seq": 0, "time": 0},
            {"event": 1},
            "\ud83d",
            "events",
            "oversize",
        ),
    ]
)


def tail(from_seq, to_seq, *, more=b"false"):
    """The end of a page, behind its records."""
    return b'],"hasMore":%b,"fromSeq":%d,"toSeq":%d}' % (more, from_seq, to_seq)


def slow(data):
    """A page read value by value alone."""
    parsed = decode(data)
    return wire.validate_page(parsed) if isinstance(parsed, dict) else wire.parse_page(data)


def outcome(function, data):
    """A page as one comparable value, or the code of its refusal."""
    try:
        page = function(data)
    except HistbenchError as error:
        return error.code
    records = [
        ("plain", json.dumps(decode(r.raw), sort_keys=True), r.view and decode(r.view))
        if isinstance(r, Plain)
        else ("row", json.dumps(r.value(), sort_keys=True))
        for r in page.records
    ]
    derived = page.projections
    return (
        records,
        (page.has_more, page.from_seq, page.to_seq, page.covered, page.cut),
        derived and (derived.as_of_seq, derived.value()),
    )


@st.composite
def pages(draw, form=None):
    """A page's JSON value, in some layout, with views and what else may be in it."""
    events = draw(logs(max_pieces=4))
    records = []
    for record in draw(layouts(events)):
        if record.get("type") in oracle.KINDS:
            packed = {"chunks": record}
            made = form != "packed" and draw(st.booleans()) and join(record)
            records.append({"joined": made} if made else packed)
        else:
            view = {"view": draw(json_values)} if draw(st.integers(0, 5)) == 0 else {}
            records.append({"event": record, **view})
    page = {
        "records": records,
        "hasMore": draw(st.booleans()),
        "fromSeq": events[0]["seq"],
        "toSeq": int(events[-1]["seq"]) + 1,
    }
    if draw(st.integers(0, 5)) == 0:
        as_of = draw(st.integers(-1, 5))
        page["projections"] = {"asOfSeq": as_of, "values": draw(json_values)}
    if draw(st.integers(0, 5)) == 0:
        page["cut"] = draw(st.sampled_from(["events", "bytes", "oversize"]))
    return page


def join(row):
    """The joined record of a row that can have one."""
    data = dict(row["data"])
    texts = data.pop("args" if "args" in data else "texts")
    if any("\x7f" in text for text in texts):
        return None
    # A layout may spell them as 7.0.
    gaps = [int(gap) for gap in data["dt"]]
    data["dt"] = "".join(chr(48 + gap) if gap in range(10) else f"({gap})" for gap in gaps)
    if any(9 < gap < 62 for gap in gaps):
        return None
    kind = row["type"].replace("chunks", "joined")
    return {**row, "type": kind, "data": {**data, "text": "\x7f".join(texts)}}


def places(value, path=()):
    """Every place within a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from places(each, (*path, at))


@st.composite
def faulty_pages(draw):
    """A page with something taken out, put in, doubled or exchanged, somewhere in it."""
    page = copy.deepcopy(draw(pages()))
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(list(places(page))[1:] or [("x",)]))
        target = page
        for step in path[:-1]:
            target = target[step]
        way = draw(st.integers(0, 4))
        if isinstance(target, list):
            if way == 0:
                del target[path[-1]]
            elif way == 1:
                target.insert(path[-1], copy.deepcopy(target[path[-1]]))
            else:
                target[path[-1]] = draw(ODD)
        elif way == 0:
            target.pop(path[-1], None)
        elif way == 1:
            target[draw(st.sampled_from(["x", "view", "event", "chunks", "seq0", "\ud83d"]))] = (
                draw(ODD)
            )
        elif way == 2 and isinstance(target.get(path[-1]), int):
            target[path[-1]] += draw(st.sampled_from([-1, 1, 0.5, 2**53]))
        else:
            target[path[-1]] = draw(ODD)
    return page


@given(st.data(), pages())
def test_every_page_is_read_by_both_ways_alike(data, page):
    """Whatever the layout of its rows and the spelling of its text; nothing in it is lost."""
    text = data.draw(spellings(page))
    expected = [
        event
        for record in page["records"]
        for event in (
            oracle.decode(record["chunks"]) if "chunks" in record else
            unjoined(record["joined"]) if "joined" in record else
            [record["event"]]
        )
    ]  # fmt: skip
    read = decode_page(text)

    assert outcome(decode_page, text) == outcome(slow, text)
    assert same(read.events(), expected)
    assert (read.from_seq, read.to_seq) == (page["fromSeq"], page["toSeq"])
    views = [record.view for record in read.records if isinstance(record, Plain)]
    sent = [record for record in page["records"] if "event" in record]
    assert [view is None for view in views] == ["view" not in record for record in sent]
    assert read.cut == page.get("cut")


def unjoined(record):
    """The events of a joined record."""
    _, text_key, texts_key = oracle.KINDS[record["type"].replace("joined", "chunks")]
    data = {key: value for key, value in record["data"].items() if key not in ("text", "dt")}
    gaps, rest = [], record["data"]["dt"]
    while rest:
        if rest[0] == "(":
            number, _, rest = rest[1:].partition(")")
            gaps.append(int(number))
        else:
            gaps.append(int(rest[0]))
            rest = rest[1:]
    data |= {"dt": gaps, texts_key: record["data"]["text"].split("\x7f")}
    kind = record["type"].replace("joined", "chunks")
    assert text_key
    return oracle.decode({**record, "type": kind, "data": data})


@given(st.data(), faulty_pages())
def test_both_ways_accept_the_same_pages(data, page):
    """With anything wrong anywhere: the same page, or two refusals, never another exception."""
    text = data.draw(spellings(page))
    fast, slowly = outcome(decode_page, text), outcome(slow, text)

    assert fast == slowly or (isinstance(fast, str) and isinstance(slowly, str))


@st.composite
def damaged_pages(draw):
    """The bytes of a page with a few of them changed."""
    text = bytearray(encode(draw(pages())))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text) - 1))
        text[at : at + draw(st.integers(0, 2))] = draw(
            st.sampled_from(
                [
                    *(b"", b'"', b"\\", b",", b"1", b"-", b".0", b"e3", b"e999", b" ", b"\xff"),
                    *(b"\x01", b"true", b"null", b"]", b"}", b"[", b"{", b":", b"NaN", b"\\ud83d"),
                    *(b'"hasMore":true,', b'"seq":1,', b'"event":{},', b"\xed\xa0\xbd", b"\x00"),
                ]
            )
        )
    return bytes(text)


@given(damaged_pages())
@example(b'{"records":[{"event":%b}' % NOTE.replace(b"null", b'"\xff"') % 0 + tail(0, 1))
@example(b'{"records":[{"event":%b,"view":"\xff"}' % (NOTE % 0) + tail(0, 1))
@example(b'{"records":[{"event":%b,"view":1e999}' % (NOTE % 0) + tail(0, 1))
@example(b'{"records":[{"event":%b}' % NOTE.replace(b"null", b"1e999") % 0 + tail(0, 1))
@example(b'{"records":[' + tail(10**30, 10**30))
@example(b'{"records":[' + tail(0, 0) + b"x")
@example(b'{"records":[],"records":[{"event":%b}' % (NOTE % 0) + tail(0, 1))
@example(b'{"records":[],"projections":{"asOfSeq":0,"values":"\xff"}' + tail(0, 0)[1:])
@example(b'{"records":[],"projections":{"asOfSeq":0,"values":1e999}' + tail(0, 0)[1:])
@example(b"[" * 100_000)
@example(b'{"records":' * 20_000)
def test_damaged_pages_end_in_a_page_or_a_refusal(data):
    """Both ways agree on which, and what is accepted can be read to the last digit."""
    fast, slowly = outcome(decode_page, data), outcome(slow, data)

    assert fast == slowly or (isinstance(fast, str) and isinstance(slowly, str))


@given(st.data(), logs(), st.booleans())
def test_what_was_written_is_read_and_written_again_byte_for_byte(data, events, more):
    """Packed and joined, with the event's own text, its view, and a row however short."""
    log = EventLog.from_events(events)
    page = HistoryPage(
        records=log.records(),
        has_more=more,
        from_seq=log.from_seq,
        to_seq=log.to_seq,
        projections=data.draw(st.none() | st.just(Projections(as_of_seq=-1, values=b"[null]"))),
        cut=data.draw(st.sampled_from([None, "events", "bytes", "oversize"])),
    )
    for form in ("packed", "joined"):
        written = encode_page(page, form)
        read = decode_page(written)
        assert encode_page(read, form) == written
        assert same(read.events(), events)
        assert (read.has_more, read.projections, read.cut) == (more, page.projections, page.cut)
    assert decode_page(encode_page(page)) == page


@given(rows(max_members=4))
def test_rows_stay_as_short_as_they_were_sent(value):
    """Reading does not pack: a row of one member is a row, a single delta an event."""
    events = oracle.decode(value)
    ends = {"hasMore": False, "fromSeq": events[0]["seq"], "toSeq": events[-1]["seq"] + 1}
    text = encode({"records": [{"chunks": oracle.row_of(events)}], **ends})
    spread = encode({"records": [{"event": event} for event in events], **ends})

    assert encode_page(decode_page(text)) == text
    assert encode_page(decode_page(spread)) == spread
    assert same(decode_page(text).events(), decode_page(spread).events())


def test_any_spelling_of_a_row_is_written_as_packed():
    """A page that came joined goes out packed, and the other way round."""
    events = [
        {
            "type": "assistant/chunk",
            "seq": seq,
            "time": seq,
            "data": {
                "turn": 1,
                "step": 1,
                "chunk": {"type": "text-delta", "index": 0, "text": "é\n"},
            },
        }
        for seq in range(5)
    ]
    page = whole_page(EventLog.from_events(events))
    packed, joined = encode_page(page), encode_page(page, "joined")

    assert encode_page(decode_page(joined, "joined"), "packed") == packed
    assert encode_page(decode_page(packed), "joined") == joined
    assert b"".join(map(wire.packed_record, page.records)) in packed


def test_no_row_of_a_page_is_expanded_to_be_read():
    """Its columns are counted, its events left as text."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * 999, "texts": ["é"] * 1000}
    row = {"type": "text-chunks", "seq0": 0, "time0": 0, "data": data}
    note = {"type": "note", "seq": 1000, "time": 0, "data": ["x"] * 100}
    page = {"records": [{"chunks": row}, {"event": note}], "hasMore": False}
    text = encode({**page, "fromSeq": 0, "toSeq": 1001})
    with counted_calls(Row.text_list, Row.gap_list, RowHead.events, decode, Plain.event) as calls:
        decode_page(text)

    assert not calls


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (b"{}", "page_record"),
        (b"null", "page_record"),
        (b'{"view":1}', "page_record"),
        (b'{"event":%b,"chunks":{}}' % (NOTE % 0), "page_record"),
        (b'{"chunks":{},"joined":{}}', "page_record"),
        (b'{"event":%b,"joined":%b}' % (NOTE % 0, JOINED), "page_record"),
        (b'{"view":1,"joined":%b}' % JOINED, "page_record"),
        (b'{"event":null}', "event_shape"),
        (b'{"event":[]}', "event_shape"),
        (b'{"event":{"type":"text-chunks","seq0":0,"time0":0,"data":{}}}', "row_data_keys"),
        (b'{"event":{"type":"note","seq":true,"time":0}}', "event_seq"),
        (b'{"event":{"type":"note","seq":0,"time":"0"}}', "event_time"),
        (b'{"event":%b}' % NOTE.replace(b"null", b'"\x01"') % 0, "invalid_json"),
        (b'{"event":%b}' % NOTE.replace(b"null", b'"\xff"') % 0, "invalid_utf8"),
        (b'{"event":%b}' % NOTE.replace(b"null", b"1e400") % 0, "number_out_of_range"),
        (b'{"event":%b}' % NOTE.replace(b"null", b"1" * 5000) % 0, "number_out_of_range"),
        (b'{"event":%b,"view":"\xff"}' % (NOTE % 0), "invalid_utf8"),
        (b'{"chunks":null}', "event_shape"),
        (b'{"chunks":{"type":"note","seq0":0,"time0":0,"data":{}}}', "event_seq"),
        (b'{"chunks":%b}' % (NOTE % 0), "page_record"),
    ],
)
def test_a_record_that_is_none_is_refused(record, code):
    """Whatever it is instead."""
    check_refused(code, decode_page, b'{"records":[%b' % record + tail(0, 1))


@pytest.mark.parametrize(
    "data",
    [
        *(b"[]", b"null", b"{}", b'"x"', b'{"records":[]}', b'{"events":[],"hasMore":false}'),
        b'{"records":{}' + tail(0, 0)[1:],
        b'{"records":[' + tail(0, 0, more=b"1"),
        b'{"records":[' + tail(0, 0, more=b"null"),
        b'{"records":[' + tail(0, 0)[:-1] + b',"x":1}',
        b'{"records":[' + tail(0, 0)[:-1] + b',"cut":"turns"}',
        b'{"records":[' + tail(0, 0)[:-1] + b',"cut":null}',
        b'{"records":[' + tail(0, 0)[:-1] + b',"cut":["events"]}',
        b'{"records":[],"hasMore":false,"fromSeq":0.5,"toSeq":1}',
        b'{"records":[],"hasMore":false,"fromSeq":true,"toSeq":1}',
        b'{"records":[],"hasMore":false,"fromSeq":"0","toSeq":1}',
    ],
)
def test_what_has_not_the_shape_of_a_page_is_refused(data):
    """One code for a field missing, unknown or of another type."""
    check_refused("page_shape", decode_page, data)


@pytest.mark.parametrize(
    "derived",
    [
        b'{"asOfSeq":-2,"values":1}',
        b'{"asOfSeq":9007199254740992,"values":1}',
        b'{"asOfSeq":0.5,"values":1}',
        b'{"asOfSeq":true,"values":1}',
        b'{"asOfSeq":0}',
        b'{"asOfSeq":0,"values":1,"x":1}',
        b"null",
        b"[]",
    ],
)
def test_projections_have_a_shape_too(derived):
    """The seq they hold up to, and the values."""
    data = b'{"records":[' + tail(0, 0)[:-1] + b',"projections":%b}' % derived

    check_refused("page_projections", decode_page, data)


def test_a_delta_with_a_view_stays_an_event():
    """Its view would have no place in a row."""
    delta = encode(
        {
            "type": "assistant/chunk",
            "seq": 0,
            "time": 0,
            "data": {
                "turn": 1,
                "step": 1,
                "chunk": {"type": "text-delta", "index": 0, "text": "\ud83d"},
            },
        }
    )
    data = b'{"records":[{"event":%b,"view":{"for":"call"}}' % delta + tail(0, 1)
    (record,) = decode_page(data).records

    assert record == event_of_json(delta, b'{"for":"call"}')
    assert encode_page(decode_page(data)) == data
