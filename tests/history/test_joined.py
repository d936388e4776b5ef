"""The joined row: two strings that say what a packed row's two columns say."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import oracle_lean
from checks import check_refused, counted_calls, same
from histbench.codec import check_row
from histbench.events import KIND_BY_TAG
from histbench.history import decode_page
from histbench.history.gap_maps import SignedRow
from histbench.history.joined import JOINED_TAGS, SEPARATOR, JoinedRow, join_row, joined_json
from histbench.jsontext import decode, encode
from histbench.rows import ListRow, Row, RowHead
from strategies import gap_lists, rows, spellings

MAX = 2**53 - 1


def spelled(value):
    """A row's joined spelling, written down from its description; None where there is none."""
    data = dict(value["data"])
    texts = data.pop("args" if "args" in data else "texts")
    if any("\x7f" in text for text in texts):
        return None
    gaps = oracle_lean.spelling_of(data["dt"])
    head = {key: data[key] for key in ("turn", "step", "index")}
    call = {key: data[key] for key in ("id", "name") if key in data}
    return {
        "type": value["type"].replace("chunks", "joined"),
        "seq0": value["seq0"],
        "time0": value["time0"],
        "data": {**head, "dt": gaps, **call, "text": "\x7f".join(texts)},
    }


def read(record, count):
    """The row of a wire record, read in a page."""
    seq0 = record["seq0"] if type(record.get("seq0")) is int else 0
    page = {"records": [{"joined": record}], "hasMore": False, "fromSeq": seq0}
    (row,) = decode_page(encode({**page, "toSeq": seq0 + count})).records
    return row


def joined(text="a\x7fb", dt="0", **more):
    """A joined record of two members."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": dt, "text": text}
    return {"type": "text-joined", "seq0": 0, "time0": 0, "data": data, **more}


def listed(value):
    """A stored row as lists."""
    return check_row(value, KIND_BY_TAG[value["type"]])


@given(rows(max_members=6))
def test_a_row_is_joined_as_described_and_read_back(value):
    """The wire text is the description's, and what is read from it is the row."""
    value = oracle.row_of(oracle.decode(value))
    row, expected = listed(value), spelled(value)
    made = join_row(row)
    if expected is None:
        assert made is None
        return
    assert joined_json(made) == encode(expected)
    again = read(expected, row.count)
    assert isinstance(again, JoinedRow)
    assert again == made
    assert same(again.events(), row.events())
    assert Row.of(again) == Row.of(row)
    assert join_row(Row.of(row)) == made


@given(st.data(), rows(max_members=4))
def test_every_spelling_of_a_joined_record_is_read_alike(data, value):
    """Escapes, white space and other orders of keys."""
    value = oracle.row_of(oracle.decode(value))
    record = spelled(value)
    if record is None:
        return
    record = {key: record[key] for key in data.draw(st.permutations(sorted(record)))}
    page = {"records": [{"joined": record}], "hasMore": False, "fromSeq": record["seq0"]}
    page["toSeq"] = record["seq0"] + listed(value).count
    (row,) = decode_page(data.draw(spellings(page))).records

    assert Row.of(row) == Row.of(listed(value))


def test_the_largest_and_the_smallest_gaps_are_spelled():
    """One sign up to 61, decimal beyond, whatever the sign."""
    gaps = [0, 61, 62, -1, MAX, -MAX, 10]
    data = {"turn": 1, "step": 1, "index": 0, "dt": gaps, "texts": ["t"] * 8}
    value = {"type": "text-chunks", "seq0": 0, "time0": -122, "data": data}
    made = join_row(listed(value))

    assert made.gaps == f"0Z(62)(-1)({MAX})(-{MAX})a"
    assert made.gap_list() == gaps
    assert read(decode(joined_json(made)), 8) == made


@given(gap_lists)
def test_both_spellings_of_gaps_are_read_and_kept(gaps):
    """They tell the same events, each row is written as it was read, and rows differ as texts do."""
    gaps = [gap if abs(gap) < MAX else 0 for gap in gaps]
    spelled = [oracle_lean.signs_of(gaps), oracle_lean.maps_of(gaps)]
    records = [joined("\x7f" * len(gaps), dt) for dt in spelled]
    signs, maps = (read(record, len(gaps) + 1) for record in records)

    assert signs.gap_list() == maps.gap_list() == gaps
    assert same(signs.events(), maps.events())
    assert Row.of(signs) == Row.of(maps)
    assert signs != maps
    assert [joined_json(signs), joined_json(maps)] == list(map(encode, records))
    assert join_row(Row.of(signs)) in [signs, maps]


@pytest.mark.parametrize("time0", [0, MAX])
def test_gaps_are_counted_before_they_are_listed(time0):
    """Few characters stand for many gaps, which only a row of as many texts may have."""
    record = joined(dt="A" * 1000 + f"B.g.({MAX})", time0=time0)
    with counted_calls(SignedRow.gap_list) as calls:
        check_refused("row_dt_length", read, record, 2)

    assert not calls


def test_a_text_with_the_separator_is_sent_packed():
    """It could not be told from a boundary."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": [0], "texts": ["a\x7f", "b"]}

    assert join_row(listed({"type": "text-chunks", "seq0": 0, "time0": 0, "data": data})) is None


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (joined(dt=""), "row_dt_length"),
        (joined(dt="00"), "row_dt_length"),
        (joined(dt="(62)(62)"), "row_dt_length"),
        (joined(text="a"), "row_dt_length"),
        (joined(dt=".."), "row_dt_length"),
        (joined(dt="AA.."), "row_dt_length"),
        (joined(text="a", dt="A.."), "row_dt_length"),
        (joined(text="a\x7f" * 7 + "a", dt="A.."), "row_dt_length"),
        (joined(dt="A.A."), "row_dt_length"),
        (joined(dt="g.."), "row_dt_length"),
        (joined(dt="g.AA."), "row_dt_length"),
        (joined(dt="g.A.2"), "row_dt_length"),
        (joined(dt="g.g."), "row_dt_length"),
        (joined(dt="g.g.22"), "row_dt_length"),
        (joined(dt="g.g.(62)2"), "row_dt_length"),
        (joined(dt="Q.."), "row_dt"),
        (joined(dt="B.."), "row_dt"),
        (joined(dt="w.A."), "row_dt"),
        (joined(dt="g.Q."), "row_dt"),
        (joined(dt="g.w.2"), "row_dt"),
        (joined(dt="g.g.0"), "row_dt"),
        (joined(dt="g.g.1"), "row_dt"),
        (joined(dt="g.g.(61)"), "row_dt"),
        (joined(dt=f"g.g.({MAX + 1})"), "row_dt"),
        (joined(dt="."), "row_dt"),
        (joined(dt="A."), "row_dt"),
        (joined(dt="g.A"), "row_dt"),
        (joined(dt="..."), "row_dt"),
        (joined(dt="A..."), "row_dt"),
        (joined(dt="g.g.2."), "row_dt"),
        (joined(dt="(6.2)"), "row_dt"),
        (joined(dt="+.."), "row_dt"),
        (joined(dt="/.."), "row_dt"),
        (joined(dt="A=.."), "row_dt"),
        (joined(dt="A===.."), "row_dt"),
        (joined(dt="g.+."), "row_dt"),
        (joined(dt=" .."), "row_dt"),
        (joined(dt="A\n.."), "row_dt"),
        (joined(dt="!.."), "row_dt"),
        (joined(dt="é.."), "row_dt"),
        (joined(dt="g.\ud83d."), "row_dt"),
        (joined(dt="g.g.é"), "row_dt"),
        (joined(dt="g.g.２"), "row_dt"),
        (joined(dt="g.A.", time0=MAX), "row_time_range"),
        (joined(text="a\x7fb\x7fc", dt=f"w.w.({MAX})(-{MAX})", time0=1), "row_time_range"),
        (joined(dt="!"), "row_dt"),
        (joined(dt='"'), "row_dt"),
        (joined(dt="\\"), "row_dt"),
        (joined(dt=" "), "row_dt"),
        (joined(dt=")"), "row_dt"),
        (joined(dt="é"), "row_dt"),
        (joined(dt="\ud83d"), "row_dt"),
        (joined(dt="(61)"), "row_dt"),
        (joined(dt="(0)"), "row_dt"),
        (joined(dt="(-0)"), "row_dt"),
        (joined(dt="(062)"), "row_dt"),
        (joined(dt="(62"), "row_dt"),
        (joined(dt="()"), "row_dt"),
        (joined(dt="(6 2)"), "row_dt"),
        (joined(dt="(٦٢)"), "row_dt"),
        (joined(dt=f"({MAX + 1})"), "row_dt"),
        (joined(dt=f"({2 * MAX})", time0=-MAX), "row_dt"),
        (joined(dt=f"({10**18})"), "row_dt"),
        (joined(dt="1", time0=MAX), "row_time_range"),
        (joined(text="a\x7fb\x7fc", dt=f"({MAX})(-{MAX})", time0=1), "row_time_range"),
        (joined(seq0=-1), "row_seq0"),
        (joined(seq0=MAX + 1), "row_seq0"),
        (joined(seq0=MAX), "row_seq_range"),
        (joined(time0=MAX + 1), "row_time0"),
        (joined(type="text-chunks"), "row_tag"),
        (joined(type="joined"), "row_tag"),
        (joined(type="tool-call-joined"), "row_data_keys"),
        (joined(data=joined()["data"] | {"id": "c"}), "row_data_keys"),
        (joined(data=joined()["data"] | {"name": "n"}), "row_data_keys"),
        (joined(data=joined()["data"] | {"turn": 10**400}), "row_numbers"),
        (joined(data=joined()["data"] | {"turn": True}), "page_record"),
        (joined(data=joined()["data"] | {"x": 1}), "page_record"),
        (joined(data=joined()["data"] | {"\ud83d": 1}), "page_record"),
        (joined(data=None), "page_record"),
        (joined(seq0=0.5), "page_record"),
        (joined(seq0=True), "page_record"),
        (joined(x=1), "page_record"),
    ],
)
def test_what_is_no_joined_row_is_refused(record, code):
    """By the packed row's rules where they are the same, and whichever way it was read."""
    check_refused(code, read, record, 2)
    surrogate = joined(text="\ud83d")
    page = {"records": [{"joined": record}, {"joined": surrogate}], "hasMore": False}
    check_refused(code, decode_page, encode({**page, "fromSeq": 0, "toSeq": 3}))


def test_integral_numbers_are_integers_in_any_spelling():
    """As in every other row."""
    data = {"turn": 1.0, "step": 1e0, "index": -0.0, "dt": "0", "text": "a\x7fb"}
    text = b'{"type":"text-joined","seq0":0.0,"time0":1e3,"data":%b}' % (
        b'{"turn":1.0,"step":1e0,"index":-0.0,"dt":"0","text":"a\x7fb"}'
    )
    page = b'{"records":[{"joined":%b}],"hasMore":false,"fromSeq":0.0,"toSeq":2}' % text
    (row,) = decode_page(page).records

    assert (row.seq0, row.time0, row.turn) == (0, 1000, data["turn"])
    assert type(row.turn) is type(row.index) is int


@given(rows(max_members=6))
@example(
    {
        "type": "text-chunks",
        "seq0": 0,
        "time0": 0,
        "data": {"turn": 1, "step": 1, "index": 0, "dt": [], "texts": [""]},
    }
)
def test_a_joined_row_answers_as_any_other(value):
    """Text, first text and members without a list of texts where none is needed."""
    row = listed(oracle.row_of(oracle.decode(value)))
    made = join_row(row)
    if made is None:
        return
    with counted_calls(JoinedRow.text_list, RowHead.events) as calls:
        assert made.text() == row.text()
        assert made.first_text() == row.first_text()

    assert not calls
    assert made.count == row.count == len(made.text_list())
    assert isinstance(row, ListRow)


def test_each_kind_has_a_tag_of_its_own():
    """One for one."""
    assert set(JOINED_TAGS) == set(oracle.KINDS)
    assert len(set(JOINED_TAGS.values())) == 3
    assert SEPARATOR == "\x7f"
