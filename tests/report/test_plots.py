"""Figures for notebooks: slopes of powers, words that stand apart, panels for narrow screens."""

import base64
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import UsageError
from histbench.report.lines import Line, LinePanel, log_slope
from histbench.report.panels import Bar, Panel
from histbench.report.plots import plot_lines, plot_panels

EVENTS = (1_000, 10_000, 100_000, 1_000_000)


@given(
    power=st.floats(-2, 3),
    factor=st.floats(1e-6, 1e6),
    events=st.lists(st.integers(1, 10**9), min_size=2, max_size=6, unique=True),
)
def test_slope_of_a_power_is_the_power(power, factor, events):
    """Whatever the factor, and wherever it was measured."""
    points = tuple((n, factor * n**power) for n in events)

    assert log_slope(points) == pytest.approx(power, abs=1e-3)


@pytest.mark.parametrize("points", [(), ((10, 1),), ((10, 1), (100, 0)), ((0, 1), (100, 1))])
def test_no_slope_where_there_is_none(points):
    """One point, or a number without a logarithm."""
    assert log_slope(points) is None


def test_lines_say_in_words_what_they_show():
    """Form, power, and the figure at the end with its unit."""
    line = Line(form="packed", points=tuple((n, 30.0 * n) for n in EVENTS))
    panel = LinePanel(title="bytes", unit="byte", lines=(line,))

    assert line.text == "packed, power 1.00"
    assert "packed, power 1.00 (30,000,000 B at 1,000,000 events)" in panel.alternative


def test_words_at_the_ends_of_lines_stand_apart():
    """Also where all lines end in one place."""
    lines = tuple(
        Line(form=form, points=tuple((n, 30.0 * n) for n in EVENTS))
        for form in ("raw", "packed", "joined", "lean")
    )
    figure = plot_lines([LinePanel(title="bytes", unit="byte", lines=lines)])
    heights = sorted(text.xyann[1] for text in figure.axes[0].texts)

    assert len(heights) == 4
    assert all(above - below > 0.08 for below, above in pairwise(heights))
    assert 0 <= heights[0] <= heights[-1] <= 1


def test_lines_are_drawn_the_same_each_time():
    """One panel, one picture, its words with it."""
    panel = LinePanel(
        title="time", unit="second", lines=(Line(form="raw", points=((1, 1e-5), (10, 2.0))),)
    )
    (picture, words), again = (plot_lines([panel])._repr_png_() for _ in range(2))

    assert picture == again[0]
    assert words["alt"] == panel.alternative
    with pytest.raises(UsageError):
        plot_lines([])


def test_figure_of_several_panels_brings_them_one_by_one():
    """A narrow screen shows them below each other, each with its own words."""
    bars = [Panel(title=t, subtitle="MB", bars=(Bar(form="raw", value=1, text=t),)) for t in "ab"]
    growing = [LinePanel(title=title, unit="byte", lines=()) for title in "ab"]
    for figure, panels in ((plot_panels(bars), bars), (plot_lines(growing), growing)):
        picture, words = figure._repr_png_()

        assert [part["alt"] for part in words["parts"]] == [panel.alternative for panel in panels]
        assert all(base64.b64decode(part["png"])[1:4] == b"PNG" for part in words["parts"])
        assert picture[1:4] == b"PNG"
    assert "parts" not in plot_panels(bars[:1])._repr_png_()[1]
