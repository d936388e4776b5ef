# ruff: noqa: INP001  (a script, not a package)
"""What paging a transcript costs: files of three sizes, indexed and not.

    python benchmarks/transcripts.py [--sizes 10,100,1000] [--runs 5] [--folder F]
                                     [-o results/reference/transcripts.json]

The files are of so many million bytes, made by the generator's `chat-long` without its giant turn
and its huge record.  Nothing is asserted; every sample is kept.  Stages:

    transcript.first          a file without an index: it is made, and the newest page read
    transcript.page           open the indexed file, the newest page of 100 records
    transcript.next           the page before that, by its cursor
    transcript.turns          the newest 100 turns
    transcript.search         a text that is not there, through what one request looks at
    transcript.grown          one record was appended, the newest page
    transcript.index          the index in bytes
    baseline.json_loads_lines json.loads of each line of the smallest file
    memory.page.rss           the peak of a process that opens the file and reads a page
    memory.first.rss          the same where it has to make the index

A process of its own reads the pages whose memory is measured.  Before each timed read the kernel is
asked to forget the file and its index.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from hashlib import file_digest
from pathlib import Path

from msgspec import structs
from sampling import PEAK, Samples, forget, save, timed

from histbench.results import Input
from histbench.transcript_file import TranscriptReader, index_path
from synthetic.profiles import load_transcript
from synthetic.transcripts import write_transcript

PROFILE, SEED = "chat-long", 1
MILLION = 1_000_000
KEY = bytes(32)

# A fresh process, so that its peak is the page's and nobody else's.
PAGE = f"""
import re, sys
from histbench.transcript_file import TranscriptReader
with TranscriptReader(sys.argv[1], key=bytes(32)) as reader:
    reader.page()
print({PEAK})
"""


def newest(path: Path) -> None:
    """What a daemon does for a session that it has not open."""
    with TranscriptReader(path, key=KEY) as reader:
        reader.page()


def without_index(path: Path) -> None:
    """The file as nobody has read it yet."""
    index_path(path).unlink(missing_ok=True)
    forget(path, index_path(path))


def append_record(path: Path) -> None:
    """One record more, under the last one."""
    with TranscriptReader(path, key=KEY) as reader:
        leaf = reader.record(reader.leaf_id or "")
    value = {**leaf.value, "uuid": f"{path.stat().st_size:036d}", "parentUuid": leaf.record_id}
    with path.open("ab") as file:
        file.write(json.dumps(value).encode() + b"\n")
    forget(path, index_path(path))


def peak_of_page(path: Path) -> float:
    """The peak, in bytes, of a process that reads the newest page."""
    command = [sys.executable, "-c", PAGE, str(path)]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def measure(samples: Samples, name: str, path: Path, runs: int) -> None:
    """Everything about one file."""
    first = [timed(partial(newest, path), before=partial(without_index, path)) for _ in range(2)]
    samples.add(name, "transcript.first", "seconds", first)
    without_index(path)
    samples.add(name, "memory.first.rss", "peak_bytes", [peak_of_page(path)])
    samples.add(name, "memory.page.rss", "peak_bytes", [peak_of_page(path)])
    cold = partial(forget, path, index_path(path))
    pages = [timed(partial(newest, path), before=cold) for _ in range(runs)]
    samples.add(name, "transcript.page", "seconds", pages)
    samples.add(name, "transcript.index", "bytes", [index_path(path).stat().st_size])
    with TranscriptReader(path, key=KEY) as reader:
        cursor = reader.page().next_cursor
        for stage, work in {
            "transcript.next": lambda: reader.page(cursor=cursor),
            "transcript.turns": reader.turns,
            "transcript.search": lambda: reader.search("nobody ever wrote this"),
        }.items():
            values = [timed(work, before=cold) for _ in range(runs)]
            samples.add(name, stage, "seconds", values)
    grown = [timed(partial(newest, path), before=partial(append_record, path)) for _ in range(runs)]
    samples.add(name, "transcript.grown", "seconds", grown)


def loads_lines(path: Path) -> None:
    """What reading all of it would cost at least."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def describe(name: str, path: Path) -> Input:
    """The input as the results file has it: each record is an event."""
    with path.open("rb") as file:
        records = sum(1 for _ in file)
        file.seek(0)
        digest = file_digest(file, "sha256").hexdigest()
    return Input(
        name=name,
        origin="profile",
        profile=PROFILE,
        seed=SEED,
        sha256=digest,
        bytes=path.stat().st_size,
        events=records,
        ordinary=records,
        rows=0,
    )


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="10,100,1000", help="million bytes, smallest first")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where files are made (default: temporary)")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("results/reference/transcripts.json")
    )
    return parser.parse_args()


def main() -> None:
    """Make the files, measure, write the results."""
    options = parse_arguments()
    samples, inputs = Samples(), []
    chat = structs.replace(load_transcript(PROFILE), giant_turn_records=0, huge_record_bytes=0)
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        for number, size in enumerate(map(float, options.sizes.split(","))):
            name, path = f"{PROFILE}-{size:g}MB", Path(made) / f"{size:g}.jsonl"
            write_transcript(path, structs.replace(chat, bytes=round(size * MILLION)), SEED)
            inputs.append(describe(name, path))
            if number == 0:
                base = [
                    timed(partial(loads_lines, path), before=partial(forget, path))
                    for _ in range(options.runs)
                ]
                samples.add(name, "baseline.json_loads_lines", "seconds", base)
            measure(samples, name, path, options.runs)
            path.unlink()
    save(
        options.output,
        settings={"sizes": options.sizes, "runs": options.runs},
        command=shlex.join(["python", "benchmarks/transcripts.py", "--sizes", options.sizes]),
        inputs=inputs,
        samples=samples,
    )


if __name__ == "__main__":
    main()
