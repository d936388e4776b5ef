"""Growth as plain values: lines on two logarithmic scales, one line for each form.

Cost that grows as a power of the length is a straight line there, and its slope is the power: 1 is
proportional, 0 does not grow at all.  Slopes are fitted here, on reading; a results file holds
samples.  `plots` draws the panels for notebooks.
"""

import math
import statistics
from typing import Literal

import msgspec

from histbench.results.numbers import bytes_text, milliseconds

__all__ = ["Line", "LinePanel", "log_slope"]

_MIN_POINTS = 2


def log_slope(points: tuple[tuple[float, float], ...]) -> float | None:
    """The power by which the second numbers grow with the first, by least squares on logarithms.

    None where there are fewer than two points, or one that has no logarithm.

    >>> log_slope(((10, 5), (100, 50), (1000, 500)))
    1.0
    """
    if len(points) < _MIN_POINTS or min(min(point) for point in points) <= 0:
        return None
    xs, ys = ([math.log(value) for value in values] for values in zip(*points, strict=True))
    return round(statistics.linear_regression(xs, ys).slope, 6)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One form's cost at so many events each."""

    form: str
    points: tuple[tuple[float, float], ...]

    @property
    def text(self) -> str:
        """The form's name and its slope, for the end of the line."""
        slope = log_slope(self.points)
        return self.form if slope is None else f"{self.form}, power {slope:.2f}"


class LinePanel(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one unit; the other scale counts events."""

    title: str
    unit: Literal["byte", "second"]
    lines: tuple[Line, ...]

    def figure(self, value: float) -> str:
        """A number of the panel's unit in words."""
        return f"{milliseconds(value)} ms" if self.unit == "second" else f"{bytes_text(value)} B"

    @property
    def alternative(self) -> str:
        """The panel in words, for those who do not see it."""
        told = []
        for line in self.lines:
            ends = f" ({self.figure(line.points[-1][1])} at {line.points[-1][0]:,.0f} events)"
            told.append(line.text + ends if line.points else line.text)
        return f"{self.title}, by events, both scales logarithmic: {'; '.join(told)}"
