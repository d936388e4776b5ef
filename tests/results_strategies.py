"""Results to test with: one small example, and strategies for all that a file may hold."""

from typing import Any

from hypothesis import strategies as st

from histbench.results import METRIC_UNITS, Input, Results, Sample

__all__ = ["any_results", "small_results"]

ENVIRONMENT: dict[str, str | int | float | bool | None] = {
    "cpu_model_name": "CPU",
    "gc": "on",
    "library.zlib": "1.3",
    "library.zstd": "1.5.7",
    "load_avg_1min": 0.5,
    "python_version": "3.11.7",
}


def small_results(
    *, environment: dict[str, Any] | None = None, sha256: str = "a" * 64, **medians: float | None
) -> Results:
    """Results of one input with one series for each of `medians`, called FORM_METRIC."""
    samples = []
    for name, value in medians.items():
        form, _, metric = name.partition("_")
        samples.append(
            Sample(
                input="log.jsonl",
                form=form,
                encoding="gzip-6" if metric == "bytes" else "",
                stage="wire",
                metric=metric,  # type: ignore[arg-type]
                value=value,
                unit=METRIC_UNITS[metric],  # type: ignore[arg-type]
                note="left out" if value is None else None,
            )
        )
    return Results(
        environment=ENVIRONMENT | (environment or {}),
        settings={"runs": 1},
        command="histbench run log.jsonl",
        created_at="2026-01-02T03:04:05Z",
        inputs=(
            Input(
                name="log.jsonl",
                origin="file",
                sha256=sha256,
                bytes=1,
                events=1,
                ordinary=1,
                rows=0,
            ),
        ),
        samples=tuple(samples),
    )


names = st.text(st.characters(exclude_characters="/\\", codec="utf-8"), min_size=1, max_size=8)
scalars = st.one_of(
    st.text(max_size=5), st.integers(0, 9), st.booleans(), st.none(), st.floats(0, 1)
)


@st.composite
def any_results(draw: st.DrawFn) -> Results:
    """Anything that a results file may hold."""
    inputs = draw(
        st.lists(
            st.builds(
                Input,
                name=names,
                sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
                bytes=st.integers(0, 2**40),
                events=st.integers(0, 2**53 - 1),
                ordinary=st.integers(0, 9),
                rows=st.integers(0, 9),
                diagnostics=st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=2),
            ),
            max_size=3,
            unique_by=lambda each: each.name,
        )
    )
    samples = [
        Sample(
            input=draw(st.sampled_from(inputs)).name,
            form=draw(st.sampled_from(["raw", "packed", ""])),
            encoding=draw(st.sampled_from(["gzip-6", ""])),
            stage=draw(names),
            metric=(metric := draw(st.sampled_from(sorted(METRIC_UNITS)))),  # type: ignore[arg-type]
            unit=METRIC_UNITS[metric],  # type: ignore[arg-type]
            value=(value := draw(st.none() | st.integers(0, 2**53 - 1) | st.floats(0, 2.0**53))),
            run=run,
            note="left out" if value is None else None,
        )
        for run in range(draw(st.integers(0, 5)) if inputs else 0)
    ]
    maps: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
        st.text(max_size=5), scalars, max_size=4
    )
    return Results(
        environment=draw(maps),
        settings=draw(maps),
        command=draw(st.text(max_size=20)),
        created_at="2026-01-02T03:04:05Z",
        inputs=tuple(inputs),
        samples=tuple(samples),
    )
