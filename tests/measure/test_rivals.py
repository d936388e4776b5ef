"""What others would use instead holds every log to the byte too, or says that it is no page."""

import importlib.util

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from checks import check_refused, refusal
from histbench.codec import check_row
from histbench.errors import HistbenchError, InvalidPage, UsageError
from histbench.events import KIND_BY_TAG
from histbench.fold import compact_inputs, fold_pair
from histbench.history import FORMS, HistoryPage, Projections, whole_page
from histbench.history.signs import read_signs, signs_of
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.measure import Plan, Source, measure_shapes, run_sources
from histbench.measure.rivals import ALL_FORMS, RIVALS, find_form
from histbench.records import event_of_json
from histbench.rows import Row
from measure_session import small_events, write_session
from strategies import logs, rows
from told_sessions import page_of_lines, raw_events, told_sessions

every_rival = pytest.mark.parametrize("rival", RIVALS.values(), ids=RIVALS)


def sent(rival, page):
    """The page that a rival's bytes hold."""
    return rival.validate(rival.parse(rival.encode(page)))


@every_rival
@given(lines=told_sessions())
def test_every_event_comes_back_to_the_byte(rival, lines):
    """Whatever its spelling, with halves of pairs in texts and at the ends of texts."""
    page = page_of_lines(lines)
    again = sent(rival, page)

    assert raw_events(again) == raw_events(page)
    assert (again.from_seq, again.to_seq) == (page.from_seq, page.to_seq)
    assert rival.encode(again) == rival.encode(page)


@every_rival
@given(events=logs())
def test_every_log_comes_back_and_folds_alike(rival, events):
    """Whatever JSON its events hold."""
    page = whole_page(EventLog.from_events(events))
    again = sent(rival, page)

    assert raw_events(again) == raw_events(page)
    assert fold_pair(again.records) == fold_pair(page.records)
    assert fold_pair(compact_inputs(again.records)) == fold_pair(compact_inputs(page.records))


@every_rival
@given(value=rows(max_members=6))
def test_every_row_comes_back(rival, value):
    """Its members, whatever the numbers of its block are; and what it answers about them."""
    value = oracle.row_of(oracle.decode(value))
    row = Row.of(check_row(value, KIND_BY_TAG[value["type"]]))
    page = HistoryPage(records=(row,), has_more=False, from_seq=row.seq, to_seq=row.end_seq)
    (again,) = sent(rival, page).records

    assert Row.of(again) == row
    assert (again.text(), again.first_text(), again.times()) == (
        row.text(),
        row.first_text(),
        row.times(),
    )
    assert (again.first_token(), again.first_visible()) == (row.first_token(), row.first_visible())


@every_rival
def test_what_stands_beside_the_records_comes_back(rival):
    """Views, derived values, and why the page begins where it does."""
    viewed = event_of_json(b'{"type":"x","seq":7,"time":0,"data":1}', b'{"shown":"\\ud83d"}')
    plain = event_of_json(b'{"type":"x","seq":8,"time":0.5,"data":1}', b'{"a": 1}')
    page = HistoryPage(
        records=(viewed, plain),
        has_more=True,
        from_seq=7,
        to_seq=9,
        projections=Projections(as_of_seq=8, values=b'{"n":1,"half":"\\ude00"}'),
        cut="bytes",
    )

    assert sent(rival, page) == page


@every_rival
@given(lines=told_sessions(), data=st.data())
def test_damaged_bytes_are_refused_or_hold_a_page(rival, lines, data):
    """Never another error."""
    whole = rival.encode(page_of_lines(lines))
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.integers(0, 3))
    piece = data.draw(st.binary(max_size=3))
    damaged = whole[:at] + piece + whole[at + cut :]
    assume(damaged != whole)
    try:
        page = rival.validate(rival.parse(damaged))
    except HistbenchError:
        return

    assert page.to_seq - page.from_seq == len(raw_events(page))


@every_rival
def test_what_is_no_page_is_refused(rival):
    """By the same error as any other form's."""
    for data in (b"", b"{}", b"\x80", b"PAR1", FORMS["packed"].encode(page_of_lines([]))[:-1]):
        error = refusal(lambda data=data: rival.validate(rival.parse(data)))

        assert isinstance(error, InvalidPage)
        assert error.code == "page_shape"


@given(st.lists(st.one_of(st.integers(0, 70), st.integers(-(2**53), 2**53))))
def test_signs_spell_every_list_of_numbers(numbers):
    """One way, which is read back."""
    assert read_signs(signs_of(numbers)) == numbers


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("row_lengths", {"lens": "112"}),
        ("row_lengths", {"lens": "11!"}),
        ("row_lengths", {"lens": "A..", "text": "a"}),
        ("row_lengths", {"lens": "(1)11"}),
        ("row_lengths", {"lens": ""}),
        ("row_lengths", {"text": "ab😀"}),
        ("row_dt_length", {"lens": "3"}),
        ("row_dt_length", {"dt": "000"}),
        ("row_dt_length", {"dt": "AA.."}),
        ("row_dt", {"dt": "0-"}),
        ("row_dt", {"dt": "B.."}),
        ("row_data_keys", {"id": "c"}),
    ],
)
def test_a_row_in_columns_is_proved(code, change):
    """Lengths are those of the text, in UTF-16 code units."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": "00", "lens": "111", "text": "abc"} | change
    record = {"columns": {"type": "text-columns", "seq0": 0, "time0": 0, "data": data}}
    page = {"records": [record], "hasMore": False, "fromSeq": 0, "toSeq": 3}
    rival = RIVALS["columns"]

    check_refused(code, lambda: rival.validate(rival.parse(encode(page))))


def test_columns_cut_a_character_where_it_was_cut():
    """A pair that was streamed in halves is one character of the joined text."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": "0", "lens": "11", "text": "😀"}
    record = {"columns": {"type": "text-columns", "seq0": 0, "time0": 0, "data": data}}
    page = {"records": [record], "hasMore": False, "fromSeq": 0, "toSeq": 2}
    rival = RIVALS["columns"]
    (row,) = rival.validate(rival.parse(encode(page))).records

    assert row.text_list() == ["\ud83d", "\ude00"]
    assert row.first_text() == "\ud83d"
    assert row.text() == "😀"


def test_rivals_are_no_forms_that_a_host_ships():
    """They have names of their own, and are measured only on request."""
    assert not RIVALS.keys() & FORMS.keys()
    assert {form.name for form in Plan.of_names().forms} == set(FORMS)
    assert [form.name for form in Plan.of_names(forms=["all"]).forms] == list(ALL_FORMS)
    assert refusal(find_form, "zip").code == "unknown_form"


def test_rivals_are_measured_at_every_stage(tmp_path):
    """What has no JSON says so."""
    path = write_session(tmp_path / "log.jsonl", small_events())
    plan = Plan.of_names(forms=["packed", *RIVALS], encodings=["zstd-3"], runs=1, memory_samples=0)
    series = run_sources([Source.of_file(path)], plan).series()
    taken = {(key.form, key.stage) for key, each in series.items() if each.values}
    holes = {(key.form, key.stage): each.note for key, each in series.items() if each.note}

    for name in RIVALS:
        for stage in ("wire", "host.stored", "host.total", "client.parse", "client.total"):
            assert (name, stage) in taken
    for name in ("msgpack", "parquet"):
        for stage in ("records", "values", "baseline.json_loads"):
            assert "is not JSON" in holes[name, stage]


def test_a_rival_without_its_library_is_left_out_and_says_so(tmp_path, monkeypatch):
    """And alone it is a wrong call."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "histbench.measure.rivals.find_spec",
        lambda name: None if name == "pyarrow" else find(name),
    )
    path = write_session(tmp_path / "log.jsonl", small_events())
    plan = Plan.of_names(
        forms=["packed", "parquet"], encodings=["zstd-3"], runs=1, memory_samples=0
    )
    for measure in (run_sources, measure_shapes):
        series = measure([Source.of_file(path)], plan).series()
        notes = {each.note for key, each in series.items() if key.form == "parquet"}

        assert notes == {"not measured: pyarrow, of the extra `corpus`, is not installed"}
    error = refusal(Plan.of_names, forms=["parquet"])

    assert isinstance(error, UsageError)
    assert error.code == "missing_extra"
    assert "histbench[corpus]" in str(error)


def test_a_page_in_columns_is_json_that_anybody_reads():
    """One string and two columns of signs for each row."""
    events = [
        {
            "type": "assistant/chunk",
            "seq": seq,
            "time": 5 * seq,
            "data": {
                "turn": 1,
                "step": 1,
                "chunk": {"type": "text-delta", "index": 0, "text": text},
            },
        }
        for seq, text in enumerate(["a", "", "é", "😀"])
    ]
    page = decode(RIVALS["columns"].encode(whole_page(EventLog.from_events(events))))

    assert page["records"] == [
        {
            "columns": {
                "type": "text-columns",
                "seq0": 0,
                "time0": 0,
                "data": {
                    "turn": 1,
                    "step": 1,
                    "index": 0,
                    "dt": "555",
                    "lens": "1012",
                    "text": "aé😀",
                },
            }
        }
    ]
