"""A table as HTML that a reader can sort, without a script.

A radio button for each column of numbers stands above the table.  Every row bears its place in each
order as a CSS variable; the button that is chosen makes a grid of the table and of that variable the
order of its cells.  As long as none is chosen the table is an ordinary one, and so it is on paper
and in browsers that do not know `:has()`.
"""

from collections.abc import Iterator

from histbench.report.cells import Cell, Table
from histbench.report.palette import FORM_COLOURS
from histbench.report.text import escaped

__all__ = ["render_table", "sort_rules"]

# Shorter ones are sorted by looking at them; more buttons than this are a table of their own.
_MIN_ROWS = 4
_MAX_ORDERS = 12


def sort_rules() -> str:
    """The rules of CSS that the buttons need, besides those of the page."""
    return "".join(
        f".sortable:has(.by-{number}:checked) td{{order:var(--o{number})}}\n"
        for number in range(1, _MAX_ORDERS + 1)
    )


def render_table(table: Table, *, name: str) -> str:
    """The table in a frame of its own that scrolls; `name` is that of its buttons in the page."""
    orders = _orders(table)
    head = "".join(
        f'<th scope="col" class="{column.kind}">{escaped(column.title)}</th>'
        for column in table.columns
    )
    rows = "\n".join(_rows(table, list(orders.values())))
    frame = (
        f'<div class="frame" role="region" aria-label="{escaped(table.title)}" tabindex="0">'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )
    if orders:
        buttons = _buttons(table, list(orders), name)
        frame = f'<div class="sortable" style="--n:{len(table.columns)}">{buttons}{frame}</div>'
    notes = "".join(f"<li>{escaped(note)}</li>" for note in table.notes)
    return frame + (f'<div class="notes"><ul>{notes}</ul></div>' if notes else "")


def _orders(table: Table) -> dict[str, list[int]]:
    """For each column that can be sorted by, the place of every row; what has no number is last."""
    found: dict[str, list[int]] = {}
    for at, column in enumerate(table.columns):
        values = [row[at].value for row in table.rows]
        known = {value for value in values if value is not None}
        if column.kind == "number" and len(table.rows) >= _MIN_ROWS and len(known) > 1:
            places = {value: place for place, value in enumerate(sorted(known))}
            found[column.title] = [
                len(known) if value is None else places[value] for value in values
            ]
    return dict(list(found.items())[:_MAX_ORDERS])


def _buttons(table: Table, titles: list[str], name: str) -> str:
    buttons = "".join(
        f'<label><input type="radio" name="{name}" class="by-{number}"'
        f"{'' if number else ' checked'}>{escaped(title)}</label>"
        for number, title in enumerate(("as listed", *titles))
    )
    label = escaped(f"Order of the rows: {table.title}")
    return f'<div class="orders" role="radiogroup" aria-label="{label}">Sort: {buttons}</div>'


def _rows(table: Table, orders: list[list[int]]) -> Iterator[str]:
    before = None
    for number, row in enumerate(table.rows):
        lead = [cell.text for cell in row[: table.group]]
        place = "starts" if lead != before else "repeats"
        before = lead
        attributes = f' class="{place}"' if table.group else ""
        if orders:
            places = ";".join(f"--o{n}:{order[number]}" for n, order in enumerate(orders, 1))
            attributes += f' style="{places}"'
        cells = "".join(
            _cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)
        )
        yield f"<tr{attributes}>{cells}</tr>"


def _cell(cell: Cell, kind: str) -> str:
    classes = " ".join(filter(None, (kind, cell.mark)))
    text = escaped(cell.text)
    if kind == "form":
        known = f" form-{cell.text}" if cell.text in FORM_COLOURS else ""
        return f'<td class="form{known}">{text}</td>'
    return f'<td class="{classes}">{text}</td>'
