"""Frozen session files stay readable, or refused, as they were when they were written."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from histbench.errors import HistbenchError
from histbench.store import inspect_log, open_log, read_log, repair_log
from store_logs import line, refusal

VECTORS = Path(__file__).parent / "vectors"
EXPECTED = json.loads((VECTORS / "expected.json").read_bytes())
SOUND = [name for name, expected in EXPECTED.items() if "code" not in expected]
REFUSED = [name for name, expected in EXPECTED.items() if "code" in expected]


def test_every_file_is_expected():
    """None lies there that nobody reads."""
    names = {path.name for path in VECTORS.iterdir()} - {"README.md", "expected.json"}

    assert names == EXPECTED.keys()


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_gives_its_events(name, tmp_path):
    """Read whole, read through the index, and repaired."""
    expected = EXPECTED[name]
    path = Path(shutil.copy(VECTORS / name, tmp_path))
    log = read_log(path, strict=True)
    with open_log(path) as parts:
        assert parts.interval(0, len(log)) == log

    assert len(log) == expected["events"]
    assert sha256(b"".join(map(line, log))).hexdigest() == expected["sha256"]
    assert [noted.code for noted in log.diagnostics] == expected["diagnostics"]
    assert [closer["type"] for closer in inspect_log(path).closers] == expected["closers"]
    repair = repair_log(path)
    assert [closer["type"] for closer in repair.closers] == expected["closers"]
    assert list(read_log(path, strict=True)) == [*log, *repair.closers]


@pytest.mark.parametrize("name", REFUSED)
def test_a_damaged_file_is_refused_at_its_place(name):
    """With the same code and place as ever."""
    error = refusal(read_log, VECTORS / name, strict=True)
    where = error.where

    assert isinstance(error, HistbenchError)
    assert {
        "code": error.code,
        "line": where.line,
        "byte": where.byte,
        "seq": where.seq,
    } == EXPECTED[name]
