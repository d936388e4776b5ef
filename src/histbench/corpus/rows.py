"""What a corpus keeps of a log: one row, and the columns of a table of rows.

A row holds sizes, counts, codes and a path; of the log's text it holds nothing.  A log that could
not be measured is a row too, with the error and whatever was known before it.

Columns: first those of `_FIXED`, then `FORM_bytes` and `FORM_ENCODING_bytes` for every form and
encoding that was asked for, `ratio` and `ratio_ENCODING` (packed to raw) and `packing_pays`, and
with timings `host_seconds_FORM` and `client_seconds_FORM`.  What was not measured is null.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

__all__ = ["PLAIN", "Column", "LogRow", "columns_of"]

PLAIN = "identity"
_RAW, _PACKED = "raw", "packed"


class LogRow(Struct, frozen=True, kw_only=True):
    """One log.

    `sizes` are page bytes by form and encoding, `seconds` by side (`host`, `client`) and form.
    `deltas` are those that a row can hold; a run is as many of them as one row could hold, and
    `run_p50` and `run_p90` are lengths of runs (nearest rank).  `clock` says where times come from.
    `diagnostics` counts what the reader noticed, `secrets` what looks like one, by kind, and
    `secret_seqs` say where each kind first begins.
    """

    path: str
    format: str | None = None
    sha256: str | None = None
    bytes: int | None = None
    events: int | None = None
    ordinary: int | None = None
    rows: int | None = None
    deltas: int | None = None
    runs: int | None = None
    run_p50: int | None = None
    run_p90: int | None = None
    run_max: int | None = None
    clock: str | None = None
    sizes: dict[str, dict[str, int]] = {}
    seconds: dict[str, dict[str, float]] = {}
    diagnostics: dict[str, int] = {}
    secrets: dict[str, int] = {}
    secret_seqs: dict[str, int] = {}
    error_code: str | None = None
    error_message: str | None = None
    error_place: str | None = None

    def ratio(self, encoding: str = PLAIN) -> float | None:
        """Bytes of the packed page to those of the raw one, under one encoding."""
        raw = self.sizes.get(_RAW, {}).get(encoding)
        packed = self.sizes.get(_PACKED, {}).get(encoding)
        return None if not raw or packed is None else packed / raw

    @property
    def packing_pays(self) -> bool | None:
        """Whether the packed page is smaller than the raw one under every encoding measured."""
        ratios = [self.ratio(encoding) for encoding in self.sizes.get(_RAW, {})]
        known = [ratio for ratio in ratios if ratio is not None]
        return all(ratio < 1 for ratio in known) if known else None


class Column(Struct, frozen=True):
    """A column: its name, the kind of its values, and the value in a row."""

    name: str
    kind: type
    value: Callable[[LogRow], Any]


# The fields of a row in the order of their columns, with the kinds of their values.
_FIXED: tuple[tuple[str, type], ...] = (
    ("path", str),
    ("format", str),
    ("sha256", str),
    ("bytes", int),
    ("events", int),
    ("ordinary", int),
    ("rows", int),
    ("deltas", int),
    ("runs", int),
    ("run_p50", int),
    ("run_p90", int),
    ("run_max", int),
    ("clock", str),
    ("error_code", str),
    ("error_message", str),
    ("error_place", str),
)


def columns_of(forms: Sequence[str], encodings: Sequence[str], *, timings: bool) -> list[Column]:
    """The columns of a table in which these forms and encodings were measured."""
    columns = [Column(name, kind, _field(name)) for name, kind in _FIXED]
    columns += [
        Column("diagnostics", str, lambda row: _counts(row.diagnostics)),
        Column("secrets", str, _secrets),
    ]
    columns += [
        Column(f"{form}{_suffix(encoding)}_bytes", int, _size(form, encoding))
        for form in forms
        for encoding in (PLAIN, *encodings)
    ]
    if {_RAW, _PACKED} <= set(forms):
        columns += [
            Column(f"ratio{_suffix(encoding)}", float, _ratio(encoding))
            for encoding in (PLAIN, *encodings)
        ]
        columns.append(Column("packing_pays", bool, lambda row: row.packing_pays))
    if timings:
        columns += [
            Column(f"{side}_seconds_{form}", float, _seconds(side, form))
            for side in ("host", "client")
            for form in forms
        ]
    return columns


def _suffix(encoding: str) -> str:
    return "" if encoding == PLAIN else f"_{encoding}"


def _field(name: str) -> Callable[[LogRow], Any]:
    return lambda row: getattr(row, name)


def _size(form: str, encoding: str) -> Callable[[LogRow], Any]:
    return lambda row: row.sizes.get(form, {}).get(encoding)


def _ratio(encoding: str) -> Callable[[LogRow], Any]:
    return lambda row: row.ratio(encoding)


def _seconds(side: str, form: str) -> Callable[[LogRow], Any]:
    return lambda row: row.seconds.get(side, {}).get(form)


def _counts(counts: dict[str, int]) -> str | None:
    """Counts by name as one text; null where nothing was counted."""
    return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or None


def _secrets(row: LogRow) -> str | None:
    """Kinds of secrets as one text: how many, and where the first begins."""
    found = sorted(row.secrets.items())
    return ", ".join(f"{kind}: {n} from seq {row.secret_seqs[kind]}" for kind, n in found) or None
