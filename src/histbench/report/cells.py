"""A table: typed cells once, shown as HTML, Markdown, JSON or in a notebook.

A number keeps its value beside its text, so that a table can be checked against the results it
came from and a machine can read the JSON edition.  In a notebook a table shows itself with fixed
HTML and fixed text: the same table gives the same output, which is what notebooks are compared by.
"""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NO_VALUE", "Cell", "Column", "Mark", "Table", "table"]

# Where a figure cannot be: no such thing, as opposed to `not measured`.
NO_VALUE = "–"  # noqa: RUF001  (a dash as wide as a digit)

Mark = Literal["", "unstable", "missing"]


class Column(NamedTuple):
    """A heading, and what stands below it: a name, the name of a form, or numbers in a unit."""

    title: str
    kind: Literal["label", "form", "number"] = "number"
    unit: str = ""


class Cell(NamedTuple):
    """What is shown, and the number behind it in the column's unit; None where there is none."""

    text: str
    value: float | None = None
    mark: Mark = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows as long as `columns`; `notes` belong below.

    `group` is the number of leading columns whose repetition may be left out by a renderer.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    group: int = 0

    def texts(self) -> list[list[str]]:
        """The cells as text, row by row."""
        return [[cell.text for cell in row] for row in self.rows]

    def __repr__(self) -> str:
        lines = [[column.title for column in self.columns], *self.texts()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                text.rjust(width) if column.kind == "number" else text.ljust(width)
                for text, width, column in zip(line, widths, self.columns, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(_notebook_cell("th", c.title, c.kind) for c in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                _notebook_cell("td", cell.text, column.kind)
                for cell, column in zip(row, self.columns, strict=True)
            )
            + "</tr>\n"
            for row in self.rows
        )
        return f"<table>\n<tr>{head}</tr>\n{body}</table>"


def _notebook_cell(tag: str, text: str, kind: str) -> str:
    side = "right" if kind == "number" else "left"
    return f'<{tag} style="text-align: {side}">{escape(text)}</{tag}>'


def table(frame: "pd.DataFrame", *, title: str = "") -> Table:
    """The columns of a pandas frame as a table: whole numbers grouped, others to three digits.

    The index is not shown; `reset_index` makes columns of it.
    """
    columns = tuple(
        Column(str(name), "number" if kind.kind in "iuf" else "label")
        for name, kind in frame.dtypes.items()
    )
    rows = frame.itertuples(index=False, name=None)
    return Table(title=title, columns=columns, rows=tuple(map(_row_of, rows)))


def _row_of(values: Iterable[object]) -> tuple[Cell, ...]:
    return tuple(map(_cell_of, values))


def _cell_of(value: object) -> Cell:
    # NaN is what a frame has for "not measured".
    if value is None or value != value:  # noqa: PLR0124
        return Cell("not measured", None, "missing")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(str(value))
    # Duck typing for numpy: its integers are no int, its floats are floats.
    whole = float(value).is_integer()
    return Cell(f"{value:,.0f}" if whole else f"{value:,.3g}", float(value))
