"""The lean form: every event back to the byte, whatever nearly was a copy, and nothing from nowhere."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_lean
from checks import check_refused, same
from histbench.errors import HistbenchError
from histbench.history import HistoryPage, decode_page, encode_page, select_page, whole_page
from histbench.history.lean_budget import MOST_COPIES
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.records import event_of_json
from histbench.store import read_log
from strategies import logs, spellings
from synthetic import generate, profile_names
from told_sessions import page_of_lines, raw_events, told_sessions

TEXT = "Copies are what a session is made of."


def lean(page):
    """A page's lean bytes, which hold it: proved here for every caller."""
    data = encode_page(page, "lean")
    again = decode_page(data, "lean")
    assert raw_events(again) == raw_events(page)
    assert (again.from_seq, again.to_seq, again.has_more, again.cut) == (
        page.from_seq,
        page.to_seq,
        page.has_more,
        page.cut,
    )
    return data


@given(told_sessions())
def test_every_event_comes_back_to_the_byte(lines):
    """Copies of any spelling, exact or not; the oracle reads the same events."""
    page = page_of_lines(lines)
    data = lean(page)

    assert same(oracle_lean.page_events(data), page.events())
    assert encode_page(decode_page(data, "lean"), "lean") == data


@given(logs())
def test_every_log_comes_back_to_the_byte(events):
    """Whatever JSON its events hold."""
    page = whole_page(EventLog.from_events(events))

    assert same(oracle_lean.page_events(lean(page)), events)


@given(told_sessions(), st.data())
def test_every_cut_of_a_page_comes_back_to_the_byte(lines, data):
    """A copy whose deltas were cut off stays what it is."""
    page = page_of_lines(lines)
    log = EventLog.from_records(page.records)
    before = data.draw(st.integers(page.from_seq, page.to_seq))
    count = data.draw(st.integers(1, len(log)))

    lean(select_page(log, before_seq=before, max_events=count))


@given(told_sessions(), st.data())
def test_every_spelling_of_a_page_is_read_alike(lines, data):
    """Spaces and escapes, in markers too."""
    page = page_of_lines(lines)
    spelled = data.draw(spellings(decode(encode_page(page, "lean"))))

    assert same(decode_page(spelled, "lean").events(), page.events())


@given(told_sessions(), st.data())
def test_a_damaged_page_is_refused_or_holds_what_the_oracle_reads(lines, data):
    """Markers that name anything, and bytes that were lost."""
    raw = encode_page(page_of_lines(lines), "lean")
    marks = [at for at in range(len(raw)) if raw.startswith(b'{"":', at)]
    at = data.draw(st.sampled_from(marks) if marks else st.integers(0, len(raw)))
    length = data.draw(st.integers(0, 12))
    piece = data.draw(
        st.sampled_from(
            [
                b"",
                b'{"":0}',
                b'{"":[0,1]}',
                b'{"":"0-3"}',
                b'{"":"1-0"}',
                b'{"":null}',
                b'{"":',
                b'""',
            ]
        )
    )
    damaged = raw[:at] + piece + raw[at + length :]
    try:
        page = decode_page(damaged, "lean")
    except HistbenchError:
        return

    assert same(oracle_lean.page_events(damaged), page.events())


@pytest.mark.parametrize("name", profile_names())
def test_generated_sessions_come_back_to_the_byte(name):
    """The first events of every profile."""
    lean(whole_page(EventLog.from_events(islice(generate(name, 1), 3000))))


def test_recorded_sessions_come_back_to_the_byte(corpus):
    """Seqs with holes, cut into dense pages."""
    for path in sorted((corpus / "dsh-stamped").glob("*.jsonl")):
        log = read_log(path)
        lean(whole_page(log.renumbered()))


def delta(seq, text, **block):
    """A delta of a text block."""
    chunk = {"type": "text-delta", "index": 0, "text": text} | block
    data = {"turn": 1, "step": 1, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": 0, "data": data}


def session(*tails, text=TEXT, pieces=3):
    """A page of one block and events that may tell it again."""
    size = -(-len(text) // pieces)
    events = [delta(n, text[n * size : (n + 1) * size]) for n in range(pieces)]
    for data in tails:
        events.append({"type": "note", "seq": len(events), "time": 0, "data": data})
    return whole_page(EventLog.from_events(events))


def told(page):
    """The events of a page's lean bytes, with their markers."""
    records = decode(lean(page))["records"]
    return [record["lean"]["data"] for record in records if "lean" in record]


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_a_copy_of_a_row_or_a_delta_becomes_a_marker(pieces):
    """Wherever it stands, as often as it stands there."""
    page = session({"text": TEXT}, [TEXT, {"a": {"b": TEXT}}], pieces=pieces)
    marker = {"": 0 if pieces != 2 else [0, 1]}

    assert told(page) == [{"text": marker}, [marker, {"a": {"b": marker}}]]


def test_a_block_in_several_records_is_named_by_all_of_them():
    """Rows that other blocks or events have cut; what is empty is not named."""
    texts = ["A text that ", "was cut ", "in two", "", " and more, ", "after a note", "."]
    events = [delta(n, text) for n, text in enumerate(texts[:3])]
    events.append({"type": "note", "seq": 3, "time": 0, "data": None})
    events.append(delta(4, ""))
    events.append({"type": "note", "seq": 5, "time": 0, "data": None})
    events += [delta(n + 2, text) for n, text in enumerate(texts) if n > 3]
    events.append({"type": "note", "seq": 9, "time": 0, "data": "".join(texts)})
    page = whole_page(EventLog.from_events(events))

    assert told(page) == [{"": [0, 6]}]


@pytest.mark.parametrize(
    "tail",
    [
        TEXT[:-1],
        TEXT + " ",
        TEXT.replace("a", "\ud83d", 1),
        {TEXT: 1},
        {"": TEXT},
        {"a": {"": 0}, "text": TEXT},
        "too short",
    ],
)
def test_what_is_no_copy_or_no_safe_place_stays(tail):
    """One character, a key, and events that have an empty key themselves."""
    assert told(session(tail)) == []


@pytest.mark.parametrize("spelled", [rb"\u0043opies", rb"Copies\u0020"])
def test_a_copy_with_another_escape_stays(spelled):
    """The text is the same and the bytes are not."""
    page = session(None)
    raw = b'{"type":"note","seq":3,"time":0,"data":"%b"}' % TEXT.encode()
    raw = raw.replace(b"Copies " if b"20" in spelled else b"Copies", spelled)
    records = (*page.records[:-1], event_of_json(raw))
    changed = HistoryPage(records=records, has_more=False, from_seq=0, to_seq=4)

    assert told(changed) == []


def test_halves_that_meet_in_a_row_are_one_character():
    """As the copy has it; where they meet between two records, too."""
    emoji = "\U0001f600" + TEXT
    halves = "\ud83d", "\ude00", TEXT
    row = [delta(n, text) for n, text in enumerate(halves)]
    note = {"type": "note", "seq": 3, "time": 0, "data": [emoji, "\ud83d" + TEXT]}
    page = whole_page(EventLog.from_events([*row, note]))

    assert told(page) == [[{"": 0}, "\ud83d" + TEXT]]


@pytest.mark.parametrize("spelled", [b"\\ud83d\\ude00", "\U0001f600".encode()])
def test_what_halves_make_between_two_records_is_not_looked_for(spelled):
    """Neither the character, nor the two escapes that no reader would write for it."""
    note = {"type": "note", "seq": 1, "time": 0, "data": None}
    page = whole_page(EventLog.from_events([delta(0, TEXT + "\ud83d"), note, delta(2, "\ude00!")]))
    raw = b'{"type":"note","seq":3,"time":0,"data":"%b%b!"}' % (TEXT.encode(), spelled)
    records = (*page.records, event_of_json(raw))

    assert told(HistoryPage(records=records, has_more=False, from_seq=0, to_seq=4)) == []


def test_a_block_that_starts_anew_is_told_by_its_last_try():
    """A failed request leaves deltas of the same block."""
    start = {"type": "block-start", "index": 0, "blockType": "text"}
    events = [delta(0, "A try that failed, and then ")]
    events.append(delta(1, "", **start) | {"data": {"turn": 1, "step": 1, "chunk": start}})
    events.append(delta(2, TEXT))
    events.append({"type": "note", "seq": 3, "time": 0, "data": TEXT})

    assert told(whole_page(EventLog.from_events(events))) == [{"": 2}]


@pytest.mark.parametrize(
    ("seqs", "listed"),
    [
        (list(range(1000, 1010)), [{"": "1000-1009"}]),
        ([3, *range(1000, 1010), 5], [3, {"": "1000-1009"}, 5]),
        ([*range(1000, 1010), *range(2000, 2010)], [{"": "1000-1009"}, {"": "2000-2009"}]),
    ],
)
def test_runs_of_seqs_become_ranges(seqs, listed):
    """The rest of the list stays."""
    events = [
        {"type": "note", "seq": n, "time": 0, "data": None, "sourceEventSeqs": seqs if n else []}
        for n in range(8)
    ]
    records = decode(lean(whole_page(EventLog.from_events(events))))["records"]

    assert records[1]["lean"]["sourceEventSeqs"] == listed


@pytest.mark.parametrize(
    "seqs",
    [
        [10, 11],
        [2**53 - 2, 2**53 - 1, 2**53, 2**53 + 1],
        [10**40, 10**40 + 1, 10**40 + 2],
        [5, 4, 3, 2, 1, 0, -1],
        [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        [True, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        [1000, 1002, 1001, 1003, 1004],
        [],
    ],
)
def test_what_is_no_run_stays_a_list(seqs):
    """Too short for a marker, past the safe integers, or not ascending by one."""
    events = [
        {"type": "note", "seq": n, "time": 0, "data": None, "sourceEventSeqs": seqs if n else []}
        for n in range(8)
    ]
    records = decode(lean(whole_page(EventLog.from_events(events))))["records"]

    assert records == [{"event": event} for event in events]


def test_an_encoder_stays_within_the_bounds_of_a_reader():
    """What is told too often stays verbatim."""
    page = session(*[TEXT] * 20)
    assert len(told(page)) == MOST_COPIES

    long = list(range(10**6, 10**6 + 1000))
    event = {"type": "note", "seq": 0, "time": 0, "data": None, "sourceEventSeqs": long}
    assert "event" in decode(lean(whole_page(EventLog.from_events([event]))))["records"][0]


def page_with(*leans, texts="a\x7fb\x7fc"):
    """A page of a row of three members and lean events."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": "00", "text": texts}
    row = encode({"joined": {"type": "text-joined", "seq0": 0, "time0": 0, "data": data}})
    records = [row]
    for seq, lean_data in enumerate(leans, 3):
        event = b'{"type":"note","seq":%d,"time":0,"data":%b}' % (seq, lean_data)
        records.append(b'{"lean":%b}' % event)
    end = 3 + len(leans)
    joined = b",".join(records)
    return b'{"records":[%b],"hasMore":false,"fromSeq":0,"toSeq":%d}' % (joined, end)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"":0}', "abc"),
        (b'{ "" : 0 }', "abc"),
        (b'{"":0e0}', "abc"),
        (b'[{"":"5-7"}]', [5, 6, 7]),
        (b'[ {"":"5-7"} , 1]', [5, 6, 7, 1]),
        (b'[{"":0},"","\\"",{"a\\"":{"":0}}]', ["abc", "", '"', {'a"': "abc"}]),
        (b'{"":"\\u0035-7","":0}', "abc"),
    ],
)
def test_markers_are_read_in_any_spelling(data, value):
    """What a JSON parser makes of it counts."""
    page = decode_page(page_with(data), "lean")

    assert page.events()[3]["data"] == value
    assert same(oracle_lean.page_events(page_with(data)), page.events())


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("lean_marker", b"1"),
        ("lean_marker", b'""'),
        ("lean_marker", b'{"":"5-7"}'),
        ("lean_marker", b'[{"":"7-7"}]'),
        ("lean_marker", b'[{"":"7-5"}]'),
        ("lean_marker", b'[{"":"05-7"}]'),
        ("lean_marker", b'[{"":"5-9007199254740992"}]'),
        ("lean_marker", b'[{"":"5-7 "}]'),
        ("lean_marker", b'{"":[0]}'),
        ("lean_marker", b'{"":[]}'),
        ("lean_marker", b'{"":[0,-1]}'),
        ("lean_marker", b'{"":-1}'),
        ("lean_marker", b'{"":0.5}'),
        ("lean_marker", b'{"":null}'),
        ("lean_marker", b'{"":{"":0}}'),
        ("lean_marker", b'{"":0,"a":1}'),
        ("lean_marker", b'[{"":0},{"a":0,"":1}]'),
        ("lean_source", b'{"":1}'),
        ("lean_source", b'{"":3}'),
        ("lean_source", b'{"":[0,3]}'),
        ("lean_source", b'{"":9007199254740991}'),
        ("lean_expands", b'[{"":"0-9007199254740991"}]'),
        ("lean_expands", b'[{"":"0-99"}]'),
        ("lean_expands", b"[%b]" % b",".join([b'{"":0}'] * 9)),
    ],
)
def test_what_is_no_lean_event_is_refused(code, data):
    """And neither is what would expand too far."""
    check_refused(code, decode_page, page_with(data), "lean")
    with pytest.raises(oracle_lean.UnreadableError):
        oracle_lean.page_events(page_with(data))


def test_what_an_event_names_pays_for_all_of_its_copies():
    """In whatever order its keys stand, which not every reader can tell."""
    events = [delta(0, TEXT), delta(1, TEXT)]
    data = {"often": [{"": 0}] * 9, "1": {"": 1}}
    records = [{"event": event} for event in events]
    records.append({"lean": {"type": "note", "seq": 2, "time": 0, "data": data}})
    page = {"records": records, "hasMore": False, "fromSeq": 0, "toSeq": 3}

    told = decode_page(encode(page), "lean").events()
    assert told[2]["data"] == {"often": [TEXT] * 9, "1": TEXT}
    assert same(told, oracle_lean.page_events(encode(page)))
    del data["1"]
    check_refused("lean_expands", decode_page, encode(page), "lean")


def test_a_marker_names_no_event_that_has_markers():
    """Texts cannot be doubled again and again."""
    copied = encode(delta(3, "x")).replace(b'"x"', b'{"":0}')
    page = page_with(b'{"":0}', b'{"":3}').replace(
        b'{"type":"note","seq":3,"time":0,"data":{"":0}}', copied
    )

    check_refused("lean_source", decode_page, page, "lean")


@pytest.mark.parametrize("key", ["type", "seq", "time"])
def test_a_marker_is_no_type_seq_or_time(key):
    """Which record an event is, is told before anything is expanded."""
    event = {"type": "note", "seq": 3, "time": 0, "data": {"": 0}} | {key: {"": 0}}
    raw = page_with(b"1").replace(b'{"type":"note","seq":3,"time":0,"data":1}', encode(event))

    check_refused(f"event_{key}", decode_page, raw, "lean")


def test_a_surrogate_in_one_row_leaves_every_event_as_it_was_sent():
    """Only the row is read the slow way; numbers and escapes of events keep their spelling."""
    event = b'{"type":"note","seq":3,"time":0,"data":[1.0,"\\u0041",{"":0}]}'
    page = page_with(b"1", texts="\ud83d\x7f\x7fb").replace(
        b'{"type":"note","seq":3,"time":0,"data":1}', event
    )

    assert decode_page(page, "lean").records[1].raw == event.replace(b'{"":0}', b'"\\ud83db"')


@pytest.mark.parametrize("form", ["packed", "joined", "lean"])
def test_views_stay_with_their_events(form):
    """Of a lean event, too."""
    page = session({"text": TEXT})
    viewed = event_of_json(page.records[-1].raw, b'{"shown":true}')
    page = HistoryPage(
        records=(*page.records[:-1], viewed), has_more=False, from_seq=0, to_seq=page.to_seq
    )
    again = decode_page(encode_page(page, form), form)

    assert again.records[-1] == viewed
