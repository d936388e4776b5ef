"""The daemon's bounds, made small: nothing that they stop is a dead end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from histbench.history import decode_page
from histbench.jsontext import decode, encode
from histbench.serve.api import Api
from histbench.serve.desk import Desk
from histbench.serve.message import Head
from histbench.serve.settings import Settings
from histbench.store import LogWriter
from store_logs import note
from transcript_files import SESSION, chain_lines, record_line, write_lines

RECORD = "qwen.session.recordId"


def api_of(root: Path, **bounds: int) -> Api:
    """The daemon without its sockets."""
    return Api(Desk(Settings(root=root, **bounds)))


def ask(api: Api, path: str, body: dict[str, Any] | None = None, **query: object) -> Any:
    """The status and the JSON of an answer."""
    head = Head(
        method="GET" if body is None else "POST",
        path=path.encode(),
        query=urlencode(query).encode(),
        headers={"host": ("localhost",), "content-type": ("application/json",)},
    )
    operation, call = api.admit(head)
    assert operation.answer is not None
    response = api.respond(operation, operation.answer, call, encode(body) if body else b"")
    return response.status, decode(response.body)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A root with a transcript in which one record is very long."""
    (tmp_path / "p" / "chats").mkdir(parents=True)
    lines = chain_lines(40)
    lines[20] = record_line("r20", "r19", text="long " * 5000)
    write_lines(tmp_path / "p" / "chats" / f"{SESSION}.jsonl", lines)
    return tmp_path


def records_of(events: list[dict[str, Any]]) -> list[str]:
    """The records that events come from, each once."""
    return list(dict.fromkeys(event["data"]["_meta"][RECORD] for event in events))


@pytest.mark.parametrize("prefix", ["", "/workspace/p"])
def test_a_record_beyond_the_hard_limit_names_where_to_go_on(root: Path, prefix: str) -> None:
    """It is refused with its size, and everything before and behind it can be had."""
    api = api_of(root, page_hard=10_000, page_soft=5_000)
    path = f"{prefix}/session/{SESSION}/transcript"
    seen: list[str] = []
    query: dict[str, object] = {"direction": "backward"}
    refused = []
    while True:
        status, page = ask(api, path, limit=6, **query)
        if status == 413:
            refused.append(page)
            query = {"beforeRecordId": page["continueBeforeRecordId"]}
            continue
        assert status == 200
        seen = records_of(page["events"]) + seen
        if not page["hasMore"]:
            break
        query = {"cursor": page["nextCursor"]}

    (only,) = refused
    assert only["code"] == "transcript_page_too_large"
    assert only["maxBytes"] == 10_000 < only["pageBytes"]
    assert only["where"] == {"record": "r20"}
    assert seen == [f"r{at}" for at in range(40) if at != 20]


def test_a_load_beyond_its_envelope_says_what_it_leaves_out(root: Path) -> None:
    """The newest events come, behind a mark with the record that older pages come before."""
    small = api_of(root, load_updates=12)
    _, whole = ask(api_of(root), f"/session/{SESSION}/load", {})
    status, loaded = ask(small, f"/session/{SESSION}/load", {})
    _, paged = ask(small, f"/session/{SESSION}/load", {"historyPageSize": 4})
    mark, *events = loaded["compactedReplay"]

    assert status == 200
    assert whole["historyHasMore"] is False
    assert [event["type"] for event in whole["compactedReplay"]] == ["session_update"] * 40
    assert mark["type"] == "history_truncated"
    assert mark["data"]["recordId"] == loaded["historyAnchorRecordId"]
    assert mark["data"]["retainedEvents"] == len(events) <= 12
    assert records_of(events)[0] == mark["data"]["recordId"]
    assert records_of(events)[-1] == "r39"
    assert paged["historyHasMore"] is True
    assert records_of(paged["compactedReplay"])[-1] == "r39"


def test_a_history_page_beyond_its_bound_can_be_had_in_parts(tmp_path: Path) -> None:
    """A form that is too long is refused; fewer events of it are not."""
    events = [note(seq, said="x" * 100) for seq in range(300)]
    with LogWriter.create(tmp_path, session_id="s", created_at=1) as writer:
        writer.append(events)
    api = api_of(tmp_path, history_hard=20_000)
    status, refused = ask(api, "/session/s/history", form="raw")
    found: list[Any] = []
    query: dict[str, object] = {}
    while True:
        _, page = ask(api, "/session/s/history", maxEvents=70, **query)
        decoded = decode_page(encode(page))
        found = decoded.events() + found
        if not decoded.has_more:
            break
        query = {"beforeSeq": decoded.from_seq}

    assert (status, refused["code"]) == (413, "page_too_large")
    assert found == events


def test_nothing_of_a_defect_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What is no error of ours is a bare 500, with its story in the daemon's own log."""
    api = api_of(tmp_path)
    api.desk.sessions.root = None  # type: ignore[assignment]
    status, body = ask(api, "/sessions")

    assert (status, body["code"]) == (500, "internal")
    assert set(body) == {"error", "code"}
    assert "Traceback" in caplog.text
