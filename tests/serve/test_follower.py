"""One follower and its subscribers on an event loop: what each gets, and what all share."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from histbench.history import decode_page
from histbench.jsontext import decode
from histbench.log import EventLog
from histbench.serve.follower import Follower
from histbench.serve.frames import Frame, frame_text
from histbench.serve.log_tail import SourceChanged, log_frames
from histbench.serve.settings import Settings
from histbench.serve.stream import Start, Subscriber
from store_logs import conversation

EVENTS = conversation(400)


class ListTail:
    """A tail of events in memory, for as far as `there` goes; it counts how often it was asked."""

    def __init__(self, settings: Settings, there: int = 0, epoch: str = "one") -> None:
        self.settings, self.there, self.epoch = settings, there, epoch
        self.position = there
        self.closed = False
        self.fault: SourceChanged | None = None
        self.backlogs: list[tuple[int, int]] = []

    def read(self) -> list[Frame]:
        """What came."""
        if self.fault is not None:
            raise self.fault
        start, self.position = self.position, self.there
        return self.between(start, self.there)

    def between(self, start: int, stop: int) -> list[Frame]:
        """Frames of an interval."""
        return list(log_frames(EventLog.from_events(EVENTS[start:stop]), self.settings))

    def backlog(self, start: int, stop: int) -> list[Frame]:
        """The same, noted."""
        self.backlogs.append((start, stop))
        return self.between(start, stop)

    def close(self) -> None:
        """Note it."""
        self.closed = True


def small(**changed: Any) -> Settings:
    """Settings under which everything is at its bound soon."""
    bounds = {"frame_events": 64, "kept_frames": 4, "poll_seconds": 0.005, **changed}
    return Settings(root=Path(), **bounds)


async def blocking(work: Callable[[], Any]) -> Any:
    """In a thread, as the hub does it."""
    return await asyncio.to_thread(work)


def follower_of(tail: ListTail, reopen: Callable[[], ListTail] | None = None) -> Follower:
    """A follower that watches."""
    follower = Follower(
        tail,
        reopen=reopen or (lambda: tail),
        backlog=tail.backlog,
        settings=tail.settings,
        run=blocking,
    )
    follower.begin([])
    return follower


def told(chunk: bytes) -> list[tuple[str, Any]]:
    """The frames of a chunk: event and data."""
    found = []
    for text in chunk.split(b"\n\n")[:-1]:
        fields = dict(line.split(b": ", 1) for line in text.split(b"\n") if b": " in line)
        if b"event" in fields:
            found.append((fields[b"event"].decode(), fields[b"data"]))
    return found


async def events_until(subscriber: Subscriber, end: int) -> list[Any]:
    """The logical events of a stream up to seq `end`."""
    seen: list[Any] = []
    async for chunk in subscriber.chunks():
        for name, data in told(chunk):
            assert name in {"subscribed", "records"}
            if name == "records":
                seen += decode_page(data).events()
        if subscriber.position >= end:
            subscriber.leave()
    return seen


def run(work: Awaitable[None]) -> None:
    """On a loop of its own, for ten seconds at most."""
    asyncio.run(asyncio.wait_for(work, 10))


def test_all_get_the_same_bytes_whenever_they_come() -> None:
    """From the end, from memory, from the file, and from the middle of a frame."""

    async def work() -> None:
        tail = ListTail(small())
        follower = follower_of(tail)
        reading = [
            asyncio.create_task(
                events_until(Subscriber(follower, Start(str(at), "one"), tail.settings), 1500)
            )
            for at in (0, 0, 0)
        ]
        for there in range(100, 1501, 100):
            tail.there = there
            await asyncio.sleep(0.003)
        late = [0, 1, 700, 1300, 1450, 1499, 1500]
        later = [
            asyncio.create_task(
                events_until(Subscriber(follower, Start(str(at), None), tail.settings), 1500)
            )
            for at in (*late, 0, 0)
        ]
        for task, at in zip([*reading, *later], [0, 0, 0, *late, 0, 0], strict=True):
            assert await task == EVENTS[at:1500]
        await follower.stop()
        assert tail.closed
        assert follower.wakers == set()

    run(work())


def test_late_ones_share_what_is_read_for_them() -> None:
    """However many are equally late, the file is read once for all of them."""

    async def work() -> None:
        tail = ListTail(small(), there=1500)
        follower = follower_of(tail)
        tasks = [
            events_until(Subscriber(follower, Start("100", None), tail.settings), 1500)
            for _ in range(30)
        ]
        for seen in await asyncio.gather(*tasks):
            assert seen == EVENTS[100:1500]
        await follower.stop()

        assert len(tail.backlogs) == len(set(tail.backlogs)) <= 1400 // 64 + 2

    run(work())


def test_another_file_is_told_to_everyone_and_followed() -> None:
    """Each subscriber hears the reason once, and then gets what is appended to the new file."""

    async def work() -> None:
        tail, other = ListTail(small(), there=50), ListTail(small(), there=20, epoch="two")
        follower = follower_of(tail, lambda: other)
        streams = [
            Subscriber(follower, Start(None, None), tail.settings).chunks() for _ in range(3)
        ]
        for stream in streams:
            assert told(await anext(stream))[0][0] == "subscribed"
        tail.fault = SourceChanged("source_truncated")
        for stream in streams:
            ((name, data),) = told(await anext(stream))
            value = decode(data)
            assert (name, value["reason"]) == ("state_resync_required", "source_truncated")
            assert (value["eventEpoch"], value["lastEventId"]) == ("two", 20)
        other.there = 30
        for stream in streams:
            ((name, data),) = told(await anext(stream))
            assert decode_page(data).events() == EVENTS[20:30]
            await stream.aclose()
        await follower.stop()
        assert tail.closed
        assert other.closed

    run(work())


def test_where_a_stream_starts() -> None:
    """An id is believed under its own epoch; any other is told, never waited for."""

    async def opening(start: Start) -> list[tuple[str, Any]]:
        tail = ListTail(small(keep_alive_seconds=0.01), there=50)
        follower = follower_of(tail)
        stream = Subscriber(follower, start, tail.settings).chunks()
        first = [(name, decode(data)) for name, data in told(await anext(stream))]
        await stream.aclose()
        await follower.stop()
        return [(name, value["lastEventId"], value.get("reason")) for name, value in first]

    def at(start: Start) -> list[tuple[str, Any]]:
        return asyncio.run(opening(start))

    here = ("subscribed", 50, None)
    assert at(Start(None, None)) == [here]
    assert at(Start("", "")) == [here]
    assert at(Start("7", None)) == [("subscribed", 7, None)]
    assert at(Start("7", "one")) == [("subscribed", 7, None)]
    for start, reason in (
        (Start("7", "two"), "epoch_reset"),
        (Start(None, "two"), "epoch_reset"),
        (Start("51", "one"), "epoch_reset"),
        (Start("-1", None), "bad_last_event_id"),
        (Start("²", None), "bad_last_event_id"),
    ):
        assert at(start) == [here, ("state_resync_required", 50, reason)]


def test_silence_is_broken_by_a_comment() -> None:
    """So that nobody in between takes the connection for dead."""

    async def work() -> None:
        tail = ListTail(small(keep_alive_seconds=0.01), there=5)
        follower = follower_of(tail)
        stream = Subscriber(follower, Start(None, None), tail.settings).chunks()
        await anext(stream)
        assert await anext(stream) == b": keep-alive\n\n"
        await stream.aclose()
        await follower.stop()

    run(work())


def test_a_line_end_inside_json_ends_no_frame() -> None:
    """A carriage return between the tokens of a stored line becomes a line of its own."""
    text = frame_text("x", b'{"a":\r1,\n"b":2}', last_event_id=3)

    assert text == b'id: 3\nevent: x\ndata: {"a":\ndata: 1,\ndata: "b":2}\n\n'
