"""What a number depends on besides the code: processor, interpreter, libraries, gc, commit.

pyperf collects what is hard to collect.  Of its keys only those of `_PYPERF_KEYS` are taken, so
that a key which a later pyperf adds cannot carry a host name, a user or a path into a results
file that is shown to others.  The commit is told only where this code really runs from a checkout
of this project: an installed copy inside somebody else's repository has none.
"""

import gc
import os
import subprocess
import sysconfig
import zlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import brotli
import pyperf
import zstandard

__all__ = ["Environment", "read_environment"]

Environment = dict[str, str | int | float | bool | None]

_PYPERF_KEYS = frozenset(
    {
        "aslr",
        "cpu_affinity",
        "cpu_config",
        "cpu_count",
        "cpu_freq",
        "cpu_model_name",
        "load_avg_1min",
        "platform",
        "python_compiler",
        "python_implementation",
        "python_version",
        "timer",
    }
)

_PACKAGE = Path(__file__).resolve().parent.parent


def read_environment(*, gc_enabled: bool) -> Environment:
    """Everything of this process and machine that a timing or a size may depend on, sorted.

    Args:
        gc_enabled: the policy that the measurement follows, as opposed to the state right now.
    """
    found = dict(_machine())
    found |= _libraries()
    found["gc"] = "on" if gc_enabled else "off"
    found["gc_thresholds"] = ",".join(map(str, gc.get_threshold()))
    # Compiled without profile-guided optimisation CPython is some ten per cent slower.
    found["python_optimized"] = "--enable-optimizations" in str(
        sysconfig.get_config_var("CONFIG_ARGS")
    )
    found["histbench"] = _version("histbench")
    found |= _checkout()
    return dict(sorted(found.items()))


def _machine() -> Iterator[tuple[str, str | int | float | bool | None]]:
    for key, value in pyperf.Run([1.0]).get_metadata().items():
        if key in _PYPERF_KEYS:
            yield key, value if isinstance(value, int | float) else str(value)


def _libraries() -> Environment:
    return {
        "library.brotli": brotli.__version__,
        "library.memray": _version("memray"),
        "library.msgspec": _version("msgspec"),
        "library.zlib": zlib.ZLIB_RUNTIME_VERSION,
        "library.zstandard": zstandard.__version__,
        "library.zstd": ".".join(map(str, zstandard.ZSTD_VERSION)),
    }


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _checkout() -> Environment:
    """The commit that this code is from and whether it was changed since, if it is a checkout."""
    try:
        root = Path(_git("rev-parse", "--show-toplevel")).resolve()
        if root / "src" / "histbench" != _PACKAGE:
            return {}
        return {
            "git_commit": _git("rev-parse", "HEAD"),
            "git_dirty": bool(_git("status", "--porcelain", "--untracked-files=no")),
        }
    except (OSError, subprocess.SubprocessError):
        return {}


def _git(*arguments: str) -> str:
    # A hook's GIT_DIR would answer for another repository.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", str(_PACKAGE), *arguments],  # noqa: S607  (found as the shell finds it)
        capture_output=True,
        check=True,
        env=clean,
        text=True,
        timeout=20,
    )
    return done.stdout.strip()
