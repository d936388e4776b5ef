"""The running daemon's transcripts: pages, turns, search, load, and what each refuses."""

from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from daemon import RunningDaemon, get, post
from transcript_files import SESSION

CHAT = f"/session/{SESSION}"
LOG = "/session/a%20session%2F1"
RECORD = "qwen.session.recordId"


def ask(daemon: RunningDaemon, path: str, **query: object) -> dict[str, Any]:
    """The JSON of an answer that is no refusal."""
    answer = get(daemon, f"{path}?{urlencode(query)}" if query else path)

    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(daemon: RunningDaemon, path: str, **query: object) -> tuple[int, str]:
    """The status and the code of a refusal."""
    answer = get(daemon, f"{path}?{urlencode(query)}" if query else path)
    return answer.status_code, answer.json()["code"]


def load(daemon: RunningDaemon, path: str, **body: object) -> httpx.Response:
    """A load."""
    return post(daemon, f"{path}/load", json=body)


def records_of(events: list[dict[str, Any]]) -> list[str]:
    """The records that events come from, each once."""
    return list(dict.fromkeys(event["data"]["_meta"][RECORD] for event in events))


def walk(daemon: RunningDaemon, path: str, first: dict[str, object]) -> list[dict[str, Any]]:
    """Page after page by cursor."""
    pages = [ask(daemon, path, **first)]
    while pages[-1]["hasMore"]:
        pages.append(ask(daemon, path, cursor=pages[-1]["nextCursor"], limit=first.get("limit", 7)))
    return pages


@pytest.mark.parametrize("session", [CHAT, LOG])
@pytest.mark.parametrize("limit", [7, 500])
def test_forward_and_backward_pages_hold_the_same_events(
    daemon: RunningDaemon, session: str, limit: int
) -> None:
    """Whichever way a transcript is read, its records are the same, each once and in order."""
    path = f"{session}/transcript"
    forward = walk(daemon, path, {"limit": limit})
    backward = walk(daemon, path, {"limit": limit, "direction": "backward"})

    there = [record for page in forward for record in records_of(page["events"])]
    back = [record for page in reversed(backward) for record in records_of(page["events"])]
    assert there == back
    assert len(there) == len(set(there)) >= 40


def test_a_page_before_a_record_needs_no_cursor(daemon: RunningDaemon) -> None:
    """The id of a page's first record asks for exactly what the cursor asks for."""
    path = f"{CHAT}/transcript"
    newest = ask(daemon, path, direction="backward", limit=9)
    by_cursor = ask(daemon, path, cursor=newest["nextCursor"], limit=9)
    by_record = ask(daemon, path, beforeRecordId=newest["firstRecordId"], limit=9)
    after = ask(daemon, path, afterRecordId=by_record["lastRecordId"], limit=9)

    assert by_cursor["events"] == by_record["events"]
    assert after["firstRecordId"] == newest["firstRecordId"]


def test_a_workspace_names_its_sessions_only(daemon: RunningDaemon) -> None:
    """The qualified route is the same page, and another workspace has no such session."""
    plain = ask(daemon, f"{CHAT}/transcript")

    assert ask(daemon, f"/workspace/project{CHAT}/transcript") == plain
    for workspace, code in (
        ("--x--", "session_not_found"),
        ("nowhere", "workspace_not_found"),
        ("%2E%2E", "workspace_not_found"),
        ("..%2Fproject", "workspace_not_found"),
        (".histbench", "workspace_not_found"),
    ):
        assert refused(daemon, f"/workspace/{workspace}{CHAT}/transcript") == (404, code)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"limit": 0}, 400, "invalid_transcript_limit"),
        ({"limit": 501}, 400, "invalid_transcript_limit"),
        ({"limit": "+5"}, 400, "invalid_transcript_limit"),
        ({"direction": "sideways"}, 400, "invalid_transcript_cursor"),
        ({"cursor": "x"}, 400, "invalid_transcript_cursor"),
        ({"cursor": "A" * 65_000}, 400, "invalid_transcript_cursor"),
        ({"cursor": "x", "direction": "backward"}, 400, "invalid_transcript_cursor"),
        ({"beforeRecordId": "nobody"}, 400, "invalid_transcript_cursor"),
        ({"beforeRecordId": ""}, 400, "invalid_transcript_cursor"),
        ({"beforeRecordId": "x" * 201}, 400, "invalid_transcript_cursor"),
        ({"afterRecordId": "nobody"}, 400, "invalid_transcript_cursor"),
        ({"beforeRecordId": "r5", "direction": "backward"}, 400, "invalid_transcript_cursor"),
        ({"beforeRecordId": "r5", "afterRecordId": "r4"}, 400, "invalid_transcript_cursor"),
        ({"atRecordId": "r1"}, 400, "invalid_turn_anchor"),
        ({"snapshot": "x"}, 400, "invalid_transcript_cursor"),
        ({"snapshot": "x", "beforeRecordId": "r4"}, 400, "invalid_transcript_cursor"),
        ({"before": "r4"}, 400, "unknown_parameter"),
    ],
)
def test_what_no_page_can_be_asked_with(
    daemon: RunningDaemon, query: dict[str, object], status: int, code: str
) -> None:
    """Shape first, then conflicts, then the session: each under the agreed code."""
    assert refused(daemon, f"{CHAT}/transcript", **query) == (status, code)


def test_a_cursor_is_good_for_its_session_only(daemon: RunningDaemon) -> None:
    """Another session's cursor is refused, and so is one with a letter changed."""
    cursor = ask(daemon, f"{CHAT}/transcript", limit=5)["nextCursor"]
    changed = cursor[:-3] + ("A" if cursor[-3] != "A" else "B") + cursor[-2:]

    for path, given in ((LOG, cursor), (CHAT, changed), (CHAT, cursor[:-1])):
        code = (400, "invalid_transcript_cursor")
        assert refused(daemon, f"{path}/transcript", cursor=given) == code


@pytest.mark.parametrize(
    ("session", "status", "code"),
    [
        ("nobody", 404, "session_not_found"),
        ("0" * 36, 404, "session_not_found"),
        (f"{SESSION[:-1]}f", 409, "session_archived"),
        (f"archive%2F{SESSION}", 404, "session_not_found"),
    ],
)
def test_sessions_that_have_no_transcript(
    daemon: RunningDaemon, session: str, status: int, code: str
) -> None:
    """Every route of a transcript tells so alike."""
    for route in ("transcript", "turn-index", "search?text=x"):
        assert refused(daemon, f"/session/{session}/{route}") == (status, code)
    answer = load(daemon, f"/session/{session}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_turns_are_numbered_in_a_snapshot_and_can_be_gone_to(daemon: RunningDaemon) -> None:
    """A turn of the index is the target of a page, in the same frozen state."""
    newest = ask(daemon, f"{CHAT}/turn-index", limit=4)
    first = ask(daemon, f"{CHAT}/turn-index", limit=4, start=0, snapshot=newest["snapshot"])
    turn = first["turns"][2]
    page = ask(
        daemon,
        f"{CHAT}/transcript",
        atRecordId=turn["turnId"],
        snapshot=newest["snapshot"],
        limit=5,
    )

    assert newest["totalTurns"] == newest["start"] + 4
    assert [each["ordinal"] for each in first["turns"]] == [0, 1, 2, 3]
    assert page["targetRecordId"] == turn["turnId"]
    assert page["hasOlder"] is True
    assert turn["turnId"] in records_of(page["events"])
    assert refused(daemon, f"{CHAT}/turn-index", start=1) == (400, "invalid_transcript_cursor")
    assert refused(daemon, f"{CHAT}/turn-index", limit=0) == (400, "invalid_transcript_limit")


def test_search_finds_what_people_see(daemon: RunningDaemon) -> None:
    """The newest hits first, and the next ones before them."""
    first = ask(daemon, f"{CHAT}/search", text="HELLO", limit=5)
    second = ask(daemon, f"{CHAT}/search", text="hello", limit=5, before=first["next"])

    assert len(first["hits"]) == len(second["hits"]) == 5
    assert not {hit["recordId"] for hit in first["hits"]} & {
        hit["recordId"] for hit in second["hits"]
    }
    assert ask(daemon, f"{CHAT}/search", text="nowhere to be found")["hits"] == []
    assert refused(daemon, f"{CHAT}/search") == (400, "missing_parameter")
    assert refused(daemon, f"{CHAT}/search", text="x", before="nobody")[0] == 400


@pytest.mark.parametrize("session", [CHAT, LOG])
def test_a_load_goes_on_where_older_pages_and_events_do(
    daemon: RunningDaemon, session: str
) -> None:
    """A paged load is the newest page; whole, it is all of the transcript."""
    whole = load(daemon, session).json()
    paged = load(daemon, session, historyPageSize=8).json()
    older = ask(
        daemon, f"{session}/transcript", beforeRecordId=paged["historyAnchorRecordId"], limit=500
    )

    assert whole["historyHasMore"] is False
    assert paged["historyHasMore"] is True
    assert records_of(older["events"]) + records_of(paged["compactedReplay"]) == records_of(
        whole["compactedReplay"]
    )
    assert whole["lastEventId"] == paged["lastEventId"] > 0
    assert whole["eventEpoch"] == paged["eventEpoch"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"historyPageSize":0}', 400, "invalid_transcript_limit"),
        (b'{"historyPageSize":501}', 400, "invalid_transcript_limit"),
        (b'{"historyPageSize":true}', 400, "invalid_transcript_limit"),
        (b'{"historyPageSize":"5"}', 400, "invalid_transcript_limit"),
        (b'{"liveReplayMode":"x"}', 400, "invalid_live_replay_mode"),
        (b'{"compactedReplayMode":1}', 400, "invalid_compacted_replay_mode"),
        (b'{"cwd":1}', 400, "bad_parameter"),
        (b'{"page":1}', 400, "unknown_parameter"),
        (b"[]", 400, "bad_request"),
        (b"{", 400, "bad_request"),
        (b'"\\ud800"', 400, "bad_request"),
        (b"[" * 60_000, 400, "bad_request"),
        (b" " * 70_000, 413, "body_too_large"),
    ],
)
def test_what_no_load_can_be_asked_with(
    daemon: RunningDaemon, body: bytes, status: int, code: str
) -> None:
    """A body is a small JSON object of known options."""
    answer = post(
        daemon, f"{CHAT}/load", content=body, headers={"content-type": "application/json"}
    )

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_load_takes_json_only(daemon: RunningDaemon) -> None:
    """What a form of another site can send is not taken."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = post(daemon, f"{CHAT}/load", content=b"{}", headers={"content-type": kind})

        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
