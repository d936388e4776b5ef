"""The figures of a report as plain values: panels of horizontal bars, one bar per form.

A panel has one unit and one scale, from zero.  Each bar is labelled with its form and its figure,
so there is no legend and no axis to read.  `ticks` are single runs; `mark` is a published figure
to hold the bar against; `reference` is a line through all bars.  `svg` draws panels for the page,
`plots` draws the same panels for notebooks.
"""

from collections.abc import Iterator

import msgspec

from histbench.report.measured import Measured, is_unstable
from histbench.report.tables import has_published
from histbench.results import NOT_MEASURED
from histbench.results.numbers import bytes_text, change_text, megabytes, milliseconds
from histbench.results.published import PUBLISHED_BYTES

__all__ = ["Bar", "Panel", "peak_panels", "time_panels", "wire_panels"]


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One form's figure; `value` None is drawn as no bar, with the words of `text`.

    The form gives the colour, and the name unless there is a `label`.
    """

    form: str
    value: float | None
    text: str
    label: str = ""
    ticks: tuple[float, ...] = ()
    mark: float | None = None
    mark_text: str = ""

    @property
    def name(self) -> str:
        """What stands at the bar."""
        return self.label or self.form


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """Bars of one unit and one scale."""

    title: str
    subtitle: str
    bars: tuple[Bar, ...]
    reference: float | None = None
    reference_text: str = ""

    @property
    def top(self) -> float:
        """The largest value drawn; the end of the scale."""
        drawn = [
            self.reference,
            *(v for bar in self.bars for v in (bar.value, bar.mark, *bar.ticks)),
        ]
        return max((value for value in drawn if value is not None), default=0)

    @property
    def alternative(self) -> str:
        """The panel in words, for those who do not see it."""
        bars = ", ".join(
            f"{bar.name} {bar.text}" + (f" ({bar.mark_text})" if bar.mark_text else "")
            for bar in self.bars
        )
        line = f"; {self.reference_text}" if self.reference_text else ""
        return f"{self.title}, {self.subtitle}: {bars}{line}"


def wire_panels(measured: Measured, *, named: bool = False) -> Iterator[Panel]:
    """One panel per encoding: bytes on the wire, with the published figures as marks.

    `named` puts the input's name into the titles, for panels of several inputs in one figure.
    """
    published = PUBLISHED_BYTES if has_published(measured) else {}
    for encoding in measured.encodings():
        bars = []
        for form in measured.forms:
            if measured.series("wire", form, encoding) is None:
                continue
            mark = published.get((form, encoding))
            bars.append(
                Bar(
                    form=form,
                    value=measured.median("wire", form, encoding),
                    text=_size_text(measured, form, encoding),
                    mark=mark,
                    mark_text="" if mark is None else f"published {bytes_text(mark)}",
                )
            )
        if any(bar.value is not None for bar in bars):
            title = "plain" if encoding == "identity" else encoding
            title = f"{measured.name}, {title}" if named else title
            yield Panel(title=title, subtitle="bytes on the wire", bars=tuple(bars))


def _size_text(measured: Measured, form: str, encoding: str) -> str:
    size = measured.median("wire", form, encoding)
    if size is None:
        return NOT_MEASURED
    change = measured.change("wire", form, encoding)
    to_raw = "" if change is None or form == "raw" else f" ({change_text(change)})"
    return f"{bytes_text(size)} B{to_raw}"


_TIMES = (
    ("client.total", "Client: page to first use"),
    ("node.total", "Client in Node: page to first use"),
    ("chromium.total", "Client in Chromium: page to first use"),
    ("host.stored", "Host: stored log to page"),
    ("host.total", "Host: events to page"),
)


def time_panels(measured: Measured) -> Iterator[Panel]:
    """Client and host totals, every run as a tick, beside json.loads of the raw page."""
    baseline = measured.baseline_seconds
    words = "" if baseline is None else f"json.loads of the raw page {milliseconds(baseline)} ms"
    for stage, title in _TIMES:
        bars = []
        for form in measured.forms:
            series = measured.series(stage, form)
            if series is None:
                continue
            summary = series.summary
            text = NOT_MEASURED if summary is None else f"{milliseconds(summary.median)} ms"
            unstable = summary is not None and is_unstable(summary)
            bars.append(
                Bar(
                    form=form,
                    value=None if summary is None else summary.median,
                    text=f"{text}, unstable" if unstable else text,
                    ticks=series.values if len(series.values) > 1 else (),
                )
            )
        if any(bar.value is not None for bar in bars):
            yield Panel(
                title=title,
                subtitle="milliseconds, median of the runs",
                bars=tuple(bars),
                reference=baseline,
                reference_text=words,
            )


_PEAKS = (
    ("memory.client.traced", "Client: traced peak", "MB of Python objects"),
    ("memory.client.native", "Client: native peak", "MB of all allocations"),
    ("memory.client.rss", "Client: resident peak", "MB of the whole process"),
    ("memory.node.heap", "Client in Node: heap peak", "MB of V8's heap"),
    ("memory.chromium.heap", "Client in Chromium: heap peak", "MB of V8's heap"),
)


def peak_panels(measured: Measured) -> Iterator[Panel]:
    """The client's peaks, by what they count."""
    for stage, title, subtitle in _PEAKS:
        bars = []
        for form in measured.forms:
            if measured.series(stage, form) is not None:
                peak = measured.median(stage, form)
                text = NOT_MEASURED if peak is None else f"{megabytes(peak)} MB"
                bars.append(Bar(form=form, value=peak, text=text))
        if any(bar.value is not None for bar in bars):
            yield Panel(title=title, subtitle=subtitle, bars=tuple(bars))
