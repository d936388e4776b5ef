"""Two results are held against each other only where they can be."""

import math

import pytest
from hypothesis import given

from histbench.errors import InvalidResults, UsageError
from histbench.results import compare_results, find_breaches, parse_limit
from results_strategies import any_results, small_results


def breaches(before, after, *limits, mixed=False):
    """The forms that pass a limit."""
    comparison = compare_results(before, after)
    found = find_breaches(comparison, [parse_limit(text) for text in limits], mixed=mixed)
    return [breach.change.key.form for breach in found]


@given(results=any_results())
def test_results_equal_themselves(results):
    """No difference and no growth between a file and itself."""
    comparison = compare_results(results, results)

    assert not comparison.environment
    assert not comparison.inputs
    assert all(change.fraction in {0.0, None} for change in comparison.changes)
    assert not find_breaches(comparison, [])


def test_growth_past_a_limit_is_a_breach_and_growth_up_to_it_is_none():
    """`bytes>1%` means more than one per cent."""
    before = small_results(raw_bytes=1000, packed_bytes=1000, joined_bytes=1000)
    after = small_results(raw_bytes=1010, packed_bytes=1011, joined_bytes=1)

    assert breaches(before, after, "bytes>1%") == ["packed"]


def test_a_limit_looks_at_its_metric_only():
    """Seconds may do what they want under a limit on bytes."""
    before = small_results(raw_bytes=1, raw_seconds=1.0)
    after = small_results(raw_bytes=1, raw_seconds=9.0)

    assert breaches(before, after, "bytes>0%") == []
    assert breaches(before, after, "seconds>50%") == ["raw"]


@pytest.mark.parametrize("after", [small_results(), small_results(raw_bytes=None)])
def test_a_figure_that_went_missing_is_a_breach(after):
    """Leaving a form out is no way to pass a check."""
    assert breaches(small_results(raw_bytes=1), after, "bytes>1%") == ["raw"]


def test_a_figure_that_is_new_is_no_breach():
    """There is nothing to have grown from."""
    assert breaches(small_results(), small_results(raw_bytes=1), "bytes>1%") == []


def test_growth_from_nothing_is_infinite():
    """Zero has no percentage."""
    (change,) = compare_results(small_results(raw_count=0), small_results(raw_count=1)).changes

    assert change.fraction == math.inf


@pytest.mark.parametrize(
    ("metric", "difference"),
    [
        ("seconds", {"gc": "off"}),
        ("bytes", {"library.zlib": "ng"}),
        ("seconds", {"cpu_model_name": "?"}),
    ],
)
def test_a_limit_across_environments_is_refused_unless_asked_for(metric, difference):
    """Another processor, gc policy or compressor is no regression."""
    name = f"raw_{metric}"
    before, after = small_results(**{name: 1}), small_results(**{name: 2}, environment=difference)
    with pytest.raises(InvalidResults) as caught:
        breaches(before, after, f"{metric}>1%")

    assert caught.value.code == "environments_differ"
    assert breaches(before, after, f"{metric}>1%", mixed=True) == ["raw"]


@pytest.mark.parametrize(
    "difference", [{"gc": "off"}, {"library.zstd": "2"}, {"load_avg_1min": 9.0}]
)
def test_bytes_survive_what_does_not_touch_their_library(difference):
    """Sizes under gzip do not depend on gc, zstd or load."""
    after = small_results(raw_bytes=1, environment=difference)

    assert breaches(small_results(raw_bytes=1), after, "bytes>1%") == []


def test_differences_of_environment_and_input_are_named():
    """What makes two files incomparable is listed, volatile readings are not."""
    after = small_results(environment={"gc": "off", "load_avg_1min": 3.0}, sha256="b" * 64)
    comparison = compare_results(small_results(), after)

    assert [(each.name, each.before, each.after) for each in comparison.environment] == [
        ("gc", "on", "off")
    ]
    assert [each.name for each in comparison.inputs] == ["log.jsonl"]


@pytest.mark.parametrize(
    "text", ["", "bytes", "bytes>", "bytes>1", "bytes<1%", "size>1%", "bytes>-1%"]
)
def test_what_is_no_limit_is_a_usage_error(text):
    """A typo never means no limit."""
    with pytest.raises(UsageError) as caught:
        parse_limit(text)

    assert caught.value.code == "bad_limit"
