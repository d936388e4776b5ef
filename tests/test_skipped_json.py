"""What msgspec skipped is proved readable, or read: nothing unreadable passes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checks import check_refused
from histbench.errors import InvalidJson
from histbench.jsontext import decode, encode
from histbench.skipped_json import check_skipped, surely_readable
from strategies import json_values, spellings

digits = st.text("0123456789", min_size=1, max_size=4) | st.integers(198, 420).map("7".__mul__)
numbers = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    digits.map(lambda text: text.lstrip("0") or "0"),
    st.just("") | digits.map(".{}".format),
    st.just("")
    | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), digits),
)
names = st.builds('"{}e{}"'.format, st.text("0a:, -.", max_size=5), digits)
texts = st.recursive(
    numbers | names,
    lambda inner: (
        st.builds(
            "[{}{}]".format, st.sampled_from(["", " ", "\t", "\n"]), st.lists(inner).map(",".join)
        )
        | st.builds('{{"0e000":{}{}}}'.format, st.sampled_from(["", " "]), inner)
    ),
    max_leaves=5,
).map(str.encode)


wide_texts = st.binary(max_size=3).map(lambda data: b'"%b"' % data.translate(None, b'"\\\n'))


@given(st.lists(texts | wide_texts, max_size=3))
@example([b"[1e400]"])
@example([b"[1E+400]"])
@example([b'"\xc3', b'\xa9"'])
def test_what_is_surely_readable_passes_line_by_line(lines):
    """However a number is spelled, wherever it stands, and whatever bytes a string has."""
    if surely_readable(lines):
        for line in lines:
            check_skipped(line)


@given(texts)
def test_the_proof_agrees_with_reading(text):
    """What cannot be read is refused, for the reason that reading gives."""
    try:
        decode(text)
    except InvalidJson as error:
        check_refused(error.code, check_skipped, text)
    else:
        check_skipped(text)


@given(st.data(), json_values)
@example(None, [1e308])
def test_what_was_skipped_and_checked_can_be_read(data, value):
    """A number in a string or a long one is no fault."""
    check_skipped(encode(value) if data is None else data.draw(spellings(value)))


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'["\xff"]', "invalid_utf8"),
        (b'{"\xff":1}', "invalid_utf8"),
        (b"[1e400]", "number_out_of_range"),
        (b"[1E+400]", "number_out_of_range"),
        (b"1e400", "number_out_of_range"),
        (b"[-12.5e0400]", "number_out_of_range"),
        (b"[0." + b"0" * 150 + b"1e+999]", "number_out_of_range"),
        (b"1" + b"0" * 300 + b"e99", "number_out_of_range"),
        (b"1" * 5000, "number_out_of_range"),
        (b"1" * 400 + b".5", "number_out_of_range"),
    ],
)
def test_what_skipping_hides_is_found(raw, code):
    """Msgspec checks the syntax of what it skips and nothing else."""
    check_refused(code, check_skipped, raw)
    check_refused(code, decode, raw)


@pytest.mark.parametrize(
    "name", [b'"sha":"3e999"', b'"id":"call_0e123"', b'"e100":1', b'"-1ae200"']
)
def test_digits_of_names_are_no_numbers(name):
    """A hexadecimal id costs a look, not a parse."""
    assert surely_readable([b"[%b]" % name.replace(b":", b",")])
