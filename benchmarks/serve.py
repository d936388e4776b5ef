# ruff: noqa: INP001  (a script, not a package)
"""What the daemon bears: readers that page and follow while a writer appends.

    python benchmarks/serve.py [--readers 200] [--rate 2000] [--seconds 20] [--kill] [--runs 3]
                               [-o results/reference/serve.json]

One log, one daemon, one writer process that appends `rate` events a second in 20 batches, and
readers in a few processes of their own.  Each reader is the Python client: it loads the newest page
and follows from its watermark; every five seconds it asks for one more page back.
With `--kill` the daemon is killed with SIGKILL in the middle of each run and started again a second
later.

Every reader checks what it gets: a frame must begin where the last one ended, pages must touch, and
each event must be the one that was written.  `serve.events.wrong` and `serve.events.missing` count
what does not hold; anything but 0 is a defect, and the script then ends with exit code 1.  Stages:

    serve.live.{p50,p95,max}      from an event's making in the writer to its arrival in a reader
    serve.page.{p50,p95,max}      one page of history, 20 messages within 64 KiB, as a reader waits
    serve.resume.{p50,p95,max}    from the new daemon's first answer to a reader's first new event
    serve.events.delivered        events times readers
    memory.daemon.rss             the daemon's peak

Writer, daemon and readers share the machine's cores, so live times are those of the whole.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from hashlib import file_digest
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from histbench.client import Client
from histbench.errors import RequestFailed
from histbench.history import HistoryPage
from histbench.measure.environment import read_environment
from histbench.records import Plain
from histbench.results import Input, Results, Sample, save_results
from histbench.results.model import METRIC_UNITS
from histbench.store import LogWriter, inspect_log

SESSION = "bench"
BATCHES_PER_SECOND = 20
FIRST_EVENTS = 20_000
READER_PROCESSES = 4
PAGE_MESSAGES, PAGE_BYTES = 20, 64 * 1024
PAGE_EVERY_SECONDS = 5.0
# One frame of so many is compared event by event; of all, the watermarks and rows are proved.
COMPARED_EVERY = 50


def event(seq: int, made: float = 0.0) -> dict[str, Any]:
    """The event of that seq: the rest of a turn of 100, or what ends it."""
    turn, place = divmod(seq, 100)
    if place == 0:
        content = [{"type": "text", "text": f"question {turn}"}]
        data: dict[str, Any] = {"content": content, "role": "user", "id": f"m{seq}"}
        return {"type": "user/message", "seq": seq, "time": 1, "data": data, "surfaceOp": "append"}
    if place % 20 == 19:
        return {"type": "tick", "seq": seq, "time": 1, "data": {"made": made}, "ignorable": True}
    chunk = {"type": "text-delta", "index": 0, "text": f"word{seq % 977} "}
    data = {"turn": turn, "step": 1, "chunk": chunk}
    return {"type": "assistant/chunk", "seq": seq, "time": seq, "data": data}


def same(found: dict[str, Any]) -> bool:
    """Whether an event is the one of its seq."""
    due = event(found["seq"])
    if due["type"] == "tick":
        return found["type"] == "tick" and found["seq"] % 20 == 19
    return found == due


def write(path: str, first: int, end: int, rate: int) -> None:
    """Append the events from `first` to `end` at that rate, in the writer's process."""
    batch = rate // BATCHES_PER_SECOND
    with LogWriter.open(path, sync=False) as writer:
        due = time.time()
        for seq in range(first, end, batch):
            now = time.time()
            writer.append([event(each, now) for each in range(seq, min(seq + batch, end))])
            due += 1 / BATCHES_PER_SECOND
            time.sleep(max(0.0, due - time.time()))


class Reader:
    """One client, in a thread; `told` is what it found."""

    def __init__(self, url: str, end: "End", rng_offset: int) -> None:
        self._url = url
        self._end = end
        self._offset = rng_offset
        self.ready = threading.Event()
        self.told: dict[str, Any] = {
            "live": [],
            "page": [],
            "resume": [],
            "delivered": 0,
            "wrong": 0,
            "missing": 0,
            "resyncs": 0,
        }

    def run(self) -> None:
        """Follow to the end, and page on the way."""
        with Client(self._url, timeout_seconds=60) as client:
            page = client.history(SESSION, max_messages=PAGE_MESSAGES, max_bytes=PAGE_BYTES)
            position, oldest, frames = page.to_seq, page.from_seq, 0
            asked = time.monotonic() - PAGE_EVERY_SECONDS * (self._offset % 100) / 100
            seen = time.time()
            for told in client.follow(SESSION, position=position, give_up_seconds=60):
                now = time.time()
                if told.kind == "subscribed":
                    self.ready.set()
                elif told.kind == "resync":
                    self.told["resyncs"] += 1
                    position = told.position
                    continue
                if told.page is None:
                    continue
                self._take(told.page, position, now, whole=frames % COMPARED_EVERY == 0)
                if self._end.restarted and seen < self._end.restarted <= now:
                    self.told["resume"].append(now - self._end.restarted)
                position, frames, seen = told.position, frames + 1, now
                if position >= self._end.seq:
                    break
                if time.monotonic() - asked >= PAGE_EVERY_SECONDS:
                    asked = time.monotonic()
                    oldest = self._page(client, oldest)
            self.told["missing"] += max(0, self._end.seq - position)

    def _take(self, page: HistoryPage, position: int, now: float, *, whole: bool) -> None:
        self.told["delivered"] += page.to_seq - page.from_seq
        if page.from_seq != position:
            self.told["wrong"] += 1
        last = page.records[-1]
        if isinstance(last, Plain) and last.type == "tick":
            self.told["live"].append(now - last.event()["data"]["made"])
        if whole:
            self.told["wrong"] += sum(1 for each in page.events() if not same(each))

    def _page(self, client: Client, oldest: int) -> int:
        before = time.perf_counter()
        try:
            page = client.history(
                SESSION, before_seq=oldest, max_messages=PAGE_MESSAGES, max_bytes=PAGE_BYTES
            )
        except RequestFailed as error:
            if error.code != "connection_failed":
                raise
            return oldest
        self.told["page"].append(time.perf_counter() - before)
        self.told["wrong"] += page.to_seq != oldest
        self.told["wrong"] += sum(1 for each in page.events()[:20] if not same(each))
        return page.from_seq if page.has_more else page.to_seq


class End:
    """Where the log will end, and when the daemon came back, as the readers' process hears of it."""

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.restarted = 0.0

    def listen(self) -> None:
        """Hear lines of JSON on standard input."""
        for line in sys.stdin:
            self.restarted = json.loads(line)
        # Whoever started these readers is gone, and nobody waits for what they find.
        os._exit(1)


def read_all(url: str, readers: int, offset: int, last: int) -> None:
    """One process of readers; what they found is printed as JSON."""
    end = End(last)
    threading.Thread(target=end.listen, daemon=True).start()
    all_readers = [Reader(url, end, offset + number) for number in range(readers)]
    threads = [threading.Thread(target=reader.run) for reader in all_readers]
    for thread in threads:
        thread.start()
    for reader in all_readers:
        reader.ready.wait()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps([reader.told for reader in all_readers]) + "\n")


class Daemon:
    """The daemon in a process of its own, on one port from its first start on."""

    def __init__(self, root: Path) -> None:
        self._root, self._port, self.peak = root, 0, 0
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start, and wait for its address."""
        command = [sys.executable, "-m", "histbench", "serve", str(self._root)]
        self._process = subprocess.Popen(
            [*command, "--port", str(self._port)], stdout=subprocess.PIPE, text=True
        )
        if self._process.stdout is not None:
            self.url = self._process.stdout.readline().strip()
        self._port = int(self.url.rpartition(":")[2])

    def end(self, sig: int) -> None:
        """Note its peak, and end it."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
            found = re.search(r"VmHWM:\s+(\d+) kB", status)
            self.peak = max(self.peak, int(found[1]) * 1024 if found else 0)
        self._process.send_signal(sig)
        self._process.wait()
        self._process = None


def one_run(options: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], Path]:
    """Write, serve, read; what all readers found together, and the log."""
    with LogWriter.create(folder, session_id=SESSION, created_at=0, sync=False) as writer:
        for at in range(0, FIRST_EVENTS, 200):
            writer.append([event(seq) for seq in range(at, at + 200)])
    path = Path(writer.path)
    end = FIRST_EVENTS + round(options.rate * options.seconds)
    daemon = Daemon(folder)
    daemon.start()
    try:
        total = read_while_written(options, daemon, path, end)
    finally:
        daemon.end(signal.SIGTERM)
    return {**total, "peak": daemon.peak, "end": end}, path


def read_while_written(
    options: argparse.Namespace, daemon: Daemon, path: Path, end: int
) -> dict[str, Any]:
    """Writer and readers until every reader is at the end; what they found together."""
    share = -(-options.readers // READER_PROCESSES)
    command = [sys.executable, __file__, "--reader-process", daemon.url, str(share)]
    processes = [
        subprocess.Popen(
            [*command, str(number * 7), str(end)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(READER_PROCESSES)
    ]
    # The writer begins when every reader follows: connecting is not what is measured.
    for process in processes:
        process.stdout.readline()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        writing = pool.submit(write, str(path), FIRST_EVENTS, end, options.rate)
        if options.kill:
            time.sleep(options.seconds / 2)
            daemon.end(signal.SIGKILL)
            time.sleep(1)
            daemon.start()
            tell(processes, time.time())
        writing.result()
    found = [told for process in processes for told in json.loads(process.stdout.read() or "[]")]
    total: dict[str, Any] = {"readers": len(found)}
    for name in ("live", "page", "resume"):
        total[name] = sorted(value for told in found for value in told[name])
    for name in ("delivered", "wrong", "missing", "resyncs"):
        total[name] = sum(told[name] for told in found)
    return total


def tell(processes: Sequence["subprocess.Popen[str]"], restarted: float) -> None:
    """Tell every process of readers when the daemon came back."""
    for process in processes:
        if process.stdin is not None:
            process.stdin.write(json.dumps(restarted) + "\n")
            process.stdin.flush()


def samples_of(name: str, run: int, total: dict[str, Any]) -> Iterator[Sample]:
    """One run's samples."""

    def sample(stage: str, metric: str, value: float) -> Sample:
        return Sample(
            input=name,
            form="packed",
            encoding="identity" if stage.startswith("serve.live") else "zstd-3",
            stage=stage,
            metric=metric,
            value=value,
            unit=METRIC_UNITS[metric],
            run=run,
        )

    for what in ("live", "page", "resume"):
        values = total[what]
        if values:
            for label, place in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
                at = min(len(values) - 1, int(len(values) * place))
                yield sample(f"serve.{what}.{label}", "seconds", values[at])
    for what in ("delivered", "wrong", "missing", "resyncs"):
        yield sample(f"serve.events.{what}", "count", total[what])
    yield sample("memory.daemon.rss", "peak_bytes", total["peak"])


def describe(name: str, path: Path) -> Input:
    """The log as the results file has it."""
    found = inspect_log(path)
    members = sum(found.chunk_kinds.values()) - found.runs.get("1", 0)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return Input(
        name=name,
        origin="file",
        sha256=digest,
        bytes=found.file_bytes,
        events=found.events,
        ordinary=found.events - members,
        rows=sum(found.rows.values()),
    )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--rate", type=int, default=2000, help="events a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kill", action="store_true", help="kill the daemon in the middle")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/reference/serve.json"))
    return parser.parse_args()


def main() -> int:
    """Run, save, and say whether everything arrived."""
    if sys.argv[1:2] == ["--reader-process"]:
        read_all(sys.argv[2], *map(int, sys.argv[3:]))
        return 0
    options = parse_arguments()
    inputs, samples, wrong = [], [], 0
    for run in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            total, path = one_run(options, Path(folder))
            # Each run writes a log of its own; the last one stands for all.
            inputs = [describe("live", path)]
        run_samples = list(samples_of("live", run, total))
        samples += run_samples
        wrong += total["wrong"] + total["missing"] + total["resyncs"]
        for sample in run_samples:
            sys.stderr.write(f"run {run}  {sample.stage:24} {sample.value:,.4f} {sample.unit}\n")
    words = ["--readers", str(options.readers), "--rate", str(options.rate)]
    words += ["--seconds", f"{options.seconds:g}", "--runs", str(options.runs)]
    save_results(
        Results(
            environment=read_environment(gc_enabled=True),
            settings={
                "readers": options.readers,
                "rate": options.rate,
                "seconds": options.seconds,
                "kill": options.kill,
                "runs": options.runs,
                "reader_processes": READER_PROCESSES,
                "batches_per_second": BATCHES_PER_SECOND,
                "page_messages": PAGE_MESSAGES,
                "page_bytes": PAGE_BYTES,
            },
            command=shlex.join(
                ["python", "benchmarks/serve.py", *words, *["--kill"] * options.kill]
            ),
            created_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            inputs=tuple(inputs),
            samples=tuple(samples),
        ),
        options.output,
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    # So that what was started is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
