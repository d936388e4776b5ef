"""The transport benchmark: inputs in, Results out.

For each input, in this order: read it; encode it in every form and prove the lossless ones; count;
time the encodings; time the pipelines; time the pages; take the peaks; ask the other clients; see
that the file is still the one that was read.  What is left out is in the results as a sample without a value and with the
reason.
"""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from histbench.errors import HistbenchError, UsageError
from histbench.history import FORMS
from histbench.measure.environment import read_environment
from histbench.measure.javascript import count_javascript, find_clients, measure_javascript
from histbench.measure.pages import count_page_steps, time_pages
from histbench.measure.peaks import count_peaks, take_all_peaks
from histbench.measure.plan import Plan, Progress, Steps
from histbench.measure.rounds import count_steps, time_encodings, time_pipelines
from histbench.measure.samples import SampleSheet
from histbench.measure.shape import count_page, leave_out_missing
from histbench.measure.stored import stored_input
from histbench.measure.subject import Proof, Source, Subject
from histbench.measure.timing import collector
from histbench.results import Input, Results, Sample

__all__ = ["run_benchmark", "run_sources"]


def run_benchmark(
    path: str | os.PathLike[str],
    *,
    forms: Iterable[str] | None = None,
    encodings: Iterable[str] | None = None,
    runs: int = 3,
    memory_samples: int = 3,
    full: bool = False,
    gc_enabled: bool = True,
    progress: Progress | None = None,
) -> Results:
    """The results of the transport benchmark on one session file.

    Args:
        path: a session file in any layout that `read_log` reads, or a recording in one of
            `importers.FORMATS`.
        forms: names from `history.FORMS` or of rivals (`measure.rivals`), or `all`; those of
            `FORMS` for None.
        encodings: names from `encodings.ENCODINGS`; all of them for None.
        runs: timed runs of every arm.
        memory_samples: traced peaks of every form and side; 0 takes no peaks at all.
        full: let slow encodings work on large pages too.
        gc_enabled: whether Python's garbage collector is on while stages are timed.
        progress: called with steps done, steps in all, and the next step's label.

    Raises:
        UsageError: an unknown form or encoding, or no runs.
        InvalidData: the file is no log, a form is not lossless on it, or it changed meanwhile.
    """
    plan = Plan.of_names(
        forms=forms,
        encodings=encodings,
        runs=runs,
        memory_samples=memory_samples,
        full=full,
        gc_enabled=gc_enabled,
    )
    return run_sources([Source.of_file(path)], plan, progress=progress)


def run_sources(
    sources: Sequence[Source],
    plan: Plan,
    *,
    command: str = "run_benchmark",
    created_at: datetime | None = None,
    progress: Progress | None = None,
) -> Results:
    """The results of several inputs, measured one after the other; see `run_benchmark`.

    Args:
        sources: at least one; a name that occurs twice gets a number.
        plan: what to measure.
        command: what was asked for, without paths, for the results file.
        created_at: the time to record; now for None.
        progress: as in `run_benchmark`.
    """
    if not sources:
        raise UsageError("nothing to measure", code="no_input", expected="at least one input")
    find_clients(plan.clients)
    created = datetime.now(UTC) if created_at is None else created_at.astimezone(UTC)
    per_source = 2 + count_steps(plan) + count_page_steps(plan) + count_peaks(plan)
    per_source += count_javascript(plan)
    steps = Steps(per_source * len(sources), progress)
    inputs, samples = [], []
    versions: dict[str, str] = {}
    for source in _with_own_names(sources):
        try:
            described, taken = _run_source(source, plan, steps, versions)
        except HistbenchError as error:
            error.at(file=source.path)
            raise
        inputs.append(described)
        samples.extend(taken)
    return Results(
        environment=dict(
            sorted({**read_environment(gc_enabled=plan.gc_enabled), **versions}.items())
        ),
        settings=plan.settings(),
        command=command,
        created_at=created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        inputs=tuple(inputs),
        samples=tuple(samples),
    )


def _with_own_names(sources: Iterable[Source]) -> list[Source]:
    """The sources with names that differ: stores call every log session.jsonl."""
    named: dict[str, Source] = {}
    for source in sources:
        name, number = source.name, 1
        while name in named:
            number += 1
            name = f"{source.name}#{number}"
        named[name] = msgspec.structs.replace(source, name=name)
    return list(named.values())


def _run_source(
    source: Source, plan: Plan, steps: Steps, versions: dict[str, str]
) -> tuple[Input, list[Sample]]:
    steps.next(f"{source.name}: reading")
    with stored_input(source.stored, source.format, table=source.log is not None) as stored:
        subject = Subject.read(source, stored=stored, allow_torn=plan.allow_torn)
        return _run_subject(subject, plan, steps, versions)


def _run_subject(
    subject: Subject, plan: Plan, steps: Steps, versions: dict[str, str]
) -> tuple[Input, list[Sample]]:
    source = subject.source
    sheet = SampleSheet(source.name)
    steps.next(f"{source.name}: proving that every form holds it")
    # Untimed, and it makes millions of short-lived dicts without a cycle among them.
    with collector(enabled=False):
        pages = _encode_pages(subject, plan, sheet)
    with collector(enabled=plan.gc_enabled):
        time_encodings(subject, plan, pages, sheet, steps)
        time_pipelines(subject, plan, pages, sheet, steps)
        time_pages(subject, plan, sheet, steps)
    take_all_peaks(subject, plan, pages, sheet, steps)
    versions |= measure_javascript(source.name, plan, pages, sheet, steps)
    subject.check_unchanged()
    leave_out_missing(plan, sheet)
    names = [encoding.name for encoding in plan.encodings]
    forms = [*pages, *(name for name, _ in plan.missing)]
    return subject.described, sheet.samples(forms, names)


def _encode_pages(subject: Subject, plan: Plan, sheet: SampleSheet) -> dict[str, bytes]:
    """The page bytes of every form, proved and counted; those of `raw` in any case."""
    proof = Proof(subject.log)
    pages = {"raw": FORMS["raw"].encode(subject.page)}
    for form in plan.forms:
        page = pages[form.name] = pages.get(form.name) or form.encode(subject.page)
        if form.lossless:
            proof.check(form, page)
        count_page(form, page, sheet)
    return pages
