"""Results to report on: every stage and form, a hole, an unstable series, a hostile name."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from histbench.history import FORMS
from histbench.results import METRIC_UNITS, STAGES, Input, Results, Sample

__all__ = ["ENCODINGS", "HOSTILE", "full_results", "without"]

ENCODINGS = ("identity", "gzip-6", "br-11")

# Markup, Markdown, a mention, an issue number, a table's bar, quotes, a right-to-left mark.
HOSTILE = "<script>alert('1')&amp;\"|`@user` #1 [x](y) \u202e**\n"

ENVIRONMENT: dict[str, str | int | float | bool | None] = {
    "cpu_count": 2,
    "gc": "on",
    "histbench": "0.1.0",
    "load_avg_1min": 0.5,
    "python_optimized": True,
    "python_version": "3.11.7",
}


def _values(stage: str, form: str, encoding: str, runs: int) -> Sequence[float | None]:
    """Made-up figures, all different, in the stage's unit; none for what is too slow."""
    rank = list(FORMS).index(form) + 1
    if encoding == "br-11" and form == "raw":
        return [None]
    if stage == "memory.client.native":
        return [None]
    if stage in {"wire", "records", "values"}:
        return [1_000_000 // rank + len(encoding)]
    if stage.startswith("memory."):
        return [(5_000_000 + len(stage)) // rank + run for run in range(runs)]
    spread = 0.5 if (stage, form) == ("client.total", "joined") else 0.01
    return [len(stage) / rank / 100 * (1 + spread * run) for run in range(runs)]


def _samples(name: str, runs: int) -> Iterator[Sample]:
    per_encoding = {"wire", "host.encode", "client.decode", "memory.encode.native"}
    for stage in STAGES.values():
        for form in FORMS:
            for encoding in ENCODINGS if stage.name in per_encoding else ("",):
                if encoding == "identity" and stage.name != "wire":
                    continue
                for run, value in enumerate(_values(stage.name, form, encoding, runs)):
                    why = "memray is not there" if "memory" in stage.name else "br-11 takes minutes"
                    yield Sample(
                        input=name,
                        form=form,
                        encoding=encoding,
                        stage=stage.name,
                        metric=stage.metric,
                        unit=METRIC_UNITS[stage.metric],  # type: ignore[arg-type]
                        value=value,
                        run=run,
                        note=f"not measured: {why}" if value is None else None,
                    )


def full_results(
    *,
    names: Sequence[str] = ("published",),
    runs: int = 3,
    environment: dict[str, Any] | None = None,
) -> Results:
    """Results of inputs with these names; `published` and `transport` are profiles."""
    inputs = tuple(
        Input(
            name=name,
            origin="profile" if name in {"published", "transport"} else "file",
            profile=name if name in {"published", "transport"} else None,
            seed=1 if name in {"published", "transport"} else None,
            sha256="0123456789abcdef" * 4,
            bytes=123_456,
            events=5000,
            ordinary=480,
            rows=73,
            diagnostics={"torn_tail": 1} if name == HOSTILE else {},
        )
        for name in names
    )
    return Results(
        environment=ENVIRONMENT | (environment or {}),
        settings={"runs": runs, "warm_up": 0, "forms": list(FORMS), "full": False},
        command="histbench run --profile published",
        created_at="2026-01-02T03:04:05Z",
        inputs=inputs,
        samples=tuple(sample for name in names for sample in _samples(name, runs)),
    )


def without(metric: str, results: Results) -> Results:
    """The same results with nothing of one metric."""
    kept = tuple(sample for sample in results.samples if sample.metric != metric)
    return msgspec.structs.replace(results, samples=kept)
