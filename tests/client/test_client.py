"""The Python client against a real daemon: what it returns, and what its failures are."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pytest
import zstandard

from daemon import RunningDaemon, running_daemon
from histbench.client import Client, TranscriptSlice
from histbench.client.paging import walk_back
from histbench.errors import RequestFailed
from histbench.history import FORMS
from histbench.store import LogWriter, read_log
from store_logs import conversation
from transcript_files import (
    INHERITED,
    SESSION,
    SIDE_TASK,
    chain_lines,
    record_line,
    write_lines,
)

RECORD = "qwen.session.recordId"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a log, and a transcript to be appended to."""
    folder = tmp_path_factory.mktemp("root")
    with LogWriter.create(folder, session_id="a/b", created_at=5) as writer:
        writer.append(conversation(30))
    (folder / "project" / "chats").mkdir(parents=True)
    write_lines(chat_of(folder), chain_lines(50))
    return folder


@pytest.fixture(scope="module")
def daemon(root: Path) -> Iterator[RunningDaemon]:
    """A daemon over it."""
    with running_daemon(root) as running:
        yield running


@pytest.fixture
def chat(root: Path) -> Iterator[Path]:
    """The transcript, to be appended to; afterwards it is for the others as it was."""
    path = chat_of(root)
    size = path.stat().st_size
    yield path
    os.truncate(path, size)


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[Client]:
    """A client of it."""
    with Client(daemon.url) as connected:
        yield connected


def chat_of(root: Path) -> Path:
    """The transcript's file."""
    return root / "project" / "chats" / f"{SESSION}.jsonl"


def records_of(events: tuple[dict[str, Any], ...]) -> list[str]:
    """The records that events come from, each once."""
    return list(dict.fromkeys(event["data"]["_meta"][RECORD] for event in events))


def test_what_the_daemon_has(client: Client) -> None:
    """Capabilities, features and sessions."""
    assert client.supports("session_events_resume")
    assert not client.supports("time_travel")
    assert {each["sessionId"] for each in client.sessions()} == {"a/b", SESSION}
    assert len(client.sessions(limit=1)) == 1


@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if form.lossless])
def test_history_in_every_form_is_the_same_events(client: Client, root: Path, form: str) -> None:
    """A page is proved when it arrives, whatever it was spelled like."""
    (path,) = root.glob("*/*/session.jsonl.zstd")

    assert client.history("a/b", form=form, max_messages=1000).events() == list(read_log(path))


def test_a_load_and_the_pages_before_it_are_the_conversation(client: Client) -> None:
    """Nothing is missing between the two, and nothing is there twice."""
    loaded = client.load(SESSION, page_size=10)
    older = list(client.pages(SESSION, before_record_id=loaded.first_record_id, limit=9))
    records = [each for page in reversed(older) for each in records_of(page.events)]

    assert loaded.has_more
    assert [*records, *records_of(loaded.events)] == records_of(client.load(SESSION).events)
    assert [page.has_more for page in older] == [True] * (len(older) - 1) + [False]


def test_turns_search_and_single_pages(client: Client) -> None:
    """The rest of what a client can ask for."""
    turns = client.turns(SESSION, limit=3)
    hits = client.search(SESSION, "hello 4", limit=5)["hits"]
    there = client.transcript(
        SESSION, at_record_id=turns["turns"][0]["turnId"], snapshot=turns["snapshot"], limit=5
    )

    assert len(turns["turns"]) == 3
    assert hits
    assert there["targetRecordId"] == turns["turns"][0]["turnId"]
    assert client.transcript(SESSION, workspace="project", limit=5)["hasMore"]


def test_refusals_keep_code_status_and_place(client: Client) -> None:
    """What the daemon said is on the error."""
    for call, status, code in (
        (lambda: client.history("nobody"), 404, "session_not_found"),
        (lambda: client.history(SESSION), 404, "history_not_found"),
        (lambda: client.history("a/b", max_events=0), 400, "bad_max_events"),
        (lambda: client.transcript(SESSION, cursor="x"), 400, "invalid_transcript_cursor"),
        (lambda: client.load("nobody", page_size=5), 404, "session_not_found"),
        (
            lambda: client.subagent_history("x", "a/b", mode="one-shot"),
            404,
            "subagent_not_found",
        ),
    ):
        with pytest.raises(RequestFailed) as caught:
            call()

        assert (caught.value.status, caught.value.code) == (status, code)


def test_a_record_that_is_appended_comes_with_its_id(client: Client, chat: Path) -> None:
    """A transcript is followed from where it was loaded, and a rewind asks for a new load."""
    loaded = client.load(SESSION, page_size=10)
    last = records_of(loaded.events)[-1]
    stream = client.follow(SESSION, after=loaded)
    first = next(stream)
    with chat.open("ab") as file:
        file.write(record_line("new1", last, text="one") + b"\n")
        file.flush()
        appended = next(stream)
        file.write(record_line("new2", "new1", kind="assistant", text="tw"))
        file.flush()
        os.fsync(file.fileno())
        file.write(b"\n" + record_line("back", "r3", text="from there") + b"\n")
    told = [appended, *islice(stream, 1)]
    while told[-1].kind == "updates":
        told.append(next(stream))

    assert (first.kind, first.position) == ("subscribed", loaded.last_event_id)
    assert records_of(appended.updates) == ["new1"]
    assert (told[-1].kind, told[-1].reason) == ("resync", "rewound")
    again = client.load(SESSION, page_size=10)
    assert records_of(again.events)[-1] == "back"


def test_what_a_side_task_hides_is_not_followed_either(client: Client, chat: Path) -> None:
    """Its beginning asks for a new load; what is copied into it comes with nothing to show."""
    loaded = client.load(SESSION, page_size=10)
    last = records_of(loaded.events)[-1]
    stream = client.follow(SESSION, after=loaded)
    next(stream)
    with chat.open("ab") as file:
        file.write(record_line("begins", last, kind="system", **SIDE_TASK) + b"\n")
        file.flush()
        told = next(stream)
    loaded = client.load(SESSION, page_size=10)
    stream = client.follow(SESSION, after=loaded)
    next(stream)
    with chat.open("ab") as file:
        file.write(record_line("copied", "begins", text="secret", **INHERITED) + b"\n")
        file.write(record_line("said", "copied", text="own") + b"\n")
        file.flush()
        updates = []
        while "said" not in records_of(updates):
            updates += next(stream).updates

    assert (told.kind, told.reason) == ("resync", "rewound")
    assert (loaded.events, loaded.has_more) == ((), False)
    assert records_of(updates) == ["said"]
    assert client.search(SESSION, "secret")["hits"] == []


def test_a_renewed_key_is_gone_around(tmp_path: Path) -> None:
    """A walk whose cursor is refused goes on from a record id: no page is lost or repeated."""
    (tmp_path / "p" / "chats").mkdir(parents=True)
    write_lines(tmp_path / "p" / "chats" / f"{SESSION}.jsonl", chain_lines(40))
    with running_daemon(tmp_path) as daemon, Client(daemon.url) as client:
        walk = client.pages(SESSION, limit=7)
        pages = list(islice(walk, 2))
        daemon.kill()
        (tmp_path / ".histbench" / "cursor-keys").unlink()
        daemon.start()
        pages += list(walk)
        whole = client.load(SESSION)
    records = [each for page in reversed(pages) for each in records_of(page.events)]

    assert records == records_of(whole.events)


def test_a_record_too_large_for_any_page_is_passed_by() -> None:
    """The walk says so, and goes on with what lies before it."""
    asked: list[dict[str, Any]] = []

    def request(query: Any) -> dict[str, Any]:
        asked.append(dict(query))
        if query == {"beforeRecordId": "big"}:
            return {"events": [{"a": 1}], "firstRecordId": "r0", "hasMore": False}
        error = RequestFailed("too large", code="transcript_page_too_large").at(record="big")
        error.status = 413
        raise error

    pages = list(walk_back(request, before_record_id=None))

    assert pages == [
        TranscriptSlice(events=(), first_record_id="big", has_more=True, too_large=True),
        TranscriptSlice(events=({"a": 1},), first_record_id="r0", has_more=False),
    ]
    assert asked == [{"direction": "backward"}, {"beforeRecordId": "big"}]


class Imposter(BaseHTTPRequestHandler):
    """Something that answers like no daemon does."""

    answers: ClassVar[dict[str, tuple[int, dict[str, str], bytes]]] = {
        "/capabilities": (200, {"content-encoding": "zstd"}, zstandard.compress(b"0" * 2**28)),
        "/sessions": (200, {}, b"<html>"),
        "/session/x/history": (200, {}, b'{"records":[],"hasMore":false,"fromSeq":1,"toSeq":0}'),
        "/session/y/history": (500, {}, b"<h1>oh</h1>"),
        "/session/z/history": (302, {"location": "http://127.0.0.1:1/"}, b""),
        "/session/x/transcript": (200, {"content-encoding": "rot13"}, b"{}"),
        "/session/x/events": (200, {"content-type": "text/html"}, b"no stream"),
        "/session/x/load": (200, {}, json.dumps({"sessionId": "x"}).encode()),
    }

    def do_GET(self) -> None:
        """Answer."""
        status, headers, body = self.answers[self.path.partition("?")[0]]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_an_answer_that_is_none_is_an_error_of_ours() -> None:
    """Bombs, other codings, HTML, damaged pages and redirects end in a RequestFailed, nothing else."""
    server = HTTPServer(("127.0.0.1", 0), Imposter)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with Client(f"http://127.0.0.1:{server.server_port}") as client:
            for call, status, code in (
                (client.capabilities, None, "bad_answer"),
                (client.sessions, None, "bad_answer"),
                (lambda: client.history("x", form="packed"), None, "bad_answer"),
                (lambda: client.history("y", form="packed"), 500, "request_failed"),
                (lambda: client.history("z", form="lean"), 302, "request_failed"),
                (lambda: client.transcript("x"), None, "bad_answer"),
                (lambda: client.load("x"), None, "bad_answer"),
                (lambda: next(client.follow("x", give_up_seconds=0)), None, "bad_answer"),
            ):
                with pytest.raises(RequestFailed) as caught:
                    call()

                assert (caught.value.status, caught.value.code) == (status, code)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("url", ["http://[", "ftp://x", "http://127.0.0.1:1", "nowhere"])
def test_no_daemon_there(url: str) -> None:
    """An address that is none, or where nobody listens."""
    with pytest.raises(RequestFailed) as caught, Client(url, timeout_seconds=5) as client:
        client.capabilities()

    assert caught.value.status is None
