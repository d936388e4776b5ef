"""Panels as inline SVG for the page: no outside font, image, style or script.

Two lines per bar: form and figure as text above, the bar in full width below, so that no label can
run into another however long the figure is.  Text takes the page's colours through classes and
therefore follows light and dark; only the bars have colours of their own.  Drawing is arithmetic
on the panel alone, so one panel always gives the same bytes.
"""

from histbench.report.palette import form_colour
from histbench.report.panels import Bar, Panel
from histbench.report.text import escaped

__all__ = ["draw_panel"]

_WIDTH = 340
_HEAD = 44
_TEXT = 15
_BAR = 12
_GAP = 9
_NOTE = 13
# A letter of a note, on average and generously: fonts differ from machine to machine.
_LETTER = 6.2


def draw_panel(panel: Panel) -> str:
    """One `<svg>` element with a text alternative."""
    top = panel.top
    parts, y = [], float(_HEAD)
    for bar in panel.bars:
        parts.append(_draw_bar(bar, y, top))
        if panel.reference is not None:
            # Only over the rails: a line through the words would make them hard to read.
            x = _x(panel.reference, top)
            parts.append(f'<path class="reference" d="M{x:g} {y + _TEXT - 2:g}v{_BAR + 4}"/>')
        y += _TEXT + _BAR + _GAP + (_NOTE if bar.mark is not None else 0)
    if panel.reference is not None:
        parts.append(_note(_x(panel.reference, top), y + 6, panel.reference_text))
        y += _NOTE
    title = (
        f'<text class="t" x="0" y="15">{escaped(panel.title)}</text>'
        f'<text class="s" x="0" y="31">{escaped(panel.subtitle)}</text>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {round(y + 2)}" role="img" '
        f'aria-label="{escaped(panel.alternative)}">{title}{"".join(parts)}</svg>'
    )


def _x(value: float, top: float) -> float:
    return round(value / top * _WIDTH, 1) if top else 0


def _draw_bar(bar: Bar, y: float, top: float) -> str:
    baseline, rail = y + 11, y + _TEXT
    parts = [
        f'<text x="0" y="{baseline:g}">{escaped(bar.name)}</text>',
        f'<text class="v" x="{_WIDTH}" y="{baseline:g}">{escaped(bar.text)}</text>',
        f'<rect class="rail" x="0" y="{rail:g}" width="{_WIDTH}" height="{_BAR}"/>',
    ]
    if bar.value is not None:
        # A sliver stays visible where a form is thousands of times smaller.
        width = max(_x(bar.value, top), 1)
        parts.append(
            f'<rect x="0" y="{rail:g}" width="{width:g}" height="{_BAR}" '
            f'fill="{form_colour(bar.form)}"/>'
        )
    parts += [
        f'<path class="run" d="M{_x(tick, top):g} {rail + 2:g}v{_BAR - 4}"/>' for tick in bar.ticks
    ]
    if bar.mark is not None:
        x = _x(bar.mark, top)
        parts.append(f'<path class="mark" d="M{x:g} {rail - 2:g}v{_BAR + 4}"/>')
        parts.append(_note(x, rail + _BAR + 11, bar.mark_text))
    return "".join(parts)


def _note(x: float, y: float, text: str) -> str:
    """Words below a mark: beside it where there is room, else up to the panel's edge."""
    width = len(text) * _LETTER
    if x + width <= _WIDTH:
        anchor = "start"
    elif x >= width:
        anchor = "end"
    else:
        anchor, x = ("start", 0) if x < _WIDTH / 2 else ("end", _WIDTH)
    return f'<text class="s" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escaped(text)}</text>'
