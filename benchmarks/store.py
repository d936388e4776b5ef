# ruff: noqa: INP001  (a script, not a package)
"""What the session store costs: appending, reading, paging and verifying logs of three sizes.

    python benchmarks/store.py [--sizes 0.4,4,40] [--runs 5] [--folder F] [-o results/reference/store.json]

Logs of about so many million events are made from one synthetic session by repeating it with new
seqs, in frames of 128 KiB of lines.  Only whole sessions are repeated, so all logs end alike and
their newest pages hold the same events.  Nothing is asserted; every sample is kept.  Stages:

    store.append.synced, store.append.unsynced   10,000 events in batches of 50, a new log
    store.read, baseline.json_loads_lines        the smallest log: read_log; json.loads of each line
    store.page.indexed                           open_log and the newest page of 50 messages, of
                                                 all logs in turn
    baseline.json_loads_page                     json.loads of each line of that page, in turn too
    machine.gauge                                a fixed piece of work right before and right after
                                                 each of those pages, the slower of the two: how
                                                 fast the machine was just then
    store.page.indexing                          the same without an index, which is made on the way
    store.index, store.page                      the index, and the page as it is stored, in bytes
    memory.page.rss, memory.page.traced          the indexed page in a process of its own
    memory.verify.rss, memory.verify.traced      verify_log in a process of its own

Before each timed read the kernel is asked to forget the file, so a page comes from the disk, as far
as the disk itself does not remember it.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import Any

import zstandard
from msgspec import structs
from sampling import PEAK, Samples, forget, gauge_machine, save, timed

from histbench.history import HistoryPage
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import Plain, Record, record_json
from histbench.results import Input
from histbench.rows import Row
from histbench.store import LogWriter, inspect_log, open_log, read_log
from histbench.store.batch import compress_frame
from histbench.store.converting import FRAME_BYTES, log_chunks
from histbench.store.page_index import index_path
from synthetic import generate, session_header

PROFILE, SEED = "session", 1
MILLION = 1_000_000
APPENDED_EVENTS, BATCH_EVENTS = 10_000, 50
PAGE_MESSAGES = 50
# A page takes milliseconds: it is timed so many times as often as the rest.
ROUNDS = 15
PACKED = {"form": "packed", "encoding": "zstd"}

# A fresh process, so that its peak is that of the work and nobody else's.
PEAK_OF = f"""
import re, sys, tracemalloc
from histbench.store import open_log, verify_log
path, work, kind = sys.argv[1:]
if kind == "traced":
    tracemalloc.start()
if work == "verify":
    verify_log(path)
else:
    with open_log(path) as log:
        log.page(max_messages={PAGE_MESSAGES})
peak = {PEAK}
print(tracemalloc.get_traced_memory()[1] if kind == "traced" else peak)
"""


def repeated(base: EventLog, events: int) -> Iterator[list[Record]]:
    """The records of `base` again and again, renumbered, until there are so many events."""
    span = base[-1]["time"] - base[0]["time"] + 1
    for copy in range(-(-events // len(base))):
        left = min(len(base), events - copy * len(base))
        shift, later = copy * len(base), copy * span
        yield [_shifted(record, shift, later) for record in base.records(0, left)]


def _shifted(record: Record, shift: int, later: int) -> Record:
    if not shift:
        return record
    if isinstance(record, Row):
        return structs.replace(record, seq0=record.seq0 + shift, time0=record.time0 + later)
    event = record.event()
    event["seq"] += shift
    event["time"] += later
    if "sourceEventSeqs" in event:
        event["sourceEventSeqs"] = [seq + shift for seq in event["sourceEventSeqs"]]
    return Plain(type=record.type, seq=event["seq"], time=event["time"], raw=encode(event))


def write_repeated(path: Path, base: EventLog, events: int) -> None:
    """A compressed log of so many events."""
    with path.open("wb") as file:
        file.write(compress_frame(encode(base.header) + b"\n"))
        for records in repeated(base, events):
            chunks = log_chunks(b"", EventLog(records), compressed=True, pack_chunks=True)
            # Without the first: the header is there already.
            file.writelines(islice(chunks, 1, None))


def append_all(writer: LogWriter, events: list[Any]) -> None:
    """All events, batch by batch, and the end of the log."""
    with writer:
        for at in range(0, len(events), BATCH_EVENTS):
            writer.append(events[at : at + BATCH_EVENTS])


def measure_append(samples: Samples, name: str, events: list[Any], folder: Path, runs: int) -> None:
    """New logs, with and without a sync for each batch."""
    for compression in ("zstd", "none"):
        for sync in (True, False):
            values = []
            for run in range(runs):
                root = folder / f"append-{compression}-{sync}-{run}"

                writer = LogWriter.create(
                    root, session_id="s", created_at=0, compression=compression, sync=sync
                )
                values.append(timed(partial(append_all, writer, events)))
            stage = "store.append.synced" if sync else "store.append.unsynced"
            samples.add(name, stage, "seconds", values, form="packed", encoding=compression)


def measure_read(samples: Samples, name: str, path: Path, runs: int) -> None:
    """Our reader against json.loads of every line of the same file."""
    plain = path.with_suffix("")
    stream = zstandard.ZstdDecompressor().stream_reader
    with path.open("rb") as file, plain.open("wb") as out:
        out.write(stream(file, read_across_frames=True).read())

    def loads(which: Path) -> list[Any]:
        with which.open("rb") as file:
            packed = which is path
            text = stream(file, read_across_frames=True).read() if packed else file.read()
        return [json.loads(line) for line in text.splitlines()]

    for which, encoding in ((path, "zstd"), (plain, "none")):
        ours, theirs = [], []
        for _ in range(runs):
            ours.append(timed(lambda f=which: read_log(f), before=lambda f=which: forget(f)))
            theirs.append(timed(lambda f=which: loads(f), before=lambda f=which: forget(f)))
        samples.add(name, "store.read", "seconds", ours, form="packed", encoding=encoding)
        samples.add(
            name, "baseline.json_loads_lines", "seconds", theirs, form="packed", encoding=encoding
        )


def newest_page(path: Path) -> HistoryPage:
    """What a host does for a session that it has not open."""
    with open_log(path) as log:
        return log.page(max_messages=PAGE_MESSAGES)


def measure_indexing(samples: Samples, name: str, path: Path, runs: int) -> None:
    """The newest page while there is no index."""

    def without_index() -> None:
        index_path(path).unlink(missing_ok=True)
        forget(path, index_path(path))

    indexing = [timed(lambda: newest_page(path), before=without_index) for _ in range(min(runs, 3))]
    samples.add(name, "store.page.indexing", "seconds", indexing, **PACKED)
    samples.add(name, "store.index", "bytes", [index_path(path).stat().st_size], **PACKED)
    page = sum(len(record_json(record)) + 1 for record in newest_page(path).records)
    samples.add(name, "store.page", "bytes", [page], form="packed")


def measure_indexed(samples: Samples, paths: dict[str, Path], rounds: int) -> None:
    """The newest page of every log in turn, so that a busy moment of the machine meets all alike."""
    ours: dict[str, list[float]] = {name: [] for name in paths}
    theirs: dict[str, list[float]] = {name: [] for name in paths}
    gauged: dict[str, list[float]] = {name: [] for name in paths}
    lines = {
        name: list(map(record_json, newest_page(path).records)) for name, path in paths.items()
    }
    for _ in range(rounds):
        for name, path in paths.items():
            forgotten = partial(forget, path, index_path(path))
            gauge = timed(gauge_machine, before=forgotten)
            ours[name].append(timed(partial(newest_page, path)))
            gauged[name].append(max(gauge, timed(gauge_machine)))
            theirs[name].append(timed(lambda name=name: list(map(json.loads, lines[name]))))
    for name in paths:
        samples.add(name, "store.page.indexed", "seconds", ours[name], **PACKED)
        samples.add(name, "machine.gauge", "seconds", gauged[name])
        samples.add(name, "baseline.json_loads_page", "seconds", theirs[name], form="packed")


def measure_peaks(samples: Samples, name: str, path: Path, runs: int) -> None:
    """Peaks of the newest page and of a streaming verdict, resident and traced."""
    for work in ("page", "verify"):
        for kind in ("rss", "traced"):
            command = [sys.executable, "-c", PEAK_OF, str(path), work, kind]
            values = [
                float(subprocess.run(command, check=True, capture_output=True).stdout)
                for _ in range(min(runs, 3) if kind == "rss" else 1)
            ]
            samples.add(name, f"memory.{work}.{kind}", "peak_bytes", values, **PACKED)


def describe(name: str, path: Path) -> Input:
    """The input as the results file has it."""
    found = inspect_log(path)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    rows = sum(found.rows.values())
    members = sum(found.chunk_kinds.values()) - found.runs.get("1", 0)
    return Input(
        name=name,
        origin="profile",
        profile=PROFILE,
        seed=SEED,
        sha256=digest,
        bytes=found.file_bytes,
        events=found.events,
        ordinary=found.events - members,
        rows=rows,
    )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="0.4,4,40", help="million events, smallest first")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--folder", type=Path, help="where the logs are made (default: temporary)")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/reference/store.json"))
    return parser.parse_args()


def main() -> None:
    """Make the logs, measure, write the results."""
    options = parse_arguments()
    sizes = [float(text) for text in options.sizes.split(",")]
    samples, inputs = Samples(), []
    paths: dict[str, Path] = {}
    base = EventLog.from_events(generate(PROFILE, SEED), header=session_header(PROFILE, SEED))
    appended = list(base[:APPENDED_EVENTS])
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        for number, size in enumerate(sizes):
            name, path = f"{PROFILE}-{size:g}M", Path(made) / f"{size:g}.jsonl.zstd"
            copies = max(1, round(size * MILLION / len(base)))
            write_repeated(path, base, copies * len(base))
            inputs.append(describe(name, path))
            if number == 0:
                measure_append(samples, name, appended, Path(made), options.runs)
                measure_read(samples, name, path, options.runs)
            measure_indexing(samples, name, path, options.runs)
            measure_peaks(samples, name, path, options.runs)
            paths[name] = path
        measure_indexed(samples, paths, ROUNDS * options.runs)
    save(
        options.output,
        settings={
            "sizes": options.sizes,
            "runs": options.runs,
            "frame_bytes": FRAME_BYTES,
            "batch_events": BATCH_EVENTS,
            "appended_events": APPENDED_EVENTS,
            "page_messages": PAGE_MESSAGES,
            "page_rounds": ROUNDS * options.runs,
        },
        command=shlex.join(["python", "benchmarks/store.py", "--sizes", options.sizes]),
        inputs=inputs,
        samples=samples,
    )


if __name__ == "__main__":
    main()
