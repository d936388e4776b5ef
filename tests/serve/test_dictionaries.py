"""Compression Dictionary Transport on real sockets: offered, fetched, used, and done without."""

from collections.abc import Iterator
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import brotli
import pytest
import zstandard
from click.testing import CliRunner

from daemon import RunningDaemon, get, running_daemon
from histbench.cli import main
from histbench.dictionaries import (
    DCZ_MAX_BODY,
    Dictionary,
    sample_pages,
    train_dictionary,
    write_dictionary,
)
from histbench.log import EventLog
from histbench.store import LogWriter
from store_logs import conversation
from transcript_files import SESSION, chain_lines, write_lines

PAGE = "/session/a%20session%2F1/history?maxMessages=30"
OLDER = f"{PAGE}&beforeSeq=300"
TOKEN = "0123456789abcdef-token"
MAGIC = bytes.fromhex("5e2a4d1820000000")
ALL = "gzip, deflate, br, zstd, dcb, dcz"

OFFERED = train_dictionary(
    [
        page
        for turns in range(60, 70)
        for page in sample_pages(EventLog.from_events(conversation(turns)), most=9)
    ],
    size=2048,
)
FORMER = Dictionary.of(OFFERED.content[:1000])
STRANGE = Dictionary.of(b"what this daemon never had " * 20)
LINK = f'</dictionary/{OFFERED.name}>; rel="compression-dictionary"'


class Got(NamedTuple):
    """A response as it came, its coding not undone."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(daemon: RunningDaemon, path: str, **fields: str) -> Got:
    """One request by a client that knows nothing of codings."""
    connection = HTTPConnection("127.0.0.1", daemon.port, timeout=30)
    try:
        connection.request(
            "GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()}
        )
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Got(response.status, headers, response.read())
    finally:
        connection.close()


def undo(got: Got, dictionary: Dictionary = OFFERED) -> bytes:
    """The body decoded by the libraries themselves."""
    match got.headers.get("content-encoding"):
        case "dcz":
            raw = zstandard.ZstdCompressionDict(
                dictionary.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT
            )
            return zstandard.ZstdDecompressor(dict_data=raw).decompress(got.body[40:])
        case "br":
            return brotli.decompress(got.body)
        case "zstd":
            return zstandard.ZstdDecompressor().decompress(got.body)
        case None:
            return got.body
        case other:
            raise AssertionError(other)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Options with both dictionaries, the offered one first."""
    folder = tmp_path_factory.mktemp("dictionaries")
    for name, dictionary in (("new", OFFERED), ("old", FORMER)):
        write_dictionary(dictionary, folder / name)
    return ["--dictionary", str(folder / "new"), "--dictionary", str(folder / "old")]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log, a long one, and a transcript."""
    folder = tmp_path_factory.mktemp("root")
    for session, turns in (("a session/1", 40), ("long", 400)):
        with LogWriter.create(folder, session_id=session, created_at=5) as writer:
            writer.append(conversation(turns))
    chats = folder / "project" / "chats"
    chats.mkdir(parents=True)
    write_lines(chats / f"{SESSION}.jsonl", chain_lines(60))
    return folder


@pytest.fixture(scope="module")
def offering(sessions: Path, files: list[str]) -> Iterator[RunningDaemon]:
    """A daemon with dictionaries."""
    with running_daemon(sessions, *files) as running:
        yield running


def test_a_page_tells_where_a_dictionary_is(offering: RunningDaemon) -> None:
    """Whoever has none is told of one, and answered as ever."""
    got = ask(offering, PAGE, accept_encoding=ALL)

    assert got.headers["link"] == LINK
    assert got.headers["vary"] == "accept-encoding, available-dictionary"
    assert got.headers["content-encoding"] == "br"


def test_the_dictionary_is_there_under_its_hash(offering: RunningDaemon) -> None:
    """Its bytes, for whom it is, and that it may be kept."""
    path = f"/dictionary/{OFFERED.name}"
    got = ask(offering, path)
    again = ask(offering, path, if_none_match=got.headers["etag"])

    assert got.status == 200
    assert sha256(got.body).hexdigest() == OFFERED.name
    assert got.headers["use-as-dictionary"] == 'match="/session/*/history*"'
    assert got.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert got.headers["content-type"] == "application/octet-stream"
    assert undo(ask(offering, path, accept_encoding="br")) == OFFERED.content
    assert (again.status, again.body) == (304, b"")
    assert ask(offering, f"/dictionary/{FORMER.name}").body == FORMER.content


@pytest.mark.parametrize("name", [STRANGE.name, OFFERED.name.upper(), "x", "..%2Fx"])
def test_another_dictionary_is_not_there(offering: RunningDaemon, name: str) -> None:
    """A name is a hash in lower case, and nothing else."""
    answer = get(offering, f"/dictionary/{name}")

    assert (answer.status_code, answer.json()["code"]) == (404, "dictionary_not_found")


@pytest.mark.parametrize("dictionary", [OFFERED, FORMER])
@pytest.mark.parametrize("form", ["packed", "joined", "lean"])
def test_a_reader_that_has_it_gets_dcz(
    offering: RunningDaemon, dictionary: Dictionary, form: str
) -> None:
    """Magic number, hash, and a frame that holds the very page; both dictionaries are taken."""
    path = f"{PAGE}&form={form}"
    got = ask(offering, path, accept_encoding=ALL, available_dictionary=dictionary.field)
    plain = ask(offering, path)

    assert got.headers["content-encoding"] == "dcz"
    assert got.headers["vary"] == "accept-encoding, available-dictionary"
    assert got.headers["content-length"] == str(len(got.body))
    assert got.body.startswith(MAGIC + dictionary.digest)
    assert undo(got, dictionary) == plain.body
    # A reader with a former one is told of the one that is offered now.
    assert got.headers.get("link") == (None if dictionary is OFFERED else LINK)


@pytest.mark.parametrize(
    ("accepted", "available"),
    [
        (ALL, None),
        (ALL, STRANGE.field),
        (ALL, ""),
        (ALL, OFFERED.name),
        (ALL, OFFERED.field.strip(":")),
        (ALL, f"{OFFERED.field}, {FORMER.field}"),
        (ALL, f":{'A' * 100_000}:"),
        ("br, zstd", OFFERED.field),
        ("*", OFFERED.field),
        ("dcz;q=0, zstd", OFFERED.field),
        ("dcz;q=0.1, br", OFFERED.field),
        ("dcb", OFFERED.field),
        ("", OFFERED.field),
    ],
)
def test_anything_else_is_answered_without(
    offering: RunningDaemon, accepted: str, available: str | None
) -> None:
    """No dictionary, an unknown one, nonsense, or no wish for dcz: the page comes all the same."""
    fields = {"accept_encoding": accepted}
    if available is not None:
        fields["available_dictionary"] = available
    got = ask(offering, PAGE, **fields)

    assert got.status == 200
    assert got.headers.get("content-encoding") != "dcz"
    assert undo(got) == ask(offering, PAGE).body


def test_a_dictionary_named_twice_is_none(offering: RunningDaemon) -> None:
    """The field has one value; who sends two means nothing."""
    connection = HTTPConnection("127.0.0.1", offering.port, timeout=30)
    connection.putrequest("GET", PAGE, skip_accept_encoding=True)
    for name, value in (
        ("accept-encoding", "dcz"),
        ("available-dictionary", OFFERED.field),
        ("available-dictionary", OFFERED.field),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()

    assert response.status == 200
    assert response.getheader("content-encoding") is None
    connection.close()


def test_long_and_short_pages_come_without(offering: RunningDaemon) -> None:
    """A page past the bound is smaller with br; one below a packet is not encoded at all."""
    fields = {"accept_encoding": ALL, "available_dictionary": OFFERED.field}
    long = ask(offering, "/session/long/history?form=raw&maxMessages=800", **fields)
    short = ask(offering, "/session/a%20session%2F1/history?maxEvents=3", **fields)

    assert len(undo(long)) > DCZ_MAX_BODY
    assert long.headers["content-encoding"] == "br"
    assert "content-encoding" not in short.headers


def test_a_kept_page_is_one_of_its_dictionary(offering: RunningDaemon) -> None:
    """What was encoded otherwise has another tag, and the same is not sent again."""
    tags = set()
    for fields in (
        {"accept_encoding": "dcz", "available_dictionary": OFFERED.field},
        {"accept_encoding": "dcz", "available_dictionary": FORMER.field},
        {"accept_encoding": "br"},
        {},
    ):
        got = ask(offering, OLDER, **fields)
        again = ask(offering, OLDER, if_none_match=got.headers["etag"], **fields)
        tags.add(got.headers["etag"])

        assert (again.status, again.body) == (304, b"")
        assert again.headers["vary"] == "accept-encoding, available-dictionary"

    assert len(tags) == 4


@pytest.mark.parametrize("path", ["/sessions", "/capabilities", f"/session/{SESSION}/transcript"])
def test_other_answers_know_of_no_dictionary(offering: RunningDaemon, path: str) -> None:
    """It is for history pages, and a dictionary that a reader has changes nothing else."""
    got = ask(offering, path, accept_encoding=ALL, available_dictionary=OFFERED.field)

    assert got.status == 200
    assert "link" not in got.headers
    assert got.headers["vary"] == "accept-encoding"
    assert got.headers.get("content-encoding") != "dcz"


def test_capabilities_name_it(offering: RunningDaemon, daemon: RunningDaemon) -> None:
    """A client that looks there first finds it, and only where there is one."""
    told, plain = (get(each, "/capabilities").json() for each in (offering, daemon))

    assert set(told["features"]) - set(plain["features"]) == {"compression_dictionary"}
    assert [each for each in told["encodings"] if each not in plain["encodings"]] == ["dcz"]


def test_a_daemon_without_offers_none(daemon: RunningDaemon) -> None:
    """There is none by default: no link, and nothing under any name."""
    got = ask(daemon, PAGE, accept_encoding=ALL, available_dictionary=OFFERED.field)

    assert got.headers["content-encoding"] == "br"
    assert got.headers["vary"] == "accept-encoding"
    assert "link" not in got.headers
    assert "link" not in ask(daemon, "/").headers
    assert ask(daemon, f"/dictionary/{OFFERED.name}").status == 404


def test_a_browser_is_told_with_the_shell_s_page(
    offering: RunningDaemon, root: Path, files: list[str], tmp_path: Path
) -> None:
    """Browsers look at the links of documents; one that needs a token would ask in vain."""
    secret = tmp_path / "token"
    secret.write_text(TOKEN)
    secret.chmod(0o600)
    with running_daemon(root, *files, "--token-file", str(secret)) as guarded:
        shell = ask(guarded, "/")
        refused = ask(guarded, f"/dictionary/{OFFERED.name}")
        allowed = ask(guarded, f"/dictionary/{OFFERED.name}", authorization=f"Bearer {TOKEN}")

    assert ask(offering, "/").headers["link"] == LINK
    assert "link" not in ask(offering, "/shell/app.js").headers
    assert "link" not in shell.headers
    assert refused.status == 401
    assert allowed.body == OFFERED.content


@pytest.mark.parametrize("content", [b"", b"\x37\xa4\x30\xec" + bytes(500)])
def test_a_file_that_is_no_dictionary_ends_the_start(tmp_path: Path, content: bytes) -> None:
    """A daemon does not start with half of what it was told."""
    path = tmp_path / "none"
    path.write_bytes(content)
    done = CliRunner().invoke(main, ["serve", str(tmp_path), "--dictionary", str(path)])

    assert done.exit_code == 1
    assert "dictionary" in done.stderr
