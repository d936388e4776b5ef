"""`histbench limit`: a table for people, an object for programs, and nobody's text in either."""

import json

from click.testing import CliRunner

from histbench.cli import main
from importer_samples import SAMPLES, as_sse
from measure_session import small_events, write_session


def limit(*arguments, data=b""):
    """The command, in this process."""
    return CliRunner().invoke(main, ["limit", *map(str, arguments)], input=data)


def test_figures_are_printed_and_no_text(tmp_path):
    """Parts, streams and forms on standard output; the method is stated."""
    path = write_session(tmp_path / "log.jsonl", small_events())
    done = limit(path)

    assert done.exit_code == 0
    assert "secret" not in done.output
    for word in ("boundaries", "marked", "zstd-19", "lean", "method", "at best"):
        assert word in done.stdout
    assert "100 %" in done.stderr


def test_json_is_one_object_and_the_same_each_time(tmp_path):
    """From a file, or from standard input."""
    path = write_session(tmp_path / "log.jsonl", small_events())
    found = json.loads(limit("--json", path).stdout)
    piped = json.loads(limit("--json", "-", data=path.read_bytes()).stdout)

    assert found["limit_bytes"] == sum(part["bytes"] for part in found["parts"])
    assert {**piped, "file": found["file"]} == found


def test_a_recording_is_estimated_as_its_log(tmp_path):
    """And what its importer noticed is told."""
    path = tmp_path / "capture"
    path.write_bytes(as_sse(SAMPLES["chat-reasoning"].values))
    done = limit("--json", path)

    assert json.loads(done.stdout)["format"] == "openai-chat"
    assert "[synthesised_clock]" in done.stderr


def test_an_empty_log_and_a_file_that_is_none(tmp_path):
    """Nothing needs nothing; what cannot be read is one line and exit code 1."""
    empty = write_session(tmp_path / "empty.jsonl", [])
    odd = tmp_path / "odd"
    odd.write_bytes(b"\x00\x01")

    assert "at best 0 bytes" in limit(empty).stdout
    assert limit(odd).exit_code == 1
    assert limit().exit_code == 2
