"""What pages of an open log cost: choosing one, shipping it, proving it, stitching many.

    page.expand     the open log as one dict for every event, which a host that pages over events
                    has to make first; what the other stages are to be held against
    page.serve      the newest page of 50 messages, as packed bytes: page.select, page.serialise
    page.validate   those bytes as a proved page again, per form that a client is served
    page.stitch_N   a client's window grown from N proved pages that together are the log

A log of few messages is one page, whatever its length, so the pages to stitch are cut by events:
N of the same number, whatever they hold.  They are decoded before the clock starts: what is timed
is the window's work, and reading its records at the end.
"""

from collections.abc import Mapping

from histbench.history import (
    DEFAULT_MAX_MESSAGES,
    FORMS,
    HistoryPage,
    HistoryWindow,
    decode_page,
    encode_page,
    select_page,
)
from histbench.log import EventLog
from histbench.measure.plan import Plan, Steps
from histbench.measure.samples import SampleSheet
from histbench.measure.subject import Subject
from histbench.measure.timing import Stopwatch, alternating, settle

__all__ = [
    "count_page_steps",
    "pages_to_stitch",
    "run_expand",
    "run_page",
    "run_stitch",
    "time_pages",
]

# Forms whose pages a host serves; the others are the benchmark's rivals.
_SERVED = ("packed", "joined", "lean")

_STITCHED = (1, 10, 100)

# The form that a sample is listed under where pages are not shipped at all.
_OWN_FORM = "packed"


def _arms(plan: Plan) -> list[str | int]:
    """What takes turns: the forms of a page, expanding, and each number of pages to stitch."""
    forms = [form.name for form in plan.forms if form.name in _SERVED]
    return [*forms, "expand", *_STITCHED] if _OWN_FORM in forms else list(forms)


def count_page_steps(plan: Plan) -> int:
    """How many turns `time_pages` takes."""
    return len(_arms(plan)) * (plan.warm_up + plan.runs)


def time_pages(subject: Subject, plan: Plan, sheet: SampleSheet, steps: Steps) -> None:
    """Seconds of every stage above; the subject's log is open already."""
    arms = _arms(plan)
    stitched: Mapping[int, list[HistoryPage]] = {
        number: pages_to_stitch(subject.log, number) for number in _STITCHED if number in arms
    }
    for run, arm in alternating(arms, plan.runs, warm_up=plan.warm_up):
        steps.next(f"{subject.source.name}: page {arm}")
        watch = Stopwatch()
        settle()
        if isinstance(arm, int):
            run_stitch(stitched[arm], arm, watch)
        elif arm == "expand":
            run_expand(subject.log, watch)
        else:
            run_page(subject.log, arm, watch)
        if run >= 0:
            form = arm if arm in _SERVED else _OWN_FORM
            sheet.add_seconds(watch, form=str(form), run=run)


def run_expand(log: EventLog, watch: Stopwatch) -> None:
    """`page.expand`."""
    watch.time("page.expand", list, log)


def run_page(log: EventLog, form: str, watch: Stopwatch) -> HistoryPage:
    """`page.serve` and what it is made of, then `page.validate`; the page."""

    def serve() -> bytes:
        page = watch.time("page.select", select_page, log, max_messages=DEFAULT_MAX_MESSAGES)
        return watch.time("page.serialise", encode_page, page, form)

    data = watch.time("page.serve", serve)
    chosen = FORMS[form]
    return watch.time("page.validate", lambda: chosen.validate(chosen.parse(data)))


def pages_to_stitch(log: EventLog, number: int) -> list[HistoryPage]:
    """At most `number` decoded pages of the log, newest first."""
    max_events = max(1, -(-len(log) // number))
    pages: list[HistoryPage] = []
    before_seq: int | None = None
    while not pages or pages[-1].has_more:
        # As many messages as events: only the number of events cuts.
        page = select_page(
            log, before_seq=before_seq, max_messages=max_events, max_events=max_events
        )
        pages.append(decode_page(encode_page(page), max_bytes=None))
        before_seq = page.from_seq
    return pages


def run_stitch(pages: list[HistoryPage], number: int, watch: Stopwatch) -> HistoryWindow:
    """`page.stitch_<number>`; the window that holds all pages."""

    def stitch() -> HistoryWindow:
        window = HistoryWindow("stitch")
        window.open()
        for page in pages:
            (request,) = window.take_requests()
            window.receive(request, page)
            window.load_older()
        window.records()
        return window

    return watch.time(f"page.stitch_{number}", stitch)
