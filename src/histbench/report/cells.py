"""A table: typed cells once, shown as HTML, Markdown, JSON or in a notebook.

A number keeps its value beside its text, so that a table can be checked against the results it
came from and a machine can read the JSON edition.  In a notebook a table shows itself with fixed
HTML and fixed text: the same table gives the same output, which is what notebooks are compared by.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from histbench.report.text import escaped

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NO_VALUE", "Cell", "Column", "Mark", "Table", "table"]

# Where a figure cannot be: no such thing, as opposed to `not measured`.
NO_VALUE = "–"  # noqa: RUF001  (a dash as wide as a digit)

# From here on a tenth is fine enough.
_COARSE = 10

# What a line of text keeps of a cell: commands and commits are longer than anybody reads.
_TEXT_WIDTH = 40

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


_HOLE = Cell("not measured", None, "missing")


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
        lines = [[_clipped(text) for text in line] for line in lines]
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


def _clipped(text: str) -> str:
    return text if len(text) <= _TEXT_WIDTH else text[: _TEXT_WIDTH - 1] + "…"


def _notebook_cell(tag: str, text: str, kind: str) -> str:
    side = "right" if kind == "number" else "left"
    return f'<{tag} style="text-align: {side}; white-space: nowrap">{escaped(text)}</{tag}>'


def table(frame: "pd.DataFrame", *, title: str = "") -> Table:
    """The columns of a pandas frame as a table; a column's numbers have as many digits as it needs.

    The index is not shown; `reset_index` makes columns of it.
    """
    columns = tuple(
        Column(str(name), "number" if kind.kind in "iuf" else "label")
        for name, kind in frame.dtypes.items()
    )
    cells = [
        _number_cells(frame[name].tolist()) if column.kind == "number" else _labels(frame[name])
        for name, column in zip(frame.columns, columns, strict=True)
    ]
    rows = tuple(zip(*cells, strict=True))
    return Table(title=title, columns=columns, rows=rows)


def _labels(values: Iterable[object]) -> list[Cell]:
    return [Cell(str(value)) for value in values]


def _number_cells(values: Sequence[float]) -> list[Cell]:
    # NaN is what a frame has for "not measured", and is not equal to itself.
    known = [value for value in values if value == value]  # noqa: PLR0124
    whole = all(float(value).is_integer() for value in known)
    digits = 0 if whole else 1 if max(map(abs, known)) >= _COARSE else 3
    return [
        # Adding zero makes 0 of -0.
        Cell(f"{round(value, digits) + 0:,.{digits}f}", value) if value in known else _HOLE
        for value in values
    ]
