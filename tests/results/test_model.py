"""Samples are kept as they were taken; what is said of them is computed on reading."""

import statistics

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.results import Sample, summarise
from results_strategies import any_results, small_results


def several_runs(*values):
    """Results of one series, its runs in the file last first."""
    sample = small_results(raw_seconds=0.0).samples[0]
    runs = [
        msgspec.structs.replace(sample, value=value, run=run) for run, value in enumerate(values)
    ]
    return msgspec.structs.replace(small_results(), samples=tuple(reversed(runs)))


@given(results=any_results())
def test_frame_has_one_row_a_sample_and_exactly_these_columns(results):
    """Nothing is aggregated on the way to pandas."""
    frame = results.frame()

    assert list(frame.columns) == [
        "input", "form", "encoding", "stage", "metric", "value", "unit", "run",
    ]  # fmt: skip
    assert len(frame) == len(results.samples)
    assert frame["value"].isna().sum() == sum(each.value is None for each in results.samples)


@given(results=any_results())
def test_series_hold_every_value_once(results):
    """Gathering samples loses none and invents none."""
    values = [value for series in results.series().values() for value in series.values]

    assert sorted(values) == sorted(
        each.value for each in results.samples if each.value is not None
    )


def test_series_follow_the_runs_and_not_the_file():
    """The order of lines in a file says nothing."""
    (series,) = several_runs(3.0, 1.0, 2.0).series().values()

    assert series.values == (3.0, 1.0, 2.0)


@given(values=st.lists(st.floats(0, 1e6), min_size=1))
def test_summary_is_median_deviation_minimum_and_number(values):
    """One number alone is never a summary."""
    summary = summarise(values)

    assert summary.median == statistics.median(values)
    assert summary.mad <= max(values) - min(values)
    assert (summary.minimum, summary.runs) == (min(values), len(values))


def test_series_without_a_value_says_why():
    """A hole has a reason and no summary."""
    (series,) = small_results(raw_bytes=None).series().values()

    assert (series.values, series.note, series.summary) == ((), "left out", None)


@pytest.mark.parametrize(
    "fields",
    [
        {"metric": "seconds", "unit": "byte", "value": 1},
        {"metric": "seconds", "unit": "second", "value": None},
    ],
)
def test_sample_refuses_a_foreign_unit_and_an_unexplained_hole(fields):
    """A sample that cannot be read alone is not made."""
    with pytest.raises(ValueError, match=r"unit|note"):
        Sample(input="a", stage="b", **fields)


def test_results_refuse_two_values_for_one_run():
    """A series has one value a run, so that nothing is counted twice."""
    results = small_results(raw_bytes=1)

    with pytest.raises(ValueError, match="two samples"):
        msgspec.structs.replace(results, samples=results.samples * 2)


def test_results_refuse_samples_of_unknown_inputs():
    """Every sample leads to a file with a SHA-256."""
    with pytest.raises(ValueError, match="no input"):
        msgspec.structs.replace(small_results(raw_bytes=1), inputs=())


def test_results_refuse_two_inputs_of_one_name():
    """Two files of one name would become one."""
    results = small_results()

    with pytest.raises(ValueError, match="same name"):
        msgspec.structs.replace(results, inputs=results.inputs * 2)
