"""Open readers kept from one request to the next, so that a page costs no opening of its file.

A reader is lent to one thread at a time.  When two requests want the same session at once, the
second gets a reader of its own; when they are given back, the least recently used ones beyond the
bound are closed.  Readers notice by themselves when their file was appended to or replaced.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Generic, Protocol, TypeVar

from histbench.errors import HistbenchError

__all__ = ["Readers"]


class _Closable(Protocol):
    def close(self) -> None: ...


R = TypeVar("R", bound=_Closable)


class Readers(Generic[R]):
    """A pool of readers by path; `open_reader` makes one, `most` may lie idle."""

    def __init__(self, open_reader: Callable[[Path], R], *, most: int) -> None:
        self._open = open_reader
        self._most = most
        self._lock = Lock()
        self._closed = False
        # Keyed by a running number too: one path may have several.
        self._idle: OrderedDict[tuple[Path, int], R] = OrderedDict()
        self._number = 0

    @contextmanager
    def borrow(self, path: Path) -> Iterator[R]:
        """A reader of `path` for the time of a `with` block.

        Raises:
            HistbenchError: what opening raises.
        """
        reader = self._take(path) or self._open(path)
        try:
            yield reader
        except HistbenchError:
            # A refusal leaves the reader sound.
            self._give_back(path, reader)
            raise
        except BaseException:
            reader.close()
            raise
        else:
            self._give_back(path, reader)

    def _take(self, path: Path) -> R | None:
        with self._lock:
            for key in reversed(self._idle):
                if key[0] == path:
                    return self._idle.pop(key)
        return None

    def _give_back(self, path: Path, reader: R) -> None:
        surplus = [reader]
        with self._lock:
            if not self._closed:
                self._number += 1
                self._idle[path, self._number] = reader
                over = len(self._idle) - self._most
                surplus = [self._idle.popitem(last=False)[1] for _ in range(over)]
        for each in surplus:
            each.close()

    def close(self) -> None:
        """Close what lies idle; what is still lent is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle = list(self._idle.values())
            self._idle.clear()
        for reader in idle:
            reader.close()
