"""How peaks are taken: by tracemalloc, by the kernel and by memray, each in a fresh process.

1. Memory is never taken in the pass that takes seconds, and never in the process that did: what
   that process had already allocated, cached or interned would hide part of the peak.
2. `traced`: what Python objects came to at most, above the start, after a forced collection;
   several samples.  It does not see what C libraries allocate for themselves (4 MB of brotli-11's
   70 MB), so it is never given for an encoder.
3. `rss`: the most the whole process ever had resident, interpreter included, before any tracing.
4. `native`: what memray counted, C allocations included, where it is installed.

The work happens in `memory_worker`; this module starts it and asks.  The request is one line of
JSON on standard input, followed by the page bytes where the work needs them, so no file is left
behind and the current folder does not matter.
"""

import importlib.util
import os
import subprocess
import sys
import threading
from typing import Annotated, Literal, Self

import msgspec

from histbench.errors import HistbenchError

__all__ = ["PeakProcesses", "PeakReply", "PeakRequest", "native_peaks_available"]

_WORKER = "histbench.measure.memory_worker"

Side = Literal["host", "client", "encode"]


class PeakRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a worker shall do.

    `path` is the session file for side `host`; the other sides take page bytes instead.  `tool`
    tells which peaks are asked for: `traced` gives traced and rss, `native` gives memray's.
    """

    side: Side
    tool: Literal["traced", "native"]
    form: str
    encoding: str = ""
    path: str = ""
    samples: Annotated[int, msgspec.Meta(ge=1)] = 3
    gc_enabled: bool = True


class PeakReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Peaks in bytes, by kind."""

    peaks: dict[str, list[int]]


def native_peaks_available() -> bool:
    """Whether memray, the extra `native`, is installed."""
    return importlib.util.find_spec("memray") is not None


class PeakProcesses:
    """Starts workers and waits for them, from several threads if need be; a context manager.

    Leaving the context ends whatever still runs, so that Ctrl-C leaves no process behind.
    """

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()

    def measure(self, request: PeakRequest, page: bytes = b"") -> dict[str, list[int]]:
        """The peaks that a fresh process reached at the requested work, in bytes by kind.

        Raises:
            HistbenchError: `memory_worker_failed`, with the last line that the process left.
        """
        process = self._start(request)
        try:
            out, err = process.communicate(msgspec.json.encode(request) + b"\n" + page)
        finally:
            process.kill()
            with self._lock:
                self._running.discard(process)
        try:
            if process.returncode == 0:
                return msgspec.json.decode(out, type=PeakReply).peaks
        except msgspec.DecodeError:
            pass
        last = err.decode(errors="replace").strip().rpartition("\n")[2]
        raise _failed(request, last or f"exit code {process.returncode}")

    def _start(self, request: PeakRequest) -> subprocess.Popen[bytes]:
        # An inherited PYTHONTRACEMALLOC would trace the samples that must not be traced.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONTRACEMALLOC"}
        with self._lock:
            if self._closed:
                raise _failed(request, "not started")
            process = subprocess.Popen(
                # -P: a json.py in the current folder is not the standard library's.
                [sys.executable, "-P", "-m", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
            )
            self._running.add(process)
            return process


def _failed(request: PeakRequest, reason: str) -> HistbenchError:
    return HistbenchError(
        f"the process that measures memory ({request.form}, {request.side}) failed: {reason}",
        code="memory_worker_failed",
    )
