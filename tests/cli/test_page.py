"""`histbench page`: a page on standard output, and nothing else there."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from histbench.cli import main
from histbench.history import decode_page, encode_page, select_page
from histbench.jsontext import encode
from histbench.log import EventLog
from synthetic import generate, session_header

EVENTS = list(generate("quick", 4))
LOG = EventLog.from_events(EVENTS)


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    """A session as lines of single events."""
    path = tmp_path / "session.jsonl"
    lines = [encode(session_header("quick", 4)), *map(encode, EVENTS)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    """The command's result."""
    return CliRunner().invoke(main, ["page", *map(str, arguments)], input=stdin)


def test_the_newest_page_is_printed(log_path: Path) -> None:
    """The bytes are those of the library, whatever layout the file has."""
    done = run(log_path, "--max-messages", 3)

    assert done.exit_code == 0
    assert done.stdout_bytes == encode_page(select_page(LOG, max_messages=3)) + b"\n"
    assert done.stderr == ""


def test_standard_input_gives_the_same_page(log_path: Path) -> None:
    """`-` is read to its end."""
    done = run("-", "--before-seq", 1000, stdin=log_path.read_bytes())

    assert done.exit_code == 0
    assert done.stdout_bytes == run(log_path, "--before-seq", 1000).stdout_bytes


def test_pages_chain_by_before_seq(log_path: Path) -> None:
    """Following `fromSeq` gives the whole log, with a budget and in another form."""
    before: list[object] = []
    events: list[object] = []
    while True:
        done = run(log_path, *before, "--max-bytes", 60_000, "--form", "joined")
        page = decode_page(done.stdout_bytes, "joined")
        events[:0] = page.events()
        if not page.has_more:
            break
        before = ["--before-seq", page.from_seq]

    assert events == EVENTS


def test_limits_reach_the_page(log_path: Path) -> None:
    """And the page says which one cut it."""
    page = json.loads(run(log_path, "--max-events", 7).stdout)

    assert (page["cut"], page["toSeq"] - page["fromSeq"]) == ("events", 7)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--before-seq", "-1"], "before_seq"),
        (["--max-messages", "0"], "max_messages"),
        (["--form", "paper"], "unknown form"),
        (["--max-bytes", "0"], "max_bytes"),
    ],
)
def test_a_wrong_call_ends_with_2(log_path: Path, arguments: list[str], told: str) -> None:
    """One line on standard error, nothing on standard output."""
    done = run(log_path, *arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr


def test_a_missing_file_ends_with_1(tmp_path: Path) -> None:
    """The input is wrong, not the call."""
    done = run(tmp_path / "nothing.jsonl")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
