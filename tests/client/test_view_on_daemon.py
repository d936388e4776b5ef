"""TranscriptView and a running daemon: what the one sends is what the other reads."""

import pytest

from daemon import running_daemon
from histbench.client import Client
from histbench.errors import RequestFailed
from histbench.transcript import TranscriptView
from histbench.transcript.view_requests import ViewRequest
from transcript_files import SESSION, chain_lines, write_lines


def drive(client: Client, view: TranscriptView, *, spoil: bool = False) -> ViewRequest | None:
    """Answer what the view asks for, with a cursor that is no good if asked to; the last request."""
    sent = None
    while requests := view.take_requests():
        for sent in requests:
            try:
                if sent.kind == "load":
                    answer = client.load(SESSION, page_size=sent.limit).answer
                else:
                    cursor = sent.cursor and sent.cursor[: -1 if spoil else None]
                    answer = client.transcript(
                        SESSION,
                        cursor=cursor,
                        before_record_id=sent.before_record_id,
                        limit=sent.limit,
                    )
                view.receive(sent, answer)
            except RequestFailed as error:
                view.fail(sent, error.code, error.message, status=error.status)
    return sent


def shown(view: TranscriptView) -> list[str]:
    """The records that are shown, in order."""
    return list(dict.fromkeys(each for block in view.blocks for each in block.record_ids))


@pytest.mark.slow
def test_a_view_pages_and_follows_a_daemon(tmp_path):
    """From the newest page to the first record, over a lost cursor, and then what is appended."""
    path = tmp_path / "project" / "chats" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    lines = chain_lines(60)
    write_lines(path, lines[:58])
    with running_daemon(tmp_path) as daemon, Client(daemon.url) as client:
        view = TranscriptView(SESSION, page_size=8)
        view.open()
        drive(client, view)
        loaded = client.load(SESSION, page_size=8)
        spoil = False
        while view.load_older():
            drive(client, view, spoil=spoil)
            spoil = True
        with path.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines[58:]))
        for event in client.follow(SESSION, after=loaded):
            if event.kind == "updates":
                view.receive_updates(
                    event.updates, last_event_id=event.position, generation=view.generation
                )
            if event.kind == "resync" or "r59" in shown(view):
                break

    assert view.failure is None
    assert not view.notices
    assert sorted(shown(view)) == sorted(f"r{place}" for place in range(60))
