"""Recordings on the command line: real processes, their exit codes and their two streams."""

import io
import json
import subprocess
import sys

import pytest

from histbench.importers import FORMATS, import_session
from histbench.store import read_log
from importer_samples import SAMPLES, as_lines, as_sse

CAPTURE = as_sse(SAMPLES["chat-reasoning"].values)


def histbench(*arguments, folder, **options):
    """The finished command, run in `folder`."""
    command = [sys.executable, "-m", "histbench", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, **options)


def test_formats_are_listed(tmp_path):
    """A table for people, an object for programs; both name every format."""
    table = histbench("formats", folder=tmp_path)
    listed = json.loads(histbench("formats", "--json", folder=tmp_path).stdout)

    assert list(listed) == list(FORMATS)
    assert all(name in table.stdout.decode() for name in FORMATS)


def test_convert_imports(tmp_path):
    """A capture becomes a log; events, deltas, runs and clock are told."""
    (tmp_path / "capture").write_bytes(CAPTURE)
    done = histbench("convert", "capture", "out.jsonl.zstd", folder=tmp_path)
    told = done.stderr.decode()

    assert done.returncode == 0
    assert read_log(tmp_path / "out.jsonl.zstd") == import_session(io.BytesIO(CAPTURE))
    assert "openai-chat" in told
    assert "14 deltas in 2 packed runs, synthetic clock" in told
    assert "[synthesised_clock]" in told


def test_convert_takes_standard_streams_and_a_format(tmp_path):
    """`-` is read to its end and written to; `--from` is believed."""
    done = histbench(
        "convert", "--from", "vercel-ui", "--compression", "none", "-", "-",
        folder=tmp_path,
        input=CAPTURE,
    )  # fmt: skip
    lines = done.stdout.splitlines()

    assert json.loads(lines[0])["type"] == "session"
    assert json.loads(lines[-1])["data"]["format"] == "vercel-ui"
    assert json.loads(lines[-1])["data"]["deltas"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["convert", "strange", "out"], 1, "no known format"),
        (["convert", "--from", "nothing", "strange", "out"], 2, "no such format"),
        (["run", "--from", "nothing", "strange"], 2, "no such format"),
        (["run", "strange"], 1, "no known format"),
        (["convert", "missing", "out"], 1, "no such file"),
    ],
)
def test_what_cannot_be_imported_is_told(tmp_path, arguments, code, said):
    """One line, the formats that there are, and nothing written."""
    (tmp_path / "strange").write_bytes(b'{"hello": 1}\n')
    done = histbench(*arguments, folder=tmp_path)
    told = done.stderr.decode()

    assert done.returncode == code
    assert said in told
    assert "Traceback" not in told
    assert "openai-chat" in told or said == "no such file"
    assert [path.name for path in tmp_path.iterdir()] == ["strange"]


@pytest.mark.slow
def test_run_measures_a_recording(tmp_path):
    """The results describe the recording itself: its bytes, its format, its clock."""
    (tmp_path / "capture.sse.txt").write_bytes(CAPTURE)
    quickly = ["--quick", "--forms", "raw,packed", "--encodings", "gzip-6"]
    done = histbench("run", *quickly, "--json", "capture.sse.txt", folder=tmp_path)
    results = json.loads(done.stdout)
    (described,) = results["inputs"]
    log = import_session(io.BytesIO(CAPTURE))

    assert (described["format"], described["clock"]) == ("openai-chat", "synthetic")
    assert described["bytes"] == len(CAPTURE)
    assert described["events"] == len(log)
    assert described["diagnostics"] == {"synthesised_clock": 1}
    assert {sample["stage"] for sample in results["samples"]} >= {"host.stored", "client.fold"}


def test_inspect_reads_a_recording(tmp_path):
    """What is in a recording is counted as for a log."""
    (tmp_path / "capture").write_bytes(as_lines(SAMPLES["grok"].values))
    done = histbench("inspect", "--json", "capture", folder=tmp_path)
    found = json.loads(done.stdout)

    assert found["format"] == "grok"
    assert found["chunk_kinds"] == {"text-delta": 9}
