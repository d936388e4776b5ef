"""A report as one HTML page that needs nothing else.

No script, no address outside the page: its policy forbids both, so that a page opened from a mail
attachment asks nobody for anything.  All text is escaped, names of inputs included.  Wide tables
scroll inside their own frame; the rest follows the width of the window, the reader's light or
dark, and paper.
"""

import re
from collections.abc import Iterable
from importlib.resources import files

from histbench.report.document import NO_FORMS, Figure, Report, Section
from histbench.report.html_table import render_table, sort_rules
from histbench.report.palette import FORM_COLOURS, OTHER_COLOUR
from histbench.report.svg import draw_panel
from histbench.report.text import escaped
from histbench.results import NOT_MEASURED

__all__ = ["POLICY", "render_html"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_UNIT = re.compile(r"(\d) (%|(?:ms|MB|bytes|times)\b)")

# Beyond this many inputs the details are folded away below their summaries.
_OPEN_SECTIONS = 4


def render_html(report: Report) -> str:
    """The page, the same text for the same report."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escaped(report.title)}</title>",
        f"<style>\n{_style()}</style>",
        "</head>",
        "<body>",
        f"<header><h1>{escaped(report.title)}</h1>{_contents(report)}</header>",
        "<main>",
        *_summary(report),
        *(
            _section(number, section, folded=len(report.sections) > _OPEN_SECTIONS)
            for number, section in enumerate(report.sections)
        ),
        *_method(report),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _style() -> str:
    text = files("histbench.report").joinpath("page.css").read_text("utf-8")
    swatches = "".join(f".form-{form}{{--form:{c}}}\n" for form, c in FORM_COLOURS.items())
    return f"{text}{sort_rules()}.form{{--form:{OTHER_COLOUR}}}\n{swatches}"


def _contents(report: Report) -> str:
    links = [("summary", "Summary")]
    links += [(f"in-{n}", section.name) for n, section in enumerate(report.sections)]
    links += [("method", "Method"), ("environment", "Environment")]
    texts = "".join(f'<a href="#{anchor}">{escaped(name)}</a>' for anchor, name in links)
    return f'<nav aria-label="Contents">{texts}</nav>'


def _summary(report: Report) -> Iterable[str]:
    yield '<section id="summary"><h2>Summary</h2>'
    for section in report.sections:
        if section.summary:
            yield f"<h3>{escaped(section.name)}</h3>{_list(section.summary)}"
    others = [escaped(section.name) for section in report.sections if not section.summary]
    if others:
        yield f"<h3>Without forms</h3><p>{NO_FORMS}: {', '.join(others)}.</p>"
    if report.beside is not None:
        beside = render_table(report.beside, name="beside")
        yield f"<h3>{escaped(report.beside.title)}</h3>{beside}"
    if report.warnings:
        texts = _list(report.warnings)
        yield f'<div class="warnings" role="note"><h3>To be careful with</h3>{texts}</div>'
    yield "</section>"


def _list(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_words(text)}</li>" for text in texts) + "</ul>"


def _words(text: str) -> str:
    """`text` escaped, a number and its unit kept on one line."""
    return _UNIT.sub(r"\1&nbsp;\2", escaped(text))


def _section(number: int, section: Section, *, folded: bool) -> str:
    body = "".join(
        _figure(figure, name=f"in-{number}-{n}") for n, figure in enumerate(section.figures)
    )
    head = f'<h2 id="in-{number}">{escaped(section.name)}</h2>'
    subtitle = f'<p class="subtitle">{escaped(section.subtitle)}</p>'
    if folded:
        return f"<section><details><summary>{head}</summary>{subtitle}{body}</details></section>"
    return f"<section>{head}{subtitle}{body}</section>"


def _figure(figure: Figure, *, name: str) -> str:
    head = f"<h3>{escaped(figure.table.title)}</h3>"
    if not figure.table.rows:
        return f'{head}<p class="missing">{NOT_MEASURED}</p>'
    panels = "".join(map(draw_panel, figure.panels))
    drawn = f'<div class="panels">{panels}</div>' if panels else ""
    return head + drawn + render_table(figure.table, name=name)


def _method(report: Report) -> Iterable[str]:
    yield '<section id="method"><h2>Method</h2>'
    for label, sentences in report.method:
        if label:
            yield f"<h3>{escaped(label)}</h3>"
        yield "".join(f"<p>{_words(text)}</p>" for text in sentences)
    inputs = render_table(report.inputs, name="inputs")
    yield f"<h3>{escaped(report.inputs.title)}</h3>{inputs}"
    yield f'<h3 id="environment">{escaped(report.environment.title)}</h3>'
    yield render_table(report.environment, name="facts") + "</section>"
