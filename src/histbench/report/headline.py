"""The table that the README opens with: our figures and the published ones, form by form.

It holds the three encodings of the published figures, in their order; `joined` has none, because
the notes did not have it.
"""

from histbench.report.cells import NO_VALUE, Cell, Column, Table
from histbench.report.measured import Measured
from histbench.results import NOT_MEASURED
from histbench.results.numbers import bytes_text, change_text
from histbench.results.published import PUBLISHED_BYTES

__all__ = ["headline_table"]

_ENCODINGS = {"identity": "JSON", "gzip-6": "gzip-6", "br-11": "br-11"}


def headline_table(measured: Measured) -> Table:
    """Bytes on the wire and change to raw, ours beside the published ones."""
    columns = [Column("form", "form")]
    for title in _ENCODINGS.values():
        columns += [Column(title, unit="byte"), Column("published", unit="byte")]
    rows = []
    for form in measured.forms:
        cells = [Cell(form)]
        for encoding in _ENCODINGS:
            size = measured.median("wire", form, encoding)
            cells += [
                _size(size, measured.median("wire", "raw", encoding), NOT_MEASURED),
                _size(
                    PUBLISHED_BYTES.get((form, encoding)),
                    PUBLISHED_BYTES.get(("raw", encoding)),
                    NO_VALUE,
                ),
            ]
        rows.append(tuple(cells))
    return Table(title="Bytes on the wire", columns=tuple(columns), rows=tuple(rows))


def _size(size: float | None, raw: float | None, hole: str) -> Cell:
    if size is None:
        return Cell(hole)
    change = f" ({change_text((size - raw) / raw)})" if raw and size != raw else ""
    return Cell(bytes_text(size) + change, size)
