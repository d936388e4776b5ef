"""The batching front: many producers, few batches, and nobody left in the dark."""

import asyncio
import os
import threading
import time

import pytest

from histbench.errors import InvalidEvent, InvalidJson, StorageError
from histbench.store import BatchingWriter, LogWriter, inspect_log, read_log
from store_logs import note, refusal

LONG = 60.0


def front(root, window_seconds=LONG) -> BatchingWriter:
    """A front for a new session."""
    writer = LogWriter.create(root, session_id="s", created_at=5)
    return BatchingWriter(writer, window_seconds=window_seconds)


def path_in(root):
    """The session's log."""
    return root / "_no-cwd" / "s" / "session.jsonl.zstd"


def test_what_arrives_within_a_window_is_one_batch(tmp_path):
    """A flush ends the window; the futures are done when the events are durable."""
    with front(tmp_path) as live:
        futures = [live.append([note(seq)]) for seq in range(20)]
        assert not any(future.done() for future in futures)
        live.flush()
        assert all(future.done() for future in futures)
        assert len(read_log(path_in(tmp_path))) == 20
        live.append([note(20)])
    assert inspect_log(path_in(tmp_path)).frames == 3
    assert len(read_log(path_in(tmp_path), strict=True)) == 21


def test_the_window_ends_by_itself(tmp_path):
    """Nobody has to flush."""
    with front(tmp_path, window_seconds=0.01) as live:
        live.append([note(0)]).result(timeout=30)
        assert len(read_log(path_in(tmp_path))) == 1


def test_flushing_nothing_and_closing_twice_are_fine(tmp_path):
    """And leave nothing on disk."""
    live = front(tmp_path)
    live.flush()
    live.close()
    live.close()

    assert list(tmp_path.iterdir()) == []
    assert refusal(live.append, [note(0)]).code == "writer_closed"


def test_threads_may_append_at_once(tmp_path):
    """Events are stored in the order in which they were handed over."""
    with front(tmp_path, window_seconds=0.002) as live:
        turn = threading.Lock()

        def produce():
            for _ in range(200):
                with turn:
                    live.append([note(live.next_seq)])
                if live.next_seq % 37 == 0:
                    live.flush()

        threads = [threading.Thread(target=produce) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(read_log(path_in(tmp_path), strict=True)) == 800


def test_asyncio_producers_are_not_blocked(tmp_path):
    """The loop goes on while batches are stored."""

    async def produce():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        async with front(tmp_path) as live:
            futures = [live.append([note(seq)]) for seq in range(50)]
            await live.aflush()
            await asyncio.wrap_future(futures[-1])
            live.append([note(50)])
        ticking.cancel()
        return ticks

    assert asyncio.run(produce()) > 1
    assert len(read_log(path_in(tmp_path), strict=True)) == 51


def test_a_bad_event_is_refused_at_once_and_only_it(tmp_path):
    """The producer that made it learns of it, the others never do."""
    with front(tmp_path) as live:
        live.append([note(0)])
        with pytest.raises(InvalidEvent):
            live.append([note(7)])
        with pytest.raises(InvalidJson):
            live.append([note(1, bad=float("inf"))])
        live.append([note(1)])
    assert len(read_log(path_in(tmp_path), strict=True)) == 2


def test_events_are_taken_as_they_are_when_handed_over(tmp_path):
    """What a producer does to its own objects afterwards changes nothing; none is no batch."""
    event = note(0)
    with front(tmp_path) as live:
        live.append([event])
        event["data"]["late"] = True
        assert live.append([]).done()
    assert list(read_log(path_in(tmp_path))) == [note(0)]


def test_after_a_failure_everybody_is_told_and_nothing_is_lost_silently(tmp_path, monkeypatch):
    """Later events would leave a gap, so the front stops; the log is as before."""
    live = front(tmp_path)
    live.append([note(0)])
    live.flush()
    before = path_in(tmp_path).read_bytes()

    def refuse(*args):
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", refuse)
    future = live.append([note(1)])
    error = refusal(live.flush)
    assert isinstance(error, StorageError)
    assert future.exception(timeout=30) is error
    assert refusal(live.append, [note(2)]) is error
    monkeypatch.undo()
    assert refusal(live.close) is error
    assert path_in(tmp_path).read_bytes() == before
    with LogWriter.open(path_in(tmp_path)) as writer:
        assert writer.next_seq == 1


def test_a_flush_waits_for_the_batch_that_is_being_stored(tmp_path, monkeypatch):
    """Durable means durable, also when the window had just ended."""
    real = os.fsync
    stored = threading.Event()

    def slowly(descriptor):
        stored.set()
        time.sleep(0.05)
        return real(descriptor)

    with front(tmp_path, window_seconds=0.0) as live:
        monkeypatch.setattr(os, "fsync", slowly)
        future = live.append([note(0)])
        stored.wait(timeout=30)
        live.flush()
        assert future.done()
        monkeypatch.undo()
