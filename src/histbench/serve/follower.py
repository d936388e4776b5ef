"""Following one file for all who watch it: read once, framed once, kept for a while.

    watch      every `poll_seconds` a thread looks at the file and frames what was appended
    kept       the newest frames stay in memory, bounded in number and bytes
    behind     whoever's position lies before them reads the file from there, in stretches that end
               at the same places for everybody, so that many who are equally late share one read

There is no queue for each subscriber.  A subscriber has a position and takes what follows it when
its connection can take more.  A slow one falls behind the kept frames and goes on from the file:
nothing is lost, and nothing grows.

When the file is not the same any more (`SourceChanged`) the follower starts over at the new end,
counts a `reset`, and every subscriber tells its client why.

All of this runs on the event loop; only `Tail` and `Backlog` block, in threads.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from histbench.errors import HistbenchError
from histbench.serve.frames import Frame, ResyncReason
from histbench.serve.log_tail import SourceChanged
from histbench.serve.settings import Settings

__all__ = ["Follower", "Tail"]

_log = logging.getLogger(__name__)

Blocking = Callable[[Callable[[], Any]], Awaitable[Any]]

# Stretches of the file that late subscribers asked for lately, shared by all who are as late.
_SHARED_STRETCHES = 16


class Tail(Protocol):
    """What is appended to one file (`LogTail`, `TranscriptTail`)."""

    epoch: str
    position: int

    def read(self) -> list[Frame]:
        """Frames of what was appended since the last call."""

    def close(self) -> None:
        """Let go of the file."""


class Follower:
    """One followed file.

    Args:
        tail: an open tail; the follower closes it.
        reopen: makes another one, after the file has changed.
        backlog: reads frames of positions `[start, stop)` from the file, or some of the first.
        settings: how often to look, and how much to keep.
        run: runs a blocking function in a thread.

    `epoch` and `end` are where the file is now; `resets` counts the changes of file, of which
    `reason` is the last.
    """

    def __init__(
        self,
        tail: Tail,
        *,
        reopen: Callable[[], Tail],
        backlog: Callable[[int, int], list[Frame]],
        settings: Settings,
        run: Blocking,
    ) -> None:
        self._tail: Tail | None = tail
        self._reopen = reopen
        self._backlog = backlog
        self._settings = settings
        self._run = run
        self._kept: deque[Frame] = deque()
        self._kept_bytes = 0
        self._stretches: OrderedDict[int, asyncio.Future[list[Frame]]] = OrderedDict()
        self._look = asyncio.Lock()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.wakers: set[asyncio.Event] = set()
        self.epoch = tail.epoch
        self.end = tail.position
        self.resets = 0
        self.reason: ResyncReason = "source_replaced"

    def begin(self, frames: list[Frame]) -> None:
        """Begin to watch; `frames` are what the tail has read so far."""
        self._keep(frames)
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Watch no longer, and close the file once nobody reads it."""
        self._stopping.set()
        if self._task is not None:
            # Not cancelled: a thread that reads the file would go on doing so.
            await self._task
        for stretch in self._stretches.values():
            stretch.cancel()
        async with self._look:
            tail, self._tail = self._tail, None
            if tail is not None:
                await self._run(tail.close)

    async def _watch(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.poll_seconds):
                    await self._stopping.wait()
                return
            try:
                await self.refresh()
            except Exception:  # noqa: BLE001  (told to subscribers and to the log)
                # A defect in reading one file; its subscribers are told, the others go on.
                _log.exception("a followed file cannot be read")
                async with self._look:
                    await self._changed("source_unreadable")

    async def refresh(self) -> None:
        """Look at the file now."""
        async with self._look:
            try:
                if self._tail is None:
                    self.reason = "source_replaced"
                    await self._start_over()
                else:
                    self._keep(await self._run(self._tail.read))
            except SourceChanged as change:
                await self._changed(change.reason)

    async def _changed(self, reason: ResyncReason) -> None:
        tail, self._tail = self._tail, None
        if tail is not None:
            await self._run(tail.close)
        self._kept.clear()
        self._kept_bytes = 0
        self._stretches.clear()
        self.reason = reason
        if not await self._start_over():
            # Nothing to follow for now; subscribers hear so once, and again when there is.
            self._reset()

    async def _start_over(self) -> bool:
        """Follow the file that lies there now, if one can be followed."""
        try:
            tail = await self._run(self._reopen)
        except (HistbenchError, SourceChanged):
            return False
        self._tail = tail
        try:
            frames = await self._run(tail.read)
        except SourceChanged:
            self._tail = None
            await self._run(tail.close)
            return False
        self.epoch, self.end = tail.epoch, tail.position
        self._reset()
        self._keep(frames)
        return True

    def _reset(self) -> None:
        self.resets += 1
        self._wake()

    def _keep(self, frames: list[Frame]) -> None:
        if not frames:
            return
        for frame in frames:
            self._kept.append(frame)
            self._kept_bytes += len(frame.text)
        self.end = frames[-1].end
        while len(self._kept) > 1 and (
            len(self._kept) > self._settings.kept_frames
            or self._kept_bytes > self._settings.kept_bytes
        ):
            self._kept_bytes -= len(self._kept.popleft().text)
        self._wake()

    def _wake(self) -> None:
        for waker in self.wakers:
            waker.set()

    def kept_after(self, position: int, most_bytes: int) -> list[Frame] | None:
        """The frames that follow `position`, some of the first; None when it lies before them all.

        Empty when nothing was appended yet.
        """
        if position >= self.end:
            return []
        if not self._kept or self._kept[0].start > position:
            return None
        following: list[Frame] = []
        size = 0
        # From the newest backwards: most subscribers are one or two frames behind.
        for frame in reversed(self._kept):
            if frame.end <= position:
                break
            following.append(frame)
        following.reverse()
        if following[0].start != position:
            return None
        for number, frame in enumerate(following):
            size += len(frame.text)
            if size > most_bytes and number:
                return following[:number]
        return following

    async def backlog_after(self, position: int) -> list[Frame]:
        """Frames that follow `position`, from the file.

        Raises:
            HistbenchError: the file cannot be read.
        """
        reading = self._stretches.get(position)
        if reading is None or (reading.done() and (reading.cancelled() or reading.exception())):
            stop = self._stretch_end(position)
            reading = asyncio.ensure_future(self._run(lambda: self._backlog(position, stop)))
            self._stretches[position] = reading
            while len(self._stretches) > _SHARED_STRETCHES:
                self._stretches.popitem(last=False)
        # Who leaves early must not take the read away from the others.
        return await asyncio.shield(reading)

    def _stretch_end(self, position: int) -> int:
        step = self._settings.frame_events
        stop = min((position // step + 1) * step, self.end)
        for frame in self._kept:
            if frame.end > position:
                # Up to the first kept frame, or inside it to its end.
                return min(stop, frame.start) if frame.start > position else frame.end
        return stop
