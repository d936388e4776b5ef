"""A limit is held, exceeded or refused; it never passes by accident."""

import pytest

from histbench.errors import InvalidResults, UsageError
from histbench.results import compare_results, find_breaches, parse_limit
from results_strategies import small_results


def breaches(before, after, *limits, mixed=False):
    """The forms that pass a limit."""
    comparison = compare_results(before, after)
    found = find_breaches(comparison, [parse_limit(text) for text in limits], mixed=mixed)
    return [breach.change.key.form for breach in found]


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


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bytes",
        "bytes>",
        "bytes>1",
        "bytes<1%",
        "size>1%",
        "bytes>-1%",
        "bytes[]>1%",
        "bytes[a,]>1%",
    ],
)
def test_what_is_no_limit_is_a_usage_error(text):
    """A typo never means no limit."""
    with pytest.raises(UsageError) as caught:
        parse_limit(text)

    assert caught.value.code == "bad_limit"


@pytest.mark.parametrize(
    ("limit", "forms"),
    [
        ("bytes[packed]>1%", ["packed"]),
        ("bytes[ packed , gzip-6 ] > 1%", ["packed"]),
        ("bytes[gzip-6]>1%", ["raw", "packed"]),
        ("bytes[wire,log.jsonl]>1%", ["raw", "packed"]),
    ],
)
def test_words_narrow_a_limit(limit, forms):
    """Every word must be the series' input, form, encoding or stage."""
    before = small_results(raw_bytes=100, packed_bytes=100)
    after = small_results(raw_bytes=200, packed_bytes=200)

    assert breaches(before, after, limit) == forms


@pytest.mark.parametrize("limit", ["count>1%", "bytes[joined]>1%", "bytes[packed,br-5]>1%"])
def test_a_limit_on_nothing_is_refused(limit):
    """A slip in a word would otherwise switch a check off."""
    results = small_results(packed_bytes=100)
    with pytest.raises(UsageError) as caught:
        breaches(results, results, limit)

    assert caught.value.code == "unmatched_limit"


def test_a_limit_across_inputs_is_refused_unless_asked_for():
    """Two files of one name: growth of the file is none of the form."""
    before, after = small_results(raw_bytes=1), small_results(raw_bytes=2, sha256="b" * 64)
    with pytest.raises(InvalidResults) as caught:
        breaches(before, after, "bytes>1%")

    assert caught.value.code == "inputs_differ"
    assert breaches(before, after, "bytes>1%", mixed=True) == ["raw"]
