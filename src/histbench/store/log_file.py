"""A stored log opened for looking at parts of it: its newest page, or the page before a seq.

With a page index, the cost is that of the page: the segments that hold it are found from the index
and read; nothing else is.  Without one, the first call makes one, and keeps it beside the log where
the folder allows.  What an index says is believed only as far as the log bears it out
(`segments`); when it does not, the index is forgotten and made anew, once.

A log whose seqs do not run on from 0, an authored fixture say, cannot be indexed: it is read whole.

A segment larger than a few megabytes is a foreign file in one frame.  It is read twice, once for
where the page starts and once for the page, so that memory stays with the page.
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from histbench.errors import HistbenchError, Place, StorageError, UsageError
from histbench.history.page import HistoryPage
from histbench.history.select import DEFAULT_MAX_MESSAGES, check_page_request, select_page
from histbench.log import EventLog
from histbench.store.limits import DEFAULT_LIMITS, Limits
from histbench.store.lock import same_file
from histbench.store.page_walk import PageWalk
from histbench.store.reading import read_log
from histbench.store.scan import LogScan, LogSource
from histbench.store.segments import Segments, StaleIndexError

__all__ = ["LogFile", "open_log"]

# Holds nearly every header; of a cold file no more is fetched for it.
_HEADER_BYTES = 16 * 1024


def open_log(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> "LogFile":
    """The log at `path`, opened for reading parts of it.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, ...
        InvalidLog: `empty_log`, `not_a_log`, `no_header`, `log_version`.
    """
    return LogFile(Path(path), limits=limits)


class LogFile:
    """An open log; a context manager.  For one thread at a time.

    `header` is its header.  What writers append, and a repair that replaces the file, is seen by
    the next call.
    """

    def __init__(self, path: Path, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self._limits = limits
        self._source: LogSource | None = None
        self._segments: Segments | None = None
        self._whole: EventLog | None = None
        self._revision: tuple[int, ...] | None = None
        self.header: dict[str, Any] = {}
        self._archive_form: str | None = None
        self._open()

    def _open(self) -> LogSource:
        self.close()
        source = LogSource(self.path)
        try:
            scan = LogScan(source.reader(0, at_once=_HEADER_BYTES), limits=self._limits)
        except BaseException as error:
            source.close()
            if isinstance(error, HistbenchError):
                error.at(file=str(self.path))
            raise
        self.header, self._archive_form = scan.header, scan.archive_form
        self._source = source
        return source

    def tail(self, before_seq: int | None = None, *, min_messages: int = 50) -> EventLog:
        """The newest events before `before_seq`, back to where the page of that many messages is cut.

        Counting back from the end (or from `before_seq`), messages are appended `user/message` and
        `assistant/message` events; at the `min_messages`-th, the page is cut at the least of its
        seq and its `sourceEventSeqs`.  With fewer messages the page goes back to the start.  A log
        with gaps in its seqs has no such pages; it is returned whole.

        Raises:
            UsageError: `bad_interval`, a negative seq or less than one message.
            InvalidLog, InvalidJson, InvalidRow, InvalidEvent: the log is damaged.
            StorageError: `changed_while_read`, ...
        """
        return self._read(lambda: PageWalk(before_seq, messages=min_messages))

    def page(
        self,
        *,
        before_seq: int | None = None,
        max_messages: int = DEFAULT_MAX_MESSAGES,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> HistoryPage:
        """`select_page` of the log in the file, at the cost of the page.

        Raises:
            As `select_page`, and as `tail`.
        """
        check_page_request(before_seq, max_messages, max_events, max_bytes)
        if self._current(trust_index=True) is None and self._whole is not None:
            return select_page(
                self._whole,
                before_seq=before_seq,
                max_messages=max_messages,
                max_events=max_events,
                max_bytes=max_bytes,
            )
        if max_events is None and max_bytes is None:
            # What is read is the page already.
            log = self._read(lambda: PageWalk(before_seq, messages=max_messages))
            return HistoryPage(
                records=log.records(),
                has_more=log.from_seq > 0,
                from_seq=log.from_seq,
                to_seq=log.to_seq,
            )
        log = self._read(
            lambda: PageWalk(
                before_seq,
                messages=max_messages,
                older_events=1,
                max_events=max_events,
                max_bytes=max_bytes,
            )
        )
        page = select_page(
            log,
            before_seq=before_seq,
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
        )
        # One event alone may be past the budget, and then nothing before it was read.
        return structs.replace(page, has_more=page.from_seq > 0)

    def interval(self, from_seq: int, to_seq: int) -> EventLog:
        """The events with `from_seq <= seq < to_seq`, as far as the log has them.

        Raises:
            As `tail`.
        """
        if from_seq > to_seq:
            raise UsageError("no such interval", code="bad_interval", found=[from_seq, to_seq])
        return self._read(lambda: PageWalk(to_seq, start=from_seq))

    def _read(self, walk: Callable[[], PageWalk]) -> EventLog:
        for attempt in range(2):
            segments = self._current(trust_index=attempt == 0)
            try:
                if segments is not None:
                    return walk().over(segments, header=self.header)
                if self._whole is not None:
                    return walk().within(self._whole)
            except StaleIndexError:
                self._forget()
        raise StorageError(
            "the log changes while it is read",
            code="changed_while_read",
            where=Place(file=str(self.path)),
        )

    def _current(self, *, trust_index: bool) -> Segments | None:
        """The segments of the log as it is now; None when it has to be read whole."""
        source = self._source
        if source is None or source.descriptor is None:
            raise UsageError("the log file is closed", code="log_closed")
        if not same_file(source.descriptor, self.path) and self.path.exists():
            source = self._open()
        revision = source.revision()
        if revision != self._revision:
            self._forget()
            try:
                self._segments = Segments(
                    source,
                    limits=self._limits,
                    trust_index=trust_index,
                    archive_form=self._archive_form,
                )
            except HistbenchError:
                # No store's log: the lenient reader takes it, or says what is wrong and where.
                self._whole = read_log(self.path, limits=self._limits)
            self._revision = revision
        return self._segments

    def _forget(self) -> None:
        if self._segments is not None:
            self._segments.close()
        self._segments = self._whole = self._revision = None

    def close(self) -> None:
        """Let go of the file and its index."""
        self._forget()
        if self._source is not None:
            self._source.close()
            self._source = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
