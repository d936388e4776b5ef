"""A log in memory as a viewer's source: the daemon's own operations, without its sockets.

They work on a folder that lives as long as the source and holds nothing but this log.  The log may
grow: what is appended is written there, and followed like a file of a daemon's.
"""

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeVar

from histbench import jsontext
from histbench.errors import HistbenchError, UsageError
from histbench.events import Event
from histbench.log import EventLog
from histbench.serve.api import Api
from histbench.serve.desk import Desk
from histbench.serve.hub import Hub
from histbench.serve.message import JSON, Head
from histbench.serve.settings import Settings
from histbench.serve.stream import Start, Subscriber, start_of
from histbench.store import LogWriter

__all__ = ["MemorySource"]

T = TypeVar("T")

# Events that are plain objects at a time.
_BATCH = 10_000
# How long streams may take to end when their source does.
_ENDING_SECONDS = 1.0


class MemorySource:
    """A log in memory, under its own id."""

    def __init__(self, log: EventLog) -> None:
        header = dict(log.header or {})
        named = header.get("id")
        self.session_id = named if isinstance(named, str) and named else "log"
        created = header.get("createdAt")
        folder = TemporaryDirectory(prefix="histbench-viewer-")
        root = Path(folder.name)
        self._writer = LogWriter.create(
            root,
            session_id=self.session_id,
            created_at=created if isinstance(created, int) else 0,
            sync=False,
        )
        self.append(log)
        desk = Desk(Settings(root=root))
        self._api = Api(desk)
        self._followers = _Followers(desk)
        self._close = weakref.finalize(self, _close, self._writer, self._followers, desk, folder)

    def append(self, events: Iterable[Event]) -> None:
        """Put events behind those that are there; they keep their order, not their seqs.

        Raises:
            HistbenchError: one of them is no event; those of whole batches before it are there.
        """
        # The seqs of a file begin at 0, and those of a part of a log do not.
        numbered = iter(events)
        while batch := list(islice(numbered, _BATCH)):
            first = self._writer.next_seq
            self._writer.append([{**each, "seq": first + at} for at, each in enumerate(batch)])

    def ask(self, method: str, path: str, query: str, body: object) -> tuple[int, str]:
        """As the daemon answers."""
        head = _head(method, path, query, {"content-type": JSON})
        try:
            operation, call = self._api.admit(head)
            if operation.answer is None:
                raise UsageError("a stream is followed, not asked for", code="unknown_path")
            sent = b"" if body is None else jsontext.encode(body)
            response = self._api.respond(operation, operation.answer, call, sent)
        except HistbenchError as error:
            response = self._api.refuse(head, error)
        return response.status, response.body.decode()

    def follow(
        self, path: str, query: str, headers: Mapping[str, str]
    ) -> "_MemoryStream | tuple[int, str]":
        """As the daemon streams."""
        head = _head("GET", path, query, headers)
        try:
            operation, call = self._api.admit(head)
            if operation.answer is not None:
                raise UsageError("this is no stream", code="unknown_path")
            start = start_of(head, last_event_id=call.text("lastEventId"), epoch=call.text("epoch"))
            return self._followers.follow(call.path["id"], start)
        except HistbenchError as error:
            response = self._api.refuse(head, error)
            return response.status, response.body.decode()


def _head(method: str, path: str, query: str, headers: Mapping[str, str]) -> Head:
    given = {name.lower(): (value,) for name, value in headers.items()}
    return Head(
        method=method,
        path=path.encode(),
        query=query.encode(),
        headers={**given, "host": ("localhost",)},
    )


class _Followers:
    """A hub on an event loop in a thread of its own, begun when somebody follows."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hub: Hub | None = None
        self._open = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def _begin(self) -> tuple[asyncio.AbstractEventLoop, Hub]:
        with self._lock:
            if self._loop is None or self._hub is None:
                self._loop, self._hub = asyncio.new_event_loop(), Hub(self._desk)
                Thread(target=_run, args=(self._loop,), name="viewer", daemon=True).start()
            return self._loop, self._hub

    def follow(self, session_id: str, start: Start) -> "_MemoryStream":
        """A stream; HistbenchError where there is none."""
        loop, hub = self._begin()
        path, subscriber = _result(loop, self._subscribed(hub, session_id, start))
        return _MemoryStream(loop, subscriber, partial(self._release, hub, path, subscriber))

    async def _subscribed(self, hub: Hub, session_id: str, start: Start) -> tuple[Path, Subscriber]:
        found = await hub.subscribe(session_id, start)
        self._open += 1
        self._idle.clear()
        return found

    async def _release(self, hub: Hub, path: Path, subscriber: Subscriber) -> None:
        await hub.release(path, subscriber)
        self._open -= 1
        if not self._open:
            self._idle.set()

    def close(self) -> None:
        """End all streams and the thread."""
        with self._lock:
            if self._loop is not None and self._hub is not None:
                _result(self._loop, self._end(self._hub))
                self._loop.call_soon_threadsafe(self._loop.stop)

    async def _end(self, hub: Hub) -> None:
        hub.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_SECONDS):
                await self._idle.wait()
        await hub.shut()


class _MemoryStream:
    """A subscriber, for a thread that is not the loop's."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        subscriber: Subscriber,
        release: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        self._loop = loop
        self._subscriber = subscriber
        self._release = release

    def __iter__(self) -> Generator[bytes]:
        chunks = self._subscriber.chunks()
        try:
            while (chunk := _result(self._loop, _next(chunks))) is not None:
                yield chunk
        finally:
            _result(self._loop, self._release())

    def leave(self) -> None:
        """End it, unless its source has."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._subscriber.leave)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
    return await anext(chunks, None)


def _result(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, loop).result()


def _close(
    writer: LogWriter, followers: _Followers, desk: Desk, folder: "TemporaryDirectory[str]"
) -> None:
    writer.close()
    followers.close()
    desk.close()
    folder.cleanup()
