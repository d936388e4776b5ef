"""One log measured into one row: what a worker does, and all it does.

The log is read, every form of it encoded, proved (`measure.Proof`) and compressed, one after the
other, so that memory is that of the log and one page.  A worker process has one log at a time even
where it has several threads.

Whatever is wrong with a log ends in its row.  The message is the error's own, without what was
found in the log.

Seconds are medians of RUNS, taken only where the process has one thread; elsewhere they stay null.
"""

import hashlib
import os
import shutil
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from histbench.corpus.extras import load
from histbench.corpus.finding import FoundLog, is_url
from histbench.corpus.rows import PLAIN, LogRow
from histbench.encodings import ENCODINGS
from histbench.errors import HistbenchError, InvalidData, StorageError
from histbench.history import whole_page
from histbench.log import EventLog
from histbench.measure.rivals import find_form
from histbench.measure.runs import rank, run_lengths
from histbench.measure.stages import run_client, run_stored
from histbench.measure.stored import StoredInput, clock_of, stored_input
from histbench.measure.subject import Proof
from histbench.measure.timing import Stopwatch, collector, settle
from histbench.privacy import find_secrets
from histbench.records import Plain
from histbench.store import read_log
from histbench.store.durable import storage_error

__all__ = ["LogPlan", "failed_row", "measure_log"]

RUNS = 3

_one_at_a_time = threading.Lock()


class LogPlan(Struct, frozen=True, kw_only=True):
    """What to measure of every log: names of forms and encodings, and whether to take seconds."""

    forms: tuple[str, ...]
    encodings: tuple[str, ...]
    timings: bool = False


def measure_log(found: FoundLog, plan: LogPlan) -> LogRow:
    """The row of one log; what is wrong with it stands there."""
    row = LogRow(path=found.path, bytes=found.bytes)
    with _one_at_a_time:
        try:
            with _on_disk(found) as path:
                sha256, size = _digest(path)
                row = msgspec.structs.replace(row, sha256=sha256, bytes=size)
                return _measured(row, path, plan)
        except HistbenchError as error:
            return failed_row(row, error)
        except MemoryError:
            return failed_row(row, InvalidData("it needs too much memory", code="out_of_memory"))


def failed_row(row: LogRow, error: HistbenchError) -> LogRow:
    """`row` with what went wrong: code, message and place, without the file and what was found."""
    error.where.file = None
    return msgspec.structs.replace(
        row,
        error_code=error.code,
        error_message=error.message,
        error_place=str(error.where) or None,
    )


@contextmanager
def _on_disk(found: FoundLog) -> Iterator[str]:
    """A file with the log's bytes: its own, or a copy of what lies elsewhere."""
    if not is_url(found.address):
        yield found.address
        return
    core = load("fsspec.core")
    with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
        path = Path(folder) / "log"
        try:
            with core.open(found.address, "rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (OSError, ValueError, ImportError) as error:
            raise StorageError("cannot be read", code="unreachable") from error
        yield str(path)


def _digest(path: str) -> tuple[str, int]:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise storage_error(error, path) from error


def _measured(row: LogRow, path: str, plan: LogPlan) -> LogRow:
    with stored_input(path) as stored:
        return _of_stored(row, stored, plan)


def _of_stored(row: LogRow, stored: StoredInput, plan: LogPlan) -> LogRow:
    log = read_log(stored.path).renumbered()
    codes = Counter(each.code for each in (*log.diagnostics, *stored.diagnostics))
    records = log.records()
    ordinary = sum(isinstance(record, Plain) for record in records)
    runs = sorted(run_lengths(records))
    found = find_secrets(records)
    row = msgspec.structs.replace(
        row,
        format=stored.format,
        events=len(log),
        ordinary=ordinary,
        rows=len(records) - ordinary,
        deltas=sum(runs),
        runs=len(runs),
        run_p50=rank(runs, 50),
        run_p90=rank(runs, 90),
        run_max=runs[-1] if runs else None,
        clock=clock_of(log),
        diagnostics=dict(codes),
        secrets={each.kind: each.count for each in found},
        secret_seqs={each.kind: each.seq for each in found},
    )
    with collector(enabled=False):
        row = msgspec.structs.replace(row, sizes=_sizes(log, plan))
    if plan.timings and _alone():
        row = msgspec.structs.replace(row, seconds=_seconds(log, stored.path, plan))
    return row


def _sizes(log: EventLog, plan: LogPlan) -> dict[str, dict[str, int]]:
    page = whole_page(log)
    proof = Proof(log)
    sizes: dict[str, dict[str, int]] = {}
    for name in plan.forms:
        form = find_form(name)
        data = form.encode(page)
        if form.lossless:
            proof.check(form, data)
        sizes[name] = {PLAIN: len(data)}
        for each in plan.encodings:
            encoded = ENCODINGS[each].encode(data)
            if ENCODINGS[each].decode(encoded, max_bytes=len(data)) != data:
                raise InvalidData(f"{each} does not give the {name} page back", code="not_lossless")
            sizes[name][each] = len(encoded)
    return sizes


def _alone() -> bool:
    """Whether no other task can run in this process."""
    worker = sys.modules.get("distributed.worker")
    try:
        return worker is None or bool(worker.get_worker().state.nthreads == 1)
    except ValueError:
        # Not a worker of Dask: the caller's own process.
        return True


def _seconds(log: EventLog, path: str, plan: LogPlan) -> dict[str, dict[str, float]]:
    page = whole_page(log)
    seconds: dict[str, dict[str, float]] = {"host": {}, "client": {}}
    for name in plan.forms:
        form = find_form(name)
        data = form.encode(page)
        host, client = Stopwatch(), Stopwatch()
        samples: dict[str, list[float]] = {"host": [], "client": []}
        for _ in range(RUNS):
            settle()
            run_stored(form, path, host)
            samples["host"].append(host.seconds["host.stored"])
            settle()
            run_client(form, data, client)
            samples["client"].append(client.seconds["client.total"])
        for side, taken in samples.items():
            seconds[side][name] = statistics.median(taken)
    return seconds
