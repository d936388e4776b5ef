"""Pages that several readers ask for at about the same time are made once.

Whoever shows a session to many has them all walk back over the same pages, and making a page costs
a hundred times what sending it does.  A page is kept under what was asked of which file.  A frozen
page holds for as long as that file only grows, any other for the revision of the file that it was
made of.  The oldest go when there are too many bytes.  Two threads that want the same page at once
wait for one of them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock

from histbench.serve.message import Answer

__all__ = ["PageCache"]

Revision = tuple[int, int]


class PageCache:
    """Answers by key, at most `most_bytes` of bodies."""

    def __init__(self, *, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[Revision, Answer]] = OrderedDict()
        self._making: dict[tuple[Hashable, Revision], Future[Answer]] = {}
        self._bytes = 0

    def answer(self, key: Hashable, revision: Revision, make: Callable[[], Answer]) -> Answer:
        """What is kept under `key`, or what `make` makes now; its errors are not kept.

        `revision` is the length of the file now, and its time.

        Raises:
            HistbenchError: what `make` raises, here or in the thread that made it for both.
        """
        with self._lock:
            known = self._kept.get(key)
            if known is not None and _holds(*known, revision):
                self._kept.move_to_end(key)
                return known[1]
            making = self._making.get((key, revision))
            if making is None:
                made: Future[Answer] = Future()
                self._making[key, revision] = made
        if making is not None:
            return making.result()
        try:
            answer = make()
        except BaseException as error:
            made.set_exception(error)
            raise
        else:
            made.set_result(answer)
            return answer
        finally:
            with self._lock:
                del self._making[key, revision]
                if made.exception() is None:
                    self._keep(key, revision, made.result())

    def _keep(self, key: Hashable, revision: Revision, answer: Answer) -> None:
        _, before = self._kept.pop(key, ((0, 0), Answer()))
        self._bytes -= len(before.body)
        if len(answer.body) > self._most_bytes // 4:
            # One page must not push out all others.
            return
        self._kept[key] = revision, answer
        self._bytes += len(answer.body)
        while self._bytes > self._most_bytes:
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= len(gone.body)


def _holds(made_of: Revision, answer: Answer, revision: Revision) -> bool:
    return made_of == revision or (answer.keep == "frozen" and made_of[0] <= revision[0])
