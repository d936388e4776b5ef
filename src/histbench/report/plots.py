"""Panels as matplotlib figures, for notebooks.

The same panels, words and colours as on the page.  Figures are made without pyplot: nothing is
registered, nothing is shown twice, and nobody's settings change.  This module alone imports
matplotlib, which takes a second.
"""

import io
import math
from collections.abc import Iterable
from typing import Any

from matplotlib.figure import Figure

from histbench.errors import UsageError
from histbench.report.palette import form_colour
from histbench.report.panels import Panel

__all__ = ["PanelFigure", "plot_panels"]

_INK = "#222222"
_PALE = "#666666"
_INCHES_WIDE = 3.6
_INCHES_BAR = 0.42
_INCHES_HEAD = 0.7
_DOTS_PER_INCH = 110


class PanelFigure(Figure):
    """A figure that shows itself in a notebook, with its words for those who do not see it."""

    alternative: str = ""

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        picture = io.BytesIO()
        # The library's name and version would change the bytes.
        self.savefig(picture, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
        return picture.getvalue(), {"alt": self.alternative}


def plot_panels(panels: Iterable[Panel], *, columns: int = 3) -> PanelFigure:
    """A figure of small multiples, `columns` side by side.

    Raises:
        UsageError: no panels (`nothing_to_plot`).
    """
    drawn = list(panels)
    if not drawn:
        raise UsageError("no panels", code="nothing_to_plot", expected="at least one")
    columns = min(columns, len(drawn))
    lines = math.ceil(len(drawn) / columns)
    bars = max(len(panel.bars) for panel in drawn)
    size = (_INCHES_WIDE * columns, (_INCHES_HEAD + _INCHES_BAR * bars) * lines)
    figure = PanelFigure(figsize=size, layout="constrained")
    figure.alternative = ". ".join(panel.alternative for panel in drawn)
    for axis in figure.subplots(lines, columns, squeeze=False).flat:
        axis.set_axis_off()
    for axis, panel in zip(figure.axes, drawn, strict=False):
        _plot(axis, panel)
    return figure


def _plot(axis: Any, panel: Panel) -> None:
    top = panel.top or 1
    axis.set_title(f"{panel.title}\n{panel.subtitle}", loc="left", fontsize=9, color=_INK)
    axis.set_xlim(0, top * 1.01)
    axis.set_ylim(len(panel.bars) - 0.4, -0.6)
    for number, bar in enumerate(panel.bars):
        text_y = number - 0.26
        axis.barh(number, bar.value or 0, height=0.3, color=form_colour(bar.form))
        axis.text(0, text_y, bar.form, fontsize=8, color=_INK)
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
        axis.axvline(panel.reference, color=_INK, linewidth=0.8, linestyle=":")
