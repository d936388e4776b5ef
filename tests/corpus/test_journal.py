"""An interrupted corpus goes on from its journal, and only from what still holds."""

import os
import shutil

import pyarrow.parquet as pq
import pytest

from histbench.corpus import measure_corpus
from histbench.corpus.journal import Journal, journal_path
from histbench.corpus.measurement import plan_of
from histbench.errors import StorageError
from measure_session import small_events, write_session


@pytest.fixture
def folder(tmp_path):
    """Six logs of different lengths."""
    (tmp_path / "logs").mkdir()
    for number in range(6):
        write_session(tmp_path / "logs" / f"{number}.jsonl", small_events(4 + number))
    return tmp_path


class Measured:
    """Counts the logs that were measured rather than kept."""

    def __init__(self, stop_after=None):
        self.logs = 0
        self._stop_after = stop_after

    def __call__(self, standing):
        """Note how far the run is, and interrupt it where that was asked for."""
        self.logs = standing.logs - standing.kept
        if self.logs == self._stop_after:
            raise KeyboardInterrupt


def run(folder, **options):
    """How many logs were measured."""
    measured = Measured(options.pop("stop_after", None))
    output = folder / "out.parquet"
    measure_corpus([folder / "logs"], workers=0, output=output, progress=measured, **options)
    return measured.logs


def test_an_interrupted_run_goes_on(folder):
    """What was finished before Ctrl-C is kept, and the table is the one of a run in one go."""
    with pytest.raises(KeyboardInterrupt):
        run(folder, stop_after=4)
    assert not (folder / "out.parquet").exists()
    assert run(folder) == 2

    shutil.move(folder / "out.parquet", folder / "resumed.parquet")
    assert run(folder, fresh=True) == 6
    assert pq.read_table(folder / "resumed.parquet").equals(pq.read_table(folder / "out.parquet"))


def test_only_logs_that_changed_are_measured_again(folder):
    """A touched file is recognised by its digest; a longer one, or other measures, are new."""
    assert run(folder) == 6
    os.utime(folder / "logs" / "1.jsonl", (1, 1))
    assert run(folder) == 0
    write_session(folder / "logs" / "2.jsonl", small_events(30))
    write_session(folder / "logs" / "9.jsonl", small_events(3))
    assert run(folder) == 2
    assert run(folder, encodings=["gzip-6"]) == 8 - 1


def test_a_torn_line_is_passed_over(folder):
    """A journal whose writer was killed loses the row it was writing, and nothing else."""
    run(folder)
    path = journal_path(folder / "out.parquet")
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    assert run(folder) == 1
    assert run(folder) == 0

    path.write_bytes(b"no journal\n" + data)
    assert run(folder) == 6


def test_two_runs_do_not_share_a_journal(folder):
    """The second is refused, and the first loses nothing."""
    plan = plan_of(["raw"], [])
    path = folder / "x.journal"
    with Journal(path, plan=plan, version="1"), pytest.raises(StorageError) as caught:
        Journal(path, plan=plan, version="1")

    assert caught.value.code == "log_locked"


def test_what_may_come_out_otherwise_is_measured_again(folder):
    """A log that could not be read is read again the next time."""
    broken = folder / "logs" / "5.jsonl"
    run(folder)
    lines = journal_path(folder / "out.parquet").read_text().splitlines(keepends=True)
    assert str(broken) in lines[-1]
    lines[-1] = lines[-1].replace('"error_code":null', '"error_code":"worker_killed"')
    journal_path(folder / "out.parquet").write_text("".join(lines))

    assert run(folder) == 1
