"""Logs handed out to Dask workers, and their rows gathered as they are finished.

Only descriptions of logs go out and only rows come back, so the caller's memory is that of the
rows.  Dask hands a task of a worker that died to another one, several times; a log that still ends
in `KilledWorker` is tried once more, alone, because in company it may have been the victim of
another.  If that kills its workers as well, its row says so.

Which worker measures what, and in which order, leaves no trace in the rows.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from histbench.corpus.extras import load
from histbench.corpus.finding import FoundLog
from histbench.corpus.measuring import LogPlan, failed_row, measure_log
from histbench.corpus.rows import LogRow
from histbench.errors import InvalidData, RequestFailed, UsageError

__all__ = ["Finished", "cluster_client", "run_here", "run_on_dask"]

# Called with each log and its row.
Finished = Callable[[FoundLog, LogRow], None]

# Handed out at a time: enough for hundreds of workers, and a Ctrl-C has little to take back.
_HANDED_OUT = 1000
_CONNECT_SECONDS = 5
_WORKERS_SECONDS = 20


def run_here(logs: Iterable[FoundLog], plan: LogPlan, finished: Finished) -> None:
    """Measure the logs in this process, one after the other."""
    for found in logs:
        finished(found, measure_log(found, plan))


@contextmanager
def cluster_client(
    *, scheduler: str | None, workers: int | None, memory_limit: str | None = None
) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster of local processes made for it.

    A local worker has one thread, and an equal share of the memory at most.

    Raises:
        UsageError: `missing_extra`, `bad_scheduler`, `bad_memory_limit`.
        RequestFailed: `scheduler_unreachable`, or `no_workers` when it has none.
    """
    distributed = load("distributed")
    # Workers that die are this module's business, and its rows tell of it.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if scheduler is None:
        _check_memory_limit(memory_limit)
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=memory_limit or "auto",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except ValueError as error:
        raise UsageError(
            "not an address of a scheduler", code="bad_scheduler", found=scheduler
        ) from error
    except OSError as error:
        raise RequestFailed(
            "the scheduler does not answer", code="scheduler_unreachable", found=scheduler
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKERS_SECONDS)
        except TimeoutError as error:
            raise RequestFailed(
                "the scheduler has no workers", code="no_workers", found=scheduler
            ) from error
        yield client


def _check_memory_limit(memory_limit: str | None) -> None:
    try:
        load("dask.utils").parse_bytes(memory_limit or "1GiB")
    except ValueError as error:
        raise UsageError(
            "not an amount of memory",
            code="bad_memory_limit",
            found=memory_limit,
            expected="as 2GiB or 500MB",
        ) from error


def check_for_timings(client: Any) -> None:
    """Raise UsageError (`timings_need_one_thread`) where a worker runs more than one task at a time."""
    threads = client.nthreads()
    if any(count != 1 for count in threads.values()):
        raise UsageError(
            "seconds are taken only where a worker runs one task at a time",
            code="timings_need_one_thread",
            found=f"workers with {max(threads.values())} threads",
            expected="workers started with --nthreads 1",
        )


def run_on_dask(client: Any, logs: Iterable[FoundLog], plan: LogPlan, finished: Finished) -> None:
    """Measure the logs on the client's workers; `finished` is called here, as they come in.

    Raises:
        RequestFailed: `scheduler_lost`, or `workers_lack_histbench` when they cannot import it.
        UsageError: `timings_need_one_thread`.
    """
    if plan.timings:
        check_for_timings(client)
    run = _Run(client, plan, finished)
    again = run.measure(logs, at_once=_HANDED_OUT)
    for found in run.measure(again, at_once=1):
        row = LogRow(path=found.path, bytes=found.bytes)
        killed = InvalidData("every worker that measured it died", code="worker_killed")
        finished(found, failed_row(row, killed))


class _Run:
    def __init__(self, client: Any, plan: LogPlan, finished: Finished) -> None:
        self._client = client
        self._plan = plan
        self._finished = finished
        self._name = f"histbench-{uuid4().hex[:12]}"
        self._number = 0
        self._distributed = load("distributed")

    def measure(self, logs: Iterable[FoundLog], *, at_once: int) -> list[FoundLog]:
        """Measure the logs; those are given back whose workers died."""
        waiting = iter(logs)
        handed: dict[Any, FoundLog] = {}
        killed: list[FoundLog] = []
        done = self._distributed.as_completed(loop=self._client.loop)

        def hand_out() -> None:
            for found in waiting:
                future = self._submit(found)
                handed[future.key] = found
                done.add(future)
                if len(handed) >= at_once:
                    return

        try:
            hand_out()
            for future in done:
                found = handed.pop(future.key)
                row = self._row(found, future)
                if row is None:
                    killed.append(found)
                else:
                    self._finished(found, row)
                hand_out()
        finally:
            if handed:
                self._client.cancel(list(done.futures), force=True)
        return killed

    def _submit(self, found: FoundLog) -> Any:
        self._number += 1
        # All keys of one group: Dask then keeps what no worker has room for to itself.
        return self._client.submit(
            measure_log, found, self._plan, key=(self._name, self._number), pure=False
        )

    def _row(self, found: FoundLog, future: Any) -> LogRow | None:
        """The row of a finished future; None when its workers died."""
        if future.status == "cancelled":
            raise RequestFailed("the scheduler is gone", code="scheduler_lost")
        error = future.exception()
        if error is None:
            row: LogRow = future.result()
            return row
        if isinstance(error, self._distributed.KilledWorker):
            return None
        if isinstance(error, ModuleNotFoundError):
            raise RequestFailed(
                "the workers cannot import what they need",
                code="workers_lack_histbench",
                found=error.name,
            ) from error
        row = LogRow(path=found.path, bytes=found.bytes)
        message = f"an error that is none of the log's: {type(error).__name__}"
        return failed_row(row, InvalidData(message, code="unexpected_error"))
