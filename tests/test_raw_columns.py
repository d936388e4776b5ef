"""The proofs on raw columns: whatever they claim, reading the array value by value finds it true."""

import json
from functools import cache
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from histbench.events import MAX_SAFE_INTEGER
from histbench.jsontext import encode
from histbench.raw_columns import proved_gaps, proved_texts
from strategies import hostile_texts, json_values, spellings

# What strings are made of here: enough to separate, close, escape and break off.
LETTERS = (b",", b"]", b"a", b'\\"', b"\\\\", b"\\u0061")


@cache
def contents(length):
    """Every content of a JSON string in `length` bytes of those letters."""
    if length == 0:
        return [b""]
    return [
        letter + rest
        for letter in LETTERS
        if len(letter) <= length
        for rest in contents(length - len(letter))
    ]


@cache
def values(length):
    """Every value: strings, the number 1, arrays; with a space before or after, or none."""
    found = [b'"%b"' % content for content in contents(length - 2)] if length >= 2 else [b"1"]
    if length >= 2:
        found += arrays(length)
        found += [text for value in values(length - 1) for text in (b" " + value, value + b" ")]
    return found


@cache
def members(length):
    """Every list of one or more values with commas in between."""
    return values(length) + [
        value + b"," + rest
        for first in range(1, length - 1)
        for value in values(first)
        for rest in members(length - first - 1)
    ]


@cache
def arrays(length):
    """Every array of `length` bytes."""
    inner = members(length - 2) if length > 2 else [b""]
    return [b"[%b]" % each for each in inner]


def is_json(text):
    """Whether the standard library reads it."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def is_canonical_texts(raw):
    """Whether `raw` is exactly how a list of strings is written, found by reading it."""
    value = json.loads(raw)
    strings = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return len(value) if value and strings and encode(value) == raw else None


def check_texts(raw):
    """A proof is true; where nothing is escaped, and so for most of what is read, it is found."""
    proved, true = proved_texts(raw), is_canonical_texts(raw)

    assert proved in (None, true)
    assert proved == true or b"\\" in raw


def test_short_arrays_are_judged_rightly():
    """Every array up to eleven bytes over an alphabet of what matters."""
    for length in range(2, 12):
        for raw in arrays(length):
            check_texts(raw)

    assert len(arrays(11)) > 20_000
    assert all(map(is_json, arrays(8)))


@pytest.mark.slow
@pytest.mark.parametrize("length", [12, 13])
def test_longer_arrays_are_judged_rightly(length):
    """The same, where three texts with escapes fit."""
    for raw in arrays(length):
        check_texts(raw)


@given(st.lists(hostile_texts, min_size=1, max_size=6))
@example(['","'])
@example(['"', ","])
@example(["\\", '","'])
@example(['a",', 'b"'])
@example(["\ud83d", "\ude00"])
def test_written_columns_are_proved_unless_pieces_could_be_confused(texts):
    """What is written for hostile texts is proved with the right count, or left to the reader."""
    raw = encode(texts)

    assert proved_texts(raw) in (None, len(texts))
    if not any("\\" in raw_text or '"' in raw_text for raw_text in map(repr_of, texts)):
        assert proved_texts(raw) == len(texts)


def repr_of(text):
    """The text as it is written, without its quotes."""
    return encode(text)[1:-1].decode()


@given(st.data(), st.lists(json_values, max_size=4))
def test_any_array_in_any_spelling(data, values):
    """Whoever wrote it, and whatever is in it."""
    check_texts_or_refuse(data.draw(spellings(values)))


def check_texts_or_refuse(raw):
    """A proof is true."""
    assert proved_texts(raw) in (None, is_canonical_texts(raw))


@given(
    st.lists(
        st.binary(max_size=3)
        | st.sampled_from([b'","', b"\\n", b"\\\\", "é".encode(), b"\xe2\x82"]),
        min_size=1,
        max_size=5,
    )
)
@example([b"\\n\xe2\x82", b"\xac"])
@example([b"\xe2\x82", b"\xac"])
def test_columns_that_are_no_utf8_are_never_proved(pieces):
    """A parser that skips an array does not look at its encoding, so the proof must.

    Two texts may hold the halves of one character's bytes: joined, they would be UTF-8.
    """
    raw = b'["' + b'","'.join(pieces) + b'"]'
    if proved_texts(raw) is not None and is_json_bytes(raw):
        assert proved_texts(raw) == is_canonical_texts(raw)
        raw.decode()


def is_json_bytes(raw):
    """Whether the syntax is right, bytes that are no UTF-8 taken for letters."""
    return is_json(raw.decode("latin-1"))


@pytest.mark.parametrize(
    "raw",
    [
        *(b"[]", b'[""', b'"]', b'["]', b'["a" ]', b'[ "a"]', b'["a", "b"]', b'["a",1]', b"[1]"),
        *(b'["a",["b"]]', b'[["a"],"b"]', b'["a",null,"b"]', b'["\\u0041"]', b'["\\/"]'),
        *(b'["\\u001F"]', b'["\\ud83d"]', b'["\\ud83d","\\ude00"]', b'["\\n\xff"]', b'["\xff"]'),
    ],
)
def test_what_is_not_canonical_is_not_proved(raw):
    """Neither white space nor another spelling of a character, nor anything but strings."""
    assert proved_texts(raw) is None


gaps = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-(2**54), 2**54),
    st.sampled_from([2**53 - 1, -(2**53) + 1, 10**15, 10**16, 2**52]),
)


@given(st.lists(gaps, max_size=5), gaps, st.integers(0, 7))
@example([5], MAX_SAFE_INTEGER, 1)
@example([-5], -MAX_SAFE_INTEGER, 1)
@example([9, -9], MAX_SAFE_INTEGER - 5, 2)
def test_proved_gaps_are_safe(values, time0, count):
    """Right in number, and every partial sum of them a safe integer."""
    if abs(time0) > MAX_SAFE_INTEGER:
        time0 = 0
    if proved_gaps(encode(values), count + 1, time0):
        assert len(values) == count
        assert all(abs(time) <= MAX_SAFE_INTEGER for time in accumulate(values, initial=time0))


@given(st.lists(st.integers(-100_000, 100_000), max_size=50))
def test_usual_gaps_are_proved(values):
    """Days apart, and for as long as this age lasts."""
    assert proved_gaps(encode(values), len(values) + 1, 1_700_000_000_000)


@given(st.data(), st.lists(st.one_of(gaps, json_values), max_size=4), st.integers(1, 6))
def test_what_is_proved_is_an_array_of_integers(data, values, count):
    """In whatever spelling, and whatever else an array may hold."""
    raw = data.draw(spellings(values))
    if proved_gaps(raw, count, 0):
        assert all(type(value) is int for value in json.loads(raw))
        assert encode(json.loads(raw)) == raw
        assert len(json.loads(raw)) == count - 1


def test_short_arrays_of_numbers_are_judged_rightly():
    """Every text of digits, signs, dots, exponents and brackets that is a valid array."""
    texts = [b""]
    for _ in range(5):
        texts = [text + bytes([byte]) for text in texts for byte in b"[],1-0. e"]
        for inner in texts:
            raw = b"[%b]" % inner
            if not is_json(raw):
                continue
            value = json.loads(raw)
            whole = all(type(each) is int for each in value) and encode(value) == raw
            for count in range(1, 5):
                assert proved_gaps(raw, count, 0) == (whole and len(value) == count - 1)
