# ruff: noqa: INP001  (a script, not a package)
"""How far every form is from what a log needs at best, for logs of several kinds: sizes only.

    python benchmarks/limit.py [--profiles transport,published,session] [-o results/reference/limit.json]
    python benchmarks/limit.py --recorded NAME=FILE ... -o results/reference/limit-recorded.json

What `histbench limit` shows, as a results file.  Of a recording, sizes and counts are kept, and a
NAME that says what it is; its path and its text are not.  Stages:

    wire            bytes of the whole log in each form, under each encoding
    limit           what the parts need at best, and limit.text, .boundaries, .gaps, .rest
    limit.marks     boundaries told by marks in the text; limit.lengths: by a column of lengths
    structure.*     deltas and runs, counted
"""

import argparse
import shlex
import tempfile
from pathlib import Path

from msgspec import structs
from sampling import Samples, save

from histbench.measure.limit import LimitEstimate, estimate_limit
from histbench.measure.stored import stored_input
from histbench.measure.subject import Source, Subject
from histbench.results import Input
from synthetic.writing import write_log

SEED = 1


def measure(samples: Samples, path: Path, described: dict[str, object]) -> Input:
    """The sizes of one file, and what it is."""
    source = Source.of_file(path)
    with stored_input(source.path) as stored:
        subject = Subject.read(source, stored=stored)
        add_sizes(samples, str(described["name"]), estimate_limit(subject.log))
    return structs.replace(subject.described, **described)


def add_sizes(samples: Samples, name: str, found: LimitEstimate) -> None:
    """Every figure of an estimate."""
    for stage, count in (("structure.deltas", found.deltas), ("structure.runs", found.runs)):
        samples.add(name, stage, "count", [count])
    samples.add(name, "limit", "bytes", [found.limit_bytes])
    for part in found.parts:
        samples.add(name, f"limit.{part.name}", "bytes", [part.bytes])
    for way, size in found.boundary_bytes.items():
        samples.add(name, f"limit.{way}", "bytes", [size])
    for form in found.forms:
        for encoding, size in form.bytes.items():
            where = {"form": form.form, "encoding": encoding}
            if size is None:
                why = f"{encoding} takes minutes on a page of more than 16 MB"
                samples.leave_out(name, "wire", "bytes", why, **where)
            else:
                samples.add(name, "wire", "bytes", [size], **where)


def main() -> None:
    """Measure what was named, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--profiles", default="transport,published,session")
    parser.add_argument("--recorded", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/reference/limit.json"))
    options = parser.parse_args()
    samples, inputs = Samples(), []
    named = [each.partition("=")[::2] for each in options.recorded]
    for name, file in named:
        inputs.append(measure(samples, Path(file), {"name": name}))
    with tempfile.TemporaryDirectory() as made:
        for profile in () if named else options.profiles.split(","):
            path = Path(made) / f"{profile}.jsonl.zstd"
            write_log(path, profile, SEED)
            described = {"name": profile, "origin": "profile", "profile": profile, "seed": SEED}
            inputs.append(measure(samples, path, described))
    names = [name for name, _ in named]
    asked = [f"--recorded={name}" for name in names] or [f"--profiles={options.profiles}"]
    save(
        options.output,
        settings={"recorded": names} if names else {"profiles": options.profiles},
        command=shlex.join(["python", "benchmarks/limit.py", *asked]),
        inputs=inputs,
        samples=samples,
    )


if __name__ == "__main__":
    main()
