"""Panels as matplotlib figures, for notebooks: bars, and lines of growth.

The same panels, words and colours as on the page.  Figures are made without pyplot: nothing is
registered, nothing is shown twice, and nobody's settings change.  This module alone imports
matplotlib, which takes a second.
"""

import base64
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from histbench.errors import UsageError
from histbench.report.lines import Line, LinePanel
from histbench.report.palette import form_colour
from histbench.report.panels import Panel

__all__ = ["PanelFigure", "plot_lines", "plot_panels"]

Shown = TypeVar("Shown", Panel, LinePanel)

_INK = "#222222"
_PALE = "#666666"
_INCHES_WIDE = 3.6
_INCHES_BAR = 0.42
_INCHES_HEAD = 0.7
_DOTS_PER_INCH = 110
_LINES_INCHES = (4.6, 3.0)
_LINES_ALONE = (3.7, 2.7)
# Of the height of a panel: words at the ends of two lines stand at least so far apart.
_WORDS_APART = 0.085


class PanelFigure(Figure):
    """A figure that shows itself in a notebook, with its words for those who do not see it.

    Its panels go along one by one, for a screen that has no room for two side by side.
    """

    alternative: str = ""
    parts: "tuple[PanelFigure, ...]" = ()

    def png(self) -> bytes:
        """The picture, the same bytes each time."""
        picture = io.BytesIO()
        # The library's name and version would change the bytes.
        self.savefig(picture, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
        return picture.getvalue()

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        parts = [
            {"alt": part.alternative, "png": base64.b64encode(part.png()).decode()}
            for part in self.parts
        ]
        return self.png(), {"alt": self.alternative} | ({"parts": parts} if parts else {})


def plot_panels(panels: Iterable[Panel], *, columns: int = 3) -> PanelFigure:
    """A figure of small multiples, `columns` side by side.

    Raises:
        UsageError: no panels (`nothing_to_plot`).
    """
    drawn = list(panels)
    bars = max((len(panel.bars) for panel in drawn), default=0)
    inches = (_INCHES_WIDE, _INCHES_HEAD + _INCHES_BAR * bars)
    figure = _figure(drawn, columns, inches, _plot)
    if len(drawn) > 1:
        heights = (_INCHES_HEAD + _INCHES_BAR * len(panel.bars) for panel in drawn)
        figure.parts = tuple(
            _figure([panel], 1, (_INCHES_WIDE, height), _plot)
            for panel, height in zip(drawn, heights, strict=True)
        )
    return figure


def plot_lines(panels: Iterable[LinePanel], *, columns: int = 2) -> PanelFigure:
    """A figure of small multiples of growth, each line with its name and slope at its end.

    Raises:
        UsageError: no panels (`nothing_to_plot`).
    """
    drawn = list(panels)
    figure = _figure(drawn, columns, _LINES_INCHES, _plot_lines)
    if len(drawn) > 1:
        figure.parts = tuple(_figure([panel], 1, _LINES_ALONE, _plot_lines) for panel in drawn)
    return figure


def _figure(
    panels: Sequence[Shown],
    columns: int,
    inches: tuple[float, float],
    plot: Callable[[Any, Shown], None],
) -> PanelFigure:
    """The panels in one figure, so many inches wide and high each."""
    if not panels:
        raise UsageError("no panels", code="nothing_to_plot", expected="at least one")
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    size = (inches[0] * columns, inches[1] * rows)
    figure = PanelFigure(figsize=size, layout="constrained")
    figure.alternative = ". ".join(panel.alternative for panel in panels)
    for axis in figure.subplots(rows, columns, squeeze=False).flat:
        axis.set_axis_off()
    for axis, panel in zip(figure.axes, panels, strict=False):
        plot(axis, panel)
    return figure


def _plot(axis: Any, panel: Panel) -> None:
    top = panel.top or 1
    axis.set_title(f"{panel.title}\n{panel.subtitle}", loc="left", fontsize=9, color=_INK)
    axis.set_xlim(0, top * 1.01)
    # Below the bars, what the line stands for.
    below = 0.4 if panel.reference_text else 0
    axis.set_ylim(len(panel.bars) - 0.4 + below, -0.6)
    if panel.reference is not None:
        right = panel.reference > top / 2
        place = (panel.reference, len(panel.bars) - 0.4 + below / 2)
        axis.text(
            *place, panel.reference_text, fontsize=7, color=_PALE, ha="right" if right else "left"
        )
    for number, bar in enumerate(panel.bars):
        text_y = number - 0.26
        axis.barh(number, bar.value or 0, height=0.3, color=form_colour(bar.form))
        axis.text(0, text_y, bar.name, fontsize=8, color=_INK)
        axis.text(top, text_y, bar.text, fontsize=8, color=_INK, ha="right")
        axis.plot(bar.ticks, [number] * len(bar.ticks), "|", color=_INK, markersize=5)
        if bar.mark is not None:
            axis.plot([bar.mark], [number], "D", color=_INK, markersize=4)
            right = bar.mark > top / 2
            axis.text(
                bar.mark,
                number + 0.34,
                bar.mark_text,
                fontsize=7,
                color=_PALE,
                ha="right" if right else "left",
            )
        if panel.reference is not None:
            # Only beside the bars: a line through the words would make them hard to read.
            ends = (number - 0.2, number + 0.2)
            axis.plot([panel.reference] * 2, ends, ":", color=_INK, linewidth=1)


def _plot_lines(axis: Any, panel: LinePanel) -> None:
    axis.set_axis_on()
    axis.set_title(panel.title, loc="left", fontsize=9, color=_INK)
    axis.set_xscale("log")
    axis.set_yscale("log")
    for line in panel.lines:
        xs, ys = zip(*line.points, strict=True) if line.points else ((), ())
        axis.plot(xs, ys, "o-", color=form_colour(line.form), linewidth=1.6, markersize=3.5)
    axis.set_xlabel("events", fontsize=8, color=_PALE, loc="left")
    for scale, number in ((axis.xaxis, _count_text), (axis.yaxis, _UNIT_TEXTS[panel.unit])):
        scale.set_major_locator(LogLocator(numticks=9))
        scale.set_major_formatter(FuncFormatter(lambda value, _, number=number: number(value)))
        scale.set_minor_formatter(NullFormatter())
    axis.tick_params(labelsize=8, colors=_PALE, which="both", length=2)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(visible=True, which="major", color="#DDDDDD", linewidth=0.6)
    longest = max((line.points[-1][0] for line in panel.lines if line.points), default=0)
    at_edge = [line for line in panel.lines if line.points and line.points[-1][0] == longest]
    for line in panel.lines:
        if line.points and line not in at_edge:
            x, y = line.points[-1]
            # Above its line, unless another one runs there.
            free = all(dict(other.points).get(x, 0) <= y for other in panel.lines)
            axis.annotate(
                line.text,
                (x, y),
                (0, 7) if free else (5, -3),
                textcoords="offset points",
                fontsize=8,
                color=_INK,
                ha="right" if free else "left",
                va="baseline" if free else "top",
            )
    for line, height in _word_heights(axis, at_edge):
        axis.annotate(
            line.text,
            (line.points[-1][0], line.points[-1][1]),
            xytext=(1.03, height),
            textcoords="axes fraction",
            fontsize=8,
            color=_INK,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": form_colour(line.form),
                "linewidth": 0.8,
                "relpos": (0, 0.5),
            },
        )


def _word_heights(axis: Any, lines: Sequence[Line]) -> Iterator[tuple[Line, float]]:
    """Each line with the height of its words beside its end, from the lowest up, none upon another."""
    low, high = map(math.log, axis.get_ylim())
    ends = [((math.log(line.points[-1][1]) - low) / (high - low), line) for line in lines]
    least = 0.0
    ends.sort(key=lambda end: end[0])
    for at, (height, line) in enumerate(ends):
        # Those above need their room as well.
        most = 1 - _WORDS_APART * (len(ends) - 1 - at)
        shown = max(least, min(height, most))
        yield line, shown
        least = shown + _WORDS_APART


def _count_text(value: float) -> str:
    return _scaled(value, ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))).replace(" ", "")


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    size, unit = next(((size, unit) for size, unit in units if value >= size), units[-1])
    return f"{value / size:,.3g} {unit}"


_UNIT_TEXTS = {
    "byte": lambda value: _scaled(value, ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))),
    "second": lambda value: _scaled(value, ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))),
}
