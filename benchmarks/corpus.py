# ruff: noqa: INP001  (a script, not a package)
"""A corpus of synthetic logs, measured: what the corpus notebook shows.

    python benchmarks/corpus.py [--logs 60] [--workers 0] [-o results/reference/corpus.parquet]

Half of the logs are whole sessions of the profile `quick` with other seeds, the rest have runs of at
most 1, 2, 3, 4, 6, 10, 30 and 100 deltas, parallel calls among them, and one is no log at all.
Sizes only: the same logs give the same table on any machine and on any cluster.
"""

import argparse
import contextlib
import sys
import tempfile
from itertools import cycle
from pathlib import Path

from msgspec import structs

from histbench.corpus import measure_corpus
from synthetic.profiles import load_profile
from synthetic.writing import write_log

LONGEST_RUNS = (1, 2, 3, 4, 6, 10, 30, 100)
EVENTS = 3_000


def write_logs(folder: Path, count: int) -> None:
    """So many logs, and a file that is none."""
    sessions = count // 2
    for seed in range(1, sessions + 1):
        write_log(folder / f"session-{seed:04d}.jsonl.zstd", "quick", seed)
    short = load_profile("short-runs")
    for seed, longest in zip(range(sessions + 1, count), cycle(LONGEST_RUNS), strict=False):
        profile = structs.replace(short, events=EVENTS, longest_run=longest)
        write_log(folder / f"runs-of-{longest:03d}-{seed:04d}.jsonl.zstd", profile, seed)
    (folder / "notes.jsonl").write_text("this is no log\n", encoding="utf-8")


def main() -> None:
    """Make the logs, measure them, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--logs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=0, help="0: this process alone")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler")
    parser.add_argument("-o", "--output", default="results/reference/corpus.parquet")
    options = parser.parse_args()
    output = Path(options.output).absolute()
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        folder = Path("logs")
        folder.mkdir()
        write_logs(folder, options.logs)
        named = folder if options.scheduler is None else Path(made) / folder
        results = measure_corpus(
            [named],
            scheduler=options.scheduler,
            workers=None if options.scheduler else options.workers,
            progress=lambda _standing: sys.stderr.write("."),
        )
    sys.stderr.write("\n")
    results.save(output)


if __name__ == "__main__":
    main()
