"""The event streams of one widget: each is read in a thread of its own and sent to the page.

    from the page    {id, stream: true, path, query, headers}    begin
                     {id, took: n}                               so many parts were taken
                     {id, leave: true}                           nobody reads any more
    to the page      {id, status, text}                          it has begun, or is refused
                     {id, part}                                  text of the stream
                     {id, end: true}

A page says what it took when the kernel has time to listen, which may be at the end of a long cell:
until then it is sent some megabytes.  One that takes nothing may have gone without a word, and a
kernel lives on; then the stream waits, and ends after ten minutes, or when there are too many.
"""

from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing
from threading import Condition, Lock, Thread
from typing import Any

from histbench.widget.source import Source

__all__ = ["Streams"]

_MOST_STREAMS = 16
_MOST_BEHIND_BYTES = 16 * 1024 * 1024
_PATIENCE_SECONDS = 600


class _Open:
    """What is known of a stream before, while and after it is read."""

    def __init__(self) -> None:
        self.leave_source: Callable[[], None] = lambda: None
        self.left = False
        self._changed = Condition()
        # Of the parts that the page was sent and has not taken.
        self._sizes: deque[int] = deque()
        self._behind = 0

    def wait_for_room(self, size: int) -> bool:
        """Count a part as sent, once it may be; False if nobody takes any more."""
        with self._changed:
            self._changed.wait_for(self._has_room, _PATIENCE_SECONDS)
            if self.left or not self._has_room():
                return False
            self._sizes.append(size)
            self._behind += size
            return True

    def _has_room(self) -> bool:
        return self.left or self._behind < _MOST_BEHIND_BYTES

    def took(self, parts: int) -> None:
        """The page has taken so many."""
        with self._changed:
            for _ in range(min(parts, len(self._sizes))):
                self._behind -= self._sizes.popleft()
            self._changed.notify()

    def leave(self) -> None:
        """End the stream, wherever it stands."""
        with self._changed:
            self.left = True
            self._changed.notify()
        self.leave_source()


class Streams:
    """Streams of a source, by the ids that the page gives them; `send` takes a message."""

    def __init__(self, source: Source, send: Callable[[dict[str, Any]], None]) -> None:
        self._source = source
        self._send = send
        self._lock = Lock()
        self._open: dict[str, _Open] = {}

    def begin(self, name: str, path: str, query: str, headers: Mapping[str, str]) -> None:
        """Begin a stream."""
        stream = _Open()
        with self._lock:
            self._open[name] = stream
            oldest = next(iter(self._open.values())) if len(self._open) > _MOST_STREAMS else None
        if oldest is not None:
            oldest.leave()
        arguments = (name, stream, path, query, headers)
        Thread(target=self._run, args=arguments, name=f"viewer {name}", daemon=True).start()

    def took(self, name: str, parts: int) -> None:
        """The page has taken so many parts of a stream."""
        stream = self._open.get(name)
        if stream is not None:
            stream.took(parts)

    def leave(self, name: str) -> None:
        """The page reads a stream no more."""
        stream = self._open.get(name)
        if stream is not None:
            stream.leave()

    def close(self) -> None:
        """The widget is gone."""
        for name in list(self._open):
            self.leave(name)

    def _run(
        self, name: str, stream: _Open, path: str, query: str, headers: Mapping[str, str]
    ) -> None:
        try:
            found = self._source.follow(path, query, headers)
            if isinstance(found, tuple):
                status, text = found
                self._send({"id": name, "status": status, "text": text})
                return
            stream.leave_source = found.leave
            if stream.left:
                found.leave()
            self._send({"id": name, "status": 200, "text": ""})
            decoder = getincrementaldecoder("utf-8")("replace")
            with closing(iter(found)) as parts:
                for part in parts:
                    if not stream.wait_for_room(len(part)):
                        break
                    self._send({"id": name, "part": decoder.decode(part)})
            self._send({"id": name, "end": True})
        finally:
            with self._lock:
                self._open.pop(name, None)
