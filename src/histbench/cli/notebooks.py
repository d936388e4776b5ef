"""`histbench notebooks run|check|export`: the notebooks as they are kept and shown."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from histbench.cli.commands import Failure
from histbench.errors import UsageError
from histbench.report.notebooks import (
    check_notebook,
    execute_notebook,
    export_notebook,
    save_notebook,
)
from histbench.store.durable import storage_error

__all__ = ["notebooks"]

_FOLDER = "notebooks"


def _paths(named: Iterable[str]) -> Iterator[Path]:
    """The notebooks that were named; a folder stands for all in it."""
    for name in named or (_FOLDER,):
        path = Path(name)
        found = sorted(path.glob("*.ipynb")) if path.is_dir() else [path]
        if not found:
            raise UsageError("no notebooks in folder", code="no_notebooks", found=name)
        yield from found


@click.group()
def notebooks() -> None:
    """Execute, check and export notebooks (the extra `notebooks`).

    PATH is a notebook or a folder of them; without one, the folder `notebooks`.
    """


@notebooks.command("run")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def run_notebooks(paths: tuple[str, ...]) -> None:
    """Execute notebooks in fresh kernels and save what is worth keeping."""
    for path in _paths(paths):
        changed = save_notebook(execute_notebook(path), path)
        click.echo(f"{path}: {'changed' if changed else 'as it was'}", err=True)


@notebooks.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def check_notebooks(paths: tuple[str, ...]) -> None:
    """Say what nbval does not: counts, forbidden calls, sizes, traces of a machine."""
    found = 0
    for path in _paths(paths):
        for problem in check_notebook(path):
            click.echo(f"{path}: {problem}")
            found += 1
    if found:
        raise Failure(f"{found} problem{'s' * (found != 1)}")


@notebooks.command("export")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "-o",
    "--output",
    default="build",
    show_default=True,
    metavar="FOLDER",
    help="Where the pages go, one NAME.html for each notebook.",
)
def export_notebooks(paths: tuple[str, ...], output: str) -> None:
    """Execute notebooks and write each as one self-contained HTML page."""
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in _paths(paths):
            page = export_notebook(execute_notebook(path), title=path.stem)
            target = folder / f"{path.stem}.html"
            target.write_text(page, encoding="utf-8", newline="\n")
            click.echo(str(target), err=True)
    except OSError as error:
        raise storage_error(error, error.filename or output) from error
