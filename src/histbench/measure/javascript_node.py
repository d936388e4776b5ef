"""Node as a client: one process for each job, which gets all it needs on standard input."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from histbench.errors import HistbenchError, UsageError

__all__ = ["Node"]

_WORKER = Path(__file__).with_name("client_node.mjs")


class Node:
    """Runs jobs in `client_node.mjs`."""

    @staticmethod
    def find() -> str:
        """The program; UsageError (`client_missing`) where there is none."""
        found = shutil.which("node")
        if found is None:
            raise UsageError("no node on the path", code="client_missing", expected="Node.js 20")
        return found

    def run(self, job: bytes, pages: Mapping[str, bytes]) -> bytes:
        """The reply to a job.

        Raises:
            HistbenchError: `client_failed`, the process ended before it replied.
        """
        done = subprocess.run(
            [self.find(), "--expose-gc", str(_WORKER)],
            input=b"".join([job, b"\n", *pages.values()]),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            # Out of memory, mostly; a stack of addresses comes after the line that says so.
            lines = done.stderr.decode(errors="replace").splitlines()
            last = next((line for line in lines if "error" in line.lower()), done.returncode)
            raise HistbenchError("node failed", code="client_failed", found=last)
        return done.stdout
