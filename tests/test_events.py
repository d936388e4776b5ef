"""The numbers and blanks of JavaScript, and the table of deltas."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from histbench.events import (
    BLANKS,
    DELTA_KINDS,
    KIND_BY_DELTA,
    KIND_BY_TAG,
    MAX_SAFE_INTEGER,
    is_blank,
    safe_integer,
)
from strategies import json_values


def test_the_table_of_deltas_is_the_format_s():
    """Three kinds; the oracle spells the same table by hand."""
    table = {kind.tag: (kind.delta, kind.text_key, kind.texts_key) for kind in DELTA_KINDS}

    assert table == oracle.KINDS
    assert {kind.tag for kind in DELTA_KINDS if kind.is_call} == {"tool-call-chunks"}
    assert [KIND_BY_DELTA[kind.delta] for kind in DELTA_KINDS] == list(DELTA_KINDS)
    assert [KIND_BY_TAG[kind.tag] for kind in DELTA_KINDS] == list(DELTA_KINDS)


@given(json_values)
@example(2**53)
@example(2**53 - 1)
@example(-(2**53) + 1)
@example(10**400)
@example(1e300)
@example(-0.0)
@example(value=True)
def test_safe_integers_are_javascript_s(value):
    """An integer by value, whatever its spelling, and at most 2^53 - 1 from zero."""
    found = safe_integer(value)

    assert (found is not None) == oracle.safe(value)
    if found is not None:
        assert type(found) is int
        assert found == value
        assert abs(found) <= MAX_SAFE_INTEGER


def test_blanks_are_what_trim_strips():
    """Category Zs, the line ends and the BOM, found anew in all of Unicode."""
    assert set(BLANKS) == {chr(code) for code in range(0x110000) if oracle.blank(chr(code))}


@given(st.text(st.sampled_from(BLANKS + "\x85\x1c\x1f\u200b\u180ea"), max_size=5))
def test_a_text_is_blank_when_trim_leaves_nothing(text):
    """Python's own strip takes other characters."""
    assert is_blank(text) == oracle.blank(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", None])
def test_what_is_no_number_is_no_safe_integer(value):
    """Not even by mistake."""
    assert safe_integer(value) is None
