"""`histbench run`: what its options may be together, and the rivals on request."""

import json

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.measure.rivals import ALL_FORMS
from measure_session import small_events, write_session


def run(*arguments):
    """The command, in this process."""
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


@pytest.fixture
def log(tmp_path):
    """The small session."""
    return write_session(tmp_path / "log.jsonl", small_events())


def test_sizes_and_counts_are_no_client_s(log):
    """What --client would add is seconds; asking for both is a mistake, and nothing is measured."""
    done = run(log, "--stats-only", "--client", "node")

    assert done.exit_code == 2
    assert "stats_only_client" in done.stderr or "every client" in done.stderr
    assert done.stdout == ""
    assert run(log, "--stats-only", "--client", "python", "--forms", "packed").exit_code == 0


def test_all_forms_are_measured_on_request(log):
    """Rivals too, in sizes, counts and seconds."""
    for option in ("--stats-only", "--no-memory"):
        done = run(log, option, "--forms", "all", "--encodings", "zstd-3", "--runs", 1, "--json")

        assert json.loads(done.stdout)["settings"]["forms"] == list(ALL_FORMS)


def test_a_form_that_cannot_be_made_is_named(log, monkeypatch):
    """With the extra that it lacks; the others are measured."""
    monkeypatch.setattr("histbench.measure.rivals.find_spec", lambda _: None)
    done = run(log, "--stats-only", "--forms", "packed,parquet", "--encodings", "zstd-3")

    assert done.exit_code == 0
    assert "note: parquet is left out: pyarrow, of the extra `corpus`" in done.stderr
    assert "not measured" in done.stdout
