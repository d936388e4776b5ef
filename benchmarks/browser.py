# ruff: noqa: INP001  (a script, not a package)
"""What opening and scrolling a session cost in Chromium, through the real shell and daemon.

    python benchmarks/browser.py [--runs 5] [--turns 20000] [--chromium PATH]
                                 [-o results/reference/browser.json]

The synthetic `transport` session, 416,756 events, is written as a stored log and served by
`histbench serve`.  Each run is a browser of its own, with empty caches, in a window of 1280 by 800.
`form` says what is opened:

    transcript                 the shell, at the session's address: its newest pages, 100 records or
                               4 MiB of the log each, until the window is full
    raw, packed, joined, lean  a history page in this form, in the same document, by the shell's own
                               modules: fetched, parsed, validated, folded, and its newest blocks
                               shown within the shell's bounds

`newest` has the events of the blocks that the shell fills its window with, `whole` the whole log.
Stages:

    open.newest.text, open.whole.text    from the navigation to the first paint of a text of the
                                         transcript, by the browser's own entry of it
    open.first.text                      the same of a log that nobody has opened before, by a
                                         daemon that was just started
    open.*.fetch ... open.*.show         its parts; what is left is the document and its modules
    open.*.encoded, open.*.decoded       bytes of the answers, until nothing more is asked for
    open.*.files                         bytes of the document and its modules, encoded
    open.*.heap                          V8's heap with the page shown, collected
    open.*.heap_peak                     the most it held: after each part, and every few
                                         milliseconds when nothing else runs
    open.*.rss                           the peak of the browser's process that shows the page

A transcript of so many turns of two records is then scrolled from its end to its start, page after
page of 100 records, as a reader does:

    scroll.heap.<turn>                  the heap when this turn is reached, collected
    scroll.heap_peak, scroll.rss        as above
    scroll.blocks, scroll.nodes         the most blocks and elements that were there at once
    scroll.pages, scroll.drift          pages that came; pixels that what was read moved meanwhile
    scroll.time                         from end to start

Nothing is asserted; every sample is kept.  The daemon has been asked for each page once before,
but for `open.first`.  Browser and daemon share the machine's cores.  What is done in the page is in
`browser.js`, beside this file.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import sync_playwright
from sampling import Samples, save

from histbench.client import Client
from histbench.results import Input
from histbench.store import LogWriter, inspect_log
from synthetic import generate, session_header

PROFILE, SEED = "transport", 1
FORMS = ("raw", "packed", "joined", "lean")
PARTS = ("fetch", "parse", "validate", "fold", "show")
LONG = "20000000-0000-4000-8000-000000000000"
TEXT = "A sentence that is long enough to be a line of its own in the column. " * 3
TURNS_BETWEEN_LOOKS = 1000
WINDOW = {"width": 1280, "height": 800}
IN_PAGE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
BATCH = 10_000
# A raw page of the whole log takes seconds, on a slow machine many.
TIMEOUT_MS = 180_000
QUIET_MS = 300
FLAGS = [
    # A container's root has no sandbox, and its /dev/shm is small.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--js-flags=--expose-gc",
    "--enable-precise-memory-info",
]


@contextmanager
def daemon(root: Path) -> Iterator[str]:
    """A daemon over `root`; its address."""
    command = [sys.executable, "-m", "histbench", "serve", str(root), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        # Piped, as it was asked for; the types do not know that.
        yield process.stdout.readline().strip()  # type: ignore[union-attr]
    finally:
        process.terminate()
        process.wait()


class Tab:
    """A page of a browser of its own."""

    def __init__(self, browser: Any, address: str, run_first: str) -> None:
        self._browser = browser
        self.page = browser.new_context(viewport=WINDOW).new_page()
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.add_init_script(f"{IN_PAGE}\n{run_first}")
        self.page.goto(address)

    def wait_for_text(self) -> float:
        """Until a text was painted; when that was, in seconds since the navigation."""
        while not (painted := self.page.evaluate("bench.painted")):
            self.page.wait_for_timeout(20)
        return float(painted) / 1000

    def wait_until_quiet(self) -> None:
        """Until nothing has come for a while, nor is waited for."""
        seen = -1
        while (count := self.page.evaluate("bench.awaited()")) != seen:
            seen = count
            self.page.wait_for_timeout(QUIET_MS)

    def resident_peak(self) -> int:
        """The peak of the largest process that draws pages."""
        session = self._browser.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        peaks = [_resident_peak(each["id"]) for each in processes if each["type"] == "renderer"]
        return max(peaks)


def _resident_peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


class Bench:
    """Opens tabs and gathers what they tell."""

    def __init__(self, playwright: Any, chromium: str | None, runs: int) -> None:
        self._playwright = playwright
        self._chromium = chromium or shutil.which("chromium")
        self.runs = runs
        self.version = ""
        self.newest_events = 0
        self.samples = Samples()

    @contextmanager
    def tab(self, address: str, run_first: str = "") -> Iterator[Tab]:
        """A tab that is gone afterwards, with its browser."""
        browser = self._playwright.chromium.launch(executable_path=self._chromium, args=FLAGS)
        self.version = browser.version
        try:
            yield Tab(browser, address, run_first)
        finally:
            browser.close()

    def opened(self, address: str, run_first: str = "") -> dict[str, float]:
        """What one opening costs, by the end of its stage's name."""
        with self.tab(address, run_first) as tab:
            seconds = tab.wait_for_text()
            tab.wait_until_quiet()
            found = tab.page.evaluate(
                "() => ({ ...bench.sizes(), heap_peak: bench.peak, heap: bench.held(),"
                " marks: bench.marks })"
            )
            marks = {part: value / 1000 for part, value in found.pop("marks").items()}
            return {"text": seconds, **marks, **found, "rss": tab.resident_peak()}

    def open_all(self, scope: str, openings: dict[str, Callable[[], dict[str, float]]]) -> None:
        """Every form in every run, every second run backwards."""
        taken: dict[str, list[dict[str, float]]] = {form: [] for form in openings}
        for run in range(self.runs):
            for form in list(openings)[:: -1 if run % 2 else 1]:
                taken[form].append(openings[form]())
        for form, runs in taken.items():
            for name in runs[0]:
                metric = _metric_of(name)
                values = [each[name] for each in runs]
                self.samples.add(PROFILE, f"open.{scope}.{name}", metric, values, form=form)


def _metric_of(name: str) -> str:
    if name in {"text", *PARTS}:
        return "seconds"
    return "peak_bytes" if name in {"heap_peak", "rss"} else "bytes"


def write_log(root: Path) -> tuple[Path, Input]:
    """The profile as a stored log."""
    header = session_header(PROFILE, SEED)
    events = generate(PROFILE, SEED)
    with LogWriter.create(
        root, session_id=PROFILE, created_at=header["createdAt"], cwd=header["cwd"], sync=False
    ) as writer:
        while batch := list(islice(events, BATCH)):
            writer.append(batch)
    found = inspect_log(writer.path)
    members = sum(found.chunk_kinds.values()) - found.runs.get("1", 0)
    return writer.path, Input(
        name=PROFILE,
        origin="profile",
        profile=PROFILE,
        seed=SEED,
        sha256=_digest(writer.path),
        bytes=found.file_bytes,
        events=found.events,
        ordinary=found.events - members,
        rows=sum(found.rows.values()),
    )


def write_transcript(root: Path, turns: int) -> Input:
    """A transcript of questions `r0`, `r2`, ... and their answers."""
    path = root / "project" / "chats" / f"{LONG}.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for at in range(turns * 2):
            role = "assistant" if at % 2 else "user"
            record = {
                "uuid": f"r{at}",
                "parentUuid": f"r{at - 1}" if at else None,
                "sessionId": LONG,
                "timestamp": "2026-01-02T03:04:05.678Z",
                "type": role,
                "message": {"role": role, "parts": [{"text": f"{TEXT}{at}"}]},
            }
            file.write(json.dumps(record) + "\n")
    return Input(
        name=f"{turns} turns",
        origin="file",
        sha256=_digest(path),
        bytes=path.stat().st_size,
        events=turns * 2,
        ordinary=turns * 2,
        rows=0,
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def newest_events(bench: Bench, url: str) -> int:
    """How many events the shell's blocks cover when it has filled its window."""
    with bench.tab(f"{url}/#/session/{PROFILE}") as tab:
        tab.wait_for_text()
        tab.wait_until_quiet()
        first = tab.page.locator("#blocks article").first.get_attribute("data-record")
    with Client(url) as client:
        loaded = client.load(PROFILE, page_size=1)
    return int(loaded.last_event_id) - int(first.removeprefix("seq:"))


def measure_opening(bench: Bench, url: str) -> None:
    """The shell against history pages, of the same events and of all."""
    session = f"{url}/#/session/{PROFILE}"

    def history(form: str, limits: str) -> Callable[[], dict[str, float]]:
        path = f"/session/{PROFILE}/history?form={form}{limits}"
        with urlopen(url + path) as answer:  # noqa: S310  (our own daemon)
            answer.read()
        script = f"bench.open({json.dumps(path)}, {json.dumps(form)})"
        return lambda: bench.opened(f"{url}/", script)

    bench.newest_events = newest_events(bench, url)
    newest = f"&maxEvents={bench.newest_events}"
    pages = {form: history(form, newest) for form in FORMS}
    bench.open_all("newest", {"transcript": lambda: bench.opened(session), **pages})
    bench.open_all("whole", {form: history(form, "") for form in FORMS})


def measure_first(bench: Bench, log: Path) -> None:
    """The log without any index, and a daemon that has seen nothing."""
    values = []
    for _ in range(bench.runs):
        with tempfile.TemporaryDirectory(dir=log.parents[3]) as made:
            copy = Path(made) / log.relative_to(log.parents[2])
            copy.parent.mkdir(parents=True)
            shutil.copy(log, copy)
            with daemon(Path(made)) as url:
                values.append(bench.opened(f"{url}/#/session/{PROFILE}")["text"])
    bench.samples.add(PROFILE, "open.first.text", "seconds", values, form="transcript")


def measure_scrolling(bench: Bench, url: str, name: str) -> None:
    """From the end of the long transcript to its start, once: it takes a while."""
    with bench.tab(f"{url}/#/session/{LONG}") as tab:
        tab.wait_for_text()
        seconds, told = tab.page.evaluate(
            "async (every) => { const start = performance.now();"
            " const told = await bench.scroll(every);"
            " return [(performance.now() - start) / 1000, told]; }",
            TURNS_BETWEEN_LOOKS,
        )
        for turn, heap in told["heap"]:
            bench.samples.add(name, f"scroll.heap.{turn}", "bytes", [heap])
        for what in ("blocks", "nodes", "pages", "drift"):
            bench.samples.add(name, f"scroll.{what}", "count", [told[what]])
        bench.samples.add(name, "scroll.heap_peak", "peak_bytes", [tab.page.evaluate("bench.peak")])
        bench.samples.add(name, "scroll.rss", "peak_bytes", [tab.resident_peak()])
        bench.samples.add(name, "scroll.time", "seconds", [seconds])


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="browsers for each figure (5)")
    parser.add_argument("--turns", type=int, default=20_000, help="of the long transcript (20000)")
    parser.add_argument("--chromium", help="the program (default: the first on the path)")
    parser.add_argument("--folder", type=Path, help="where files are made (default: temporary)")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/reference/browser.json"))
    return parser.parse_args()


def main() -> None:
    """Make the sessions, measure, write the results."""
    options = parse_arguments()
    with (
        tempfile.TemporaryDirectory(dir=options.folder) as made,
        sync_playwright() as playwright,
    ):
        root = Path(made) / "root"
        log, described = write_log(root)
        inputs = [described, write_transcript(root, options.turns)]
        bench = Bench(playwright, options.chromium, options.runs)
        measure_first(bench, log)
        with daemon(root) as url:
            measure_opening(bench, url)
            measure_scrolling(bench, url, inputs[1].name)
    save(
        options.output,
        settings={
            "runs": options.runs,
            "turns": options.turns,
            "newest_events": bench.newest_events,
            "chromium": bench.version,
        },
        command=shlex.join(["python", "benchmarks/browser.py", "--runs", str(options.runs)]),
        inputs=inputs,
        samples=bench.samples,
    )


if __name__ == "__main__":
    main()
