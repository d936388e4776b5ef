"""The environment says what numbers depend on, and nothing about whose machine it was."""

import getpass
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from histbench.measure.environment import read_environment


def test_environment_names_what_numbers_depend_on():
    """Processor, Python, collector and every library that writes or reads bytes."""
    found = read_environment(gc_enabled=True)

    assert found["gc"] == "on"
    assert found["library.msgspec"] == msgspec.__version__
    assert {"cpu_count", "python_version", "library.zlib", "library.brotli", "library.zstd"} <= set(
        found
    )


def test_policy_is_the_measurement_s_and_not_the_moment_s():
    """What is recorded is what the timed stages ran under."""
    assert read_environment(gc_enabled=False)["gc"] == "off"


def test_environment_tells_no_host_user_or_path():
    """A results file is shown to others."""
    found = read_environment(gc_enabled=True)
    text = json.dumps(found)

    assert socket.gethostname() not in found.values()
    assert "hostname" not in text
    assert not [
        value
        for value in found.values()
        if isinstance(value, str) and re.search(r"(^|[ '=])/", value)
    ]
    assert getpass.getuser() not in found.values()


def test_environment_is_sorted_plain_json():
    """Two files differ line by line only where environments do."""
    found = read_environment(gc_enabled=True)

    assert list(found) == sorted(found)
    assert json.loads(json.dumps(found)) == found


def test_commit_is_told_from_a_checkout_whatever_git_variables_say(tmp_path):
    """A hook's GIT_DIR, or another repository around the current folder, names no commit of ours."""
    root = Path(__file__).parents[2]
    head = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, check=False, text=True
    )
    if head.returncode:
        pytest.skip("not a git checkout")
    code = "from histbench.measure.environment import read_environment as r; print(r(gc_enabled=True).get('git_commit'))"
    told = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"GIT_DIR": str(tmp_path), "PYTHONPATH": str(root / "src")},
        capture_output=True,
        check=True,
        text=True,
    )

    assert told.stdout.strip() == head.stdout.strip()
