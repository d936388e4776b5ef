"""Which peaks are taken of one subject: host and client of every form, and every encoder.

Host and client are traced by tracemalloc, several samples each; with memray installed all three
sides get the native peak too, which for an encoder is the only one that says anything.
"""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Literal, NamedTuple

from histbench.measure.memory import (
    PeakProcesses,
    PeakRequest,
    Side,
    native_peaks_available,
)
from histbench.measure.plan import Plan, Steps
from histbench.measure.samples import SampleSheet
from histbench.measure.subject import Subject

__all__ = ["count_peaks", "take_all_peaks"]

_NO_MEMRAY = "memray, the extra `native`, is not installed"

# A raw page takes 300 MB in each process.
_AT_ONCE = 4


class _Job(NamedTuple):
    """One process to start, or the reason why not to."""

    side: Side
    tool: Literal["traced", "native"]
    form: str
    encoding: str
    left_out: str | None


def _jobs(plan: Plan) -> Iterator[_Job]:
    no_memray = None if native_peaks_available() else _NO_MEMRAY
    sides: tuple[Side, ...] = ("host", "client")
    for form in (each.name for each in plan.forms):
        for side in sides:
            yield _Job(side, "traced", form, "", None)
            yield _Job(side, "native", form, "", no_memray)
        for encoding in plan.encodings:
            if encoding.name == "identity":
                continue
            skipped = f"{encoding.name} is slow; asked for by --full" if encoding.slow else None
            left_out = no_memray or (None if plan.full else skipped)
            if encoding.dictionary is not None:
                # The process that takes a peak knows encodings by their names.
                left_out = f"{encoding.name} needs a dictionary"
            yield _Job("encode", "native", form, encoding.name, left_out)


def count_peaks(plan: Plan) -> int:
    """How many steps `take_all_peaks` takes."""
    return sum(not job.left_out for job in _jobs(plan)) if plan.memory_samples else 0


def take_all_peaks(
    subject: Subject, plan: Plan, pages: Mapping[str, bytes], sheet: SampleSheet, steps: Steps
) -> None:
    """Peak bytes for every form and side, each from a fresh process.

    Raises:
        HistbenchError: `memory_worker_failed`.
    """
    wanted = []
    for job in _jobs(plan) if plan.memory_samples else ():
        if job.left_out:
            stage = f"memory.{job.side}.native"
            sheet.leave_out([stage], job.left_out, form=job.form, encoding=job.encoding)
        else:
            wanted.append(job)
    # Unlike seconds, peaks do not mind a neighbour.
    pool = ThreadPoolExecutor(min(_AT_ONCE, os.cpu_count() or 1))
    with PeakProcesses() as processes:
        try:
            running = {}
            for job in wanted:
                page = b"" if job.side == "host" else pages[job.form]
                request = _request(job, subject, plan)
                running[pool.submit(processes.measure, request, page)] = job
            for future in as_completed(running):
                job = running[future]
                steps.next(f"{subject.source.name}: memory of {job.side} {job.form}")
                for kind, peaks in future.result().items():
                    stage = f"memory.{job.side}.{kind}"
                    for run, peak in enumerate(peaks):
                        sheet.add(stage, peak, form=job.form, encoding=job.encoding, run=run)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    pool.shutdown()


def _request(job: _Job, subject: Subject, plan: Plan) -> PeakRequest:
    return PeakRequest(
        side=job.side,
        tool=job.tool,
        form=job.form,
        encoding=job.encoding,
        path=subject.stored_path,
        samples=plan.memory_samples,
        gc_enabled=plan.gc_enabled,
    )
