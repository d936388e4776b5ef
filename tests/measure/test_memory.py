"""Peaks come from fresh processes that depend on nothing but what they were asked."""

import subprocess
import sys
import threading

import pytest

from histbench.encodings import find_encoding
from histbench.errors import HistbenchError
from histbench.history import FORMS
from histbench.measure.memory import PeakProcesses, PeakRequest, native_peaks_available
from histbench.measure.stages import load_page


@pytest.fixture(scope="module")
def page(session_file):
    """The page bytes of the small session, packed."""
    return FORMS["packed"].encode(load_page(session_file))


def measure(page=b"", **fields):
    """The peaks that a process of its own reports."""
    with PeakProcesses() as processes:
        return processes.measure(PeakRequest(form="packed", **fields), page)


def test_traced_peaks_are_as_many_as_asked_for(page):
    """Every sample is kept, one resident peak beside them."""
    peaks = measure(page, side="client", tool="traced", samples=3)

    assert {kind: len(values) for kind, values in peaks.items()} == {"rss": 1, "traced": 3}
    assert all(value > 0 for values in peaks.values() for value in values)


def test_traced_peak_of_the_host_holds_at_least_the_page(session_file, page):
    """A host has the page in its hands at the end."""
    peaks = measure(side="host", tool="traced", samples=1, path=str(session_file))

    assert peaks["traced"][0] >= len(page)


def test_resident_peak_is_the_worker_s_own(page):
    """Linux lets a child start at the peak of its parent; the figure must not."""
    ballast = bytearray(300_000_000)
    ballast[::4096] = bytes(len(ballast[::4096]))
    peaks = measure(page, side="client", tool="traced", samples=1)

    assert peaks["rss"][0] < len(ballast)


def test_neither_the_current_folder_nor_tracemalloc_of_the_caller_matters(
    session_file, page, tmp_path, monkeypatch
):
    """Another json.py, a foreign folder and PYTHONTRACEMALLOC change nothing."""
    (tmp_path / "json.py").write_text("raise SystemExit('not the standard library')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONTRACEMALLOC", "5")
    before = sorted(tmp_path.iterdir())

    assert measure(page, side="client", tool="traced", samples=1)["traced"][0] > 0
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not native_peaks_available(), reason="memray is not installed")
def test_native_peak_sees_what_a_compressor_allocates_for_itself(page, tmp_path, monkeypatch):
    """Brotli's tables are megabytes that tracemalloc never hears of, and no recording stays."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    peaks = measure(page, side="encode", tool="native", encoding="br-5")

    assert peaks["native"][0] > 10 * len(find_encoding("br-5").encode(page))
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_fails_is_one_error_with_its_last_line(tmp_path):
    """No traceback, no number."""
    with pytest.raises(HistbenchError) as caught:
        measure(side="host", tool="traced", path=str(tmp_path / "absent.jsonl"))

    assert caught.value.code == "memory_worker_failed"
    assert "absent.jsonl" in str(caught.value)


def test_leaving_the_context_ends_what_still_runs(monkeypatch):
    """Ctrl-C in the parent leaves no process behind."""
    started = threading.Event()
    popen = subprocess.Popen

    def start_sleeper(_command, **options):
        process = popen([sys.executable, "-c", "import time; time.sleep(60)"], **options)
        started.set()
        return process

    monkeypatch.setattr(subprocess, "Popen", start_sleeper)
    failures = []

    def work(processes):
        try:
            processes.measure(PeakRequest(form="packed", side="client", tool="traced"))
        except HistbenchError as error:
            failures.append(error)

    with PeakProcesses() as processes:
        thread = threading.Thread(target=work, args=[processes])
        thread.start()
        assert started.wait(30)
    thread.join(30)

    assert not thread.is_alive()
    assert len(failures) == 1
    with pytest.raises(HistbenchError):
        processes.measure(PeakRequest(form="packed", side="client", tool="traced"))
