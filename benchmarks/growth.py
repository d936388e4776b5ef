# ruff: noqa: INP001  (a script, not a package)
"""How bytes, time and memory grow with the length of a log, from a thousand events to ten million.

    python benchmarks/growth.py [--sizes 1e3,1e4,1e5,1e6,1e7] [--runs 3] [-o results/reference/growth.json]

The logs are beginnings of one synthetic session; past its end it begins again, with new seqs and
later times.  A repetition lies further back than zstd-3 looks, so it flatters no encoding.
Nothing is fitted here; every sample is kept.  Stages, beside those of `histbench run`:

    host.pack     events to a page, under `packed` for all forms that start from one; the events are
                  made while the clock stands still, since ten million dicts fit no memory
    page.wire     bytes of the newest page of 50 messages

The form `raw` ends at a million events, and the results say why; beyond that everything is taken
once.  All forms must fold to the same state, in every run and at every size.
"""

import argparse
import shlex
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sampling import Samples, save

from histbench.encodings import find_encoding
from histbench.events import Event
from histbench.history import FORMS, Form, encode_page, select_page, whole_page
from histbench.log import EventLog
from histbench.measure.memory import PeakProcesses, PeakRequest
from histbench.measure.pages import run_page
from histbench.measure.stages import run_client, run_host
from histbench.measure.timing import Stopwatch, alternating, collector, settle
from histbench.store import read_log
from store import PROFILE, SEED, describe, write_repeated
from synthetic import generate, session_header

NAMES = ("raw", "packed", "joined", "lean")
SERVED = ("packed", "joined", "lean")
ENCODINGS = ("identity", "zstd-3")
RAW_EVENTS_MAX = 1_000_000
# Events that stand as dicts at a time while a log is packed anew: some 200 MB of them.
EXPANDED_AT_ONCE = 200_000
PAGE_MESSAGES = 50

Seconds = dict[tuple[str, str], list[float]]


class Events:
    """The events of a log, one by one, and how long it took to make them."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.seconds = 0.0

    def __iter__(self) -> Iterator[Event]:
        for start in range(0, len(self._log), EXPANDED_AT_ONCE):
            began = time.perf_counter()
            events = list(self._log[start : start + EXPANDED_AT_ONCE])
            self.seconds += time.perf_counter() - began
            yield from events


def time_pack(log: EventLog, seconds: Seconds) -> None:
    """`host.pack` of the forms that start from a packed page, and `host.serialise` of each."""
    events = Events(log)
    settle()
    began = time.perf_counter()
    page = whole_page(EventLog.from_events(events))
    seconds["packed", "host.pack"].append(time.perf_counter() - began - events.seconds)
    for name in SERVED:
        watch = Stopwatch()
        settle()
        watch.time("host.serialise", FORMS[name].encode, page)
        keep(watch, name, seconds)


def keep(watch: Stopwatch, form: str, seconds: Seconds) -> None:
    """What the watch took, beside what was taken before."""
    for stage, taken in watch.seconds.items():
        seconds[form, stage].append(taken)


def time_client(form: Form, data: bytes, seconds: Seconds) -> Any:
    """The client's stages; the state, without what only some forms can count."""
    watch = Stopwatch()
    settle()
    state = run_client(form, data, watch)
    keep(watch, form.name, seconds)
    return state.without_counts()


def time_rounds(log: EventLog, pages: dict[str, bytes], runs: int) -> Seconds:
    """Every stage, so many times; forms take turns, and every second run goes backwards."""
    seconds: Seconds = defaultdict(list)
    folded: Any = None
    with collector(enabled=True):
        for _, name in alternating((*pages, ""), runs):
            if not name:
                time_pack(log, seconds)
                continue
            if name == "raw":
                events, watch = list(log), Stopwatch()
                settle()
                run_host(FORMS[name], events, watch)
                keep(watch, name, seconds)
                del events
            else:
                watch = Stopwatch()
                settle()
                run_page(log, name, watch)
                keep(watch, name, seconds)
            state = time_client(FORMS[name], pages[name], seconds)
            folded = state if folded is None else folded
            if state != folded:
                sys.exit(f"{name} folds to another state")
    return seconds


def measure_size(samples: Samples, path: Path, name: str, runs: int) -> None:
    """Everything of one log."""
    log = read_log(path)
    forms = [form for form in NAMES if form != "raw" or len(log) <= RAW_EVENTS_MAX]
    pages = {form: FORMS[form].encode(whole_page(log)) for form in forms}
    for form, data in pages.items():
        for encoding in ENCODINGS:
            size = len(find_encoding(encoding).encode(data))
            samples.add(name, "wire", "bytes", [size], form=form, encoding=encoding)
    newest = select_page(log, max_messages=PAGE_MESSAGES)
    for form in SERVED:
        samples.add(name, "page.wire", "bytes", [len(encode_page(newest, form))], form=form)
    for (form, stage), values in time_rounds(log, pages, runs).items():
        samples.add(name, stage, "seconds", values, form=form)
    if "raw" not in pages:
        leave_out_raw(samples, name)
    measure_peaks(samples, name, pages, runs)


def leave_out_raw(samples: Samples, name: str) -> None:
    """Holes with a reason where `raw` was not measured."""
    why = (
        f"raw is measured up to {RAW_EVENTS_MAX:,} events: at ten times that the page alone takes two "
        "gigabytes, and the envelopes of its host several times as much"
    )
    for stage, metric in (
        ("host.pack", "seconds"),
        ("client.total", "seconds"),
        ("memory.client.traced", "peak_bytes"),
        ("memory.client.rss", "peak_bytes"),
    ):
        samples.leave_out(name, stage, metric, why, form="raw")
    for encoding in ENCODINGS:
        samples.leave_out(name, "wire", "bytes", why, form="raw", encoding=encoding)


def measure_peaks(samples: Samples, name: str, pages: dict[str, bytes], runs: int) -> None:
    """The client's peaks, in processes of their own."""
    with PeakProcesses() as processes:
        for form, data in pages.items():
            request = PeakRequest(side="client", tool="traced", form=form, samples=runs)
            for kind, values in processes.measure(request, data).items():
                samples.add(name, f"memory.client.{kind}", "peak_bytes", values, form=form)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="1e3,1e4,1e5,1e6,1e7", help="events, smallest first")
    parser.add_argument("--runs", type=int, default=3, help="beyond a million events one")
    parser.add_argument("--folder", type=Path, help="where the logs are made (default: temporary)")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/reference/growth.json"))
    return parser.parse_args()


def main() -> None:
    """Make the logs one after the other, measure, write the results."""
    options = parse_arguments()
    samples, inputs = Samples(), []
    base = EventLog.from_events(generate(PROFILE, SEED), header=session_header(PROFILE, SEED))
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        for size in (round(float(text)) for text in options.sizes.split(",")):
            name, path = f"{PROFILE}-{size}", Path(made) / f"{size}.jsonl.zstd"
            write_repeated(path, base, size)
            inputs.append(describe(name, path))
            runs = 1 if size > RAW_EVENTS_MAX else options.runs
            measure_size(samples, path, name, runs)
            path.unlink()
    save(
        options.output,
        settings={
            "sizes": options.sizes,
            "runs": options.runs,
            "raw_events_max": RAW_EVENTS_MAX,
            "page_messages": PAGE_MESSAGES,
            "repeated_events": len(base),
        },
        command=shlex.join(["python", "benchmarks/growth.py", "--sizes", options.sizes]),
        inputs=inputs,
        samples=samples,
    )


if __name__ == "__main__":
    main()
