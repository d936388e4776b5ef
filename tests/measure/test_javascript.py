"""Clients in V8: their samples stand beside Python's, and only where they come to its state."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from checks import refusal
from histbench.errors import InvalidPage, UsageError
from histbench.history import FORMS, encode_page, whole_page
from histbench.log import EventLog
from histbench.measure import Plan, Source, run_sources
from histbench.measure.javascript import find_clients, measure_javascript
from histbench.measure.javascript_chromium import Chromium
from histbench.measure.javascript_node import Node
from histbench.measure.samples import SampleSheet
from histbench.report import gather, peaks_table
from measure_session import small_events
from report_results import full_results

FEW = ("packed", "lean")
STAGES = ("parse", "validate", "prepare", "fold", "total")

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on the path")
needs_chromium = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser"))), reason="no chromium on the path"
)


def plan_of(*clients: str, memory_samples: int = 0, forms: Sequence[str] = FEW) -> Plan:
    """Two runs of few forms."""
    return Plan.of_names(
        forms=forms,
        encodings=["identity"],
        runs=2,
        memory_samples=memory_samples,
        clients=clients,
    )


def small_pages() -> dict[str, bytes]:
    """The small session in every form."""
    page = whole_page(EventLog.from_events(small_events()))
    return {name: encode_page(page, name) for name in FORMS}


class _Steps:
    """Counts steps and tells nobody."""

    def next(self, label: str) -> None:
        """Take one step."""


@needs_node
def test_every_stage_of_node_has_one_sample_a_run(session_file):
    """In the same results as Python's, with the versions in the environment."""
    results = run_sources([Source.of_file(session_file)], plan_of("node"))
    found = {(k.form, k.stage): s.values for k, s in results.series().items()}

    for form in ("packed", "lean"):
        for stage in STAGES:
            assert len(found[form, f"node.{stage}"]) == 2
            assert len(found[form, f"client.{stage}"]) == 2
    assert {"client.node", "client.node.v8"} <= results.environment.keys()
    assert results.settings["clients"] == ["node"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "client",
    [pytest.param("node", marks=needs_node), pytest.param("chromium", marks=needs_chromium)],
)
def test_peaks_and_seconds_are_as_many_as_were_asked_for(client):
    """And the engine tells which it is."""
    sheet = SampleSheet("small")
    plan = plan_of(client, memory_samples=2, forms=["lean"])
    versions = measure_javascript("small", plan, small_pages(), sheet, _Steps())
    found = [(sample.stage, sample.run) for sample in sheet.samples(FORMS, [])]

    stages = [*(f"{client}.{stage}" for stage in STAGES), f"memory.{client}.heap"]
    assert found == [(stage, run) for stage in stages for run in (0, 1)]
    assert f"client.{client}" in versions


@needs_node
def test_what_an_engine_refuses_is_in_its_reply():
    """With the words of the module that refused it."""
    page = b'{"records":[]}'
    job = b'{"task":"time","pages":[{"form":"packed","bytes":%d}],"runs":1,"warmUp":0}' % len(page)
    reply = json.loads(Node().run(job, {"packed": page}))

    assert reply["failed"].startswith("InvalidPage: not a page")


@needs_node
def test_an_engine_that_comes_to_another_state_gives_no_numbers():
    """The digest is of the page that the engine was given, and of no other."""
    pages = small_pages()
    other = whole_page(EventLog.from_events(small_events()[:-40]))
    engine = Node()

    class Confused(Node):
        """Does another page's work."""

        def run(self, job: bytes, _: Mapping[str, bytes]) -> bytes:
            """Answer for pages of a shorter log, whatever is asked."""
            shorter = {name: encode_page(other, name) for name in ("packed", "lean")}
            told = json.loads(job)
            for page in told["pages"]:
                page["bytes"] = len(shorter[page["form"]])
            return engine.run(json.dumps(told).encode(), shorter)

    sheet = SampleSheet("small")
    with pytest.raises(InvalidPage) as caught:
        measure_javascript(
            "small", plan_of("node"), pages, sheet, _Steps(), engines={"node": Confused()}
        )
    assert caught.value.code == "not_lossless"
    assert sheet.samples(FORMS, []) == []


def test_a_client_that_is_not_there_is_told_before_anything_is_measured(monkeypatch, tmp_path):
    """By name, and with what was looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))

    for client in (Node, Chromium):
        assert refusal(client.find).code == "client_missing"
    missing = refusal(run_sources, [Source.of_file("x")], plan_of("node"))
    unknown = refusal(find_clients, ["lynx"])

    assert (missing.code, unknown.code) == ("client_missing", "unknown_client")
    assert isinstance(missing, UsageError)
    assert isinstance(unknown, UsageError)


def test_a_browser_that_ends_at_once_is_an_error(monkeypatch, tmp_path):
    """Not a wait without end."""
    program = Path(tmp_path) / "chromium"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    start = time.monotonic()

    assert refusal(Chromium().run, b"{}", {}).code == "client_failed"
    assert time.monotonic() - start < 60


def test_python_alone_is_what_is_measured_unless_asked():
    """`python` names the client that always is measured."""
    assert plan_of("python").clients == ()
    assert plan_of("node", "python", "node").clients == ("node",)
    assert "clients" not in plan_of().settings()


def test_reports_show_heap_peaks_only_where_some_were_taken():
    """A column of nothing but holes would say that something is missing."""
    results = full_results()
    python_only = msgspec.structs.replace(
        results, samples=tuple(s for s in results.samples if not s.stage.endswith(".heap"))
    )
    titles = [
        [column.title for column in peaks_table(gather([("", each)])[0]).columns]
        for each in (results, python_only)
    ]

    assert ["V8 heap MB" in shown for shown in titles] == [True, False]


@needs_node
def test_the_command_shows_the_stages_of_its_clients(session_file):
    """In the table of stages, under their own names."""
    words = ["run", str(session_file), "--client", "node", "--runs", "1", "--no-memory"]
    done = subprocess.run(
        [sys.executable, "-m", "histbench", *words, "--forms", "packed", "--encodings", "identity"],
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "node.total" in done.stdout
