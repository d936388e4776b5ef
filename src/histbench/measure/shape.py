"""Sizes and counts of logs, and nothing else: no seconds, no memory, no names.

What `--stats-only` writes.  An input of somebody's is called by the beginning of its SHA-256; the
command tells no file.  Forms are proved as in the benchmark before their sizes are taken.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from histbench.errors import HistbenchError, UsageError
from histbench.history import Form
from histbench.measure.environment import read_environment
from histbench.measure.plan import Plan, Progress, Steps
from histbench.measure.runs import rank, run_lengths
from histbench.measure.samples import SampleSheet
from histbench.measure.sizes import count_json_values, count_records
from histbench.measure.stored import stored_input
from histbench.measure.subject import Proof, Source, Subject
from histbench.measure.timing import collector
from histbench.results import Input, Results, Sample

__all__ = ["count_page", "leave_out_missing", "measure_shapes"]

_NAME_DIGITS = 12


def measure_shapes(
    sources: Sequence[Source],
    plan: Plan,
    *,
    created_at: datetime | None = None,
    progress: Progress | None = None,
) -> Results:
    """The sizes and the structure of several inputs, in the forms and encodings of `plan`.

    Raises:
        UsageError: there is no input.
        InvalidData: as `run_sources`.
    """
    if not sources:
        raise UsageError("nothing to measure", code="no_input", expected="at least one input")
    created = datetime.now(UTC) if created_at is None else created_at.astimezone(UTC)
    steps = Steps(len(sources), progress)
    inputs: dict[str, Input] = {}
    samples: list[Sample] = []
    for number, source in enumerate(sources, 1):
        steps.next(f"log {number}")
        try:
            with stored_input(source.stored, source.format, table=source.log is not None) as stored:
                subject = Subject.read(source, stored=stored, allow_torn=plan.allow_torn)
                described = _without_name(subject.described)
                if described.name in inputs:
                    # The same bytes a second time.
                    continue
                inputs[described.name] = described
                with collector(enabled=False):
                    samples += _shape(described.name, subject, plan)
                subject.check_unchanged()
        except HistbenchError as error:
            error.at(file=source.path)
            raise
    kept = ("forms", "encodings")
    return Results(
        environment=read_environment(gc_enabled=plan.gc_enabled),
        settings={name: value for name, value in plan.settings().items() if name in kept},
        command="histbench run --stats-only",
        created_at=created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        inputs=tuple(inputs.values()),
        samples=tuple(samples),
    )


def _without_name(described: Input) -> Input:
    if described.profile is not None:
        return described
    name = f"log-{described.sha256[:_NAME_DIGITS]}"
    return msgspec.structs.replace(described, name=name)


def _shape(name: str, subject: Subject, plan: Plan) -> list[Sample]:
    sheet = SampleSheet(name)
    runs = sorted(run_lengths(subject.log.records()))
    counts = {"structure.deltas": sum(runs), "structure.runs": len(runs)}
    if runs:
        counts["structure.run_p50"] = rank(runs, 50) or 0
        counts["structure.run_p90"] = rank(runs, 90) or 0
        counts["structure.run_max"] = runs[-1]
    for stage, count in counts.items():
        sheet.add(stage, count, form="")
    proof = Proof(subject.log)
    for form in plan.forms:
        page = form.encode(subject.page)
        if form.lossless:
            proof.check(form, page)
        count_page(form, page, sheet)
        for encoding in plan.encodings:
            if plan.skips(encoding, len(page)):
                why = f"{encoding.name} takes minutes on {len(page):,} bytes; asked for by --full"
                sheet.leave_out(["wire"], why, form=form.name, encoding=encoding.name)
            else:
                size = len(encoding.encode(page))
                sheet.add("wire", size, form=form.name, encoding=encoding.name)
    leave_out_missing(plan, sheet)
    forms = ["", *(form.name for form in plan.forms), *(name for name, _ in plan.missing)]
    return sheet.samples(forms, [encoding.name for encoding in plan.encodings])


def count_page(form: Form, page: bytes, sheet: SampleSheet) -> None:
    """Keep the numbers of records and of JSON values of a page, or why it has none."""
    records = count_records(page) if form.is_json else None
    if records is None:
        sheet.leave_out(["records", "values"], f"{form.name} is not JSON", form=form.name)
    else:
        sheet.add("records", records, form=form.name)
        sheet.add("values", count_json_values(page), form=form.name)


def leave_out_missing(plan: Plan, sheet: SampleSheet) -> None:
    """Keep the reasons of the forms that cannot be made here."""
    for name, why in plan.missing:
        for encoding in plan.encodings:
            sheet.leave_out(["wire"], why, form=name, encoding=encoding.name)
