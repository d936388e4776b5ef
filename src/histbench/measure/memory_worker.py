"""The fresh process in which one peak is taken; started by `memory`, which states the rules.

It reads a PeakRequest line and page bytes on standard input and writes a PeakReply.
"""

import gc
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from histbench.encodings import find_encoding
from histbench.history import whole_page
from histbench.log import EventLog
from histbench.measure.memory import PeakReply, PeakRequest
from histbench.measure.rivals import find_form
from histbench.measure.stages import run_client, run_stored
from histbench.measure.timing import Stopwatch

__all__ = ["peak_resident_bytes", "take_peaks"]


def take_peaks(request: PeakRequest, data: bytes) -> dict[str, list[int]]:
    """The peaks of the requested work in this process, in bytes by kind."""
    work = _work(request, data)
    (gc.enable if request.gc_enabled else gc.disable)()
    if request.tool == "native":
        return {"native": [_native_peak(work)]}
    work()
    # Read before the first trace: tracemalloc's own tables would count as resident.
    resident = peak_resident_bytes()
    return {"rss": [resident], "traced": [_traced_peak(work) for _ in range(request.samples)]}


def _work(request: PeakRequest, data: bytes) -> Callable[[], object]:
    if request.side == "encode":
        return partial(find_encoding(request.encoding).encode, data)
    form = find_form(request.form)
    # What a form loads is there before a page is; it is no part of what the page takes.
    form.encode(whole_page(EventLog(())))
    if request.side == "host":
        return partial(run_stored, form, request.path, Stopwatch())
    return partial(run_client, form, data, Stopwatch())


def _traced_peak(work: Callable[[], object]) -> int:
    # Twice: the first may run finalizers that leave more to collect.
    gc.collect()
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _native_peak(work: Callable[[], object]) -> int:
    import memray  # noqa: PLC0415  (an extra)

    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "peak.bin"
        with memray.Tracker(
            recording, file_format=memray.FileFormat.AGGREGATED_ALLOCATIONS, native_traces=False
        ):
            work()
        return int(memray.FileReader(recording).metadata.peak_memory)


def peak_resident_bytes() -> int:
    """The most this process ever had resident.

    On Linux from /proc: ru_maxrss starts there at the size of the process that forked this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource  # noqa: PLC0415  (not on Windows, which is not supported either)

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, KiB elsewhere.
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    """Answer the one request on standard input."""
    line = sys.stdin.buffer.readline()
    request = msgspec.json.decode(line, type=PeakRequest)
    reply = PeakReply(peaks=take_peaks(request, sys.stdin.buffer.read()))
    sys.stdout.buffer.write(msgspec.json.encode(reply))


if __name__ == "__main__":
    main()
