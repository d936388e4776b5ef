"""A page asks nobody for anything, believes no name, and comes out the same each time."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from msgspec import structs

from histbench.errors import UsageError
from histbench.report.cells import Cell, Column, Table
from histbench.report.document import compose
from histbench.report.html import POLICY, render_html
from histbench.report.html_table import render_table
from histbench.results import Sample, load_results, save_results
from report_results import HOSTILE, full_results, without
from results_strategies import any_results

VOID = {"meta", "rect", "path", "br", "input"}


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text; refuses tags that do not pair."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words, self._open = [], [], []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        """An element opens."""
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """An element without content."""
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        """An element closes."""
        assert self._open.pop() == tag

    def handle_data(self, text):
        """Text."""
        self.words.append(text)


def page_of(*sources):
    """The page of these results, one label each where there are several."""
    labels = [""] if len(sources) == 1 else [chr(ord("a") + n) for n in range(len(sources))]
    return render_html(compose(list(zip(labels, sources, strict=True))))


def check_self_contained(page):
    """No script, no handler, no address but anchors in the page, and a policy that forbids both."""
    tags = Tags(page).tags
    assert not [tag for tag, _ in tags if tag in {"script", "link", "img", "iframe", "object"}]
    for _, attributes in tags:
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
        assert "src" not in attributes
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in tags
    assert "url(" not in page
    assert "@import" not in page


@pytest.mark.parametrize("names", [("published",), ("published", "a", "b"), tuple("abcdef")])
def test_page_is_self_contained(names):
    """With one input or many."""
    page = page_of(full_results(names=names))

    check_self_contained(page)
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page


def test_policy_forbids_scripts_and_outside_addresses():
    """The policy is the promise that a browser keeps."""
    assert POLICY.startswith("default-src 'none';")
    assert "script" not in POLICY
    assert "http" not in POLICY


def test_hostile_names_stay_words():
    """A name of an input, a file or a setting is text wherever it is shown."""
    hostile = full_results(names=(HOSTILE.replace("\n", ""),), environment={HOSTILE: HOSTILE})
    page = render_html(compose([(HOSTILE, hostile), (HOSTILE + "2", hostile)]))

    check_self_contained(page)
    assert "alert('1')" not in page
    assert "<script>" not in page
    assert "<script>alert('1')" in "".join(Tags(page).words)
    # It would turn the direction of our own words after the name.
    assert "\u202e" not in page


@given(results=any_results())
def test_any_results_make_a_sound_page(results):
    """Whatever a results file may hold."""
    if results.inputs:
        check_self_contained(page_of(results))


def test_same_results_same_bytes(tmp_path):
    """Also after a way through a file."""
    results = full_results(names=("published", "mine.jsonl"))
    save_results(results, tmp_path / "r.json")

    assert page_of(results) == page_of(load_results(tmp_path / "r.json"))


def test_every_figure_has_words():
    """An SVG names its form, its figure and its unit for those who do not see it."""
    drawn = [a for tag, a in Tags(page_of(full_results())).tags if tag == "svg"]

    assert drawn
    for attributes in drawn:
        assert attributes["role"] == "img"
        assert re.search(r"packed [\d,.]+ (B|ms|MB)", attributes["aria-label"])


def test_figures_stay_within_their_frame():
    """No bar, mark or word starts or ends outside of the drawing."""
    page = page_of(full_results())
    for drawing in re.findall(r"<svg.*?</svg>", page):
        width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing).groups())
        for x, wide in re.findall(r'<rect[^>]*x="([\d.]+)"[^>]*width="([\d.]+)"', drawing):
            assert float(x) + float(wide) <= width
        assert all(float(x) <= width for x in re.findall(r'd="M([\d.]+) ', drawing))
        assert all(float(y) <= height for y in re.findall(r' y="([\d.]+)"', drawing))


def test_what_was_not_measured_is_said():
    """A run without memory, or without times, says so where the table would stand."""
    page = page_of(without("peak_bytes", full_results()))
    assert "Memory: not measured." in page
    assert page.count('<p class="missing">not measured</p>') == 1

    page = page_of(without("seconds", full_results()))
    assert '<p class="missing">not measured</p>' in page


def test_one_run_has_no_spread_and_says_so():
    """A single run is a figure with a warning."""
    assert "one run per stage: too few to tell a spread" in page_of(full_results(runs=1))


def test_many_inputs_are_folded_below_their_summaries():
    """Beyond a handful the details close; the summaries and the comparison stay open."""
    few, many = (
        page_of(full_results(names=("a", "b"))),
        page_of(full_results(names=tuple("abcdef"))),
    )

    assert "<details>" not in few
    assert many.count("<details>") == 6
    assert "Side by side" in few
    assert "Side by side" in many


def test_several_files_tell_their_differences():
    """Numbers from two environments are not to be compared in silence."""
    page = page_of(full_results(), full_results(environment={"python_version": "3.13.0"}))

    assert "different environments: python_version" in page


def test_nothing_to_report_is_a_wrong_call():
    """No inputs, no page."""
    with pytest.raises(UsageError) as caught:
        compose([])

    assert caught.value.code == "nothing_to_report"


def test_tables_can_be_sorted_without_a_script():
    """Each row bears its place by every column of numbers; what has no number comes last."""
    table = Table(
        title="t",
        columns=(Column("form", "form"), Column("bytes"), Column("same")),
        rows=tuple((Cell("raw"), Cell(str(n), n), Cell("1", 1)) for n in (30, None, 10, 20)),
    )
    page = render_table(table, name="t")
    places = re.findall(r'<tr style="--o1:(\d)">', page)

    assert [int(place) for place in places] == [2, 3, 0, 1]
    assert re.findall(r">([\w ]+)</label>", page) == ["as listed", "bytes"]
    assert "td{order:var(--o1)}" in page_of(full_results())


def test_buttons_of_two_tables_do_not_hinder_each_other():
    """Radio buttons of one name exclude each other: each table has a name of its own."""
    tags = Tags(page_of(full_results(names=("a", "b", "c", "d")), full_results())).tags
    chosen = [a["name"] for tag, a in tags if tag == "input" and "checked" in a]

    assert len(chosen) > 5
    assert len(set(chosen)) == len(chosen)


def test_what_is_no_form_has_its_figures_all_the_same():
    """A results file of a store or of a limit shows what it holds, and misses nothing."""
    samples = tuple(
        Sample(input="log", stage=stage, metric=metric, unit=unit, value=12345, encoding="zstd")
        for stage, metric, unit in (
            ("store.read", "seconds", "second"),
            ("store.index", "bytes", "byte"),
            ("memory.verify.rss", "peak_bytes", "byte"),
        )
    )
    results = structs.replace(full_results(names=("log",)), samples=samples)
    page = page_of(results)

    assert "Other things were measured than forms of a page, and stand below: log." in page
    assert '<p class="missing">' not in page
    for shown in ("12,345,000.0", ">12,345<", ">0.012<", ">zstd<", "store.index", ">verify<"):
        assert shown in page
