"""The store's commands: what they print where, and what they end with."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.codec import pack_chunk_runs
from histbench.store import read_log
from store_logs import conversation, framed_log, note, plain_log, write

EVENTS = conversation(2)
PACKED = plain_log(pack_chunk_runs(EVENTS))


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: bytes
    stderr: bytes


def histbench(*arguments, data=b""):
    """The command line, in this process."""
    result = CliRunner().invoke(main, [*map(str, arguments)], input=data)
    return Done(result.exit_code, result.stdout_bytes, result.stderr_bytes)


def test_a_process_of_its_own_reads_a_pipe_and_writes_one():
    """Once without the runner: bytes in, bytes out."""
    done = subprocess.run(
        [sys.executable, "-m", "histbench", "convert", "-", "-", "--compression", "none"],
        input=framed_log([EVENTS]),
        capture_output=True,
        check=True,
    )

    assert done.stdout == PACKED


def test_verify_prints_verdicts_and_exits_with_1_after_a_fault(tmp_path):
    """Verdicts to standard output, faults and notes to standard error, one line each."""
    good = write(tmp_path / "good.jsonl", PACKED)
    bad = write(tmp_path / "bad.jsonl", PACKED + b"rubbish\n")
    done = histbench("verify", good, bad, tmp_path / "missing", "-", data=framed_log([EVENTS]))
    output, errors = done.stdout.decode().splitlines(), done.stderr.decode().splitlines()

    assert done.returncode == 1
    assert [text.split(":")[0] for text in output] == [str(good), "-"]
    assert len(errors) == 2
    assert f"{bad}, line {PACKED.count(10) + 1}" in errors[0]
    assert "[invalid_json]" in errors[0]
    assert "[file_not_found]" in errors[1]


def test_verify_speaks_json(tmp_path):
    """One object a file, faults with their places."""
    good = write(tmp_path / "good.jsonl", PACKED)
    gap = write(tmp_path / "gap.jsonl", plain_log([note(0), note(2)]))
    done = histbench("verify", "--json", good, gap)
    first, second = map(json.loads, done.stdout.splitlines())

    assert (first["ok"], first["events"]) == (True, len(EVENTS))
    assert (second["ok"], second["code"], second["line"], second["seq"]) == (False, "seq_gap", 3, 2)


def test_verify_canonical_and_a_wrong_call(tmp_path):
    """Exit codes 0, 1 and 2."""
    good = write(tmp_path / "good.jsonl", PACKED)
    unpacked = write(tmp_path / "unpacked.jsonl", plain_log(EVENTS))

    assert histbench("verify", "--canonical", good).returncode == 0
    assert histbench("verify", "--canonical", unpacked).returncode == 1
    assert histbench("verify").returncode == 2
    assert histbench("verify", "--wrong", good).returncode == 2


def test_inspect_counts_and_changes_nothing(tmp_path):
    """A table for people, JSON for programs, from a file or standard input."""
    path = write(tmp_path / "torn.jsonl", PACKED[:-5])
    table = histbench("inspect", path)
    found = json.loads(histbench("inspect", "--json", path).stdout)
    piped = json.loads(histbench("inspect", "--json", "-", data=PACKED).stdout)

    assert table.returncode == 0
    assert b"assistant/chunk" in table.stdout
    assert b"[torn_tail]" in table.stderr
    assert found["types"]["assistant/chunk"] == 10
    assert [noted["code"] for noted in found["diagnostics"]] == ["torn_tail"]
    assert set(found["form_bytes"]) >= {"raw", "packed"}
    assert [closer["type"] for closer in found["closers"]] == ["turn/end"]
    assert piped["events"] == len(EVENTS)
    assert path.read_bytes() == PACKED[:-5]


def test_inspect_of_an_authored_log_with_gaps_and_lone_surrogates(tmp_path):
    """Terminals and JSON get what they can hold."""
    events = [note(0), {**note(7), "type": "x\ud83d\x1b[2J"}]
    data = plain_log([]) + b"".join(json.dumps(event).encode() + b"\n" for event in events)
    path = write(tmp_path / "odd.jsonl", data)
    done = histbench("inspect", path)

    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert json.loads(histbench("inspect", "--json", path).stdout)["events"] == 2


def test_convert_goes_there_and_back(tmp_path):
    """Through files and pipes, to the same bytes."""
    source = write(tmp_path / "in.jsonl", PACKED)
    for command in (
        ["convert", source, tmp_path / "a.jsonl.zstd"],
        ["convert", tmp_path / "a.jsonl.zstd", tmp_path / "b.jsonl", "--no-pack"],
        ["convert", tmp_path / "b.jsonl", tmp_path / "b.jsonl"],
    ):
        assert histbench(*command).returncode == 0
    piped = histbench("convert", "-", "-", "--compression", "none", data=framed_log([EVENTS]))

    assert (tmp_path / "b.jsonl").read_bytes() == PACKED
    assert piped.stdout == PACKED
    assert list(read_log(tmp_path / "a.jsonl.zstd", strict=True)) == EVENTS


def test_convert_of_damage_is_one_line_and_exit_code_1(tmp_path):
    """And leaves nothing."""
    source = write(tmp_path / "in.jsonl", PACKED + b"rubbish\n")
    done = histbench("convert", source, tmp_path / "out.jsonl")

    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()
    assert histbench("convert", source).returncode == 2


@pytest.fixture
def repository(tmp_path):
    """A git working tree with one fixture that is canonical and one that is not."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    write(tmp_path / "a.jsonl", PACKED)
    write(tmp_path / "b.jsonl", plain_log(EVENTS))
    return tmp_path


def test_fixtures_are_checked_and_migrated(repository, monkeypatch):
    """The gate fails, the migrator repairs, the gate passes."""
    monkeypatch.chdir(repository)
    failed = histbench("fixtures", "check")
    planned = histbench("fixtures", "migrate", "--dry-run")
    migrated = histbench("fixtures", "migrate", repository)
    passed = histbench("fixtures", "check", repository)

    assert failed.returncode == 1
    assert failed.stdout.decode().splitlines() == [
        "b.jsonl: not canonical (stamped) from line 5 on"
    ]
    assert b"would be rewritten" in planned.stderr
    assert migrated.returncode == 0
    assert (passed.returncode, passed.stdout) == (0, b"")
    assert (repository / "b.jsonl").read_bytes() == PACKED


def test_a_faulty_fixture_stops_the_migration(repository):
    """With its place, and nothing rewritten."""
    write(repository / "c.jsonl", PACKED + b"rubbish\n")
    done = histbench("fixtures", "migrate", repository)

    assert done.returncode == 1
    assert b"nothing was rewritten" in done.stderr
    assert b"[invalid_json]" in done.stderr
    assert (repository / "b.jsonl").read_bytes() == plain_log(EVENTS)
    reports = [
        json.loads(text)
        for text in histbench("fixtures", "check", "--json", repository).stdout.splitlines()
    ]
    assert [report["canonical"] for report in reports] == [True, False, False]
