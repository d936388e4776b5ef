"""`histbench convert` to Parquet and back."""

import hashlib
import json
import sys

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.store import read_log
from importer_samples import SAMPLES, as_sse
from measure_session import small_events, write_session


def convert(*arguments, data=b""):
    """The command, in this process."""
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], input=data)


@pytest.fixture
def log(tmp_path):
    """The small session."""
    return write_session(tmp_path / "log.jsonl", small_events())


def test_there_and_back(tmp_path, log):
    """By suffix, by option, in place, and out through a pipe: the same log."""
    steps = (
        (log, tmp_path / "a.parquet"),
        ("--to", "parquet", tmp_path / "a.parquet", tmp_path / "b"),
        (tmp_path / "b", tmp_path / "b"),
        ("--to", "log", tmp_path / "a.parquet", tmp_path / "c.jsonl"),
        ("--lean", tmp_path / "a.parquet", tmp_path / "d.lean.jsonl.zstd"),
    )
    for step in steps:
        done = convert(*step)
        assert done.exit_code == 0, done.output
    piped = convert("--to", "parquet", log, "-")

    assert piped.stdout_bytes == (tmp_path / "a.parquet").read_bytes()
    for name in ("b", "c.jsonl", "d.lean.jsonl.zstd"):
        assert read_log(tmp_path / name) == read_log(log)
        assert read_log(tmp_path / name).header == read_log(log).header


def test_a_recording_becomes_a_table(tmp_path):
    """Imported on the way, and redacted where that was asked for."""
    (tmp_path / "capture").write_bytes(as_sse(SAMPLES["chat-reasoning"].values))
    plain = convert(tmp_path / "capture", tmp_path / "a.parquet")
    redacted = convert("--redact", tmp_path / "capture", tmp_path / "b.parquet")
    back = convert(tmp_path / "b.parquet", tmp_path / "b.jsonl")

    assert "14 deltas, synthetic clock" in plain.stderr
    assert redacted.exit_code == back.exit_code == 0
    assert len(read_log(tmp_path / "b.jsonl")) > 14


def test_what_cannot_be_is_refused_in_one_line(tmp_path, log):
    """Options that a table has not, tables that are none, an extra that is missing."""
    (tmp_path / "odd.parquet").write_bytes(b"PAR1 and no more")
    target = tmp_path / "out.parquet"

    assert convert("--no-pack", log, target).exit_code == 2
    assert convert("--compression", "none", log, target).exit_code == 2
    assert convert(tmp_path / "odd.parquet", target).exit_code == 1
    assert not target.exists()


def call(*arguments, data=b""):
    """Any command, in this process."""
    return CliRunner().invoke(main, [*map(str, arguments)], input=data)


def test_a_table_is_read_where_a_log_is(tmp_path, log):
    """The same figures and the same page; bytes and digest are the table's."""
    table = tmp_path / "a.parquet"
    assert convert(log, table).exit_code == 0
    # As the table spells its events.
    assert convert(table, log).exit_code == 0
    inspected = [json.loads(call("inspect", "--json", each).stdout) for each in (log, table)]
    limits = [json.loads(call("limit", "--json", each).stdout) for each in (log, table)]
    measured = [
        json.loads(call("run", "--stats-only", "--forms", "packed", "--json", each).stdout)
        for each in (log, table)
    ]

    assert call("page", table).stdout == call("page", log).stdout
    assert call("verify", table).stdout.startswith(f"{table}: ok, 86 events")
    for told in (*inspected, *limits):
        del told["file"], told["format"]
    assert inspected[1].pop("file_bytes") == table.stat().st_size
    del inspected[0]["file_bytes"]
    assert inspected[0] == inspected[1]
    assert limits[0] == limits[1]
    assert measured[0]["samples"] == [
        {**each, "input": measured[0]["inputs"][0]["name"]} for each in measured[1]["samples"]
    ]
    (described,) = measured[1]["inputs"]
    assert described["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert described["format"] == "parquet"


def test_a_table_is_measured_redacted_and_from_a_pipe(tmp_path, log):
    """As a log is."""
    table = tmp_path / "a.parquet"
    convert(log, table)
    redacted = call("run", "--stats-only", "--redact", "--forms", "packed", "--json", table)
    piped = call("run", "--stats-only", "--forms", "packed", "--json", "-", data=table.read_bytes())

    assert json.loads(redacted.stdout)["inputs"][0]["events"] == 86
    assert json.loads(piped.stdout)["inputs"][0]["bytes"] == table.stat().st_size


@pytest.mark.parametrize("command", ["inspect", "page", "verify", "limit", "run"])
def test_a_damaged_table_is_refused_by_its_own_name(tmp_path, log, command):
    """In one line, wherever a log is due."""
    table = tmp_path / "a.parquet"
    convert(log, table)
    table.write_bytes(table.read_bytes()[:-9])
    done = call(command, table)

    assert done.exit_code == 1
    assert done.stderr.strip().splitlines()[-1].startswith(f"error: {table}")


def test_a_missing_extra_is_named(tmp_path, log, monkeypatch):
    """Before anything is written."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = convert(log, tmp_path / "out.parquet")

    assert done.exit_code == 2
    assert "histbench[corpus]" in done.stderr
    assert not (tmp_path / "out.parquet").exists()
