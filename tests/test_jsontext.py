"""JSON as JavaScript reads and writes it: against the standard library, frozen text and Node."""

import enum
import json
import math
import shutil
import struct
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checks import check_refused, same
from histbench import jsontext
from histbench.events import BLANKS
from histbench.jsontext import decode, encode, encode_strictly, js_number
from strategies import json_values, spellings

SOME = st.one_of(
    json_values,
    st.sampled_from([float("inf"), float("nan"), {1: 2}, {"a": {None: 1}}, (1, [2]), b"x", {1}]),
)

# What each value's JSON.stringify gave in Node 24.
PRINTED = {
    "[0,0,1,1000,-1000]": [0, -0.0, 1.0, 1e3, -1e3],
    "[0.1,1e-7,0.000001,0.0000012,1.5e-7]": [0.1, 1e-7, 1e-6, 1.2e-6, 1.5e-7],
    "[10000000000000000,12345678901234567000,123456789012345680000]": [
        1e16,
        12345678901234567000.0,
        123456789012345680000.0,
    ],
    "[1e+21,1.5e+300,5e-324,1.7976931348623157e+308]": [1e21, 1.5e300, 5e-324, sys.float_info.max],
    "[-1e+21,-1e-7,-123456789012345680000]": [-1e21, -1e-7, -123456789012345680000.0],
    "[9007199254740993]": [2**53 + 1],
    '{"0":1,"2":1,"10":1,"4294967294":1,"b":1,"a":1,"01":1,"4294967295":1,"-1":1,"":1}': dict.fromkeys(["b", "10", "a", "01", "2", "4294967295", "-1", "", "0", "4294967294"], 1),
    '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\x7f\x85\u2028\ufeffé漢😀"': (
        '\x00\b\t\n\x0b\f\r\x1f"\\/\x7f\x85\u2028\ufeffé漢😀'
    ),
    '["\\ud83d","\\ude00","a\\udfff😀"]': ["\ud83d", "\ude00", "a\udfff\ud83d\ude00"],
    '{"null":null,"true":true,"false":false,"e":"1e3","f":"1.0"}': {
        "null": None, "true": True, "false": False, "e": "1e3", "f": "1.0"
    },
    "[[],{},[[]],[{}]]": [[], {}, [[]], [{}]],
}  # fmt: skip


@pytest.mark.parametrize("text", PRINTED)
def test_values_are_printed_as_javascript_prints_them(text):
    """Byte for byte, and what is printed reads back as it was."""
    value = PRINTED[text]

    assert encode(value) == text.encode()
    assert encode(decode(text)) == text.encode()


def _values_for_node():
    """Doubles of any bits and of any size, texts of any code units, objects with keys in disorder."""
    random = Random(1)
    doubles = [struct.unpack("<d", random.randbytes(8))[0] for _ in range(5000)]
    doubles += [random.uniform(-1, 1) * 10.0 ** random.randrange(-12, 26) for _ in range(5000)]
    doubles += [float(random.randrange(10 ** random.randrange(1, 23))) for _ in range(2000)]
    values = [js_number(value) for value in doubles if math.isfinite(value)]
    units = [*range(0xA0), *range(0xD7F0, 0xE010), 0x2028, 0x2029, 0xFEFF, 0xFFFF]
    for _ in range(2000):
        values.append("".join(chr(random.choice(units)) for _ in range(random.randrange(9))))
        keys = [str(random.randrange(10 ** random.randrange(1, 12))) for _ in range(5)]
        values.append(dict.fromkeys([*keys, "b", "a", "01", "-1"], 1))
    return values


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_prints_the_same():
    """Doubles, texts and orders of keys, parsed and printed again by a JavaScript engine."""
    values = _values_for_node()
    script = (
        "const lines = require('fs').readFileSync(0, 'utf8').split('\\n');"
        "process.stdout.write(lines.map((l) => JSON.stringify(JSON.parse(l))).join('\\n'))"
    )
    text = "\n".join(map(json.dumps, values))
    node = subprocess.run(
        ["node", "-e", script], input=text.encode(), capture_output=True, check=True
    )
    pairs = list(zip(map(encode, values), node.stdout.split(b"\n"), strict=True))

    assert [pair for pair in pairs if pair[0] != pair[1]] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_trims_the_same():
    """Every character that `trim` takes, and no other."""
    script = (
        "const blanks = [];"
        "for (let c = 0; c < 0x110000; c++)"
        " if (String.fromCodePoint(c).trim() === '') blanks.push(c);"
        "process.stdout.write(JSON.stringify(blanks))"
    )
    node = subprocess.run(["node", "-e", script], capture_output=True, check=True)

    assert json.loads(node.stdout) == sorted(map(ord, BLANKS))


@given(json_values)
@example({"a": [10**400, -(10**400), 2**64, 2**63]})
@example([0.1, 1e22, 1.0, -0.0])
@example({"\ud83d": "\ude00"})
def test_what_is_printed_reads_back(value):
    """No digit, no half of a pair and no key gets lost."""
    assert same(decode(encode(value)), value)
    assert same(json.loads(encode(value)), value)
    assert encode_strictly(value) == encode(value)
    assert encode(decode(encode(value))) == encode(value)


@given(st.data(), json_values)
def test_every_spelling_reads_alike(data, value):
    """White space and escapes mean nothing; bytes and text are read alike."""
    text = data.draw(spellings(value))

    assert same(decode(text), value)
    assert same(decode(text.decode()), value)
    assert same(decode(b" \t\r\n" + text + b" \t\r\n"), value)


@given(SOME)
def test_fast_and_slow_writer_are_one(value):
    """The fast writer gives what the slow one gives, or leaves it the refusal."""
    slow = _outcome(jsontext._encode_slowly, value)

    assert _outcome(encode_strictly, value) == slow


@given(
    st.one_of(
        st.text('{}[]",:\\/u019-+.eEtrflasn \n\ud83d\ufeff', max_size=12),
        st.sampled_from(["NaN", "-Infinity", "1e400", "-1e400", "[1e999]", "01", "1.", ".5", "+1"]),
        st.sampled_from(
            ['"\\ud83d', '"\\ud83d"', '"\\ud83d\\u0041"', '"\\ude00\\ud83d"', '"\x01"']
        ),
        st.sampled_from(["[1,]", '{"a":1,}', "{1:1}", "'a'", "/**/1", "1 1", "\x0b1", "\x00", ""]),
    )
)
def test_fast_and_slow_reader_are_one(text):
    """What the fast reader takes the slow one takes; neither lets a foreign exception out."""
    fast, slow = _outcome(decode, text.encode("utf-8", "surrogatepass")), None
    try:
        slow = _outcome(jsontext._decode_slowly, text.encode())
    except UnicodeEncodeError:
        slow = ("refused", "invalid_utf8")

    assert fast == slow or fast[0] == slow[0] == "refused"
    if fast[0] == "done":
        assert _outcome(decode, text) == fast


def _outcome(function, value):
    try:
        return "done", repr(function(value))
    except jsontext.InvalidJson as error:
        return "refused", error.code


@given(st.binary(max_size=12))
@example(b'"\xff"')
@example(b'{"\xff":1}')
@example(b'"\\ud83d\xff"')
@example(b'"\xed\xa0\xbd"')
def test_any_bytes_are_read_or_refused(data):
    """Bytes from anywhere end in a value or in an error of ours."""
    outcome = _outcome(decode, data)

    if outcome[0] == "done":
        assert same(json.loads(data), decode(data))


@pytest.mark.parametrize(
    ("text", "code", "byte"),
    [
        (b'"\xff"', "invalid_utf8", 1),
        (b'"\\ud83d","\xff"', "invalid_utf8", 10),
        (b'[1 2,"\xff"]', "invalid_utf8", 6),
        (b"\xef\xbb\xbf1", "invalid_json", 0),
        (b"[1,", "invalid_json", None),
        (b"[1 2]", "invalid_json", 3),
        ('["é\\ud83d" 2]'.encode(), "invalid_json", 12),
        (b"[NaN]", "invalid_json", 1),
        (b'["\\ud83d",NaN]', "invalid_json", None),
        (b'["\\ud83d",-Infinity]', "invalid_json", None),
        (b"[1e400]", "number_out_of_range", None),
        (b'["\\ud83d",-1e400]', "number_out_of_range", None),
        (b"1" * 5000, "number_out_of_range", None),
        (b'["\\ud83d",' + b"1" * 5000 + b"]", "number_out_of_range", None),
        (b"[" * 100_000 + b"]" * 100_000, "too_deep", None),
        (b'["\\ud83d",' + b"[" * 100_000, "too_deep", None),
        (b"", "invalid_json", None),
    ],
)
def test_refusals_of_text(text, code, byte):
    """Each with its code, and with its byte where the parser names one."""
    error = check_refused(code, decode, text)

    assert error.where.byte == byte


def test_text_with_raw_halves_is_read():
    """A str can hold what UTF-8 cannot."""
    assert decode('["\ud83d"]') == ["\ud83d"]
    assert decode('{"a":1}') == {"a": 1}
    check_refused("invalid_json", decode, "[")


def test_of_duplicate_keys_the_last_wins():
    """At the place of the first, in both readers."""
    assert list(decode('{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]
    assert list(decode('{"a":1,"b":"\\ud83d","a":3}').items()) == [("a", 3), ("b", "\ud83d")]


class _Number(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    "value",
    [
        *(b"x", bytearray(b"x"), {1, 2}, frozenset(), datetime.now(UTC), UUID(int=0), Decimal(1)),
        *({1: 2}, {1.5: 2}, {True: 1}, {None: 1}, {b"x": 1}, object(), [print], 1j, {"a": {1}}),
        *(float("nan"), float("inf"), [{"a": -math.inf}], datetime.now(UTC).date()),
    ],
)
def test_what_is_no_json_value_is_refused(value):
    """Neither converted nor turned into null: it would not read back."""
    check_refused("not_json", encode_strictly, value)
    check_refused("not_json", encode_strictly, {"type": "note", "data": [value]})


def test_what_reads_back_equal_is_taken():
    """Tuples are arrays; enumerations of strings and numbers are what they equal."""
    assert encode_strictly({"a": (1, (2.0,), _Number.ONE)}) == b'{"a":[1,[2],1]}'
    assert jsontext._encode_slowly(_Number.ONE) == b"1"


def test_what_cannot_be_written_is_refused():
    """Integers that could not be read again, and nesting without an end."""
    endless = []
    endless.append(endless)

    check_refused("too_deep", encode, endless)
    check_refused("too_deep", encode, ["\ud83d", endless])
    check_refused("number_out_of_range", encode, 10**5000)


@given(st.text(st.sampled_from("\ud83d\ude00\ud800\udfffa😀"), max_size=8))
def test_halves_that_meet_are_one_character(text):
    """As UTF-16 has it; anything else stays as it is."""
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

    assert jsontext.merge_surrogates(text) == expected
    assert decode(encode(text)) == expected


@given(json_values, json_values)
@example([True], [1])
@example({"a": 1.0}, {"a": 1})
@example([[]], [{}])
def test_same_is_equality_of_json(left, right):
    """Numbers by value, truth by identity, whatever the order of keys."""
    assert jsontext.same(left, right) == same(left, right)
    assert jsontext.same(left, json.loads(json.dumps(left)))


def test_same_is_not_bound_by_the_depth_of_calls():
    """Whatever nests as deep as the parser lets it can be compared."""
    left, right = [], []
    for _ in range(100_000):
        left, right = [left], [right]

    # Not compared by ==, whose depth is the interpreter's.
    assert jsontext.same(left, right)
    assert not jsontext.same([left], right)
