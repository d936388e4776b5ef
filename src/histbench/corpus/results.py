"""The rows of a corpus: as a table in Parquet, as a frame, and summed up.

Rows stand in the order of their paths and columns in that of `rows.columns_of`; nothing in the
table says when, where or by which worker a log was measured, so equal logs give equal tables.
"""

import os
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from histbench.corpus.extras import load
from histbench.corpus.measuring import LogPlan
from histbench.corpus.rows import PLAIN, Column, LogRow, columns_of
from histbench.store.durable import replace_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CorpusResults", "Spread", "Summary"]

_FRAME_TYPES = {int: "Int64", float: "Float64", bool: "boolean", str: "string"}


class Spread(Struct, frozen=True, kw_only=True):
    """How a figure is spread over the logs that have it."""

    logs: int
    smallest: float
    p10: float
    median: float
    p90: float
    largest: float

    @classmethod
    def of(cls, values: Iterable[float | None]) -> "Spread | None":
        """The spread of the values that are known; None when none is."""
        known = sorted(value for value in values if value is not None)
        if not known:
            return None
        last = len(known) - 1
        return cls(
            logs=len(known),
            smallest=known[0],
            p10=known[last // 10],
            median=statistics.median(known),
            p90=known[last - last // 10],
            largest=known[-1],
        )


class Summary(Struct, frozen=True, kw_only=True):
    """A corpus in a few figures.

    `totals` are bytes by form and encoding over the logs that were measured, `spreads` of ratios
    and lengths of runs; `not_paying` lists the paths whose packed page is no smaller, the worst
    first; `failures` counts logs by error code, `secrets` findings by kind.
    """

    logs: int
    measured: int
    bytes: int
    events: int
    deltas: int
    totals: dict[str, dict[str, int]]
    spreads: dict[str, Spread]
    not_paying: tuple[str, ...]
    failures: dict[str, int]
    secrets: dict[str, int]


class CorpusResults(Struct, frozen=True, kw_only=True):
    """The rows of a corpus, and what was measured."""

    rows: tuple[LogRow, ...]
    plan: LogPlan

    @classmethod
    def of(cls, rows: Iterable[LogRow], plan: LogPlan) -> "CorpusResults":
        """The results of these rows, in whatever order they were finished."""
        return cls(rows=tuple(sorted(rows, key=lambda row: row.path)), plan=plan)

    def columns(self) -> list[Column]:
        """The columns of the table."""
        return columns_of(self.plan.forms, self.plan.encodings, timings=self.plan.timings)

    def frame(self) -> "pd.DataFrame":
        """The table as pandas, one log a row, with nullable types."""
        import pandas as pd  # noqa: PLC0415  (half a second that the command line need not pay)

        columns = self.columns()
        values = {column.name: [column.value(row) for row in self.rows] for column in columns}
        types: Any = {column.name: _FRAME_TYPES[column.kind] for column in columns}
        return pd.DataFrame(values, dtype=object).astype(types)

    def table(self) -> Any:
        """The table as pyarrow.

        Raises:
            UsageError: `missing_extra`.
        """
        arrow = load("pyarrow")
        types = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
        columns = self.columns()
        schema = arrow.schema(
            [(column.name, types.get(column.kind, arrow.string())) for column in columns]
        )
        return arrow.table(
            [[column.value(row) for row in self.rows] for column in columns], schema=schema
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as Parquet, whole or not at all.

        Raises:
            StorageError: it could not be written; what was there is as before.
            UsageError: `missing_extra`.
        """
        arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
        sink = arrow.BufferOutputStream()
        parquet.write_table(self.table(), sink, compression="zstd")
        replace_file(Path(path), [sink.getvalue().to_pybytes()])

    def summary(self) -> Summary:
        """The corpus in a few figures."""
        measured = [row for row in self.rows if row.error_code is None]
        totals = {
            form: {
                encoding: sum(row.sizes[form][encoding] for row in measured)
                for encoding in (PLAIN, *self.plan.encodings)
            }
            for form in self.plan.forms
        }
        spreads = {
            f"ratio {encoding}": Spread.of(row.ratio(encoding) for row in measured)
            for encoding in (PLAIN, *self.plan.encodings)
        }
        spreads["run p50"] = Spread.of(row.run_p50 for row in measured)
        spreads["run p90"] = Spread.of(row.run_p90 for row in measured)
        spreads["events"] = Spread.of(row.events for row in measured)
        secrets: Counter[str] = Counter()
        for row in self.rows:
            secrets.update(row.secrets)
        return Summary(
            logs=len(self.rows),
            measured=len(measured),
            bytes=sum(row.bytes or 0 for row in measured),
            events=sum(row.events or 0 for row in measured),
            deltas=sum(row.deltas or 0 for row in measured),
            totals=totals,
            spreads={name: spread for name, spread in spreads.items() if spread is not None},
            not_paying=tuple(row.path for row in _not_paying(measured)),
            failures=dict(
                sorted(Counter(row.error_code for row in self.rows if row.error_code).items())
            ),
            secrets=dict(sorted(secrets.items())),
        )


def _not_paying(rows: Iterable[LogRow]) -> list[LogRow]:
    losing = [row for row in rows if row.packing_pays is False]
    return sorted(losing, key=lambda row: (-(row.ratio() or 0), row.path))
