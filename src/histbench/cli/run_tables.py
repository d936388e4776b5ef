"""The tables of one results file: wire sizes, stages, memory, each beside what to hold it against.

Sizes stand beside those of `raw` under the same encoding and, for the profiles made to the
published description, beside the published figures.  Seconds stand beside `json.loads` of the raw
page from the same rounds.  A spread of more than a tenth of the median is marked.
"""

from collections.abc import Iterator

from histbench.cli.tables import NO_VALUE, Table, print_table
from histbench.results import NOT_MEASURED, STAGES, Input, Results, Series, SeriesKey
from histbench.results.numbers import (
    bytes_text,
    change_text,
    megabytes,
    milliseconds,
    ratio_text,
)
from histbench.results.published import PUBLISHED_BYTES, PUBLISHED_PROFILES, PUBLISHED_RECORDS

__all__ = ["print_results"]

_UNSTABLE = 0.1
_UNSTABLE_MARK = "~"
_MEMORY_KINDS = ("traced", "rss", "native")


def print_results(results: Results) -> None:
    """Print the tables of every input of `results`."""
    for described in results.inputs:
        of_input = _OfInput(results, described)
        for table in of_input.tables():
            print_table(table)


class _OfInput:
    """The series of one input, and the tables made of them."""

    def __init__(self, results: Results, described: Input) -> None:
        self._described = described
        self._series: dict[SeriesKey, Series] = {
            key: series for key, series in results.series().items() if key.input == described.name
        }
        self._has_published = described.profile in PUBLISHED_PROFILES

    def tables(self) -> Iterator[Table]:
        """All that have rows."""
        for table in (self._wire(), self._counts(), self._stages(), self._memory()):
            if table.rows:
                yield table

    def _of_stages(self, prefix: str) -> list[SeriesKey]:
        return [key for key in self._series if key.stage.startswith(prefix)]

    def _find(self, stage: str, form: str, encoding: str = "") -> Series | None:
        metric = STAGES[stage].metric
        key = SeriesKey(self._described.name, form, encoding, stage, metric)
        return self._series.get(key)

    def _median(self, stage: str, form: str, encoding: str = "") -> float | None:
        series = self._find(stage, form, encoding)
        summary = series.summary if series else None
        return summary.median if summary else None

    def _notes(self, keys: list[SeriesKey]) -> list[str]:
        notes = (self._series[key].note for key in keys)
        return list(dict.fromkeys(note for note in notes if note))

    def _title(self) -> str:
        it = self._described
        seed = "" if it.seed is None else f", seed {it.seed}"
        noted = "".join(f"; {code} ({times})" for code, times in it.diagnostics.items())
        return (
            f"{it.name}{seed}: {it.events:,} events ({it.ordinary:,} ordinary, {it.rows:,} rows) "
            f"in {it.bytes:,} bytes, sha256 {it.sha256[:12]}{noted}"
        )

    def _wire(self) -> Table:
        keys = self._of_stages("wire")
        headers = ["form", "encoding", "bytes", "to raw", "encode ms", "decode ms"]
        rows = [self._wire_row(key.form, key.encoding) for key in keys]
        if self._has_published:
            headers += ["published", "to raw"]
            rows = [
                row + _published_cells(key.form, key.encoding)
                for key, row in zip(keys, rows, strict=True)
            ]
        notes = self._notes(keys)
        return Table(title=self._title(), headers=headers, rows=rows, labels=2, notes=notes)

    def _wire_row(self, form: str, encoding: str) -> list[str]:
        size = self._median("wire", form, encoding)
        raw = self._median("wire", "raw", encoding)
        times = [self._median(f"{side}code", form, encoding) for side in ("host.en", "client.de")]
        return [
            form,
            encoding,
            NOT_MEASURED if size is None else bytes_text(size),
            _growth(size, raw) if form != "raw" else NO_VALUE,
            *(NO_VALUE if seconds is None else milliseconds(seconds) for seconds in times),
        ]

    def _counts(self) -> Table:
        keys = self._of_stages("records")
        rows = []
        for form in (key.form for key in keys):
            counts = (self._median("records", form), self._median("values", form))
            row = [form, *(NOT_MEASURED if n is None else bytes_text(n) for n in counts)]
            if self._has_published:
                published = PUBLISHED_RECORDS.get(form)
                row.append(NO_VALUE if published is None else bytes_text(published))
            rows.append(row)
        headers = ["form", "records", "JSON values"]
        headers += ["published records"] if self._has_published else []
        title = f"{self._described.name}: what a parser meets"
        return Table(title=title, headers=headers, rows=rows, notes=self._notes(keys))

    def _stages(self) -> Table:
        per_encoding = {"host.encode", "client.decode"}
        keys = [
            key
            for key in self._series
            if STAGES[key.stage].metric == "seconds" and key.stage not in per_encoding
        ]
        order = list(STAGES)
        keys.sort(key=lambda key: order.index(key.stage))
        baseline = self._median("baseline.json_loads", "raw")
        rows = [self._stage_row(key, baseline) for key in keys]
        headers = ("stage", "form", "median ms", "MAD", "min", "runs", "of json.loads(raw)")
        marked = any(_UNSTABLE_MARK in row[3] for row in rows)
        notes = (
            [f"{_UNSTABLE_MARK} spread of more than a tenth: not a stable figure"] if marked else []
        )
        title = f"{self._described.name}: milliseconds by stage"
        return Table(title=title, headers=headers, rows=rows, labels=2, notes=notes)

    def _stage_row(self, key: SeriesKey, baseline: float | None) -> tuple[str, ...]:
        summary = self._series[key].summary
        if summary is None:
            return (key.stage, key.form, NOT_MEASURED, *[NO_VALUE] * 4)
        unstable = summary.mad > summary.median * _UNSTABLE
        return (
            key.stage,
            key.form,
            milliseconds(summary.median),
            (_UNSTABLE_MARK if unstable else "") + milliseconds(summary.mad),
            milliseconds(summary.minimum),
            str(summary.runs),
            ratio_text(summary.median / baseline) if baseline else NO_VALUE,
        )

    def _memory(self) -> Table:
        keys = self._of_stages("memory.")
        rows = []
        # One row for each of what was measured; its kinds of peak are the columns.
        for side, form, encoding in dict.fromkeys(
            (key.stage.rpartition(".")[0], key.form, key.encoding) for key in keys
        ):
            cells = [self._peak(f"{side}.{kind}", form, encoding) for kind in _MEMORY_KINDS]
            rows.append((side, form, encoding or NO_VALUE, *cells))
        headers = ("peak of", "form", "encoding", "traced MB", "resident MB", "native MB")
        title = f"{self._described.name}: peaks of memory"
        return Table(title=title, headers=headers, rows=rows, labels=3, notes=self._notes(keys))

    def _peak(self, stage: str, form: str, encoding: str) -> str:
        series = self._find(stage, form, encoding) if stage in STAGES else None
        if series is None:
            return NO_VALUE
        return megabytes(series.summary.median) if series.summary else NOT_MEASURED


def _growth(size: float | None, raw: float | None) -> str:
    return NO_VALUE if size is None or not raw else change_text((size - raw) / raw)


def _published_cells(form: str, encoding: str) -> list[str]:
    size, raw = PUBLISHED_BYTES.get((form, encoding)), PUBLISHED_BYTES.get(("raw", encoding))
    if size is None:
        return [NO_VALUE, NO_VALUE]
    return [bytes_text(size), NO_VALUE if form == "raw" else _growth(size, raw)]
