"""Bytes to items: the same items wherever the bytes are cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.importers.carriers import read_items
from histbench.jsontext import decode, same
from histbench.store.content import Chunk

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), min_size=1, max_size=5)


def items_of(data, cut=None):
    """The items of `data`, which comes in two chunks."""
    cut = len(data) if cut is None else cut
    chunks = [Chunk(0, data[:cut]), Chunk(cut, data[cut:])]
    return list(read_items([chunk for chunk in chunks if chunk.data], exact=True))


def spelled(values, how):
    """`values` in one of the carriers."""
    if how == "lines":
        return "".join(json.dumps(value) + "\n" for value in values)
    if how == "array":
        return json.dumps(values)
    if how == "pretty":
        return json.dumps(values, indent=2, ensure_ascii=False)
    if how == "printed":
        # An empty object too has a line that only opens it.
        return "".join(
            (json.dumps(value, indent=1) if value else "{\n}") + "\n" for value in values
        )
    return "".join(f"data: {json.dumps(value)}\r\n\r\n" for value in values)


HOWS = ["lines", "array", "pretty", "printed", "sse"]


@given(values=OBJECTS, how=st.sampled_from(HOWS), data=st.data())
def test_a_cut_anywhere_changes_nothing(values, how, data):
    """Whole, or in two chunks cut at any byte: the same items at the same places."""
    text = spelled(values, how).encode("utf-8", "surrogatepass")
    cut = data.draw(st.integers(0, len(text)))
    items = items_of(text)

    assert items_of(text, cut) == items
    assert same([item.value for item in items], values)


@given(values=OBJECTS, how=st.sampled_from(HOWS))
def test_an_item_knows_its_place(values, how):
    """Line and byte are those at which the value, or its event, begins."""
    text = spelled(values, how).encode()
    for item in items_of(text):
        rest = text[item.byte :].removeprefix(b"data: ")

        assert text[: item.byte].count(b"\n") + 1 == item.line
        assert rest[:1] == b"{"
        assert rest.startswith(json.dumps(item.value).encode()[:1])


def test_elements_may_be_anything():
    """Scalars, strings with brackets and quotes, empty arrays: each is one element."""
    values = [1, 'a,]}[{"\\', None, [], [[1], [2]], {"b": "[,]"}, True, ""]
    data = b"[ " + json.dumps(values).encode()[1:]
    items = items_of(b'["x", ' + data[1:])

    assert [item.value for item in items] == ["x", *values]


def test_several_arrays_are_one_recording():
    """Arrays one after the other hold their elements."""
    assert [item.value for item in items_of(b'[{"a":1},{"a":2}]\n[{"a":3}]')] == [
        {"a": 1},
        {"a": 2},
        {"a": 3},
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'[{"a":1},{"b"', [({"a": 1}, None), (None, '{"b"')]),
        (b'[{"a":1}, oops, {"a":2}]', [({"a": 1}, None), (None, "oops"), ({"a": 2}, None)]),
        (b'[{"a":1}] and more', [({"a": 1}, None), (None, "and more")]),
        (b'[{"a":"x', [(None, '{"a":"x')]),
        (b"[]", []),
        (b'{"a":1}\nnoise\n{"a":2}', [({"a": 1}, None), (None, "noise"), ({"a": 2}, None)]),
        (b'[12:00] started\n{"a":1}\n', [(None, "[12:00] started"), ({"a": 1}, None)]),
    ],
)
def test_what_is_no_value_is_text(text, expected):
    """Nothing between, before or behind values is passed over."""
    assert [(item.value, item.text) for item in items_of(text)] == expected


def test_fields_of_events():
    """Names, ids and retry times belong to the item; one that the value repeats is implied."""
    data = (
        b'event: ping\nid: 1\nretry: 5\ndata: {"type": "ping"}\n\n'
        b'event: ping\ndata: {"type": "ping"}\n\nevent: other\ndata: {"type": "ping"}\n\n'
        b"id: 9\n\n"
    )
    items = items_of(data)

    assert [item.event for item in items] == ["ping", "ping", "other", None]
    assert [item.frame for item in items] == [
        {"event": "ping", "id": "1", "retry": "5"},
        None,
        {"event": "other"},
        {"id": "9"},
    ]


def test_numbers_are_javascripts():
    """Values are read as everywhere in this project."""
    (item,) = items_of(b'{"a": 1.0, "b": -0, "c": 123456789012345678901}\n')

    assert item.value == decode(b'{"a":1,"b":0,"c":123456789012345678901}')
    assert type(item.value["a"]) is int
