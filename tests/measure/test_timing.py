"""Seconds are taken in an order that favours nobody, with the collector as it was asked to be."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.measure.timing import Stopwatch, alternating, collector, settle


@given(arms=st.integers(1, 6), runs=st.integers(1, 6), warm_up=st.integers(0, 3))
def test_each_arm_has_its_turn_once_a_run(arms, runs, warm_up):
    """No arm is measured more often than another."""
    turns = list(alternating(range(arms), runs, warm_up=warm_up))

    assert sorted(turns) == [(run, arm) for run in range(-warm_up, runs) for arm in range(arms)]


@given(arms=st.integers(1, 6), pairs=st.integers(1, 4))
def test_in_an_even_number_of_runs_every_arm_comes_equally_late(arms, pairs):
    """A steady drift of the machine adds the same to every arm."""
    turns = list(alternating(range(arms), 2 * pairs))
    lateness = [0] * arms
    for moment, (_, arm) in enumerate(turns):
        lateness[arm] += moment

    assert len(set(lateness)) == 1


def test_stopwatch_gives_the_result_and_keeps_what_it_timed():
    """Nested calls are timed each, the outer one with the inner inside."""
    watch = Stopwatch()
    result = watch.time("outer", lambda: watch.time("inner", sorted, [2, 1]))

    assert result == [1, 2]
    assert 0 < watch.seconds["inner"] <= watch.seconds["outer"]


def test_stopwatch_keeps_nothing_of_a_stage_that_failed():
    """An error is an error and no number."""
    watch = Stopwatch()
    with pytest.raises(ZeroDivisionError):
        watch.time("stage", lambda: 1 // 0)

    assert watch.seconds == {}


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("before", [True, False])
def test_collector_is_as_asked_and_then_as_before(enabled, before):
    """A measurement does not change the program it runs in."""
    was = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        with collector(enabled=enabled):
            inside = gc.isenabled()

        assert (inside, gc.isenabled()) == (enabled, before)
    finally:
        (gc.enable if was else gc.disable)()


def test_what_was_alive_is_out_of_sight_during_the_turns_only():
    """Frozen before a turn, in the collector's sight again after the measurement."""
    # Libraries that other tests load may have frozen what they hold.
    gc.unfreeze()
    with collector(enabled=True):
        settle()
        frozen = gc.get_freeze_count()

    assert frozen > 0
    assert gc.get_freeze_count() == 0
