"""Gaps as one string: a list has two spellings, the shorter is written, and both are counted."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle_lean
from histbench.errors import InvalidRow
from histbench.events import DELTA_KINDS
from histbench.history.gap_maps import SignedRow, check_gaps, read_gaps, spell_gaps
from strategies import gap_lists

MAX = 2**53 - 1
SPELLINGS = (oracle_lean.signs_of, oracle_lean.maps_of)


def row(text, count, time0=0):
    """A row of so many gaps."""
    head = {"kind": DELTA_KINDS[0], "seq0": 0, "turn": 1, "step": 1, "index": 0}
    return SignedRow(**head, time0=time0, count=count + 1, gaps=text)


def rule(text, count, time0=0):
    """The rule that so many gaps break, none or one."""

    def refuse(name, reason, _found, _expected):
        return InvalidRow(reason, code=name)

    try:
        check_gaps(row(text, count, time0), refuse)
    except InvalidRow as error:
        return error.code
    return None


@given(gap_lists)
@example([])
@example([0] * 6)
@example([1] * 7)
@example([2] * 9)
@example([0, 255, 0, 0, 0, 0])
@example([0, 256, 0, 0, 0, 0])
@example([0, -1, 0, 0, 0, 0])
def test_the_shorter_spelling_is_written_and_read_back(gaps):
    """Signs where both are as long; as the oracle spells them."""
    spelled = spell_gaps(gaps)

    assert spelled == oracle_lean.spelling_of(gaps)
    assert ("." in spelled) == (len(oracle_lean.maps_of(gaps)) < len(oracle_lean.signs_of(gaps)))
    assert read_gaps(spelled, len(gaps)) == gaps


@given(gap_lists, st.sampled_from(SPELLINGS))
@example([], oracle_lean.maps_of)
def test_either_spelling_is_read(gaps, spell):
    """Though it may be the longer one."""
    text = spell(gaps)

    assert rule(text, len(gaps)) in {None, "time_range"}
    assert read_gaps(text, len(gaps)) == oracle_lean.gaps_of(text, len(gaps)) == gaps


@pytest.mark.parametrize("bits", range(14))
@pytest.mark.parametrize("gap", [0, 1, 2, 61, 62, -1])
def test_maps_of_every_length_around_a_character_s_are_read(bits, gap):
    """The gap before, behind and between others."""
    for gaps in ([gap] * bits, [0] * bits + [gap], [gap] + [1] * bits, [0, gap, 1] * bits):
        text = oracle_lean.maps_of(gaps)

        assert rule(text, len(gaps)) is None
        assert read_gaps(text, len(gaps)) == gaps


@given(gap_lists.filter(lambda gaps: max(map(abs, gaps), default=0) < MAX), st.data())
def test_one_time_is_that_of_all_times(gaps, data):
    """It takes the text up to its member alone."""
    member = data.draw(st.integers(0, len(gaps)))
    for spell in SPELLINGS:
        made = row(spell(gaps), len(gaps), data.draw(st.integers(-(10**6), 10**13)))

        assert made.time_of(member) == made.times()[member]


@given(gap_lists, st.sampled_from(SPELLINGS), st.integers(-7, 7), st.data())
def test_a_list_has_two_spellings_and_no_other(gaps, spell, more, data):
    """A text with something changed is refused, or spells another list as that is spelled."""
    text = spell(gaps)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 2)))
    put = data.draw(st.text("A_g-09aZ.()2!+/=é", max_size=3))
    text = text[:start] + put + text[stop:]
    count = max(0, len(gaps) + more)
    found = rule(text, count)

    assert found in {None, "dt", "dt_length", "time_range"}
    if found in {None, "time_range"}:
        read = read_gaps(text, count)
        assert len(read) == count
        assert text in [each(read) for each in SPELLINGS]


@given(gap_lists)
def test_what_is_counted_is_what_is_listed(gaps):
    """Zeros alone may be more or fewer, as far as their map's last character goes."""
    text = oracle_lean.maps_of(gaps)
    for count in range(max(0, len(gaps) - 7), len(gaps) + 8):
        if rule(text, count) is None:
            assert read_gaps(text, count) == (gaps + [0] * 7)[:count]


@pytest.mark.parametrize("count", range(1, 7))
def test_a_character_of_zeros_stands_for_one_to_six(count):
    """How many gaps there are is the row's to say."""
    assert rule("A..", count) is None
    assert read_gaps("A..", count) == [0] * count
    assert rule("A..", 0) == rule("A..", 7) == "dt_length"


def test_times_are_proved_in_their_order():
    """Sums in another one leave the safe integers and come back, or the other way round."""
    assert rule("8.E.(-3)", 4, -MAX) is None
    assert rule("8.E.(-4)", 4, -MAX) == "time_range"
    assert rule("w.w.(-5)5", 2, -MAX) == "time_range"
    assert rule(f"w.w.({MAX})({MAX})", 2, -MAX) is None
    assert row(f"w.w.({MAX})({MAX})", 2, -MAX).time_of(2) == MAX
