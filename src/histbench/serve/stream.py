"""One subscriber: where its stream starts, what it is sent, and how it ends.

A stream starts behind `Last-Event-ID` if the client sent one (a browser does when it connects
again), else behind the parameter `lastEventId`, else at the end of the file.  An id counts only
under the epoch that it was given out in; a client that names none is believed.

    id of another epoch, or past the end   `state_resync_required`, then whatever is appended
    id before the end                      everything behind it, from memory or from the file
    the file was replaced, cut, removed    `state_resync_required`, then whatever is appended
    nothing appended for a while           a comment, so that nobody in between hangs up
    a connection that takes nothing        is closed after `stalled_seconds`
    the daemon stops                       the stream ends; the client comes back with its last id
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from histbench.errors import HistbenchError
from histbench.serve.follower import Follower
from histbench.serve.frames import KEEP_ALIVE, ResyncReason, resync, subscribed
from histbench.serve.message import Head
from histbench.serve.settings import Settings

__all__ = ["EPOCH_HEADER", "Start", "Subscriber", "start_of"]

EPOCH_HEADER = "x-qwen-event-epoch"

# A longer number is no position of anything.
_ID_DIGITS = 16


class Start:
    """Where a client says that it is: a position, an epoch, both or neither; `bad` for no number."""

    def __init__(self, last_event_id: str | None, epoch: str | None) -> None:
        text = last_event_id or ""
        number = text.isascii() and text.isdigit() and len(text) <= _ID_DIGITS
        self.bad = bool(text) and not number
        self.position = int(text) if number else None
        self.epoch = epoch or None


def start_of(head: Head, *, last_event_id: str | None, epoch: str | None) -> Start:
    """What the headers say, or else the parameters: those of a browser's URL stay as they were."""
    return Start(head.header("last-event-id") or last_event_id, head.header(EPOCH_HEADER) or epoch)


class Subscriber:
    """One open stream over a follower; iterate over `chunks` and send each.

    `leave` ends it, from the event loop.
    """

    def __init__(self, follower: Follower, start: Start, settings: Settings) -> None:
        self._follower = follower
        self._start = start
        self._settings = settings
        self._woken = asyncio.Event()
        self._left = False
        self._resets = follower.resets
        self.position = follower.end
        self.epoch = follower.epoch

    def leave(self) -> None:
        """The client went away, or the daemon stops."""
        self._left = True
        self._woken.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes of the stream, each chunk one or more whole frames."""
        follower = self._follower
        follower.wakers.add(self._woken)
        try:
            yield await self._opening()
            while not self._left:
                chunk = await self._next()
                if chunk:
                    yield chunk
        finally:
            follower.wakers.discard(self._woken)

    async def _opening(self) -> bytes:
        follower, start = self._follower, self._start
        wanted = start.position
        if wanted is not None and wanted > follower.end:
            # A page read a moment ago may have seen more than the follower.
            await follower.refresh()
        self._resets = follower.resets
        self.position = follower.end
        reason: ResyncReason | None = None
        if start.bad:
            reason = "bad_last_event_id"
        elif (start.epoch is not None and start.epoch != follower.epoch) or (
            wanted is not None and wanted > follower.end
        ):
            reason = "epoch_reset"
        elif wanted is not None:
            self.position = wanted
        opening = subscribed(follower.epoch, self.position)
        return opening if reason is None else opening + self._resync(reason)

    def _resync(self, reason: ResyncReason) -> bytes:
        self._resets = self._follower.resets
        self.position = self._follower.end
        return resync(reason, self._follower.epoch, self.position)

    async def _next(self) -> bytes:
        """The next chunk; empty when woken for nothing."""
        follower = self._follower
        self._woken.clear()
        if self._resets != follower.resets:
            return self._resync(follower.reason)
        frames = follower.kept_after(self.position, self._settings.frame_bytes)
        if frames is None:
            try:
                frames = await follower.backlog_after(self.position)
            except HistbenchError:
                return self._resync("source_unreadable")
            if self._resets != follower.resets:
                # Read from a file that is not there any more.
                return self._resync(follower.reason)
            if not frames:
                return self._resync("source_truncated")
        if frames:
            self.position = frames[-1].end
            return b"".join(frame.text for frame in frames)
        if not self._left:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.keep_alive_seconds):
                    await self._woken.wait()
                return b""
            return KEEP_ALIVE
        return b""
