"""The client and dictionaries: with a real daemon, and with one that means it no good."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import zstandard

from daemon import RunningDaemon, running_daemon
from histbench.client import Client
from histbench.client.dictionary import KeptDictionary
from histbench.dictionaries import (
    MAX_DICTIONARY_BYTES,
    DczEncoder,
    Dictionary,
    sample_pages,
    train_dictionary,
    write_dictionary,
)
from histbench.errors import RequestFailed
from histbench.history import encode_page, select_page
from histbench.log import EventLog
from histbench.store import LogWriter
from store_logs import conversation

LOG = EventLog.from_events(conversation(40))
PAGE = encode_page(select_page(LOG))
TRAINED = train_dictionary(
    [
        page
        for turns in range(60, 70)
        for page in sample_pages(EventLog.from_events(conversation(turns)), most=9)
    ],
    size=2048,
)
USE = 'match="/session/*/history*"'
LINK = f'</dictionary/{TRAINED.name}>; rel="compression-dictionary"'

Fields = dict[str, str]
Reply = tuple[int, Fields, bytes]


class Seen(NamedTuple):
    """A request and its answer, as they went over the wire."""

    path: str
    asked: Fields
    answered: Fields
    length: int


@contextmanager
def answering(reply: Callable[[str, Fields], Reply]) -> Iterator[tuple[str, list[Seen]]]:
    """A server on loopback that answers as told, and all that it saw."""
    seen: list[Seen] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer."""
            asked = {name.lower(): value for name, value in self.headers.items()}
            status, fields, body = reply(self.path, asked)
            seen.append(Seen(self.path, asked, fields, len(body)))
            self.send_response(status)
            for name, value in {**fields, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def between(daemon: RunningDaemon) -> Callable[[str, Fields], Reply]:
    """Pass requests on to a daemon, and its answers back as they are."""

    def reply(path: str, asked: Fields) -> Reply:
        connection = HTTPConnection("127.0.0.1", daemon.port, timeout=30)
        connection.request("GET", path, headers=asked)
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        body = response.read()
        connection.close()
        return response.status, fields, body

    return reply


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon that offers a dictionary."""
    root = tmp_path_factory.mktemp("root")
    with LogWriter.create(root, session_id="a/b", created_at=5) as writer:
        writer.append(conversation(40))
    path = root / "pages.dictionary"
    write_dictionary(TRAINED, path)
    with running_daemon(root, "--dictionary", str(path)) as running:
        yield running


def read_back(client: Client) -> list[dict[str, Any]]:
    """All events of the log, in pages of 150."""
    events: list[dict[str, Any]] = []
    before: int | None = None
    while before is None or before > 0:
        page = client.history("a/b", before_seq=before, max_messages=1000, max_events=150)
        events = [*page.events(), *events]
        before = page.from_seq
    return events


def test_pages_come_with_the_dictionary_that_was_offered(daemon: RunningDaemon) -> None:
    """Fetched once, before the second page; every page from then on is dcz, and what it was."""
    with answering(between(daemon)) as (url, seen), Client(url) as client:
        events = read_back(client)
        kept = client.dictionary
    pages = [each for each in seen if "/history" in each.path]
    fetched = [each for each in seen if each.path.startswith("/dictionary")]

    assert events == conversation(40)
    assert kept == TRAINED
    assert [each.path for each in fetched] == [f"/dictionary/{TRAINED.name}"]
    assert seen.index(fetched[0]) == seen.index(pages[0]) + 1
    assert "available-dictionary" not in pages[0].asked
    assert len(pages) > 2
    for page in pages[1:]:
        assert page.asked["available-dictionary"] == TRAINED.field
        assert page.answered["content-encoding"] == "dcz"
        assert "link" not in page.answered


def test_one_page_costs_no_dictionary(daemon: RunningDaemon) -> None:
    """Who reads one page, and who reads none, fetches nothing more."""
    with answering(between(daemon)) as (url, seen), Client(url) as client:
        client.history("a/b")
        client.capabilities()
        client.sessions()

        assert client.dictionary is None
    assert not [each for each in seen if "dictionary" in each.path]


def test_a_client_may_do_without(daemon: RunningDaemon) -> None:
    """Told so, it never fetches one nor asks for what needs it."""
    with answering(between(daemon)) as (url, seen), Client(url, dictionaries=False) as client:
        events = read_back(client)

        assert client.dictionary is None
    assert events == conversation(40)
    assert not [each for each in seen if "dictionary" in each.path]
    assert not [each for each in seen if "dcz" in each.asked["accept-encoding"]]


def test_other_requests_do_not_tell_of_it(daemon: RunningDaemon) -> None:
    """What is not for history pages is asked for as before."""
    with answering(between(daemon)) as (url, seen), Client(url) as client:
        read_back(client)
        seen.clear()
        client.sessions()
        client.capabilities()

    assert not [each for each in seen if "available-dictionary" in each.asked]


def offered(fields: Mapping[str, str], content: bytes, link: str = LINK) -> Callable[..., Reply]:
    """A daemon that offers this as a dictionary and encodes with none."""

    def reply(path: str, asked: Fields) -> Reply:
        if path.startswith("/dictionary"):
            return 200, dict(fields), content
        return 200, {"link": link}, PAGE

    return reply


@pytest.mark.parametrize(
    ("fields", "content", "link"),
    [
        ({}, TRAINED.content, LINK),
        ({"use-as-dictionary": 'match="/other/*"'}, TRAINED.content, LINK),
        ({"use-as-dictionary": 'match="/session/:id/history"'}, TRAINED.content, LINK),
        ({"use-as-dictionary": 'match="/session/(.*)/history"'}, TRAINED.content, LINK),
        ({"use-as-dictionary": f"{USE}, type=other"}, TRAINED.content, LINK),
        ({"use-as-dictionary": 'id="x"'}, TRAINED.content, LINK),
        ({"use-as-dictionary": USE}, TRAINED.content + b"x", LINK),
        ({"use-as-dictionary": USE}, b"short", LINK.replace(TRAINED.name, "x")),
        (
            {"use-as-dictionary": USE},
            bytes(MAX_DICTIONARY_BYTES + 1),
            LINK.replace(TRAINED.name, "x"),
        ),
        ({"use-as-dictionary": USE, "content-encoding": "gzip"}, TRAINED.content, LINK),
        ({"use-as-dictionary": USE, "content-encoding": "dcz"}, TRAINED.content, LINK),
    ],
)
def test_a_dictionary_that_cannot_be_used_is_not(fields: Fields, content: bytes, link: str) -> None:
    """For others, of another type, another than named, too short or long: pages come without."""
    with answering(offered(fields, content, link)) as (url, seen), Client(url) as client:
        for _ in range(3):
            assert client.history("x", form="packed").to_seq == LOG.to_seq

    assert not [each for each in seen if "available-dictionary" in each.asked]
    assert len([each for each in seen if each.path.startswith("/dictionary")]) == 1


@pytest.mark.parametrize(
    "link",
    [
        '<http://127.0.0.1:1/dictionary/x>; rel="compression-dictionary"',
        '<//127.0.0.1:1/dictionary/x>; rel="compression-dictionary"',
        '</dictionary/x>; rel="preload"',
        '</dictionary/x y>; rel="compression-dictionary"',
        "</dictionary/x>",
        "x" * 50_000,
    ],
)
def test_no_other_address_is_asked(link: str) -> None:
    """A link to another host, or to something else, is nobody's dictionary."""
    given = {"use-as-dictionary": USE}
    with answering(offered(given, TRAINED.content, link)) as (url, seen), Client(url) as client:
        for _ in range(2):
            client.history("x", form="packed")

    assert not [each for each in seen if each.path.startswith("/dictionary")]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_dictionary_that_is_refused_is_asked_for_once(status: int) -> None:
    """No redirect is followed, and no page waits for it again."""

    def reply(path: str, asked: Fields) -> Reply:
        if path.startswith("/dictionary"):
            return status, {"location": "/elsewhere"}, b""
        return 200, {"link": LINK}, PAGE

    with answering(reply) as (url, seen), Client(url) as client:
        for _ in range(3):
            client.history("x", form="packed")

    assert [each.path for each in seen if "/session" not in each.path] == [
        f"/dictionary/{TRAINED.name}"
    ]


def flipped(data: bytes, at: int) -> bytes:
    """The same with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def bomb(megabytes: int) -> bytes:
    """A stream that states its size, which no reader holds."""
    raw = zstandard.ZstdCompressionDict(TRAINED.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    nulls = bytes(1_000_000)
    stream = zstandard.ZstdCompressor(dict_data=raw).compressobj(size=megabytes * len(nulls))
    return GOOD[:40] + b"".join(map(stream.compress, [nulls] * megabytes)) + stream.flush()


GOOD = DczEncoder(TRAINED)(PAGE)
DAMAGED = {
    "empty": b"",
    "header cut": GOOD[:20],
    "frame cut": GOOD[:-1],
    "followed": GOOD + b"x",
    "magic": flipped(GOOD, 0),
    "hash": flipped(GOOD, 20),
    "content": flipped(GOOD, len(GOOD) // 2),
    "checksum": flipped(GOOD, len(GOOD) - 1),
    "other dictionary": DczEncoder(Dictionary.of(bytes(400)))(PAGE),
    "bomb": bomb(200),
    "plain": PAGE,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_page_is_refused(damage: str) -> None:
    """Cut, changed, for another dictionary, or a bomb: one error, and nothing held."""

    def reply(path: str, asked: Fields) -> Reply:
        if path.startswith("/dictionary"):
            return 200, {"use-as-dictionary": USE}, TRAINED.content
        if "available-dictionary" in asked:
            return 200, {"content-encoding": "dcz"}, DAMAGED[damage]
        return 200, {"link": LINK}, PAGE

    with answering(reply) as (url, _), Client(url) as client:
        client.history("x", form="packed")
        with pytest.raises(RequestFailed) as caught:
            client.history("x", form="packed")

    assert caught.value.code == "bad_answer"


def test_dcz_that_nobody_asked_for_is_refused() -> None:
    """Without a dictionary there is nothing to decode it with."""
    with (
        answering(lambda *_: (200, {"content-encoding": "dcz"}, GOOD)) as (url, _),
        Client(url) as client,
        pytest.raises(RequestFailed) as caught,
    ):
        client.history("x", form="packed")

    assert caught.value.code == "bad_answer"


def test_a_newer_dictionary_takes_the_place_of_the_former(tmp_path: Path) -> None:
    """One at a time: when the daemon offers another, that is fetched and told of from then on."""
    newer = Dictionary.of(TRAINED.content[:-500])
    known = {each.name: each for each in (TRAINED, newer)}
    offers = [TRAINED, TRAINED, newer, newer]

    def reply(path: str, asked: Fields) -> Reply:
        if path.startswith("/dictionary/"):
            return 200, {"use-as-dictionary": USE}, known[path.rpartition("/")[2]].content
        link = f'</dictionary/{offers.pop(0).name}>; rel="compression-dictionary"'
        return 200, {"link": link}, PAGE

    with answering(reply) as (url, seen), Client(url) as client:
        for _ in range(4):
            client.history("x", form="packed")

        assert client.dictionary == newer
    told = [each.asked.get("available-dictionary") for each in seen if "/session" in each.path]
    assert told == [None, TRAINED.field, TRAINED.field, newer.field]


@pytest.mark.parametrize(
    ("match", "path", "taken"),
    [
        ("/session/*/history*", "/session/a%2Fb/history", True),
        ("/session/*/history*", "/session/a/subagent/b/history", True),
        ("/session/*/history*", "/session/a/transcript", False),
        ("/session/*/history", "/session/a/historyx", False),
        ("/*", "/session/a/history", True),
        ("/session/a.history", "/session/axhistory", False),
    ],
)
def test_patterns_say_for_which_paths_a_dictionary_is(
    match: str, path: str, *, taken: bool
) -> None:
    """A star is anything, a dot is a dot."""
    answers = {"use-as-dictionary": f'id="x", match="{match}";a=1, type=raw'}
    kept = KeptDictionary(lambda _: (TRAINED.content, answers))
    kept.note(path, httpx.Response(200, headers={"link": LINK}))

    assert bool(kept.fields(path)) is taken
