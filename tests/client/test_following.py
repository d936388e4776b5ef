"""Following a session over a real daemon: nothing lost, nothing twice, whatever happens to it."""

import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from daemon import RunningDaemon, running_daemon
from histbench.client import Client, LiveEvent
from histbench.errors import RequestFailed
from histbench.store import LogWriter
from store_logs import conversation

EVENTS = conversation(3000)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    """A daemon of its own over an empty root."""
    with running_daemon(tmp_path) as running:
        yield running


def new_log(
    root: Path, events: int = 0, *, compression: str = "zstd", created_at: int = 5
) -> LogWriter:
    """A log with the first of the events."""
    writer = LogWriter.create(
        root, session_id="s", created_at=created_at, compression=compression, sync=False
    )
    writer.append(EVENTS[:events])
    return writer


def until(events: Iterator[LiveEvent], end: int) -> list[object]:
    """The logical events of the frames up to seq `end`."""
    seen: list[object] = []
    for event in events:
        assert event.kind in {"subscribed", "records"}
        if event.page is not None:
            seen += event.page.events()
        if event.position >= end:
            return seen
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_what_a_writer_appends_arrives(
    daemon: RunningDaemon, tmp_path: Path, compression: str
) -> None:
    """A follower that starts at the end sees everything that comes after, in order."""
    with new_log(tmp_path, 100, compression=compression) as writer, Client(daemon.url) as client:
        stream = client.follow("s")
        first = next(stream)
        for at in range(100, 400, 7):
            writer.append(EVENTS[at : min(at + 7, 400)])
        seen = until(stream, 400)

    assert (first.kind, first.position) == ("subscribed", 100)
    assert seen == EVENTS[100:400]


def test_a_position_is_gone_on_from(daemon: RunningDaemon, tmp_path: Path) -> None:
    """From any watermark, also inside a row or far behind, exactly what follows it arrives."""
    with new_log(tmp_path, 12_000), Client(daemon.url) as client:
        for position in (0, 1, 4096, 5003, 11_998, 11_999):
            assert until(client.follow("s", position=position), 12_000) == EVENTS[position:12_000]


def test_followers_survive_a_killed_daemon(daemon: RunningDaemon, tmp_path: Path) -> None:
    """Three followers at three places resume after a crash, with nothing lost, doubled or turned."""
    end = 6000
    seen: dict[int, list[object]] = {}

    def follow(start: int) -> None:
        with Client(daemon.url) as client:
            seen[start] = until(client.follow("s", position=start, give_up_seconds=30), end)

    with new_log(tmp_path, 500) as writer:
        threads = [threading.Thread(target=follow, args=(start,)) for start in (0, 250, 500)]
        for thread in threads:
            thread.start()
        for at in range(500, end, 100):
            writer.append(EVENTS[at : at + 100])
            time.sleep(0.01)
            if at in {1500, 4000}:
                daemon.kill()
            if at in {2500, 4500}:
                daemon.start()
        for thread in threads:
            thread.join(timeout=60)

    assert {start: seen[start] == EVENTS[start:end] for start in seen} == {
        0: True,
        250: True,
        500: True,
    }


def test_a_replaced_log_asks_for_a_resync(daemon: RunningDaemon, tmp_path: Path) -> None:
    """A log under the same name that is another file is no continuation."""
    writer = new_log(tmp_path, 50)
    writer.close()
    with Client(daemon.url) as client:
        stream = client.follow("s")
        first = next(stream)
        Path(writer.path).unlink()
        gone = next(stream)
        with new_log(tmp_path, 20, created_at=6) as again:
            back = next(stream)
            again.append(EVENTS[20:30])
            more = until(stream, 30)
            late = list(islice(client.follow("s", after=first), 1))

    assert (gone.kind, gone.reason) == ("resync", "source_removed")
    assert (back.kind, back.reason, back.position) == ("resync", "source_replaced", 20)
    assert back.epoch != first.epoch
    assert more == EVENTS[20:30]
    assert [(event.kind, event.reason) for event in late] == [("resync", "epoch_reset")]


def test_an_id_past_the_end_asks_for_a_resync(daemon: RunningDaemon, tmp_path: Path) -> None:
    """A position that the log never had is not waited for."""
    with new_log(tmp_path, 50), Client(daemon.url) as client:
        event = next(client.follow("s", position=51))

    assert (event.kind, event.reason, event.position) == ("resync", "epoch_reset", 50)


def test_a_refusal_for_good_ends_the_following(daemon: RunningDaemon) -> None:
    """A session that is not there is not asked for again and again."""
    with Client(daemon.url) as client, pytest.raises(RequestFailed) as caught:
        next(client.follow("nobody"))

    assert (caught.value.code, caught.value.status) == ("session_not_found", 404)


def test_giving_up_has_a_bound(daemon: RunningDaemon, tmp_path: Path) -> None:
    """A daemon that stays away is an error after the time that the caller allows."""
    with new_log(tmp_path, 5), Client(daemon.url) as client:
        stream = client.follow("s", give_up_seconds=0.2)
        next(stream)
        daemon.kill()
        with pytest.raises(RequestFailed) as caught:
            next(stream)
        daemon.start()

    assert (caught.value.code, caught.value.status) == ("connection_failed", None)


def test_sigterm_ends_open_streams_at_once(daemon: RunningDaemon, tmp_path: Path) -> None:
    """A daemon with followers stops when it is told to, and says nothing on the way."""
    with new_log(tmp_path, 5), Client(daemon.url) as client:
        stream = client.follow("s", give_up_seconds=0)
        next(stream)
        code, said = daemon.stop()
        with pytest.raises(RequestFailed):
            next(stream)
        daemon.start()

    assert code == 143
    assert "Traceback" not in said
    assert said.count("\n") == 1
