"""Tables on standard output: ruled on a terminal, aligned text otherwise, figures never cut.

Cells are text that others wrote (file names, form names): nothing in them is markup.
"""

from collections.abc import Sequence

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

__all__ = ["NO_VALUE", "Table", "print_table"]

NO_VALUE = "-"

_GAP = "  "
# What rich adds for each column: padding and rule.
_RICH_COLUMN = 4


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table as text: headers, rows as long as the headers, and how many columns are labels.

    Label columns stand on the left side, figures on the right.  `notes` stand below.
    """

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    notes: Sequence[str] = ()

    def widths(self) -> list[int]:
        """The width of every column."""
        return [max(map(len, column)) for column in zip(self.headers, *self.rows, strict=True)]

    def lines(self) -> list[str]:
        """The table as aligned text."""
        widths = self.widths()
        return [
            _GAP.join(
                cell.ljust(width) if number < self.labels else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (self.headers, *self.rows)
        ]


def print_table(table: Table) -> None:
    """Print `table`, its title above and its notes below."""
    console = Console()
    if not console.is_terminal:
        body = table.lines() if table.rows else []
        for line in (table.title, *body, *table.notes, ""):
            click.echo(line)
        return
    ruled = RichTable(
        title=Text(table.title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD
    )
    for number, header in enumerate(table.headers):
        ruled.add_column(header, justify="left" if number < table.labels else "right", no_wrap=True)
    for row in table.rows:
        ruled.add_row(*(Text(cell) for cell in row))
    # A narrow terminal wraps long lines by itself; rich would cut figures.
    console.width = max(console.width, sum(table.widths()) + _RICH_COLUMN * len(table.headers))
    console.print(ruled if table.rows else Text(table.title, style="bold"))
    for note in table.notes:
        console.print(Text(note, style="dim"))
