"""Two results side by side: nothing that differs between them is left out."""

import math

from hypothesis import given
from msgspec import structs

from histbench.results import compare_results
from results_strategies import any_results, small_results


@given(results=any_results())
def test_results_equal_themselves(results):
    """No difference and no growth between a file and itself."""
    comparison = compare_results(results, results)

    assert not comparison.environment
    assert not comparison.settings
    assert not comparison.inputs
    assert all(change.fraction in {0.0, None} for change in comparison.changes)


def test_growth_from_nothing_is_infinite():
    """Zero has no percentage."""
    (change,) = compare_results(small_results(raw_count=0), small_results(raw_count=1)).changes

    assert change.fraction == math.inf


def test_differences_of_environment_and_input_are_named():
    """What makes two files incomparable is listed, volatile readings are not."""
    after = small_results(environment={"gc": "off", "load_avg_1min": 3.0}, sha256="b" * 64)
    comparison = compare_results(small_results(), after)

    assert [(each.name, each.before, each.after) for each in comparison.environment] == [
        ("gc", "on", "off")
    ]
    assert [each.name for each in comparison.inputs] == ["log.jsonl"]


def test_differences_of_settings_are_named():
    """Three runs and one run are not the same measurement."""
    after = structs.replace(small_results(), settings={"runs": 3, "encodings": ["br-5", "zstd-3"]})
    differences = compare_results(small_results(), after).settings

    assert [(each.name, each.before, each.after) for each in differences] == [
        ("encodings", None, "br-5, zstd-3"),
        ("runs", 1, 3),
    ]


def timed(*seconds):
    """Results with so many runs of one stage."""
    first, *_ = small_results(raw_seconds=0.0).samples
    samples = tuple(
        structs.replace(first, run=run, value=value) for run, value in enumerate(seconds)
    )
    return structs.replace(small_results(), samples=samples)


def test_a_change_within_the_spread_is_told_from_one_beyond():
    """Medians no further apart than both MADs; with fewer than three runs nobody can tell."""
    before = timed(1.0, 1.1, 1.2)

    def told(after):
        (change,) = compare_results(before, after).changes
        return change.within_spread

    assert told(timed(1.1, 1.29, 1.4)) is True
    assert told(timed(1.3, 1.4, 1.5)) is False
    assert told(timed(1.3, 1.4)) is None
    assert told(small_results()) is None
