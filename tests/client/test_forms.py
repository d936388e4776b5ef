"""The form of a history page: agreed upon with a real daemon, and with one that knows fewer."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon import RunningDaemon, running_daemon
from form_proxy import FormProxy, form_proxy
from histbench.client import Client
from histbench.errors import RequestFailed
from histbench.fold import fold_assistant
from histbench.history import encode_page
from histbench.store import LogWriter, read_log
from shell_vectors import assistant_json
from store_logs import conversation

ROOT = Path(__file__).parent.parent.parent
LEAN, JOINED = "session_history_lean", "session_history_joined"

# What the daemon in between knows less, and the forms that a client asks two pages for.
AGREEMENTS: dict[str, tuple[dict[str, Any], list[str | None]]] = {
    "all": ({}, ["lean", "lean"]),
    "no lean": ({"hidden_features": [LEAN]}, ["joined", "joined"]),
    "neither": ({"hidden_features": [LEAN, JOINED]}, [None, None]),
    "no capabilities": ({"has_capabilities": False}, [None, None]),
    "lean refused": ({"refused_forms": ["lean"]}, ["lean", "joined", "joined"]),
    "both refused": ({"refused_forms": ["lean", "joined"]}, ["lean", "joined", None, None]),
    "forms refused": ({"knows_forms": False}, ["lean", None, None]),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with one log."""
    folder = tmp_path_factory.mktemp("root")
    with LogWriter.create(folder, session_id="a/b", created_at=5) as writer:
        writer.append(conversation(30))
    return folder


@pytest.fixture(scope="module")
def daemon(root: Path) -> Iterator[RunningDaemon]:
    """A daemon over it."""
    with running_daemon(root) as running:
        yield running


@pytest.fixture
def proxy(daemon: RunningDaemon) -> Iterator[FormProxy]:
    """What stands before it."""
    with form_proxy(daemon.url) as between:
        yield between


def weaken(proxy: FormProxy, less: dict[str, Any]) -> None:
    """Let the proxy know less."""
    for name, value in less.items():
        setattr(proxy, name, value)


@pytest.mark.parametrize("name", AGREEMENTS)
def test_the_shortest_form_that_both_know_is_asked_for(
    proxy: FormProxy, root: Path, name: str
) -> None:
    """Whatever it is, the events are those of the log; what was refused is not asked for again."""
    less, asked = AGREEMENTS[name]
    weaken(proxy, less)
    (path,) = root.glob("*/*/session.jsonl.zstd")
    with Client(proxy.url) as client:
        newest = client.history("a/b", max_messages=10)
        older = client.history("a/b", before_seq=newest.from_seq, max_messages=1000)

    assert proxy.asked == asked
    assert [*older.events(), *newest.events()] == list(read_log(path))


def test_a_form_by_name_is_that_one_or_a_refusal(proxy: FormProxy) -> None:
    """Nothing else is asked for in its place."""
    proxy.refused_forms = ["lean"]
    with Client(proxy.url) as client, pytest.raises(RequestFailed) as caught:
        client.history("a/b", form="lean")

    assert caught.value.code == "unknown_form"
    assert proxy.asked == ["lean"]


def test_other_refusals_change_nothing(proxy: FormProxy) -> None:
    """A session that is not there is not there in any form."""
    with Client(proxy.url) as client:
        with pytest.raises(RequestFailed) as caught:
            client.history("nobody")
        client.history("a/b", max_messages=1)

    assert caught.value.code == "session_not_found"
    assert proxy.asked == ["lean", "lean"]


def test_a_lean_page_is_the_shortest(daemon: RunningDaemon, root: Path) -> None:
    """Which is why it is asked for first."""
    (path,) = root.glob("*/*/session.jsonl.zstd")
    with Client(daemon.url) as client:
        page = client.history("a/b", max_messages=1000)
    sizes = [len(encode_page(page, form)) for form in ("lean", "joined", "packed")]

    assert sizes == sorted(sizes)
    assert page.events() == list(read_log(path))


@pytest.mark.parametrize("name", AGREEMENTS)
def test_the_web_client_agrees_alike(proxy: FormProxy, root: Path, name: str) -> None:
    """The shell's modules in Node: the same forms asked for, the same events and folds."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path")
    less, asked = AGREEMENTS[name]
    weaken(proxy, less)
    (path,) = root.glob("*/*/session.jsonl.zstd")
    done = subprocess.run(
        [node, "tests/shell/history_pages.js", proxy.url, "a/b"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout)

    assert proxy.asked == asked
    assert told["events"] == list(read_log(path))
    assert told["folded"] == assistant_json(fold_assistant(read_log(path).records()))
