"""The running daemon and those who mean it no good: strangers, forged heads, floods."""

import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon import RunningDaemon, get, open_socket, raw_request, running_daemon
from histbench.cli import main
from histbench.dictionaries import Dictionary
from histbench.errors import UsageError
from histbench.serve.settings import Settings, check_binding
from transcript_files import SESSION

TOKEN = "0123456789abcdef-token"
LOG = "/session/a%20session%2F1/history"


def head(*lines: str) -> bytes:
    """A request of these lines, which asks for the connection to be closed."""
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:1", "LocalHost", "127.0.0.1", "[::1]:80", "10.1.2.3:8765", "[::1]"],
)
def test_addresses_and_localhost_are_our_own(daemon: RunningDaemon, host: str) -> None:
    """A name that nobody else can have resolved to this machine is no stranger's."""
    assert raw_request(daemon, head("GET /health HTTP/1.1", f"Host: {host}"))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8765",
        "localhost:8765@evil.example",
        "localhost:x",
        "[::1]x",
        "[::1",
        "",
        " ",
        "a" * 400,
        "127.0.0.1, evil.example",
    ],
)
def test_a_stranger_name_is_refused(daemon: RunningDaemon, host: str) -> None:
    """A page whose own name was made to resolve to this machine gets nothing."""
    status, body = raw_request(daemon, head("GET /sessions HTTP/1.1", f"Host: {host}"))

    assert (status, body["code"]) in {(403, "host_not_allowed"), (400, "bad_request")}


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("GET /health HTTP/1.1",), 400),
        (("GET /health HTTP/1.1", "Host: localhost", "Host: localhost"), 400),
        (("GET /health HTTP/1.0",), 403),
        (("GET /health HTTP/1.1", "Host: localhost", "Origin: http://evil.example"), 403),
        (("GET /health HTTP/1.1", "Host: localhost", "Origin: null"), 403),
        (("GET /health HTTP/1.1", "Host: localhost:1", "Origin: http://localhost:2"), 403),
        (("GET /health HTTP/1.1", "Host: localhost", "Sec-Fetch-Site: cross-site"), 403),
        (("GET /health HTTP/1.1", "Host: localhost", "Sec-Fetch-Site: same-site"), 403),
        (("GET /health HTTP/1.1", "Host: localhost:1", "Origin: http://localhost:1"), 200),
        (("GET /health HTTP/1.1", "Host: localhost", "Sec-Fetch-Site: same-origin"), 200),
        (("GET /health HTTP/1.1", "Host: localhost", "X-Forwarded-Host: evil.example"), 200),
        (("GET http://evil.example/health HTTP/1.1", "Host: localhost"), 404),
        (("GET /health HTTP/1.1", "Host : localhost"), 400),
        (("GET /health HTTP/1.1", "Host: localhost", " folded: x"), 403),
        (("GET /health", "Host: localhost"), 400),
        (("\x00\x01\x02", "Host: localhost"), 400),
        (("GET /health HTTP/1.1", "Host: localhost", "X: \x00"), 400),
        (("GET /health HTTP/1.1", "Host: localhost", f"X: {'x' * 200_000}"), 400),
        (("GET /health HTTP/1.1", "Host: localhost", *(f"X{n}: y" for n in range(999))), 200),
        (("POST /health HTTP/1.1", "Host: localhost", "Content-Length: x"), 400),
        (
            (
                "GET /health HTTP/1.1",
                "Host: localhost",
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
            ),
            400,
        ),
    ],
)
def test_heads_of_every_kind_are_answered(
    daemon: RunningDaemon, lines: tuple[str, ...], status: int
) -> None:
    """What is no request, or another site's, is refused; the daemon answers the next one."""
    assert raw_request(daemon, head(*lines))[0] == status
    assert get(daemon, "/health").status_code == 200


def test_headers_of_a_stream_are_read_carefully(daemon: RunningDaemon) -> None:
    """No position is none of ours, however it is spelled, and says so instead of losing events."""
    for told in ("-1", "1e3", "٣", "9" * 17, "1;2", "x"):
        with open_socket(daemon) as connection:
            connection.sendall(
                f"GET /session/{SESSION}/events HTTP/1.1\r\nHost: localhost\r\n"
                f"Last-Event-ID: {told}\r\n\r\n".encode()
            )
            answer = b""
            while b"lastEventId" not in answer.partition(b"state_resync")[2]:
                part = connection.recv(65_536)
                assert part, answer
                answer += part

        assert b"bad_last_event_id" in answer


def test_a_thousand_idle_connections_are_survived(daemon: RunningDaemon) -> None:
    """Sockets that say nothing, or half a request, keep nobody else from being answered."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3000:
        pytest.skip("this system allows too few descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    with ExitStack() as stack:
        idle = [stack.enter_context(open_socket(daemon)) for _ in range(1000)]
        for connection in idle[::2]:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: loc")

        assert get(daemon, "/health").status_code == 200
        assert get(daemon, LOG).status_code == 200
        idle[0].sendall(b"alhost\r\n\r\n")
        assert idle[0].recv(65_536).startswith(b"HTTP/1.1 200")
    assert get(daemon, "/health").status_code == 200


def test_a_client_that_goes_away_takes_nothing_along(daemon: RunningDaemon) -> None:
    """Requests and streams that are cut off in the middle leave the daemon as it was."""
    for _ in range(50):
        for path in (LOG, f"/session/{SESSION}/events", f"/session/{SESSION}/transcript"):
            with open_socket(daemon) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    assert get(daemon, "/health").status_code == 200


@pytest.fixture(scope="module")
def guarded(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon with a token, and a name of its own."""
    token_file = tmp_path_factory.mktemp("token") / "token"
    token_file.touch(mode=0o600)
    token_file.write_text(TOKEN + "\n")
    with running_daemon(
        root, "--token-file", str(token_file), "--allow-host", "Histories.Example"
    ) as running:
        yield running


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"authorization": ""},
        {"authorization": TOKEN},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer é".encode()},
        {"cookie": f"token={TOKEN}"},
    ],
)
def test_without_the_token_nothing_is_told(guarded: RunningDaemon, given: dict[str, str]) -> None:
    """Neither what exists nor what does not: every path is refused alike."""
    for path in ("/health", LOG, "/nowhere", f"/session/{SESSION}/events"):
        answer = get(guarded, path, headers=given)

        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert get(guarded, f"/health?token={TOKEN}").status_code == 401


def test_with_the_token_everything_is(guarded: RunningDaemon) -> None:
    """Under the daemon's own name too, whatever the case of either."""
    allowed = {"authorization": f"bearer {TOKEN}", "host": "histories.example:1"}

    assert get(guarded, LOG, headers=allowed).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org"])
def test_other_machines_need_a_token(host: str) -> None:
    """A daemon that others can reach is refused without one, and not with one."""
    with pytest.raises(UsageError) as caught:
        check_binding(host, Settings(root=Path()))

    assert caught.value.code == "token_required"
    check_binding(host, Settings(root=Path(), token=TOKEN))


def test_dictionaries_stay_where_nobody_listens() -> None:
    """Lengths tell more with a dictionary: plain HTTP over a network goes without."""
    shared = Settings(root=Path(), token=TOKEN, dictionaries=(Dictionary.of(bytes(300)),))
    with pytest.raises(UsageError) as caught:
        check_binding("10.0.0.1", shared)

    assert caught.value.code == "dictionary_exposed"
    check_binding("127.0.0.1", shared)
    check_binding("::1", shared)


def test_what_is_not_installed_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the command says which one it needs."""
    for module in ("server", "connections", "app"):
        monkeypatch.delitem(sys.modules, f"histbench.serve.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(main, ["serve", str(root), "--port", "0"])

    assert done.exit_code == 2
    assert "histbench[server]" in done.stderr


def test_a_start_that_fails_says_why(daemon: RunningDaemon, root: Path, tmp_path: Path) -> None:
    """One line each: no root, a taken port, an open address, a token file that is none."""
    short = tmp_path / "short"
    short.touch(mode=0o600)
    short.write_text("x")
    shared = tmp_path / "shared"
    shared.write_text(TOKEN)
    shared.chmod(0o644)
    port = ("--port", "0")

    for arguments, code, words in (
        ((str(tmp_path / "none"), *port), 1, "no such folder"),
        ((str(root), "--port", str(daemon.port)), 1, "another program listens there"),
        ((str(root), "--host", "0.0.0.0", *port), 2, "needs a token"),
        ((str(root), "--token-file", str(tmp_path / "none"), *port), 1, "no such file"),
        ((str(root), "--token-file", str(short), *port), 2, "holds no token"),
        ((str(root), "--token-file", str(shared), *port), 2, "others may read"),
    ):
        done = CliRunner().invoke(main, ["serve", *arguments])

        assert (done.exit_code, words in done.stderr) == (code, True), done.stderr
        assert done.stderr.count("\n") == 1
