"""Real schedulers and workers, as processes: the same table from each, and no log lost with a worker."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pyarrow.parquet as pq
import pytest
from distributed import Client

from histbench.corpus import (
    DEFAULT_ENCODINGS,
    DEFAULT_FORMS,
    CorpusResults,
    measure_corpus,
)
from histbench.corpus.finding import FoundLog, find_logs
from histbench.corpus.measurement import plan_of
from histbench.corpus.running import run_on_dask
from histbench.errors import RequestFailed, UsageError
from measure_session import small_events, write_session

pytestmark = pytest.mark.slow

LOGS = 24
WORKERS = 3
# One in company, one alone.
DEATHS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A corpus of small logs, one of them no log."""
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(LOGS - 1):
        write_session(folder / f"{number:02d}.jsonl", small_events(2 + number))
    (folder / "broken.jsonl").write_text("{")
    return folder


@pytest.fixture(scope="module")
def here(folder):
    """The table as this process alone makes it."""
    return measure_corpus([folder], workers=0).table()


class Cluster:
    """A scheduler and its workers, each a process of its own on the loopback interface."""

    def __init__(self, folder, stack):
        self._folder = folder
        self._stack = stack
        self._file = folder / "scheduler.json"
        # A dead worker's task goes to nobody else, so that one death is seen as one.
        options = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", **options)
        deadline = time.monotonic() + 60
        # It is there before it is written.
        while not (self._file.exists() and self._file.read_text()):
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]
        for _ in range(WORKERS):
            self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def _start(self, kind, *arguments, **environment):
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", f"distributed.cli.dask_{kind}"),
                *("--scheduler-file", str(self._file), *arguments),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env=os.environ | environment,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A separately started scheduler with three workers."""
    with ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


def test_a_separate_scheduler_gives_the_same_table(cluster, folder, here, tmp_path):
    """Which workers measured, and in which order, leaves no trace."""
    output = tmp_path / "out.parquet"
    results = measure_corpus([folder], scheduler=cluster.address, output=output)

    assert pq.read_table(output).equals(here)
    assert sum(results.summary().failures.values()) == 1


def test_a_local_cluster_gives_the_same_table(folder, here, tmp_path):
    """The command starts workers, ends them, and keeps progress and summary apart."""
    output = tmp_path / "out.parquet"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "histbench", "corpus", str(folder)),
            *("--workers", "1", "--json", "-o", str(output)),
        ],
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["logs"] == LOGS
    assert pq.read_table(output).equals(here)
    assert f"{LOGS}/{LOGS} logs" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_scheduler_cannot_do_is_said_at_once(cluster, folder):
    """An address of nothing, and one that is none."""
    with pytest.raises(RequestFailed) as unreachable:
        measure_corpus([folder], scheduler="tcp://127.0.0.1:9")
    with pytest.raises(UsageError) as wrong:
        measure_corpus([folder], scheduler="no-such-protocol://x")

    assert unreachable.value.code == "scheduler_unreachable"
    assert wrong.value.code == "bad_scheduler"


def test_a_log_that_kills_its_workers_takes_no_other_with_it(cluster, folder, here, tmp_path):
    """Its row says so; every other row is the one it would have been.

    The log is a pipe: whoever reads it waits, and is killed there, twice.
    """
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    logs = [FoundLog(path="pipe", address=str(pipe)), *find_logs([folder])]
    plan = plan_of(DEFAULT_FORMS, DEFAULT_ENCODINGS)
    rows = []
    with Client(cluster.address, set_as_default=False) as client:
        # A worker that joins later would not be known to the killer, and wait at the pipe for good.
        client.wait_for_workers(WORKERS)
        killer = threading.Thread(target=kill_readers, args=(client, client.run(os.getpid), pipe))
        killer.start()
        run_on_dask(client, logs, plan, lambda _found, row: rows.append(row))
        killer.join()
        alive = len(client.nthreads())
    results = CorpusResults.of(rows, plan)
    killed = [row for row in results.rows if row.path == "pipe"]

    assert [row.error_code for row in killed] == ["worker_killed"]
    others = CorpusResults.of([row for row in rows if row.path != "pipe"], plan)
    assert others.table().equals(here)
    assert alive == WORKERS - DEATHS


def kill_readers(client, pids, pipe):
    """Kill the worker that has nothing but the pipe's log for a while, DEATHS times."""
    before, deaths = {}, 0
    while deaths < DEATHS:
        time.sleep(0.5)
        keys = {address: tuple(keys) for address, keys in client.processing().items() if keys}
        for address, waiting in keys.items():
            if before.get(address) == waiting and address in pids:
                os.kill(pids.pop(address), signal.SIGKILL)
                deaths += 1
                break
        before = keys
