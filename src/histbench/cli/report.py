"""`histbench report RESULTS...`: results files as one page to show to others."""

from collections.abc import Sequence
from pathlib import Path

import click

from histbench.report.document import compose, to_json
from histbench.report.html import render_html
from histbench.report.markdown import render_markdown
from histbench.results import load_results
from histbench.store.durable import storage_error

__all__ = ["report"]

_STDOUT = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="RESULTS...")
@click.option(
    "-o", "--output", metavar="FILE", default=_STDOUT, help="Where to write.  [default: stdout]"
)
@click.option(
    "--format",
    "edition",
    type=click.Choice(["html", "md", "json"]),
    default="html",
    show_default=True,
    help="A self-contained page, Markdown for a pull request, or JSON.",
)
def report(files: tuple[str, ...], output: str, edition: str) -> None:
    """Write a report on results files: summary, figures, tables, method, environment.

    Inputs of the same name in several files stand beside each other.
    """
    results = [load_results(path) for path in files]
    composed = compose(list(zip(_labels(files), results, strict=True)))
    if edition == "html":
        text = render_html(composed).encode()
    elif edition == "md":
        text = render_markdown(composed).encode()
    else:
        text = to_json(composed)
    if output == _STDOUT:
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_bytes(text)
    except OSError as error:
        raise storage_error(error, output) from error


def _labels(files: Sequence[str]) -> list[str]:
    """The files' names, numbered where they are alike; none where there is one file."""
    if len(files) == 1:
        return [""]
    labels: list[str] = []
    for path in files:
        stem, number = Path(path).name.removesuffix(".json"), 1
        label = stem
        while label in labels:
            number += 1
            label = f"{stem}#{number}"
        labels.append(label)
    return labels
