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


@pytest.fixture(scope="module")
def shared_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root for tests that use a session id each."""
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def shared(shared_root: Path) -> Iterator[RunningDaemon]:
    """A daemon over it, for tests that leave it running."""
    with running_daemon(shared_root) as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    """A daemon of its own over an empty root."""
    with running_daemon(tmp_path) as running:
        yield running


def new_log(
    root: Path,
    events: int = 0,
    *,
    session_id: str = "s",
    compression: str = "zstd",
    created_at: int = 5,
) -> LogWriter:
    """A log with the first of the events."""
    writer = LogWriter.create(
        root, session_id=session_id, created_at=created_at, compression=compression, sync=False
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
    shared: RunningDaemon, shared_root: Path, compression: str
) -> None:
    """A follower that starts at the end sees everything that comes after, in order."""
    with (
        new_log(shared_root, 100, session_id=compression, compression=compression) as writer,
        Client(shared.url) as client,
    ):
        stream = client.follow(compression)
        first = next(stream)
        for at in range(100, 400, 7):
            writer.append(EVENTS[at : min(at + 7, 400)])
        seen = until(stream, 400)

    assert (first.kind, first.position) == ("subscribed", 100)
    assert seen == EVENTS[100:400]


def test_a_position_is_gone_on_from(shared: RunningDaemon, shared_root: Path) -> None:
    """From any watermark, also inside a row or far behind, exactly what follows it arrives."""
    with new_log(shared_root, 12_000, session_id="far"), Client(shared.url) as client:
        for position in (0, 1, 4096, 5003, 11_998, 11_999):
            assert until(client.follow("far", position=position), 12_000) == EVENTS[position:12_000]


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
            if at == 2000:
                daemon.kill()
            if at == 3500:
                daemon.start()
        for thread in threads:
            thread.join(timeout=60)

    assert {start: seen[start] == EVENTS[start:end] for start in seen} == {
        0: True,
        250: True,
        500: True,
    }


def test_a_slow_client_loses_nothing(shared: RunningDaemon, shared_root: Path) -> None:
    """One that reads nothing while more is appended than anybody keeps gets it from the file."""
    events = [
        {"type": "note", "seq": seq, "time": 1, "data": {"text": f"{seq} " * 900}}
        for seq in range(4000)
    ]
    with (
        LogWriter.create(shared_root, session_id="slow", created_at=5, sync=False) as writer,
        Client(shared.url) as client,
    ):
        writer.append(events[:10])
        stream = client.follow("slow")
        next(stream)
        for at in range(10, 4000, 210):
            writer.append(events[at : at + 210])
        time.sleep(0.5)
        seen = until(stream, 4000)

    assert seen == events[10:]


def test_a_replaced_log_asks_for_a_resync(shared: RunningDaemon, shared_root: Path) -> None:
    """A log under the same name that is another file is no continuation."""
    writer = new_log(shared_root, 50, session_id="replaced")
    writer.close()
    with Client(shared.url) as client:
        stream = client.follow("replaced")
        first = next(stream)
        Path(writer.path).unlink()
        gone = next(stream)
        with new_log(shared_root, 20, session_id="replaced", created_at=6) as again:
            back = next(stream)
            again.append(EVENTS[20:30])
            more = until(stream, 30)
            late = list(islice(client.follow("replaced", after=first), 1))

    assert (gone.kind, gone.reason) == ("resync", "source_removed")
    assert (back.kind, back.reason, back.position) == ("resync", "source_replaced", 20)
    assert back.epoch != first.epoch
    assert more == EVENTS[20:30]
    assert [(event.kind, event.reason) for event in late] == [("resync", "epoch_reset")]


def test_an_id_past_the_end_asks_for_a_resync(shared: RunningDaemon, shared_root: Path) -> None:
    """A position that the log never had is not waited for."""
    with new_log(shared_root, 50, session_id="past"), Client(shared.url) as client:
        event = next(client.follow("past", position=51))

    assert (event.kind, event.reason, event.position) == ("resync", "epoch_reset", 50)


def test_a_refusal_for_good_ends_the_following(shared: RunningDaemon) -> None:
    """A session that is not there is not asked for again and again."""
    with Client(shared.url) as client, pytest.raises(RequestFailed) as caught:
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

    assert (caught.value.code, caught.value.status) == ("connection_failed", None)


def test_sigterm_ends_open_streams_at_once(daemon: RunningDaemon, tmp_path: Path) -> None:
    """A daemon with followers stops when it is told to, and says nothing on the way."""
    with new_log(tmp_path, 5), Client(daemon.url) as client:
        stream = client.follow("s", give_up_seconds=0)
        next(stream)
        code, said = daemon.stop()
        with pytest.raises(RequestFailed):
            next(stream)

    assert code == 143
    assert "Traceback" not in said
    assert said.count("\n") == 1
