"""`histbench transcript` by hand: pages that lead to each other, turns, search, and refusals."""

import json

import pytest
from click.testing import CliRunner

from histbench.cli import main
from transcript_files import chain_lines, record_line, write_lines


@pytest.fixture
def file(tmp_path):
    """Twelve records in three turns, and a torn line."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(12))
    with path.open("ab") as out:
        out.write(record_line("torn", "r11")[:30])
    return path


def call(*arguments):
    """Exit code, standard output, standard error."""
    result = CliRunner().invoke(main, ["transcript", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def page(*arguments):
    """The page that is printed."""
    code, out, _ = call(*arguments)
    assert code == 0
    return json.loads(out)


def ids(shown):
    """Its records' ids."""
    return [record["uuid"] for record in shown["records"]]


def test_pages_lead_to_each_other_by_cursor_and_by_id(file):
    """Two ways back, one of them in the state of the first page."""
    newest = page(file, "--limit", 4)
    by_cursor = page(file, "--limit", 4, "--cursor", newest["nextCursor"])
    by_id = page(file, "--limit", 4, "--before", ids(newest)[0])

    assert ids(newest) == ["r8", "r9", "r10", "r11"]
    assert ids(by_cursor) == ids(by_id) == ["r4", "r5", "r6", "r7"]
    assert ids(page(file, "--limit", 4, "--after", "r3")) == ids(by_id)
    assert ids(page(file, "--limit", 2, "--forward")) == ["r0", "r1"]


def test_turns_lead_to_pages_and_a_search_to_records(file):
    """What is printed is in the wire's names."""
    turns = page(file, "--turns")
    at = page(file, "--at", turns["turns"][1]["turnId"], "--limit", 4)
    hits = page(file, "--search", "HELLO 1", "--limit", 2)

    assert turns["totalTurns"] == 3
    assert at["targetRecordId"] == "r4"
    assert at["hasOlder"] is True
    assert [hit["recordId"] for hit in hits["hits"]] == ["r11", "r1"]
    assert hits["nextBefore"] == "r1"


def test_updates_are_those_of_the_protocol(file):
    """Each names its record."""
    updates = page(file, "--updates", "--limit", 2)["updates"]

    assert {each["sessionUpdate"] for each in updates} >= {"agent_message_chunk"}
    assert all(each["_meta"]["qwen.session.recordId"] for each in updates)


def test_what_is_odd_is_told_beside_the_page(file):
    """On standard error, with its place and code."""
    _, _, told = call(file)

    assert "[torn_tail]" in told


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--limit", "0"], 2),
        (["--turns", "--search", "x"], 2),
        (["--turns", "--forward"], 2),
        (["--search", ""], 2),
        (["--before", "nobody"], 1),
        (["--cursor", "nonsense"], 1),
        (["--before", "r1", "--after", "r2"], 1),
    ],
)
def test_wrong_calls_end_in_one_line(file, arguments, expected):
    """With the exit code of the kind of fault."""
    code, out, told = call(file, *arguments)

    assert code == expected
    assert out == ""
    assert told.count("error: ") == 1


def test_a_file_that_is_not_there_leaves_nothing_behind(tmp_path):
    """No key, no index, for a name that was mistyped."""
    code, _, told = call(tmp_path / "typo.jsonl")

    assert code == 1
    assert "typo.jsonl" in told
    assert list(tmp_path.iterdir()) == []
