"""The running daemon: what each route answers, and what it refuses, over a real socket."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from daemon import RunningDaemon, get, raw_request
from histbench.history import FORMS, decode_page, select_page
from histbench.store import read_log

LOG = f"/session/{quote('a session/1', safe='')}"


def refusal(daemon: RunningDaemon, path: str, **options: object) -> tuple[int, str]:
    """The status and the code of a refusal, which has the agreed body and names no file."""
    answer = get(daemon, path, **options)
    body = answer.json()

    assert answer.headers["content-type"] == "application/json"
    assert isinstance(body["error"], str)
    assert "session.jsonl" not in answer.text
    return answer.status_code, body["code"]


def test_health_and_capabilities(daemon: RunningDaemon) -> None:
    """A client can find out who answers and what may be asked."""
    told = get(daemon, "/capabilities").json()

    assert get(daemon, "/health").json() == {"ok": True}
    assert told["service"] == "histbench"
    assert "session_transcript_pagination" in told["features"]
    assert told["forms"] == list(FORMS)


def test_sessions_are_listed_with_their_headers(daemon: RunningDaemon) -> None:
    """What a list needs, without a path of this machine."""
    answer = get(daemon, "/sessions")
    listed = {each["sessionId"]: each for each in answer.json()["sessions"]}

    assert listed["a session/1"]["kind"] == "log"
    assert listed["a session/1"]["workspace"] == "--x--"
    assert listed["a session/1"]["createdAt"] == 5
    assert "session.jsonl" not in answer.text


@pytest.mark.parametrize("form", sorted(FORMS))
def test_history_pages_are_those_of_the_log(daemon: RunningDaemon, root: Path, form: str) -> None:
    """The daemon adds nothing and takes nothing away."""
    (path,) = root.glob("*/*/session.jsonl.zstd")
    page = select_page(read_log(path), before_seq=200, max_messages=7, max_events=30)

    answer = get(daemon, f"{LOG}/history?beforeSeq=200&maxMessages=7&maxEvents=30&form={form}")

    assert answer.content == FORMS[form].encode(page)


def test_pages_walk_back_through_the_whole_log(daemon: RunningDaemon, root: Path) -> None:
    """Each page ends where the one before began, and together they are the log."""
    (path,) = root.glob("*/*/session.jsonl.zstd")
    log = read_log(path)
    events: list[object] = []
    before = ""
    while True:
        page = decode_page(get(daemon, f"{LOG}/history?maxMessages=9{before}").content)
        events[:0] = page.events()
        before = f"&beforeSeq={page.from_seq}"
        if not page.has_more:
            break

    assert events == list(log)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("beforeSeq=-1", 400, "bad_before_seq"),
        ("beforeSeq=x", 400, "bad_before_seq"),
        ("beforeSeq=", 400, "bad_before_seq"),
        ("beforeSeq=1.0", 400, "bad_before_seq"),
        ("beforeSeq=%EF%BC%91", 400, "bad_before_seq"),
        ("beforeSeq=99999999999999999999", 400, "bad_before_seq"),
        ("maxMessages=0", 400, "bad_max_messages"),
        ("maxEvents=0", 400, "bad_max_events"),
        ("maxBytes=0", 400, "bad_max_bytes"),
        ("form=lossy", 400, "unknown_form"),
        ("beforeseq=1", 400, "unknown_parameter"),
        ("beforeSeq=1&beforeSeq=1", 400, "repeated_parameter"),
        ("beforeSeq=%FF", 400, "bad_request"),
        ("beforeSeq", 400, "bad_request"),
        ("&".join(f"a{n}=1" for n in range(50)), 400, "bad_request"),
    ],
)
def test_history_parameters_are_checked(
    daemon: RunningDaemon, query: str, status: int, code: str
) -> None:
    """Whatever is no value, no parameter, or given twice is refused under a code of its own."""
    assert refusal(daemon, f"{LOG}/history?{query}") == (status, code)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/session", 404, "unknown_path"),
        (f"{LOG}/", 404, "unknown_path"),
        ("/session//history", 404, "unknown_path"),
        ("/session/%FF/history", 404, "unknown_path"),
        ("/session/nobody/history", 404, "session_not_found"),
        ("/session/nobody/events", 404, "session_not_found"),
        (f"/session/{'x' * 300}/history", 404, "session_not_found"),
        (f"/session/{'x' * 2000}/history", 404, "unknown_path"),
        ("/session/nobody/subagent/no/history", 400, "missing_parameter"),
        ("/session/nobody/subagent/no/history?mode=x", 400, "bad_request"),
        ("/session/nobody/subagent/no/history?mode=one-shot", 404, "session_not_found"),
        (
            f"/session/nobody/subagent/{LOG.rpartition('/')[2]}/history?mode=one-shot",
            404,
            "subagent_not_found",
        ),
        ("/sessions?limit=0", 400, "bad_parameter"),
    ],
)
def test_what_is_not_there_is_refused(
    daemon: RunningDaemon, path: str, status: int, code: str
) -> None:
    """No path ends in anything but an answer of ours."""
    assert refusal(daemon, path) == (status, code)


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../..",
        "../../etc/passwd",
        "..\\..",
        "/etc/passwd",
        "a session/1/../x",
        "\0",
        "session.jsonl.zstd",
        "~002E",
        "%2e%2e",
        "\u202e..",
    ],
)
def test_an_id_is_never_a_path(daemon: RunningDaemon, name: str) -> None:
    """However it is spelled and escaped, an id outside the root names nothing."""
    for path in (
        f"/session/{quote(name, safe='')}/history",
        f"/session/nobody/subagent/{quote(name, safe='')}/history?mode=one-shot",
        f"/session/{quote(name, safe='')}/events",
    ):
        status, body = raw_request(
            daemon, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )

        assert (status, body["code"]) == (404, "session_not_found")


def test_dots_in_a_path_lead_nowhere(daemon: RunningDaemon) -> None:
    """A path with dots as segments, sent as it is, is a path like any other."""
    for path in ("/session/../sessions", "/../../etc/passwd", "//etc/passwd", "/session/x/../.."):
        status, _ = raw_request(
            daemon, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )

        assert status == 404


def test_methods_are_told(daemon: RunningDaemon) -> None:
    """A method that a path has not is refused with those that it has."""
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
        status, body = raw_request(
            daemon,
            f"{method} {LOG}/history HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(),
        )

        assert (status, body["code"]) == (405, "method_not_allowed")


def test_head_is_get_without_its_body(daemon: RunningDaemon) -> None:
    """The same headers, and nothing behind them."""
    import httpx  # noqa: PLC0415

    head = httpx.head(f"{daemon.url}{LOG}/history", trust_env=False)
    whole = get(daemon, f"{LOG}/history", headers={"accept-encoding": "identity"})

    assert head.content == b""
    assert head.status_code == 200
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_every_answer_protects_itself(daemon: RunningDaemon) -> None:
    """Pages and refusals alike tell a browser to trust nothing in them, and no site may read them."""
    for path in ("/health", "/nowhere", f"{LOG}/history?x"):
        headers = get(daemon, path).headers

        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers
        assert not any(name.startswith("access-control") for name in headers)


def test_a_damaged_log_is_told_with_its_place(daemon: RunningDaemon, root: Path) -> None:
    """Damage is neither an empty page nor a defect of the daemon, and its file stays unnamed."""
    folder = root / "_no-cwd" / "broken"
    folder.mkdir(parents=True, exist_ok=True)
    header = {"type": "session", "version": 0, "id": "broken", "createdAt": 1, "delegationDepth": 0}
    (folder / "session.jsonl").write_text(json.dumps(header) + '\n{"type":\n')
    answer = get(daemon, "/session/broken/history")

    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_json"
    assert answer.json()["where"]["line"] == 2
    assert str(root) not in answer.text
