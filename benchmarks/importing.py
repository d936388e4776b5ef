# ruff: noqa: INP001  (a script, not a package)
"""What importing costs: captures of several sizes, read as events and converted to logs.

    python benchmarks/importing.py [--sizes 20,200] [--runs 3] [--folder F] [-o results/reference/importing.json]

A capture of so many megabytes is made as a gateway would record it: server-sent events of chat
completions, with random padding on every chunk, answers of 200 to 3,000 tokens one after the other,
their texts those of a synthetic session.  Nothing is asserted; every sample is kept.  Every sample
is a process of its own.  Stages:

    baseline.json_loads_lines    json.loads of the value of each event, which is then dropped
    import.events                import_events, every event dropped
    import.convert               convert_recording to a compressed log, proved
    memory.*.rss                 the peak of the same process, and of one that only imports (idle)
    import.log                   the log in bytes
"""

import argparse
import json
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import file_digest
from itertools import cycle
from pathlib import Path

from sampling import PEAK, Samples, save

from histbench.results import Input
from histbench.store import inspect_log
from synthetic import generate

PROFILE, SEED = "quick", 1
MEGA = 1_000_000
ANSWER_TOKENS = (200, 3000)
PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

# A fresh process: what it reads, and its peak, are its own.
WORK = f"""
import json, re, sys, time
from histbench.importers import convert_recording, import_events
stage, path, target = sys.argv[1:]
start = time.perf_counter()
if stage == "json":
    for line in open(path, "rb"):
        if line.startswith(b"data: {{"):
            json.loads(line[6:])
elif stage == "events":
    for event in import_events(path):
        pass
elif stage == "convert":
    convert_recording(path, target)
seconds = time.perf_counter() - start
peak = {PEAK}
print(json.dumps([seconds, peak]))
"""

STAGES = {
    "idle": None,
    "json": "baseline.json_loads_lines",
    "events": "import.events",
    "convert": "import.convert",
}


def texts() -> Iterator[str]:
    """Token texts of a synthetic session, again and again."""
    chunks = [e["data"]["chunk"] for e in generate(PROFILE, SEED) if e["type"] == "assistant/chunk"]
    return cycle([chunk["text"] for chunk in chunks if chunk.get("text")])


def write_capture(path: Path, size: int) -> None:
    """A capture of at least `size` bytes."""
    rng = random.Random(SEED)  # noqa: S311  (the same capture every time)
    words, answer, written = texts(), 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            answer += 1
            for _ in range(rng.randint(*ANSWER_TOKENS)):
                word = next(words)
                choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
                value = {
                    "id": f"chatcmpl-{answer:012}",
                    "object": "chat.completion.chunk",
                    "created": 1700000000 + answer,
                    "model": "demo-1",
                    "service_tier": "default",
                    "system_fingerprint": "fp_0123456789",
                    "choices": [{**choice, "logprobs": None}],
                    "usage": None,
                    "obfuscation": "".join(rng.choices(PADDING, k=max(1, 14 - len(word)))),
                }
                written += file.write(f"data: {json.dumps(value, separators=(',', ':'))}\n\n")
            written += file.write("data: [DONE]\n\n")


def measure(samples: Samples, name: str, path: Path, log: Path, runs: int) -> None:
    """Seconds and peaks of every stage, the stages taking turns."""
    taken: dict[str, list[tuple[float, float]]] = {stage: [] for stage in STAGES}
    for _ in range(runs):
        for stage, values in taken.items():
            command = [sys.executable, "-c", WORK, stage, str(path), str(log)]
            done = subprocess.run(command, check=True, capture_output=True)
            seconds, peak = json.loads(done.stdout)
            values.append((seconds, peak))
    for stage, values in taken.items():
        named = STAGES[stage]
        if named is not None:
            samples.add(name, named, "seconds", [seconds for seconds, _ in values])
        peaks = [peak for _, peak in values]
        samples.add(name, f"memory.import.{stage}.rss", "peak_bytes", peaks)
    samples.add(name, "import.log", "bytes", [log.stat().st_size])


def describe(name: str, path: Path, log: Path) -> Input:
    """The capture as the results file has it, with the counts of the log that it became."""
    found = inspect_log(log)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    rows = sum(found.rows.values())
    return Input(
        name=name,
        origin="profile",
        profile=PROFILE,
        seed=SEED,
        sha256=digest,
        bytes=path.stat().st_size,
        events=found.events,
        ordinary=found.records - rows,
        rows=rows,
        format="openai-chat",
        clock="synthetic",
    )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="20,200", help="megabytes, smallest first")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where captures are made (default: temporary)")
    output = Path("results/reference/importing.json")
    parser.add_argument("-o", "--output", type=Path, default=output)
    return parser.parse_args()


def main() -> None:
    """Make the captures, measure, write the results."""
    options = parse_arguments()
    samples, inputs = Samples(), []
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        for size in (float(text) for text in options.sizes.split(",")):
            name = f"chat-{size:g}MB"
            path, log = Path(made) / "capture.sse", Path(made) / "log.jsonl.zstd"
            write_capture(path, round(size * MEGA))
            measure(samples, name, path, log, options.runs)
            inputs.append(describe(name, path, log))
            path.unlink()
    save(
        options.output,
        settings={"sizes": options.sizes, "runs": options.runs},
        command=shlex.join(["python", "benchmarks/importing.py", "--sizes", options.sizes]),
        inputs=inputs,
        samples=samples,
    )


if __name__ == "__main__":
    main()
