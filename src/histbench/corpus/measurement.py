"""The measurement of many logs: found, measured on Dask or here, journalled, put together.

What is finished stands in the journal at once.  Whatever ends a run (Ctrl-C, a lost scheduler, a
full disk), the same call goes on from there.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any

from msgspec import Struct

from histbench.corpus.finding import FoundLog, find_logs
from histbench.corpus.journal import Journal, journal_path
from histbench.corpus.measuring import LogPlan
from histbench.corpus.results import CorpusResults
from histbench.corpus.rows import PLAIN, LogRow
from histbench.corpus.running import cluster_client, run_here, run_on_dask
from histbench.encodings import find_encoding
from histbench.errors import UsageError
from histbench.measure.rivals import find_form

__all__ = ["DEFAULT_ENCODINGS", "DEFAULT_FORMS", "Standing", "measure_corpus", "plan_of"]

DEFAULT_FORMS = ("raw", "packed", "joined")
DEFAULT_ENCODINGS = ("br-5", "zstd-3", "gzip-6")


class Standing(Struct, frozen=True, kw_only=True):
    """How far a run has come: logs and bytes done of those there are, and how many failed."""

    logs: int
    all_logs: int
    bytes: int
    kept: int
    failed: int
    dashboard: str | None


def plan_of(forms: Iterable[str], encodings: Iterable[str], *, timings: bool = False) -> LogPlan:
    """The plan for these names; UsageError (`unknown_form`, `unknown_encoding`) for others."""
    names = tuple(dict.fromkeys(find_encoding(each).name for each in encodings))
    return LogPlan(
        forms=tuple(dict.fromkeys(find_form(each).name for each in forms)),
        encodings=tuple(name for name in names if name != PLAIN),
        timings=timings,
    )


def measure_corpus(
    paths: Iterable[str | os.PathLike[str]],
    *,
    output: str | os.PathLike[str] | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    memory_limit: str | None = None,
    forms: Iterable[str] = DEFAULT_FORMS,
    encodings: Iterable[str] = DEFAULT_ENCODINGS,
    timings: bool = False,
    fresh: bool = False,
    progress: Callable[[Standing], None] | None = None,
) -> CorpusResults:
    """The sizes and the shape of many logs, one row each.

    A script that calls this on a local cluster needs `if __name__ == "__main__":` around the call,
    because worker processes import it.

    Args:
        paths: files, globs, folders and fsspec URLs.
        output: the Parquet file to write; its journal beside it is what an interrupted run goes on
            from.  None writes nothing.
        scheduler: the address of a Dask scheduler whose workers see the same files; None makes a
            cluster of local processes.
        workers: how many of those; None for one a core, 0 for no Dask: this process alone.
        memory_limit: of each of those, as Dask spells it (`2GiB`); an equal share for None.
        forms: names from `history.FORMS`, or of rivals (`measure.rivals`).
        encodings: names from `encodings.ENCODINGS`; plain sizes are always taken.
        timings: take seconds too, where no worker runs more than one task at a time.
        fresh: measure every log anew, whatever the journal holds.
        progress: called after each log.

    Raises:
        UsageError: `no_input`, `missing_extra`, `bad_scheduler`, `timings_need_one_thread`, ...
        StorageError: a named file is missing, or output or journal cannot be written.
        RequestFailed: the scheduler cannot be reached, has no workers, or was lost.
    """
    if workers is not None and (workers < 0 or scheduler is not None):
        raise UsageError("not a number of workers to start", code="bad_workers", found=workers)
    plan = plan_of(forms, encodings, timings=timings)
    logs = find_logs(paths)
    rows: list[LogRow] = []
    kept = 0
    with ExitStack() as stack:
        journal = None
        todo = logs
        if output is not None:
            journal = stack.enter_context(
                Journal(journal_path(output), plan=plan, version=version("histbench"), fresh=fresh)
            )
            todo = []
            for found in logs:
                row = journal.known(found)
                if row is None:
                    todo.append(found)
                else:
                    rows.append(row)
            kept = len(rows)
        run = _Gathering(rows, journal, progress, all_logs=len(logs), kept=kept)
        if workers == 0:
            run.tell()
            run_here(todo, plan, run.finished)
        elif todo:
            client = stack.enter_context(
                cluster_client(scheduler=scheduler, workers=workers, memory_limit=memory_limit)
            )
            run.dashboard = _dashboard(client)
            run.tell()
            run_on_dask(client, todo, plan, run.finished)
        results = CorpusResults.of(rows, plan)
        if output is not None:
            results.save(output)
    return results


class _Gathering:
    """Rows as they come in, journalled and told of."""

    def __init__(
        self,
        rows: list[LogRow],
        journal: Journal | None,
        progress: Callable[[Standing], None] | None,
        *,
        all_logs: int,
        kept: int,
    ) -> None:
        self._rows = rows
        self._journal = journal
        self._progress = progress
        self._all_logs = all_logs
        self._kept = kept
        self._bytes = 0
        self._failed = sum(row.error_code is not None for row in rows)
        self.dashboard: str | None = None

    def finished(self, found: FoundLog, row: LogRow) -> None:
        if self._journal is not None:
            self._journal.keep(found, row)
        self._rows.append(row)
        self._bytes += row.bytes or 0
        self._failed += row.error_code is not None
        self.tell()

    def tell(self) -> None:
        if self._progress is not None:
            self._progress(
                Standing(
                    logs=len(self._rows),
                    all_logs=self._all_logs,
                    bytes=self._bytes,
                    kept=self._kept,
                    failed=self._failed,
                    dashboard=self.dashboard,
                )
            )


def _dashboard(client: Any) -> str | None:
    link = client.dashboard_link
    return link if isinstance(link, str) else None
