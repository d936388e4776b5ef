"""Session files made by the `synthetic` generators, which run as a process of their own.

The library does not know the generators: a profile reaches the benchmark as a file, like anybody's
log.  The file lives in a temporary folder for as long as it is measured.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from histbench.errors import HistbenchError, UsageError
from histbench.measure import Source

__all__ = ["generated", "list_profiles"]

_USAGE_EXIT = 2

_LIST = """
import json, synthetic
names = synthetic.profile_names()
print(json.dumps({name: synthetic.load_profile(name).summary for name in names}))
"""


def _run_python(*arguments: str) -> bytes:
    """The standard output of this interpreter, run with `arguments`.

    Raises:
        UsageError: the generator called it a wrong call, an unknown profile for example.
        HistbenchError: `generator_missing` or `generator_failed`.
    """
    # -P: the current folder must not lend its modules.
    done = subprocess.run([sys.executable, "-P", *arguments], capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
    reason = lines[-1].removeprefix("error: ").removeprefix("Error: ")
    if "No module named" in reason and "synthetic" in reason:
        raise HistbenchError(
            "the package `synthetic`, which makes the profiles, is not installed",
            code="generator_missing",
        )
    if done.returncode == _USAGE_EXIT:
        raise UsageError(reason, code="generator_usage")
    raise HistbenchError(f"the generator failed: {reason}", code="generator_failed")


def list_profiles() -> tuple[str, dict[str, str]]:
    """The names of the built-in profiles with what each is, as JSON text and as a dict.

    Raises:
        HistbenchError: `generator_missing` or `generator_failed`.
    """
    text = _run_python("-c", _LIST).decode().strip()
    return text, msgspec.json.decode(text, type=dict[str, str])


@contextmanager
def generated(profile: str, seed: int) -> Iterator[Source]:
    """The session file of a profile, for as long as the context is open."""
    # A profile may be a file of the user's own; its folder is no part of its name.
    name = Path(profile).name.removesuffix(".toml")
    with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
        path = str(Path(folder) / "session.jsonl")
        _run_python("-m", "synthetic", profile, "--seed", str(seed), "-o", path)
        yield Source(path=path, name=name, origin="profile", profile=name, seed=seed)
