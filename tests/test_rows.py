"""The spellings of a row: a list row, a raw row and a joined row answer every question alike."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from checks import counted_calls, same
from histbench import jsontext
from histbench.codec import check_row
from histbench.events import KIND_BY_TAG
from histbench.history.joined import join_row
from histbench.rows import ListRow, Row, RowHead, encode_texts, numbers_json
from strategies import hostile_texts, rows


def list_row(value):
    """A stored value as a row of lists."""
    return check_row(value, KIND_BY_TAG[value["type"]])


def text_row(*texts, tag="text-chunks", **more):
    """The value of a row of these texts."""
    column = "args" if tag == "tool-call-chunks" else "texts"
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (len(texts) - 1), **more}
    return {"type": tag, "seq0": 3, "time0": 10, "data": {**data, column: list(texts)}}


HOSTILE = [
    text_row('","', '"', ",", "\\", '\\",', "\\"),
    text_row("", "", ""),
    text_row("\ud83d", "\ude00"),
    text_row("a\ud83d", "\ude00b", "\n"),
    text_row('"', '","', "x"),
    text_row("é", "漢", "\U0001f600"),
    text_row(" ", "\ufeff", "\x85"),
    text_row("a"),
    text_row("", "{", "}", tag="tool-call-chunks", id="c", name=""),
]


def each_row(test):
    """Give `test` any row, and always the hostile ones."""
    for value in HOSTILE:
        test = example(value)(test)
    return given(rows())(test)


@each_row
def test_every_spelling_answers_as_the_expanded_row_does(value):
    """What a row says of itself is what its members, one by one, would say."""
    events = oracle.decode(value)
    texts = [oracle.delta_of(event)[3] for event in events]
    tokens = [k for k, event in enumerate(events) if oracle.token(event)]
    visible = [k for k, text in enumerate(texts) if not oracle.blank(text)]
    is_call = value["type"] == "tool-call-chunks"
    listed = list_row(value)
    for row in filter(None, (listed, Row.of(listed), join_row(listed))):
        assert same(row.events(), events)
        assert [list(e["data"]["chunk"]) for e in row.events()] == [
            list(e["data"]["chunk"]) for e in events
        ]
        assert row.text() == oracle.joined(texts)
        assert row.text_list() == texts
        assert row.first_text() == texts[0]
        assert row.times() == [event["time"] for event in events]
        assert (row.seq, row.end_seq, row.count) == (
            events[0]["seq"],
            events[-1]["seq"] + 1,
            len(events),
        )
        assert row.first_token() == (tokens[0] if tokens else None)
        assert row.first_visible() == (visible[0] if visible and not is_call else None)
        assert [jsontext.encode(event) for event in events] == row.event_jsons()
        assert [jsontext.encode(text) for text in texts] == row.text_jsons()
        assert same(row.value(), oracle.row_of(events))
        assert jsontext.encode(row.value()) == Row.of(row).json()


@each_row
def test_a_row_is_written_as_javascript_writes_it(value):
    """The storage line, byte for byte, with the keys in the format's order."""
    row = Row.of(list_row(value))

    assert row.json() == jsontext.encode(oracle.row_of(oracle.decode(value)))
    assert Row.of(row) is row


@given(rows(max_members=8), st.data())
def test_a_cut_row_is_the_row_of_its_members(value, data):
    """Any piece, made without an event, equal to what the members alone would give."""
    events = oracle.decode(value)
    start = data.draw(st.integers(0, len(events) - 1))
    stop = data.draw(st.integers(start + 1, len(events)))
    listed = list_row(value)
    with counted_calls(RowHead.events) as calls:
        pieces = [row.cut(start, stop) for row in (listed, Row.of(listed))]

    assert pieces[0] == pieces[1]
    assert pieces[0].json() == jsontext.encode(oracle.row_of(events[start:stop]))
    assert not calls


def test_equal_rows_are_equal_bytes():
    """Columns are canonical, so a row can be compared and hashed as it is."""
    value = text_row("a", "é", "\ud83d")
    spelled = {**value, "seq0": 3.0, "data": {**value["data"], "turn": 1.0}}

    assert Row.of(list_row(value)) == Row.of(list_row(spelled))
    assert hash(Row.of(list_row(value))) == hash(Row.of(list_row(spelled)))


@given(st.lists(hostile_texts, min_size=1, max_size=5))
def test_texts_are_encoded_as_one_array(texts):
    """Halves of pairs included, which msgspec refuses."""
    assert encode_texts(texts) == jsontext.encode(texts)


def test_numbers_are_printed_as_javascript_prints_them():
    """Integers and others."""
    assert numbers_json(1, 0.5, 1e21, 2**53 - 1) == (b"1", b"0.5", b"1e+21", b"9007199254740991")


def test_members_are_one_block_only_if_all_of_it_is_equal():
    """Kind, turn, step, index, id and name; a missing name is not an empty one."""
    call = list_row(text_row("a", tag="tool-call-chunks", id="c"))
    named = list_row(text_row("a", tag="tool-call-chunks", id="c", name=""))
    other = list_row(text_row("a", tag="tool-call-chunks", id="d"))
    text, reasoning = list_row(text_row("a")), list_row(text_row("a", tag="reasoning-chunks"))

    assert call.same_block(call)
    assert not any(call.same_block(each) for each in (named, other, text))
    assert not text.same_block(reasoning)
    for key in ("turn", "step", "index"):
        assert not text.same_block(list_row(text_row("a", **{key: 7})))


def test_the_joined_text_needs_no_list_of_texts():
    """The raw column is enough, also where an escaped quote stands as a separator would."""
    plain = Row.of(list_row(text_row("a", "\n", 'say "hi"', "é", "\\", ",")))
    confusing = Row.of(list_row(text_row('"\\",', '",', '"', "\\")))
    with counted_calls(Row.text_list) as calls:
        assert plain.text() == 'a\nsay "hi"é\\,'
        assert plain.first_text() == "a"
        assert confusing.text() == '"\\",","\\'
        assert confusing.first_text() == '"\\",'
        assert not calls


def test_half_a_surrogate_pair_joins_its_other_half():
    """Texts that split a character are joined as JavaScript joins them."""
    row = Row.of(list_row(text_row("a\ud83d", "\ude00", "\ud83d")))

    assert row.text() == "a\U0001f600\ud83d"
    assert row.first_text() == "a\ud83d"


def test_a_head_alone_answers_nothing():
    """The questions need columns."""
    row = list_row(text_row("a"))
    head = RowHead(kind=row.kind, seq0=0, time0=0, turn=1, step=1, index=0, count=1)

    for question in (head.gap_list, head.text_list):
        with pytest.raises(NotImplementedError):
            question()


def test_a_list_row_gives_its_own_lists():
    """No copy: a reader that changes them changes the row, so readers do not."""
    row = list_row(text_row("a", "b"))

    assert isinstance(row, ListRow)
    assert row.text_list() is row.texts
    assert row.gap_list() is row.gaps
