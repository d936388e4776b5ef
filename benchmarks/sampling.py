# ruff: noqa: INP001  (beside scripts, which import it by its name)
"""What the benchmark scripts have in common: timing, cold files, samples, and the file they go to."""

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.measure.environment import read_environment
from histbench.records import Plain
from histbench.results import Input, Results, Sample, save_results
from histbench.results.model import METRIC_UNITS
from histbench.store.converting import log_chunks

__all__ = ["PEAK", "Samples", "describe_log", "forget", "gauge_machine", "save", "timed"]

# Code for a process of its own, whose peak is then nobody else's: its resident peak in bytes.
# Not getrusage, whose peak starts with that of the process that forked this one.
PEAK = 'int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024'


def forget(*paths: Path) -> None:
    """Ask the kernel to drop these files, those of them that are there, from its cache."""
    for path in paths:
        if path.exists():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def timed(work: Callable[[], object], *, before: Callable[[], object] = lambda: None) -> float:
    """Seconds that `work` takes, after `before` and a collection.

    What the benchmark itself holds is frozen, so that the collector walks what `work` makes only.
    """
    before()
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    gc.unfreeze()
    return seconds


_GAUGE = encode([{"seq": seq, "text": f"token {seq}"} for seq in range(2500)])


def gauge_machine() -> None:
    """A millisecond or two of the kind of work that is measured, always the same.

    Virtual processors share a core with a neighbour's: how fast they are changes within a second,
    by up to a half.  What this took around a sample tells at which speed the sample was taken.
    """
    json.loads(_GAUGE)


class Samples:
    """Collects samples and prints their medians as they come."""

    def __init__(self) -> None:
        self.taken: list[Sample] = []

    def add(
        self,
        name: str,
        stage: str,
        metric: str,
        values: Iterable[float],
        *,
        form: str = "",
        encoding: str = "",
    ) -> None:
        """All runs of one thing."""
        numbers = list(values)
        self.taken += [
            Sample(
                input=name,
                form=form,
                encoding=encoding,
                stage=stage,
                metric=metric,
                value=value,
                unit=METRIC_UNITS[metric],
                run=run,
            )
            for run, value in enumerate(numbers)
        ]
        median = statistics.median(numbers)
        shown = f"{median * 1000:,.2f} ms" if metric == "seconds" else f"{median:,.0f} {metric}"
        sys.stderr.write(f"{name:18} {stage:30} {form:6} {encoding:8} {shown}\n")

    def leave_out(
        self, name: str, stage: str, metric: str, why: str, *, form: str = "", encoding: str = ""
    ) -> None:
        """A hole, with its reason."""
        self.taken.append(
            Sample(
                input=name,
                form=form,
                encoding=encoding,
                stage=stage,
                metric=metric,
                value=None,
                unit=METRIC_UNITS[metric],
                note=why,
            )
        )


def describe_log(name: str, log: EventLog, *, profile: str, seed: int) -> Input:
    """A synthetic log as an input; size and digest are those of its text file, which is not made."""
    text = b"".join(log_chunks(encode(log.header), log, compressed=False, pack_chunks=True))
    records = log.records()
    ordinary = sum(isinstance(record, Plain) for record in records)
    return Input(
        name=name,
        origin="profile",
        profile=profile,
        seed=seed,
        sha256=sha256(text).hexdigest(),
        bytes=len(text),
        events=len(log),
        ordinary=ordinary,
        rows=len(records) - ordinary,
    )


def save(
    output: Path,
    *,
    settings: dict[str, Any],
    command: str,
    inputs: Sequence[Input],
    samples: Samples,
) -> None:
    """Write the results file."""
    results = Results(
        environment=read_environment(gc_enabled=True),
        settings=settings,
        command=command,
        created_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        inputs=tuple(inputs),
        samples=tuple(samples.taken),
    )
    save_results(results, output)
