"""A front for live producers: events are handed over at once and stored in batches.

A token arrives every few milliseconds and a sync takes as long; so whatever arrives within a window
(200 ms by default) becomes one batch, and a flush ends the window at once.  `append` checks what it
is given and returns a future that is done when the events are durable.  Any thread may append and
flush; asyncio code awaits `asyncio.wrap_future(front.append(events))`, or `aflush`, and nothing
blocks its loop.  Events are stored in the order in which they were handed over.

When a batch cannot be stored, the log is as before it (`writer`), and everything handed over since
would leave a gap.  So the front stops there: the futures of all waiting events carry the error, and
so does every later call.  Whoever goes on opens the log anew and asks it for its `next_seq`.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import Future
from time import monotonic
from types import TracebackType
from typing import Self

from histbench.errors import UsageError
from histbench.events import Event
from histbench.jsontext import decode, encode
from histbench.store.batch import check_batch
from histbench.store.writer import LogWriter

__all__ = ["DEFAULT_WINDOW_SECONDS", "BatchingWriter"]

# The original's writeBatchMaxDelayMs.
DEFAULT_WINDOW_SECONDS = 0.2


class BatchingWriter:
    """Batches for `writer`, which belongs to this front from now on and is closed with it.

    A context manager, and an asynchronous one.  `next_seq` is the seq that the next event handed
    over must have.
    """

    def __init__(
        self, writer: LogWriter, *, window_seconds: float = DEFAULT_WINDOW_SECONDS
    ) -> None:
        self._writer = writer
        self._window = window_seconds
        self._wake = threading.Condition()
        self._waiting: list[Event] = []
        self._future: Future[None] | None = None
        # That of the batch that the thread is storing right now.
        self._in_hand: Future[None] | None = None
        self._due = 0.0
        self._flushing = False
        self._closing = False
        self._error: BaseException | None = None
        self.next_seq = writer.next_seq
        self._thread = threading.Thread(target=self._store, name="histbench-writer", daemon=True)
        self._thread.start()

    def append(self, events: Iterable[Event]) -> Future[None]:
        """Hand over events; the future is done when they are durable, or has the reason why not.

        Raises:
            InvalidEvent, InvalidJson: as `LogWriter.append`; nothing of these events was taken.
            UsageError: `writer_closed`.
            The error that stopped the front, if one did.
        """
        # A copy, as it will be read back: the producer may go on with its own objects.
        batch: list[Event] = decode(encode(list(events)))
        with self._wake:
            self._check_usable()
            check_batch(batch, next_seq=self.next_seq, path=self._writer.path)
            if not batch:
                done: Future[None] = Future()
                done.set_result(None)
                return done
            if self._future is None:
                self._future = Future()
                self._due = monotonic() + self._window
                self._wake.notify_all()
            self._waiting += batch
            self.next_seq += len(batch)
            return self._future

    def flush(self) -> None:
        """Store what was handed over so far and wait until it is durable.

        Raises:
            StorageError: it could not be stored.
        """
        future = self._start_flush()
        if future is not None:
            future.result()

    async def aflush(self) -> None:
        """`flush` for asyncio: the loop goes on meanwhile."""
        import asyncio  # noqa: PLC0415 - a tenth of a second that only those who await pay

        future = self._start_flush()
        if future is not None:
            await asyncio.wrap_future(future)

    def _start_flush(self) -> Future[None] | None:
        with self._wake:
            if self._error is not None:
                raise self._error
            if self._future is not None:
                self._flushing = True
                self._wake.notify_all()
            return self._future or self._in_hand

    def _check_usable(self) -> None:
        if self._error is not None:
            raise self._error
        if self._closing:
            raise UsageError("the writer is closed", code="writer_closed")

    def _store(self) -> None:
        """The thread: one batch after the other, until closed or stopped by an error."""
        while True:
            with self._wake:
                while self._future is None and not self._closing:
                    self._wake.wait()
                while (
                    self._future is not None
                    and not (self._flushing or self._closing)
                    and (left := self._due - monotonic()) > 0
                ):
                    self._wake.wait(left)
                batch, self._waiting = self._waiting, []
                future, self._future = self._future, None
                self._in_hand = future
                self._flushing = False
            if future is None:
                return
            try:
                self._writer.append(batch)
            except BaseException as error:  # noqa: BLE001 - whatever it is, the producers must learn it
                self._stop(future, error)
                return
            with self._wake:
                self._in_hand = None
            future.set_result(None)

    def _stop(self, future: Future[None], error: BaseException) -> None:
        with self._wake:
            self._error = error
            self._in_hand = None
            later, self._future = self._future, None
            self._waiting = []
        for waiting in (future, later):
            if waiting is not None:
                waiting.set_exception(error)

    def close(self) -> None:
        """Store what is left, wait for it, and close the log.

        Raises:
            The error that stopped the front, if one did.
        """
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._thread.join()
        self._writer.close()
        if self._error is not None:
            raise self._error

    async def aclose(self) -> None:
        """`close` for asyncio."""
        import asyncio  # noqa: PLC0415 - as in `aflush`

        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
