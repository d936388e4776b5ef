"""The event streams of one widget: each is read in a thread of its own and sent to the page.

    from the page    {id, stream: true, path, query, headers}    begin
                     {id, took: n}                               so many parts were taken
                     {id, leave: true}                           nobody reads any more
    to the page      {id, status, text}                          it has begun, or is refused
                     {id, part}                                  text of the stream
                     {id, end: true}

A page is a few parts behind at most; one that takes nothing for a minute has gone.  It may have
gone without a word, and a kernel lives on.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from contextlib import closing
from threading import Lock, Semaphore, Thread
from typing import Any

from histbench.widget.source import Source

__all__ = ["Streams"]

_MOST_STREAMS = 16
_MOST_BEHIND = 8
_PATIENCE_SECONDS = 60

_TOO_MANY = '{"code":"too_many_streams","error":"too many streams are open"}'


class _Open:
    """What is known of a stream before, while and after it is read."""

    def __init__(self) -> None:
        self.room = Semaphore(_MOST_BEHIND)
        self.left = False
        self.leave: Callable[[], None] = lambda: None


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
            full = len(self._open) >= _MOST_STREAMS
            if not full:
                self._open[name] = stream
        if full:
            self._send({"id": name, "status": 503, "text": _TOO_MANY})
            return
        arguments = (name, stream, path, query, headers)
        Thread(target=self._run, args=arguments, name=f"viewer {name}", daemon=True).start()

    def took(self, name: str, parts: int) -> None:
        """The page has taken so many parts of a stream."""
        stream = self._open.get(name)
        if stream is not None and 0 < parts <= _MOST_BEHIND:
            stream.room.release(parts)

    def leave(self, name: str) -> None:
        """The page reads a stream no more."""
        stream = self._open.get(name)
        if stream is not None:
            stream.left = True
            stream.leave()
            stream.room.release()

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
            stream.leave = found.leave
            self._send({"id": name, "status": 200, "text": ""})
            decoder = getincrementaldecoder("utf-8")("replace")
            with closing(iter(found)) as parts:
                for part in parts:
                    if not stream.room.acquire(timeout=_PATIENCE_SECONDS) or stream.left:
                        break
                    self._send({"id": name, "part": decoder.decode(part)})
            self._send({"id": name, "end": True})
        finally:
            with self._lock:
                self._open.pop(name, None)
