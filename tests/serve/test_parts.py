"""The pure parts of the daemon: parameters, paths, codings, pools and caches."""

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import refusal
from histbench.encodings import ENCODINGS
from histbench.errors import HistbenchError, StorageError, UsageError
from histbench.serve.content import choose_coding, finish
from histbench.serve.message import Answer, Head
from histbench.serve.operations import OPERATIONS
from histbench.serve.page_cache import PageCache
from histbench.serve.parameters import Parameter, read_query
from histbench.serve.readers import Readers
from histbench.serve.refusals import status_of
from histbench.serve.routing import find_operation
from histbench.serve.sessions import Sessions
from histbench.store import LogWriter
from store_logs import conversation
from transcript_files import SESSION, chain_lines, write_lines

TABLE = (
    Parameter(name="n", description="", minimum=2, maximum=9, code="bad_n"),
    Parameter(name="t", description="", kind="text", max_length=3, default="x"),
    Parameter(name="c", description="", kind="choice", choices=("a", "b")),
)


@pytest.mark.parametrize(
    ("query", "values"),
    [
        (b"", {"n": None, "t": "x", "c": None}),
        (b"n=2&t=%20%C3%A9&c=b", {"n": 2, "t": " é", "c": "b"}),
        (b"n=009", {"n": 9, "t": "x", "c": None}),
        (b"t=a+b", {"n": None, "t": "a b", "c": None}),
    ],
)
def test_queries_are_read(query: bytes, values: dict[str, object]) -> None:
    """Every parameter has a value, or its default."""
    assert read_query(query, TABLE) == values


@given(st.binary(max_size=60))
def test_any_query_is_read_or_refused(query: bytes) -> None:
    """Nothing but an error of ours comes of any bytes."""
    try:
        values = read_query(query, TABLE)
    except UsageError as error:
        assert status_of(error) == 400  # noqa: PT017  (either is right)
    else:
        assert values["n"] is None or 2 <= values["n"] <= 9
        assert 1 <= len(values["t"]) <= 3


@given(st.binary(max_size=60), st.sampled_from(["GET", "HEAD", "POST", "X"]))
def test_any_path_is_an_operation_or_refused(path: bytes, method: str) -> None:
    """The same for paths and methods."""
    try:
        operation, _ = find_operation(OPERATIONS, method, b"/" + path)
    except UsageError as error:
        assert status_of(error) in {404, 405}  # noqa: PT017  (either is right)
    else:
        assert method in operation.methods


@given(st.text(min_size=1, max_size=20).filter(lambda text: text not in {".", ".."}))
def test_an_id_comes_out_of_its_path_as_it_went_in(name: str) -> None:
    """Whatever characters it has, slashes and line ends among them."""
    escaped = "".join(f"%{byte:02X}" for byte in name.encode("utf-8", "replace"))
    _, values = find_operation(OPERATIONS, "GET", f"/session/{escaped}/history".encode())

    assert values["id"] == name.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("*", "br"),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=1.0, br;q=0.9", "gzip"),
        ("br;q=0, zstd;q=0.000, gzip", "gzip"),
        ("*;q=0.5, br;q=0", "zstd"),
        ("br;q=2", None),
        ("br;q=x, gzip;q=0.1", "gzip"),
        ("BR", "br"),
        (", ,;;q=1", None),
    ],
)
def test_the_client_chooses_the_coding(accepted: str | None, coding: str | None) -> None:
    """As RFC 9110 has it; what cannot be read is not liked."""
    assert choose_coding(accepted) == coding


@pytest.mark.parametrize(
    ("coding", "name"), [("br", "br-5"), ("zstd", "zstd-3"), ("gzip", "gzip-6")]
)
def test_encoded_bodies_decode_to_the_answer(coding: str, name: str) -> None:
    """The length is that of what is sent, and each coding has an ETag of its own."""
    head = Head(method="GET", path=b"/", query=b"", headers={"accept-encoding": (coding,)})
    answer = Answer(body=b"body " * 1000, keep="frozen")
    response = finish(head, answer, encode_from=100)
    headers = dict(response.headers)
    plain = dict(
        finish(Head(method="GET", path=b"/", query=b"", headers={}), answer, encode_from=9).headers
    )

    assert headers["content-encoding"] == coding
    assert headers["content-length"] == str(len(response.body))
    assert ENCODINGS[name].decode(response.body, max_bytes=5000) == answer.body
    assert headers["etag"] != plain["etag"]
    asked = Head(
        method="GET",
        path=b"/",
        query=b"",
        headers={"accept-encoding": (coding,), "if-none-match": (f'"x", W/{headers["etag"]}',)},
    )
    again = finish(asked, answer, encode_from=100)
    assert (again.status, again.body) == (304, b"")


def test_newest_answers_and_refusals_are_not_kept() -> None:
    """A page that the next append makes old must not come out of a cache."""
    head = Head(method="GET", path=b"/", query=b"", headers={"if-none-match": ("*",)})
    for answer in (Answer(body=b"x"), Answer(body=b"x", status=404, keep="frozen")):
        headers = dict(finish(head, answer, encode_from=9).headers)

        assert headers["cache-control"] == "no-store"
        assert "etag" not in headers


class Reader:
    """Something that is opened and closed."""

    opened = 0

    def __init__(self, path: Path) -> None:
        self.path, self.closed = path, False
        Reader.opened += 1

    def close(self) -> None:
        """Note it."""
        assert not self.closed
        self.closed = True


def test_readers_are_lent_to_one_at_a_time_and_closed_in_the_end() -> None:
    """Two at once are two readers; what lies idle beyond the bound, or failed, is closed."""
    pool: Readers[Reader] = Readers(Reader, most=2)
    with pool.borrow(Path("a")) as first, pool.borrow(Path("a")) as second:
        assert first is not second
    with pool.borrow(Path("a")) as again:
        assert again in (first, second)
    with pool.borrow(Path("b")) as other:
        pass
    assert sum(each.closed for each in (first, second)) == 1
    with pytest.raises(StorageError), pool.borrow(Path("b")) as same:
        raise StorageError("refused")
    assert same is other
    assert not other.closed
    with pytest.raises(ZeroDivisionError), pool.borrow(Path("b")):
        raise ZeroDivisionError
    assert other.closed
    with pool.borrow(Path("c")) as lent:
        pool.close()
    assert all(each.closed for each in (first, second, lent))


def test_a_page_is_made_once_for_all_who_want_it() -> None:
    """Threads that come together share one making, errors too; nothing of an error is kept."""
    cache = PageCache(most_bytes=100)
    made: list[int] = []
    go = threading.Event()

    def make() -> Answer:
        made.append(1)
        go.wait(10)
        return Answer(body=b"x")

    found: list[Answer] = []
    threads = [
        threading.Thread(target=lambda: found.append(cache.answer("k", (1, 1), make)))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()

    assert (len(found), len({each.body for each in found})) == (5, 1)
    assert cache.answer("k", (1, 1), make).body == b"x"
    assert len(made) == 1
    cache.answer("k", (1, 2), make)
    assert len(made) == 2
    for _ in range(2):
        with pytest.raises(HistbenchError):
            cache.answer("e", (1, 1), _refuse)
    frozen = Answer(body=b"y" * 20, keep="frozen")
    cache.answer("f", (1, 1), lambda: frozen)
    assert cache.answer("f", (2, 2), _refuse) is frozen
    with pytest.raises(HistbenchError):
        cache.answer("f", (0, 3), _refuse)
    for number in range(10):
        cache.answer(number, (1, 1), lambda: Answer(body=b"z" * 20))
    with pytest.raises(HistbenchError):
        cache.answer("f", (2, 2), _refuse)


def _refuse() -> Answer:
    raise StorageError("no", code="io_error")


def test_links_and_pipes_lead_nowhere(tmp_path: Path) -> None:
    """What lies outside the root is not served through a link; what is no file is not opened."""
    import os  # noqa: PLC0415

    root, outside = tmp_path / "root", tmp_path / "outside"
    chats = root / "p" / "chats"
    chats.mkdir(parents=True)
    with LogWriter.create(outside, session_id="s", created_at=1) as writer:
        writer.append(conversation(1))
    secret = write_lines(outside / f"{SESSION}.jsonl", chain_lines(2))
    (chats / secret.name).symlink_to(secret)
    os.mkfifo(chats / f"{SESSION[:-1]}0.jsonl")
    (chats / f"{SESSION[:-1]}1.jsonl").mkdir()
    (root / "_no-cwd").symlink_to(Path(writer.path).parent.parent)
    sessions = Sessions(root)

    for name in (SESSION, f"{SESSION[:-1]}0", f"{SESSION[:-1]}1", "s"):
        error = refusal(sessions.find, name)
        assert status_of(error) == 404, error
    listed, faults = sessions.survey()
    assert listed == []
    assert faults == {"outside_root": 1}


def test_an_id_that_means_two_files_is_refused(tmp_path: Path) -> None:
    """In one workspace it means one, and may be asked for there."""
    for project in ("a", "b"):
        (tmp_path / project / "chats").mkdir(parents=True)
        write_lines(tmp_path / project / "chats" / f"{SESSION}.jsonl", chain_lines(2))
    sessions = Sessions(tmp_path)

    assert refusal(sessions.find, SESSION).code == "session_conflict"
    assert sessions.find(SESSION, workspace="b").workspace == "b"


def test_what_was_found_is_believed_only_while_it_is_there(tmp_path: Path) -> None:
    """A file that is removed or put away is not found a moment later."""
    (tmp_path / "a" / "chats" / "archive").mkdir(parents=True)
    path = write_lines(tmp_path / "a" / "chats" / f"{SESSION}.jsonl", chain_lines(2))
    sessions = Sessions(tmp_path)
    first = sessions.find(SESSION)
    path.rename(path.parent / "archive" / path.name)

    assert first.path == path
    assert refusal(sessions.find, SESSION).code == "session_archived"
