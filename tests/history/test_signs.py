"""Numbers as signs: every list has one spelling, and what is no sign is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_lean
from histbench.history.signs import only_signs, read_signs, signs_of, split_signs
from strategies import gap_lists


@given(gap_lists)
def test_numbers_are_spelled_and_read_back(numbers):
    """As the oracle does, and the long ones are told apart."""
    spelled = signs_of(numbers)
    signs, longs = split_signs(spelled)

    assert spelled == oracle_lean.signs_of(numbers)
    assert read_signs(spelled) == numbers
    assert longs == [number for number in numbers if not 0 <= number <= 61]
    assert len(signs) + len(longs) == len(numbers)
    assert only_signs(signs)


@given(st.text(max_size=8), st.text(oracle_lean.SIGNS), st.text(max_size=8))
def test_only_signs_are_signs(before, signs, after):
    """Nothing else, wherever it stands."""
    text = before + signs + after

    assert only_signs(text) == all(each in oracle_lean.SIGNS for each in text)


@pytest.mark.parametrize(
    "odd", ["!", '"', "(", ".", "-", "_", " ", "\x7f", "\n", "é", "٢", "\ud83d"]
)
def test_what_is_no_sign_is_told(odd):
    """Wherever it stands."""
    assert [only_signs(text) for text in (odd, "0Z" + odd, odd + "0Z")] == [False] * 3
