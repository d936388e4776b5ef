"""The values of a results file, and what is computed from them on reading.

A *sample* is one number from one run: what it was taken of (input, form, encoding, stage), what
it is (metric, unit) and the run it comes from.  What was left out is a sample too, with the value
None and a note that says why, so that a hole in a table is never a silent one.  A *series* is the
samples of one thing over all runs; median, spread and minimum exist only as functions of it.

`form` and `encoding` are "" where a stage has none.  `run` counts from 0 within a series.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "METRIC_UNITS",
    "NOT_MEASURED",
    "SCHEMA",
    "SCHEMA_VERSION",
    "Input",
    "Results",
    "Sample",
    "Series",
    "SeriesKey",
    "Summary",
    "summarise",
]

SCHEMA = "histbench-results"

# 1  the first: environment, settings, command, created_at, inputs, samples
SCHEMA_VERSION = 1

NOT_MEASURED = "not measured"

# The unit belongs to the metric; it stands in each sample so that a frame needs no legend.
METRIC_UNITS: Mapping[str, str] = {
    "bytes": "byte",
    "seconds": "second",
    "peak_bytes": "byte",
    "count": "count",
}

_FRAME_COLUMNS = ("input", "form", "encoding", "stage", "metric", "value", "unit", "run")

# Beyond 2^53 a reader in another language would see another number; nothing here gets near.
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
_Measure = Annotated[float, msgspec.Meta(ge=0, le=2.0**53)]
# A name is a label, not a way to a file: separators would let somebody's folders in.
_Label = Annotated[str, msgspec.Meta(min_length=1, pattern=r"^[^/\\]+$")]
_Instant = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class _Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Input(_Value, frozen=True, kw_only=True):
    """One measured session file.

    `bytes` and `sha256` are of the file as it lay there; `events` are logical ones, of which
    `ordinary` stand alone and the rest are members of `rows`.  `diagnostics` counts what the
    reader reported, by code.  `profile` and `seed` make a generated file again.  `format` is the
    importer's name for what the file is, and `clock` where its times come from; None where nobody
    looked.
    """

    name: _Label
    origin: Literal["file", "profile"]
    profile: str | None = None
    seed: int | None = None
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    bytes: _Count
    events: _Count
    ordinary: _Count
    rows: _Count
    diagnostics: dict[str, _Count] = {}
    format: _Label | None = None
    clock: Literal["source", "capture", "synthetic"] | None = None


class Sample(_Value, frozen=True, kw_only=True):
    """One number from one run; `value` is None where nothing was measured, and `note` says why."""

    input: str
    form: str = ""
    encoding: str = ""
    stage: str
    metric: Literal["bytes", "seconds", "peak_bytes", "count"]
    value: _Count | _Measure | None
    unit: Literal["byte", "second", "count"]
    run: _Count = 0
    note: str | None = None

    def __post_init__(self) -> None:
        """Refuse a unit that is not the metric's, and a hole without a reason."""
        if self.unit != METRIC_UNITS[self.metric]:
            message = f"metric {self.metric} has unit {METRIC_UNITS[self.metric]}, not {self.unit}"
            raise ValueError(message)
        if self.value is None and not self.note:
            raise ValueError("a sample without a value needs a note")


class SeriesKey(NamedTuple):
    """What the samples of one series have in common."""

    input: str
    form: str
    encoding: str
    stage: str
    metric: str


class Summary(NamedTuple):
    """Median, median absolute deviation, minimum and number of values of one series."""

    median: float
    mad: float
    minimum: float
    runs: int


def summarise(values: Sequence[float]) -> Summary:
    """The robust summary of at least one value.

    >>> summarise([3, 1, 100])
    Summary(median=3, mad=2, minimum=1, runs=3)
    """
    median = statistics.median(values)
    mad = statistics.median([abs(value - median) for value in values])
    return Summary(median, mad, min(values), len(values))


class Series(NamedTuple):
    """All values of one thing in the order of their runs; none, and a note, if not measured."""

    unit: str
    values: tuple[float, ...]
    note: str | None

    @property
    def summary(self) -> Summary | None:
        """What the values come to, or None where there are none."""
        return summarise(self.values) if self.values else None


class Results(_Value, frozen=True, kw_only=True):
    """One results file.

    `environment` is flat, so that two can be held against each other key by key; `settings` is
    what the measurement was told to do; `created_at` is UTC to the second.
    """

    schema: Literal["histbench-results"] = "histbench-results"
    version: Literal[1] = 1
    environment: dict[str, str | int | float | bool | None]
    settings: dict[str, str | int | float | bool | list[str] | None]
    command: str
    created_at: _Instant
    inputs: tuple[Input, ...]
    samples: tuple[Sample, ...]

    def __post_init__(self) -> None:
        """Refuse samples of unknown inputs, and two values for one run of one thing."""
        names = [each.name for each in self.inputs]
        if len(set(names)) != len(names):
            raise ValueError("two inputs have the same name")
        seen = set()
        for sample in self.samples:
            if sample.input not in names:
                message = f"a sample of {sample.input!r}, which is no input"
                raise ValueError(message)
            identity = (*_key(sample), sample.run)
            if identity in seen:
                message = f"two samples of {' '.join(map(str, identity))}"
                raise ValueError(message)
            seen.add(identity)

    def series(self) -> dict[SeriesKey, Series]:
        """The samples gathered into series, in the order of their first appearance."""
        gathered: dict[SeriesKey, list[Sample]] = {}
        for sample in self.samples:
            gathered.setdefault(_key(sample), []).append(sample)
        return {key: _series(samples) for key, samples in gathered.items()}

    def frame(self) -> "pd.DataFrame":
        """The samples as tidy pandas, one a row.

        Columns: input, form, encoding, stage, metric, value (NaN where not measured), unit, run.
        """
        import pandas as pd  # noqa: PLC0415  (half a second that the command line need not pay)

        columns = {
            name: [getattr(sample, name) for sample in self.samples] for name in _FRAME_COLUMNS
        }
        return pd.DataFrame(columns).astype({"value": "float64", "run": "int64"})


def _key(sample: Sample) -> SeriesKey:
    return SeriesKey(sample.input, sample.form, sample.encoding, sample.stage, sample.metric)


def _series(samples: list[Sample]) -> Series:
    ordered = sorted(samples, key=lambda sample: sample.run)
    values = tuple(sample.value for sample in ordered if sample.value is not None)
    return Series(ordered[0].unit, values, next(_notes(ordered), None))


def _notes(samples: list[Sample]) -> Iterator[str]:
    return (sample.note for sample in samples if sample.note)
