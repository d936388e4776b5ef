"""`histbench dictionary`: trained on logs, the same each time, and told what it is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.dictionaries import read_dictionary
from histbench.store import LogWriter
from importer_samples import SAMPLES, as_sse
from store_logs import conversation


def call(*arguments, data=b""):
    """The command, in this process."""
    return CliRunner().invoke(main, ["dictionary", *map(str, arguments)], input=data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store of eight sessions."""
    for number in range(8):
        with LogWriter.create(tmp_path / "root", session_id=f"s{number}", created_at=5) as writer:
            writer.append(conversation(60 + number))
    return tmp_path / "root"


def test_sessions_of_a_store_give_a_dictionary_each_time_the_same(root, tmp_path):
    """Its name goes to standard output, for whoever starts a daemon with it."""
    first = call("train", root, "-o", tmp_path / "a", "--size", 2000)
    again = call("train", root, "-o", tmp_path / "b", "--size", 2000)
    made = read_dictionary(tmp_path / "a")

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert first.stdout == again.stdout == f"{made.name}\n"
    assert "8 logs" in first.stderr
    assert read_dictionary(tmp_path / "b") == made
    assert len(made.content) <= 2000
    assert (tmp_path / "a").stat().st_mode & 0o077 == 0


def test_files_are_taken_as_they_are_named(root, tmp_path):
    """The same logs one by one, and one of them from standard input."""
    files = sorted(root.rglob("session.jsonl.zstd"))
    whole = call("train", root, "-o", tmp_path / "a", "--size", 2000)
    named = call("train", *files, "-o", tmp_path / "b", "--size", 2000)
    piped = call(
        "train", "-", *files[1:], "-o", tmp_path / "c", "--size", 2000, data=files[0].read_bytes()
    )

    assert whole.stdout == named.stdout == piped.stdout


def test_what_it_saves_is_told_in_figures(root, tmp_path):
    """A table for people, one object for programs; without logs only its name."""
    call("train", root, "-o", tmp_path / "a", "--size", 2000)
    made = read_dictionary(tmp_path / "a")
    table = call("inspect", tmp_path / "a", root)
    found = json.loads(call("inspect", "--json", tmp_path / "a", root).stdout)
    bare = json.loads(call("inspect", "--json", tmp_path / "a").stdout)

    assert table.exit_code == 0
    assert made.name in table.stdout
    assert "dcz-6" in table.stdout
    assert "question" not in table.output
    assert found["sha256"] == made.name
    assert set(found["saved"]) == {"packed", "lean"}
    assert found["saved"]["packed"]["pages"] == sum(
        -(-len(conversation(60 + n)) // 512) for n in range(8)
    )
    assert found["saved"]["packed"]["dcz-6"] < found["saved"]["packed"]["identity"]
    assert bare["saved"] == {}


def test_recordings_are_logs_too(tmp_path):
    """What can be imported can be learnt from."""
    name = next(iter(SAMPLES))
    path = tmp_path / "capture"
    path.write_bytes(as_sse(SAMPLES[name].values))
    done = call("train", path, "-o", tmp_path / "a")

    # One recording is too little, and that is what is said of it.
    assert done.exit_code == 1
    assert "too little to learn from" in done.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "nowhere", "-o", "x"], "no such file"),
        (["train", ".", "-o", "x"], "no sessions"),
        (["inspect", "nowhere"], "no such file"),
        (["inspect", "."], "folder"),
    ],
)
def test_what_is_not_there_is_named(arguments, said, tmp_path, monkeypatch):
    """One line, and nothing written."""
    monkeypatch.chdir(tmp_path)
    done = call(*arguments)

    assert done.exit_code in {1, 2}
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_size_that_none_has_is_refused(root, tmp_path):
    """Before anything is written."""
    done = call("train", root, "-o", tmp_path / "a", "--size", 10)

    assert done.exit_code == 2
    assert not (tmp_path / "a").exists()
