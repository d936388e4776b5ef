"""Gaps as signs: every list has a spelling, every spelling a list, and a number without expanding."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle_lean
from histbench.events import DELTA_KINDS
from histbench.history.signs import (
    MOST_ZEROS,
    SignedRow,
    count_signs,
    gap_signs,
    only_signs,
    read_signs,
    signs_of,
    split_signs,
)
from strategies import gap_lists

RUN_SIGNS = oracle_lean.RUN_SIGNS
# Any string of signs, whoever would write it so.
spellings = st.lists(
    st.one_of(
        st.sampled_from(oracle_lean.SIGNS),
        st.sampled_from(RUN_SIGNS),
        st.sampled_from(["(62)", "(-1)", "(1000)", "(100)", "(-9007199254740991)"]),
    ),
    max_size=40,
).map("".join)


@given(gap_lists)
@example([0] * 29)
@example([100, 0, 0])
@example([0, 0, 10**15])
def test_gaps_are_spelled_one_way_and_read_back(gaps):
    """As the oracle spells them: runs from the left, each as far as a sign goes."""
    spelled = gap_signs(gaps)

    assert spelled == oracle_lean.spelling_of(gaps)
    assert read_signs(spelled) == oracle_lean.gaps_of(spelled) == gaps


@given(gap_lists)
def test_zeros_one_by_one_are_read_too(gaps):
    """The spelling of pages from before there were runs."""
    assert read_signs(signs_of(gaps)) == gaps


@given(spellings)
def test_signs_are_counted_as_they_are_read(spelled):
    """Whoever wrote them."""
    short, longs = split_signs(spelled)
    count = count_signs(short)

    assert count is not None
    assert count + len(longs) == len(read_signs(spelled))
    assert read_signs(spelled) == oracle_lean.gaps_of(spelled)
    assert read_signs(gap_signs(read_signs(spelled))) == read_signs(spelled)


@given(st.one_of(spellings, st.text(max_size=8)), st.text(max_size=2), st.text(max_size=8))
def test_only_what_holds_nothing_but_signs_is_counted(before, odd, after):
    """A bracket, a quote, `!`, a space and everything beyond ASCII are no signs."""
    text = before + odd + after
    counted = all(each in oracle_lean.SIGNS + RUN_SIGNS for each in text)

    assert (count_signs(text) is not None) == counted
    assert only_signs(text) == all(each in oracle_lean.SIGNS for each in text)


def test_every_length_has_its_sign():
    """In the order of ASCII; what is longer takes several, and a single zero its own."""
    assert [gap_signs([0] * zeros) for zeros in range(2, MOST_ZEROS + 1)] == list(RUN_SIGNS)
    assert list(RUN_SIGNS) == sorted(RUN_SIGNS)
    assert [gap_signs([0] * zeros) for zeros in (0, 1, 29, 30, 56, 57, 58)] == [
        *("", "0", "~0", "~#", "~~", "~~0", "~~#"),
    ]


@pytest.mark.parametrize("odd", ["!", '"', "(", ")", "\\", " ", "\x7f", "\n", "é", "٢", "\ud83d"])
def test_what_is_no_sign_is_told(odd):
    """Wherever it stands."""
    assert count_signs(odd) is count_signs("0~" + odd) is count_signs(odd + "0~") is None


@given(spellings, st.integers(-(10**6), 10**13), st.data())
def test_one_time_is_that_of_all_times(spelled, time0, data):
    """It takes the signs up to its member alone."""
    count = len(read_signs(spelled)) + 1
    head = {"kind": DELTA_KINDS[0], "seq0": 0, "turn": 1, "step": 1, "index": 0}
    row = SignedRow(**head, time0=time0, count=count, gaps=spelled)
    member = data.draw(st.integers(0, count - 1))

    assert row.time_of(member) == row.times()[member]
