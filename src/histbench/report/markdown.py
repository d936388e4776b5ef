"""A report or a table as GitHub-flavoured Markdown, for pull requests and for this repository.

Names that others chose stand in code spans, where neither markup nor a mention nor an issue number
means anything; everything else is ours.
"""

import re
from collections.abc import Iterable, Iterator

from histbench.report.cells import Table
from histbench.report.document import NO_FORMS, Report
from histbench.report.text import printable
from histbench.results import NOT_MEASURED

__all__ = ["render_markdown", "render_table", "render_tables"]

# Letters, digits and what our own labels and numbers are made of.
_PLAIN = re.compile(r"[\w .,;:%()/+–−-]*")  # noqa: RUF001
_BACKTICKS = re.compile("`+")


def _code(text: str) -> str:
    """`text` as one code span, whatever it holds."""
    shown = printable(text) or " "
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or shown.strip(" ") != shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _words(text: str) -> str:
    """`text` itself where it is plain, else in a code span."""
    return text if _PLAIN.fullmatch(text) else _code(text)


def _in_table(text: str) -> str:
    return _words(text).replace("|", r"\|")


def render_table(table: Table) -> str:
    """The table alone, with its notes below and without its title."""
    head = " | ".join(_in_table(column.title) for column in table.columns)
    rule = "|".join("---:" if column.kind == "number" else "---" for column in table.columns)
    lines = [f"| {head} |", f"|{rule}|"]
    lines += [f"| {' | '.join(map(_in_table, texts))} |" for texts in table.texts()]
    if table.notes:
        lines += ["", *_list(table.notes)]
    return "\n".join(lines)


def render_tables(title: str, tables: Iterable[Table]) -> str:
    """Tables below each other, each with its title."""
    lines = [f"## {_words(title)}", ""]
    for table in tables:
        shown = render_table(table) if table.rows else "\n".join(_list(table.notes))
        lines += [f"### {table.title}", "", shown, ""]
    return "\n".join(lines)


def _list(texts: Iterable[str]) -> list[str]:
    return [f"- {_words(text)}" for text in texts]


def render_markdown(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from (f"# {report.title}", "")
    for section in report.sections:
        yield from (f"## {_code(section.name)}", "", _words(section.subtitle), "")
        yield from _list(section.summary or (f"{NO_FORMS}.",))
        yield ""
    if report.warnings:
        yield from ("## To be careful with", "", *_list(report.warnings), "")
    if report.beside is not None:
        yield from (f"## {report.beside.title}", "", render_table(report.beside), "")
    for section in report.sections:
        for figure in section.figures:
            shown = render_table(figure.table) if figure.table.rows else NOT_MEASURED
            yield from (f"### {figure.table.title}: {_code(section.name)}", "", shown, "")
    yield from ("## Method", "")
    for label, sentences in report.method:
        yield from ([f"### {_code(label)}", ""] if label else [])
        for text in sentences:
            yield from (_words(text), "")
    for table in (report.inputs, report.environment):
        yield from (f"### {table.title}", "", render_table(table), "")
