"""The tables of a report, each made of results alone.

    wire      bytes by encoding and form, beside the published figures where they apply
    counts    what a parser meets
    stages    median, spread and ratio to json.loads of the raw page, by stage and form
    peaks     the kinds of memory peak, which do not mean the same
    others    bytes and counts of what is no stage of a page
    beside    one line per input, when there are several

A hole is written out as `not measured`; its reason stands in the notes.
"""

from collections.abc import Sequence

from histbench.report.cells import NO_VALUE, Cell, Column, Mark, Table
from histbench.report.measured import UNSTABLE, Measured, is_unstable
from histbench.results import (
    METRIC_UNITS,
    NOT_MEASURED,
    STAGES,
    SeriesKey,
    Summary,
)
from histbench.results.numbers import (
    bytes_text,
    change_text,
    megabytes,
    milliseconds,
    ratio_text,
)
from histbench.results.published import PUBLISHED_BYTES, PUBLISHED_PROFILES, PUBLISHED_RECORDS

__all__ = [
    "beside_table",
    "counts_table",
    "has_published",
    "others_table",
    "peaks_table",
    "stages_table",
    "structure_table",
    "wire_table",
]

_NOTHING = Cell(NO_VALUE)
_HOLE = Cell(NOT_MEASURED, None, "missing")
_PEAK_KINDS = ("traced", "native", "rss")
# In the wire table, beside the bytes they belong to.
_PER_ENCODING = frozenset({"host.encode", "client.decode"})


def has_published(measured: Measured) -> bool:
    """Whether the input was made to the published description."""
    return measured.described.profile in PUBLISHED_PROFILES


def wire_table(measured: Measured) -> Table:
    """Wire bytes of every form under every encoding."""
    columns = [
        Column("encoding", "label"),
        Column("form", "form"),
        Column("bytes", unit="byte"),
        Column("to raw", unit="percent"),
        Column("encode ms", unit="millisecond"),
        Column("decode ms", unit="millisecond"),
    ]
    published = has_published(measured)
    if published:
        columns += [
            Column("published bytes", unit="byte"),
            Column("published to raw", unit="percent"),
        ]
    rows = []
    for encoding in measured.encodings():
        for form in measured.forms:
            if measured.series("wire", form, encoding) is None:
                continue
            row = [Cell(encoding), Cell(form), *_wire_cells(measured, form, encoding)]
            rows.append(tuple(row + (_published_cells(form, encoding) if published else [])))
    return Table(
        title="Bytes on the wire",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=measured.notes(measured.keys("bytes")),
        group=1,
    )


def _wire_cells(measured: Measured, form: str, encoding: str) -> list[Cell]:
    size = measured.median("wire", form, encoding)
    return [
        _HOLE if size is None else Cell(bytes_text(size), size),
        _NOTHING if form == "raw" else _change(measured.change("wire", form, encoding)),
        _duration(measured, "host.encode", form, encoding),
        _duration(measured, "client.decode", form, encoding),
    ]


def _duration(measured: Measured, stage: str, form: str, encoding: str) -> Cell:
    summary = measured.summary(stage, form, encoding)
    if summary is None:
        return _NOTHING
    return Cell(milliseconds(summary.median), summary.median * 1e3, _mark(summary))


def _mark(summary: Summary) -> Mark:
    return "unstable" if is_unstable(summary) else ""


def _change(fraction: float | None) -> Cell:
    return _NOTHING if fraction is None else Cell(change_text(fraction), fraction * 100)


def _published_cells(form: str, encoding: str) -> list[Cell]:
    size, raw = PUBLISHED_BYTES.get((form, encoding)), PUBLISHED_BYTES.get(("raw", encoding))
    if size is None or raw is None:
        return [_NOTHING, _NOTHING]
    reduction = _NOTHING if form == "raw" else _change((size - raw) / raw)
    return [Cell(bytes_text(size), size), reduction]


def counts_table(measured: Measured) -> Table:
    """Records and JSON values of every form."""
    columns = [
        Column("form", "form"),
        Column("records", unit="count"),
        Column("JSON values", unit="count"),
    ]
    published = has_published(measured)
    if published:
        columns.append(Column("published records", unit="count"))
    rows = []
    for form in measured.forms:
        if measured.series("records", form) is None:
            continue
        counts = (measured.median(stage, form) for stage in ("records", "values"))
        row = [Cell(form), *(_HOLE if n is None else Cell(bytes_text(n), n) for n in counts)]
        if published:
            known = PUBLISHED_RECORDS.get(form)
            row.append(_NOTHING if known is None else Cell(bytes_text(known), known))
        rows.append(tuple(row))
    return Table(
        title="What a parser meets",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=measured.notes(measured.keys("count")),
    )


def structure_table(measured: Measured) -> Table:
    """How a log's deltas lie in runs, where that was counted."""
    rows = []
    for stage in STAGES.values():
        if stage.name.startswith("structure."):
            count = measured.median(stage.name, "")
            if count is not None:
                rows.append((Cell(stage.description), Cell(bytes_text(count), count)))
    return Table(
        title="Runs of deltas",
        columns=(Column("figure", "label"), Column("count", unit="count")),
        rows=tuple(rows),
    )


def stages_table(measured: Measured) -> Table:
    """Median, spread, minimum and ratio of every timed stage; the wire table has the encodings'."""
    keys = [key for key in measured.keys("seconds") if key.stage not in _PER_ENCODING]
    encoded = any(key.encoding for key in keys)
    columns = (
        Column("stage", "label"),
        Column("form", "form"),
        *([Column("encoding", "label")] if encoded else []),
        Column("median ms", unit="millisecond"),
        Column("MAD ms", unit="millisecond"),
        Column("min ms", unit="millisecond"),
        Column("runs", unit="count"),
        Column("of json.loads(raw)", unit="fraction"),
        Column("", "label"),
        Column("what it is", "label"),
    )
    rows, unstable = [], False
    for number, key in enumerate(keys):
        # Said once for the rows of a stage.
        begins = not number or keys[number - 1].stage != key.stage
        known = STAGES.get(key.stage)
        words = known.description if known and begins else ""
        figures = _stage_figures(measured, key)
        unstable = unstable or figures[0].mark == "unstable"
        encoding = [Cell(key.encoding or NO_VALUE)] if encoded else []
        rows.append((Cell(key.stage), Cell(key.form), *encoding, *figures, Cell(words)))
    notes = list(measured.notes(keys))
    if unstable:
        notes.append(f"unstable: the spread (MAD) is more than {UNSTABLE:.0%} of the median")
    return Table(
        title="Time by stage", columns=columns, rows=tuple(rows), notes=tuple(notes), group=1
    )


def _stage_figures(measured: Measured, key: SeriesKey) -> tuple[Cell, ...]:
    summary = measured[key].summary
    if summary is None:
        return (_HOLE, *[_NOTHING] * 4, Cell(""))
    baseline = measured.baseline_seconds
    ratio = summary.median / baseline if baseline else None
    mark = _mark(summary)
    return (
        Cell(milliseconds(summary.median), summary.median * 1e3, mark),
        Cell(milliseconds(summary.mad), summary.mad * 1e3),
        Cell(milliseconds(summary.minimum), summary.minimum * 1e3),
        Cell(str(summary.runs), summary.runs),
        _NOTHING if ratio is None else Cell(ratio_text(ratio), ratio),
        Cell(mark, None, mark),
    )


def peaks_table(measured: Measured) -> Table:
    """Traced, native and resident peaks of host, client and encoders, and of V8 where taken."""
    keys = list(measured.keys("peak_bytes"))
    heap = any(key.stage.endswith(".heap") for key in keys)
    kinds = (*_PEAK_KINDS, "heap") if heap else _PEAK_KINDS
    columns = (
        Column("work", "label"),
        Column("form", "form"),
        Column("encoding", "label"),
        Column("traced MB", unit="megabyte"),
        Column("native MB", unit="megabyte"),
        Column("resident MB", unit="megabyte"),
        *([Column("V8 heap MB", unit="megabyte")] if heap else []),
    )
    # One row for each of what was measured; its kinds of peak are the columns.
    works = dict.fromkeys((k.stage.rpartition(".")[0], k.form, k.encoding) for k in keys)
    rows = tuple(
        (
            Cell(work.removeprefix("memory.")),
            Cell(form),
            Cell(encoding or NO_VALUE),
            *(_peak(measured, f"{work}.{kind}", form, encoding) for kind in kinds),
        )
        for work, form, encoding in works
    )
    return Table(
        title="Peaks of memory",
        columns=columns,
        rows=rows,
        notes=measured.notes(keys),
        group=1,
    )


def _peak(measured: Measured, stage: str, form: str, encoding: str) -> Cell:
    if measured.series(stage, form, encoding) is None:
        return _NOTHING
    peak = measured.median(stage, form, encoding)
    return _HOLE if peak is None else Cell(megabytes(peak), peak / 1e6)


def others_table(measured: Measured) -> Table:
    """Bytes and counts that no other table shows: of indexes, of pages of a log, of limits."""
    keys = [
        key
        for metric in ("bytes", "count")
        for key in measured.keys(metric)
        if key.stage not in STAGES
    ]
    rows = []
    for key in keys:
        summary = measured[key].summary
        figure = _HOLE if summary is None else Cell(bytes_text(summary.median), summary.median)
        labels = (key.stage, key.form or NO_VALUE, key.encoding or NO_VALUE)
        rows.append((*map(Cell, labels), figure, Cell(METRIC_UNITS[key.metric])))
    return Table(
        title="Other sizes and counts",
        columns=(
            Column("figure", "label"),
            Column("form", "form"),
            Column("encoding", "label"),
            Column("value"),
            Column("unit", "label"),
        ),
        rows=tuple(rows),
        notes=measured.notes(keys),
        group=1,
    )


# Heading, unit, stage, form, encoding: the figures that inputs are held against each other by.
_BESIDE = (
    ("raw bytes", "byte", "wire", "raw", "identity"),
    ("packed bytes", "byte", "wire", "packed", "identity"),
    ("joined bytes", "byte", "wire", "joined", "identity"),
    ("lean bytes", "byte", "wire", "lean", "identity"),
    ("raw br-5", "byte", "wire", "raw", "br-5"),
    ("packed br-5", "byte", "wire", "packed", "br-5"),
    ("joined br-5", "byte", "wire", "joined", "br-5"),
    ("lean br-5", "byte", "wire", "lean", "br-5"),
    ("raw to first use ms", "millisecond", "client.total", "raw", ""),
    ("packed ms", "millisecond", "client.total", "packed", ""),
    ("joined ms", "millisecond", "client.total", "joined", ""),
    ("lean ms", "millisecond", "client.total", "lean", ""),
)


def beside_table(all_measured: Sequence[Measured]) -> Table:
    """One row per input: the figures to hold inputs and results files against each other by."""
    # A column or a row that would hold nothing but holes says nothing about anybody.
    shown = [
        (title, unit, stage, form, encoding)
        for title, unit, stage, form, encoding in _BESIDE
        if any(each.median(stage, form, encoding) is not None for each in all_measured)
    ]
    rows = []
    for each in all_measured:
        if shown and all(each.median(*where) is None for _, _, *where in shown):
            continue
        cells = [Cell(each.name), Cell(bytes_text(each.described.events), each.described.events)]
        for _, unit, stage, form, encoding in shown:
            summary = each.summary(stage, form, encoding)
            if summary is None:
                cells.append(_HOLE)
            elif unit == "byte":
                cells.append(Cell(bytes_text(summary.median), summary.median))
            else:
                cells.append(_duration(each, stage, form, encoding))
        rows.append(tuple(cells))
    columns = (
        Column("input", "label"),
        Column("events", unit="count"),
        *(Column(title, unit=unit) for title, unit, *_ in shown),
    )
    return Table(title="Side by side", columns=columns, rows=tuple(rows))
