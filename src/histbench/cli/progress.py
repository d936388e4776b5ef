"""Progress on standard error: a bar on a terminal, a line every tenth otherwise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

__all__ = ["reporting"]

Report = Callable[[int, int, str], None]

_LINES = 10


@contextmanager
def reporting() -> Iterator[Report]:
    """A function that takes steps done, steps in all and the next step's label."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line_reporter()
        return
    columns = (
        TaskProgressColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total, description=escape(label)
        )


def _line_reporter() -> Report:
    told = -1

    def report(done: int, total: int, label: str) -> None:
        nonlocal told
        tenth = done * _LINES // max(total, 1)
        if tenth > told:
            told = tenth
            click.echo(f"{done * 100 // max(total, 1):3d} %  {label}", err=True)

    return report
