"""EventLog: a sequence of events, the same in every layout, expanded only where looked at."""

import copy
import json
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, check_same_log, counted_calls, refusal, same
from histbench.codec import check_row, split_delta
from histbench.errors import InvalidEvent, UsageError
from histbench.jsontext import encode
from histbench.log import Diagnostic, EventLog, LogBuilder, cut_records
from histbench.records import Plain, read_line, record_events, record_json
from histbench.rows import ListRow, Row, RowHead
from strategies import event_lists, layouts, lines, logs

MAX = 2**53 - 1
HEADER = {"type": "session", "version": 0, "id": "s"}

# Every way from a row to its members.
EXPANDING = (RowHead.events, RowHead.value, RowHead.event_jsons, Row.text_list, check_row)


def delta(seq, text="ab", *, time=7, **block):
    """A packable delta."""
    data = {
        "turn": 1,
        "step": 1,
        **block,
        "chunk": {"type": "text-delta", "index": 0, "text": text},
    }
    return {"type": "assistant/chunk", "seq": seq, "time": time, "data": data}


def note(seq, **more):
    """An ordinary event."""
    return {"type": "note", "seq": seq, "time": 7, "data": {}, **more}


def read(stored):
    """The log of stored lines."""
    builder = LogBuilder()
    for line in stored:
        builder.add_line(line)
    return builder.build()


@given(st.data(), event_lists())
def test_a_log_is_the_same_from_every_source(data, events):
    """From events, from records of any layout, from lines of any layout and spelling."""
    log = EventLog.from_events(events)
    records = data.draw(layouts(events))
    added = LogBuilder()
    for event in events:
        added.add_event(event)

    check_same_log(log, EventLog.from_records(records), events)
    check_same_log(log, read(data.draw(lines(events))), events)
    check_same_log(log, read(data.draw(lines(events))), events)
    check_same_log(log, added.build(), events)
    check_same_log(log, EventLog.from_records(log.records()), events)
    assert same([json.loads(record_json(r)) for r in log.records()], oracle.pack(events))


@given(event_lists(), event_lists())
def test_logs_of_different_events_differ(events, others):
    """Equality is of logical content, and nothing else."""
    left, right = EventLog.from_events(events), EventLog.from_events(others)

    assert (left == right) == same(events, others)
    assert left != events
    if left == right:
        assert hash(left) == hash(right)


@given(st.data(), event_lists().filter(bool))
def test_one_changed_event_makes_another_log(data, events):
    """A time, a text, a key: each is looked at."""
    at = data.draw(st.integers(0, len(events) - 1))
    changed = copy.deepcopy(events)
    changed[at]["time"] = 12345.5
    extended = copy.deepcopy(events)
    extended[at]["unheard of"] = None

    log = EventLog.from_events(events)
    assert log != EventLog.from_events(changed)
    assert log != EventLog.from_events(extended)
    assert log != EventLog.from_events(events[:at] + events[at + 1 :])


@given(st.data(), event_lists(max_run=12))
def test_positions_and_slices_are_the_list_s(data, events):
    """Every index and every slice, also with a step, backwards, and past the ends."""
    log = read(data.draw(lines(events)))
    for position in range(-len(events), len(events)):
        assert same(log[position], events[position])
    for position in (len(events), -len(events) - 1):
        with pytest.raises(IndexError):
            log[position]
    ends = st.none() | st.integers(-len(events) - 2, len(events) + 2)
    step = data.draw(st.none() | st.integers(-3, 3).filter(bool))
    cut = slice(data.draw(ends), data.draw(ends), step)

    check_same_log(log[cut], EventLog.from_events(events[cut]), events[cut])
    assert same(list(reversed(log)), events[::-1])


@given(st.data(), logs(max_run=12))
def test_records_cover_the_interval_exactly(data, events):
    """From the first seq to the last, canonical, whatever lies in between."""
    log = read(data.draw(lines(events)))
    from_seq = data.draw(st.integers(log.from_seq, log.to_seq))
    to_seq = data.draw(st.integers(from_seq, log.to_seq))
    chosen = [event for event in events if from_seq <= event["seq"] < to_seq]
    records = log.records(from_seq, to_seq)

    assert log.dense
    assert same([json.loads(record_json(r)) for r in records], oracle.pack(chosen))
    assert same([e for r in records for e in record_events(r)], chosen)
    due = from_seq
    for record in records:
        assert record.seq == due
        due = record.end_seq
    assert due == to_seq
    assert log.records(from_seq) == log.records(from_seq, log.to_seq)
    assert log.records(to_seq=to_seq) == log.records(log.from_seq, to_seq)


@given(event_lists().filter(bool))
def test_a_log_knows_where_its_seqs_break(events):
    """Dense, or the first place where it is not."""
    log = EventLog.from_events(events)
    seqs = [int(event["seq"]) for event in events]
    due = next((k for k in range(1, len(seqs)) if seqs[k] != seqs[k - 1] + 1), None)

    assert log.dense == (due is None)
    assert (log.from_seq, log.to_seq) == (seqs[0], seqs[-1] + 1)
    if due is None:
        log.check_dense()
        assert log.renumbered() is log
    else:
        error = check_refused("seq_gap", log.check_dense)
        assert error.where.seq == error.found == seqs[due]
        assert error.expected == str(seqs[due - 1] + 1)
        assert refusal(log.records, seqs[0]).code == "seq_gap"
        again = log.renumbered()
        assert again.dense
        assert same(list(again), [{**e, "seq": k} for k, e in enumerate(events, seqs[0])])
        assert [note.code for note in again.diagnostics] == ["renumbered"]


@given(st.data(), logs())
def test_intervals_outside_the_log_are_refused(data, events):
    """The call is wrong, not the log."""
    log = EventLog.from_events(events)
    inside = st.integers(log.from_seq, log.to_seq)
    for interval in (
        (log.from_seq - 1, data.draw(inside)),
        (data.draw(inside), log.to_seq + 1),
        (log.to_seq, log.from_seq),
    ):
        error = refusal(log.records, *interval)
        assert isinstance(error, UsageError)
        assert error.code == "bad_interval"


@given(st.data(), logs())
def test_what_is_handed_out_is_the_caller_s(data, events):
    """Events are new each time: whatever a caller does to one, the log stays as it is."""
    log = read(data.draw(lines(events)))
    position = data.draw(st.integers(0, len(events) - 1))

    def ruin(value):
        for each in list(value.values()):
            if isinstance(each, dict):
                ruin(each)
        value.clear()

    for event in (log[position], log[position], *log, *log[position:], *log[::-1]):
        ruin(event)
    assert log == EventLog.from_events(events)
    assert same(list(log), events)
    assert same(log[position], events[position])


def packed(sizes):
    """The lines of rows of these sizes with a note between neighbours, and their log's length."""
    stored, seq = [], 0
    for size in sizes:
        run = [delta(seq + k, f"t{k}") for k in range(size)]
        stored += [encode(oracle.row_of(run)), encode(note(seq + size))]
        seq += size + 1
    return stored, seq


def test_nothing_is_expanded_that_nobody_looks_at():
    """Building, counting, comparing, slicing between rows and handing out an interval are free."""
    stored, length = packed([50] * 20)
    with counted_calls(*EXPANDING, Row.gap_list) as calls:
        log, other = read(stored), read(stored)
        assert len(log) == length
        assert log == other
        assert hash(log) == hash(other)
        assert log != log[:-1]
        assert len(log[51:102]) == 51
        assert len(log.records(102, 510)) == 16
        assert log.dense
        assert "20 rows" in repr(log)
        again = EventLog.from_records(log.records())
        assert again == log
        calls_before_a_look = sum(calls.values())
        assert log[51]["seq"] == 51

    assert calls_before_a_look == 0
    assert calls["RowHead.events"] == 1


@pytest.mark.parametrize("cut", [slice(10, 990), slice(3, 40), slice(0, 49), slice(55, 60)])
def test_a_slice_cuts_at_most_two_rows(cut):
    """The columns of the rows at its ends are read, no event is made, all other rows pass."""
    log = read(packed([50] * 20)[0])
    with counted_calls(*EXPANDING) as calls:
        log[cut]

    assert calls["RowHead.events"] == calls["check_row"] == 0
    assert calls["Row.text_list"] <= 2


def test_neighbours_are_expanded_once():
    """Going through a row by its positions makes its events once, not once for each."""
    log = read(packed([1000])[0])
    with counted_calls(RowHead.events) as calls:
        texts = [log[k]["data"]["chunk"]["text"] for k in range(1000)]

    assert texts == [f"t{k}" for k in range(1000)]
    assert calls["RowHead.events"] == 1


def test_events_are_packed_without_a_look_at_each_twice():
    """From events to records: a run's first member is split, the others are compared with it."""
    events = [delta(seq) for seq in range(1000)]
    with counted_calls(split_delta, RowHead.events, ListRow.text_list) as calls:
        EventLog.from_events(events)

    assert calls["split_delta"] <= 3


@pytest.mark.parametrize("add", ["from_events", "from_records"])
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "event_shape"),
        ({"type": "note"}, "event_seq"),
        ({"type": "note", "seq": 1}, "event_time"),
        ({"type": "note", "seq": 2**53, "time": 1}, "event_seq"),
        ({"type": "note", "seq": 0, "time": 0, "data": {1, 2}}, "not_json"),
        ({"type": "text-chunks", "seq0": 0, "time0": 0, "data": {}}, "row_data_keys"),
    ],
)
def test_what_is_no_event_makes_no_log(add, value, code):
    """Each refusal has its code."""
    check_refused(code, getattr(EventLog, add), [note(0), value])


def test_a_row_is_a_record_and_no_event():
    """Where events are asked for, a packed row is a mistake."""
    row = oracle.row_of([delta(seq) for seq in range(3)])
    error = check_refused("event_type", EventLog.from_events, [row])

    assert isinstance(error, InvalidEvent)
    assert len(EventLog.from_records([row])) == 3


def test_a_refused_line_leaves_the_builder_as_it_was():
    """Reading goes on behind it."""
    builder = LogBuilder()
    assert builder.next_seq is None
    builder.add_line(encode(delta(0)))
    for wrong in (b"{", b"null", encode({"type": "text-chunks"})):
        refusal(builder.add_line, wrong)
    refusal(builder.add_event, {"type": "note"})
    assert builder.next_seq == 1
    builder.add_event(delta(1))
    builder.add_record(oracle.row_of([delta(2), delta(3)]))

    assert builder.next_seq == 4
    assert builder.build(header=HEADER) == EventLog.from_events([delta(k) for k in range(4)])
    assert len(builder.build()) == 0


def test_header_and_diagnostics_go_with_the_log():
    """They say where events came from and are no part of what logs are equal in."""
    told = Diagnostic(code="torn_tail", message="the last line is torn", line=3)
    log = EventLog.from_events([note(0), note(1)], header=HEADER, diagnostics=[told])

    assert log.header == log[1:].header == log[::-1].header == HEADER
    assert log.diagnostics == (told,)
    assert log == EventLog.from_records([note(0), note(1)])


def test_an_empty_log_is_a_log():
    """Nothing, from anywhere."""
    log = EventLog.from_events([])

    assert (len(log), log.from_seq, log.to_seq, log.dense) == (0, 0, 0, True)
    assert list(log) == []
    assert log.records() == log.records(0, 0) == ()
    assert log == log[3:] == EventLog.from_records([])
    assert repr(log) == "<EventLog: 0 events, empty, 0 records, 0 rows>"
    with pytest.raises(IndexError):
        log[0]


def test_a_log_is_a_sequence():
    """What collections.abc asks of one."""
    events = [delta(0), delta(1), note(2), delta(3), note(4)]
    log = EventLog.from_events(events)

    assert events[2] in log
    assert log.index(events[3]) == 3
    assert log.count(events[0]) == 1
    assert repr(log) == "<EventLog: 5 events, seqs 0 to 5, 5 records, 0 rows>"
    with pytest.raises(TypeError):
        log["0"]


def test_deep_events_can_be_compared():
    """As deep as they can be read."""
    deep = b'{"type":"note","seq":0,"time":0,"data":%b%b}' % (b"[" * 300, b"]" * 300)
    spaced = deep.replace(b":0,", b" : 0 , ")

    assert read([deep]) == read([spaced])


@given(st.data(), event_lists(max_run=12))
def test_cut_records_are_canonical(data, events):
    """Pieces at both ends, too few for a row, become events."""
    log = EventLog.from_events(events)
    records = log.records()
    start = data.draw(st.integers(0, len(log)))
    stop = data.draw(st.integers(0, len(log)))
    pieces = cut_records(records, start, len(log) - stop)

    assert same([json.loads(record_json(r)) for r in pieces], oracle.pack(events[start:stop]))


@example(MAX)
@given(st.integers(0, MAX))
def test_any_safe_seq_can_be_in_a_log(seq):
    """The last one too; past it there is no seq but there is an end."""
    log = EventLog.from_events([note(seq)])

    assert log.to_seq == seq + 1
    assert len(log.records(seq, seq + 1)) == 1


def test_records_know_their_events_without_the_log():
    """A record is a value of its own."""
    log = read(packed([3])[0])
    row, plain = log.records()

    assert isinstance(row, Row)
    assert isinstance(plain, Plain)
    assert pickle.loads(pickle.dumps(plain)) == plain
    assert read_line(row.json()) == row
