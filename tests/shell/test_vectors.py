"""The vectors of the shell's modules are what Python says today; and Node says the same."""

import shutil
import subprocess
from pathlib import Path

import pytest

import shell_vectors

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", shell_vectors.FILES)
def test_vectors_are_what_python_says(name: str) -> None:
    """Written anew they are the same bytes; `python tests/shell_vectors.py` writes them."""
    written = (shell_vectors.FOLDER / name).read_bytes()

    assert shell_vectors.text_of(name) == written


def test_node_agrees() -> None:
    """All tests of the modules, where there is a Node to run them."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path")
    done = subprocess.run(
        [node, "--test", "tests/shell"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
