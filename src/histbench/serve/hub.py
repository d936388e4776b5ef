"""The followers of a daemon: one for each file that somebody watches, none for the others."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, cast

from histbench.errors import StorageError
from histbench.events import MAX_SAFE_INTEGER
from histbench.log import EventLog
from histbench.records import Record
from histbench.serve.desk import Desk
from histbench.serve.follower import Follower, Tail
from histbench.serve.frames import Frame
from histbench.serve.log_tail import LogTail, SourceChanged, log_frames
from histbench.serve.sessions import Session
from histbench.serve.settings import MIB
from histbench.serve.stream import Start, Subscriber
from histbench.serve.transcript_tail import TranscriptTail, appended_frame

__all__ = ["Hub"]

# What is read of a file at once for subscribers who are late, unless one event is longer.
_STRETCH_BYTES = 8 * MIB


class Hub:
    """Opens followers when they are needed and closes them when nobody watches any more.

    Lives on one event loop; `close` ends every stream.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._settings = desk.settings
        self._threads = ThreadPoolExecutor(self._settings.watchers, thread_name_prefix="watch")
        self._followers: dict[Path, asyncio.Task[Follower]] = {}
        self._subscribers: dict[Path, set[Subscriber]] = {}
        self._open = 0
        self.closed = False

    async def _run(self, work: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def subscribe(self, session_id: str, start: Start) -> tuple[Path, Subscriber]:
        """A subscriber to a session, to be given back with `release`.

        Raises:
            StorageError: `too_many_streams`, `stopping`, or the session is not there.
            HistbenchError: its file cannot be followed.
        """
        if self.closed:
            raise StorageError("the daemon stops", code="stopping")
        if self._open >= self._settings.streams:
            raise StorageError("too many streams are open", code="too_many_streams")
        self._open += 1
        try:
            session = await self._run(partial(self._desk.sessions.find, session_id))
            path = session.path
            opening = self._followers.get(path)
            if opening is None:
                opening = asyncio.create_task(self._follow(session))
                self._followers[path] = opening
            try:
                follower = await asyncio.shield(opening)
            except BaseException:
                if opening.done() and self._followers.get(path) is opening:
                    del self._followers[path]
                raise
            subscriber = Subscriber(follower, start, self._settings)
            self._subscribers.setdefault(path, set()).add(subscriber)
        except BaseException:
            self._open -= 1
            raise
        return path, subscriber

    async def release(self, path: Path, subscriber: Subscriber) -> None:
        """The stream has ended; the last one of a file takes its follower along."""
        self._open -= 1
        watching = self._subscribers[path]
        watching.discard(subscriber)
        if not watching:
            del self._subscribers[path]
            opening = self._followers.pop(path)
            await (await opening).stop()

    async def _follow(self, session: Session) -> Follower:
        tail, frames = await self._run(partial(self._open_tail, session.session_id))
        log = session.kind == "log"
        follower = Follower(
            tail,
            reopen=partial(self._reopen, session.session_id),
            backlog=partial(self._log_backlog if log else self._backlog, session.path),
            settings=self._settings,
            run=self._run,
        )
        follower.begin(frames)
        return follower

    def _open_tail(self, session_id: str) -> tuple[Tail, list[Frame]]:
        """A tail that has read up to the end of the file, and the frames that it met."""
        frames: list[Frame] = []
        try:
            tail = self._reopen(session_id)
            try:
                while more := tail.read():
                    frames += more
            except BaseException:
                tail.close()
                raise
        except SourceChanged as change:
            raise StorageError("the file changes", code="changed_while_read") from change
        return tail, frames

    def _reopen(self, session_id: str) -> Tail:
        session = self._desk.sessions.find(session_id, fresh=True)
        if session.kind == "log":
            return LogTail(session, self._settings)
        return TranscriptTail(session, self._settings, self._desk.open_transcript(session.path))

    def _log_backlog(self, path: Path, start: int, stop: int) -> list[Frame]:
        with self._desk.logs.borrow(path) as log:
            while True:
                page = log.page(
                    before_seq=stop,
                    max_messages=MAX_SAFE_INTEGER,
                    max_events=stop - start,
                    max_bytes=_STRETCH_BYTES,
                )
                if page.from_seq <= start or stop - start == 1:
                    break
                # Events are long here: fewer of them at a time.
                stop = start + (stop - start) // 2
        # A log that is shorter by now has another beginning for so many events.
        if page.from_seq != start:
            return []
        # A page that was selected, not decoded, holds what the log does.
        records = cast("tuple[Record, ...]", page.records)
        return list(log_frames(EventLog(records), self._settings))

    def _backlog(self, path: Path, start: int, _stop: int) -> list[Frame]:
        # Where records end is the file's to say.
        with self._desk.transcripts.borrow(path) as reader:
            appended = reader.appended(start, max_bytes=self._settings.frame_bytes)
        return [] if appended.place == start else [appended_frame(start, appended, None)[0]]

    def close(self) -> None:
        """End every stream; their responses end in good order."""
        self.closed = True
        for watching in self._subscribers.values():
            for subscriber in watching:
                subscriber.leave()

    async def shut(self) -> None:
        """Let go of what is left, after the streams have ended."""
        self.close()
        for opening in list(self._followers.values()):
            if opening.done() and not opening.cancelled() and opening.exception() is None:
                await opening.result().stop()
            else:
                opening.cancel()
        self._followers.clear()
        self._threads.shutdown(wait=True)
