"""The timed rounds of one subject: its encodings, then its pipelines.

The arms of the encodings are the pairs of form and encoding; the first turn of each also gives the
wire bytes, and proves that they decode to the page.  The arms of the pipelines are a form's host
from events, host from the file, client, and baseline.  The hosts from events stand together, so
that the events, some 400 MB of dicts for a large log, are built once a round and gone again before
the next arm.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from histbench.errors import InvalidData, Place
from histbench.events import Event
from histbench.history import FORMS, Form
from histbench.measure.plan import Plan, Steps
from histbench.measure.samples import SampleSheet
from histbench.measure.stages import (
    run_baseline,
    run_client,
    run_decode,
    run_encode,
    run_host,
    run_stored,
)
from histbench.measure.subject import Subject
from histbench.measure.timing import Stopwatch, alternating, settle

__all__ = ["count_steps", "time_encodings", "time_pipelines"]


class _Arm(NamedTuple):
    kind: Literal["host", "stored", "client", "baseline"]
    form: Form


def _pipeline_arms(plan: Plan) -> list[_Arm]:
    hosts = [_Arm("host", form) for form in plan.forms]
    others: tuple[Literal["stored", "client", "baseline"], ...] = ("stored", "client", "baseline")
    arms = hosts + [
        _Arm(kind, form)
        for form in plan.forms
        for kind in others
        if form.is_json or kind != "baseline"
    ]
    # Whatever is measured, its ratio to the parser over the raw bytes must be told.
    raw = _Arm("baseline", FORMS["raw"])
    return arms if raw in arms else [*arms, raw]


def count_steps(plan: Plan) -> int:
    """How many turns both functions below take."""
    encoded = sum(each.name != "identity" for each in plan.encodings)
    arms = len(_pipeline_arms(plan)) + encoded * len(plan.forms)
    return arms * (plan.warm_up + plan.runs)


def time_encodings(
    subject: Subject, plan: Plan, pages: Mapping[str, bytes], sheet: SampleSheet, steps: Steps
) -> None:
    """Wire bytes, and seconds of `host.encode` and `client.decode`, for every form and encoding.

    Raises:
        InvalidData: `not_lossless`, if an encoding does not give the page back.
    """
    arms = []
    for form in (each.name for each in plan.forms):
        page = pages[form]
        sheet.add("wire", len(page), form=form, encoding="identity")
        for encoding in plan.encodings:
            if encoding.name == "identity":
                continue
            if plan.skips(encoding, len(page)):
                why = f"{encoding.name} takes minutes on {len(page):,} bytes; asked for by --full"
                stages = ("wire", "host.encode", "client.decode")
                sheet.leave_out(stages, why, form=form, encoding=encoding.name)
            else:
                arms.append((form, encoding))
    for run, (form, encoding) in alternating(arms, plan.runs, warm_up=plan.warm_up):
        steps.next(f"{subject.source.name}: {form} {encoding.name}")
        if encoding.slow and run != 0:
            continue
        page = pages[form]
        watch = Stopwatch()
        settle()
        encoded = run_encode(encoding, page, watch)
        decoded = run_decode(encoding, encoded, len(page), watch)
        if decoded != page:
            raise InvalidData(
                f"{encoding.name} does not give the {form} page back",
                code="not_lossless",
                where=Place(file=subject.source.path),
            )
        if run == 0:
            sheet.add("wire", len(encoded), form=form, encoding=encoding.name)
        if run >= 0:
            sheet.add_seconds(watch, form=form, encoding=encoding.name, run=run)


def time_pipelines(
    subject: Subject, plan: Plan, pages: Mapping[str, bytes], sheet: SampleSheet, steps: Steps
) -> None:
    """Seconds of the other stages of host and client, and of the baseline, for every form."""
    for form in plan.forms:
        if not form.is_json:
            sheet.leave_out(["baseline.json_loads"], f"{form.name} is not JSON", form=form.name)
    events: list[Event] | None = None
    for run, arm in alternating(_pipeline_arms(plan), plan.runs, warm_up=plan.warm_up):
        form, page = arm.form, pages[arm.form.name]
        steps.next(f"{subject.source.name}: {arm.kind} {form.name}")
        if arm.kind != "host":
            events = None
        elif events is None:
            events = list(subject.log)
        watch = Stopwatch()
        settle()
        if arm.kind == "host":
            run_host(form, events or [], watch)
        elif arm.kind == "stored":
            run_stored(form, subject.stored_path, watch)
        elif arm.kind == "client":
            run_client(form, page, watch)
        else:
            run_baseline(page, watch)
        if run >= 0:
            sheet.add_seconds(watch, form=form.name, run=run)
