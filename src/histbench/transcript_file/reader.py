"""TranscriptReader: pages, turns, search and what was appended, of one transcript on disk.

request -> a state of the file: now, or as a cursor froze it (`open_transcript`, `snapshot`)
-> positions of its chain (`transcript.select`, `hard_limit`)
-> the records there, proved -> page, next cursor
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import UNSET, UnsetType, structs

from histbench.errors import (
    InvalidCursor,
    SnapshotUnavailable,
)
from histbench.transcript import Gap, TranscriptRecord
from histbench.transcript.cursor import (
    MIN_KEY_BYTES,
    Cursor,
    FileIdentity,
    TurnIndexToken,
    read_cursor,
    read_turn_token,
    sign,
)
from histbench.transcript.select import (
    DEFAULT_LIMIT,
    Selection,
    anchored_page,
    backward_page,
    forward_page,
    place_after,
    place_before,
)
from histbench.transcript_file.appended import read_appended
from histbench.transcript_file.entries import Oddity
from histbench.transcript_file.hard_limit import within_hard
from histbench.transcript_file.index import Progress
from histbench.transcript_file.open_transcript import OpenTranscript
from histbench.transcript_file.pages import Appended, SearchPage, TranscriptPage, TurnPage
from histbench.transcript_file.requests import Direction, PageRequest
from histbench.transcript_file.searching import search_back
from histbench.transcript_file.snapshot import Snapshot
from histbench.transcript_file.turn_pages import turn_previews

__all__ = ["SOFT_BYTES", "TranscriptReader"]

# Source bytes that a page aims at, as in the original.
SOFT_BYTES = 4 << 20

T = TypeVar("T")


class TranscriptReader:
    """The transcript at `path`, read in pages; a context manager, and safe for threads.

    Args:
        path: a file of conversation records, or a session log.
        key: what cursors are signed with, at least 32 bytes, or several, the newest first (see
            `keys`); without one, cursors are good for this reader only.
        soft_bytes: how many source bytes a page aims at; None for any.
        hard_bytes: how many a page may have at most; None for any.
        progress: called while a file is indexed, with the place reached and the place to reach.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        key: bytes | Sequence[bytes] | None = None,
        soft_bytes: int | None = SOFT_BYTES,
        hard_bytes: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = Path(path)
        self._keys = os.urandom(MIN_KEY_BYTES) if key is None else key
        self._soft, self._hard = soft_bytes, hard_bytes
        self._lock = RLock()
        self._file = OpenTranscript(self.path, progress=progress)

    def close(self) -> None:
        """Let go of the file and the index."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # --- pages ---------------------------------------------------------------------------------

    def page(
        self,
        limit: int = DEFAULT_LIMIT,
        direction: Direction | None = None,
        before_record_id: str | None = None,
        after_record_id: str | None = None,
        *,
        at_record_id: str | None = None,
        cursor: str | None = None,
        snapshot: str | None = None,
    ) -> TranscriptPage:
        """One page, the newest where nothing is said; see `requests` for what may be said.

        Raises:
            UsageError: `invalid_transcript_limit`.
            InvalidCursor: a cursor, token or record id that is none of this transcript.
            SnapshotUnavailable: what a cursor or token froze is not there any more.
            LimitExceeded: `transcript_page_too_large`, for one record that is; the place names it.
            StorageError: the file cannot be read.
        """
        request = PageRequest(
            limit=limit,
            direction=direction,
            before_record_id=before_record_id,
            after_record_id=after_record_id,
            at_record_id=at_record_id,
            cursor=cursor,
            snapshot=snapshot,
        ).checked()
        with self._lock:
            if cursor is not None:
                frozen = read_cursor(cursor, self._keys)
                return self._file.of_frozen(frozen, lambda state: self._next(state, frozen, limit))
            if snapshot is not None:
                token = read_turn_token(snapshot, self._keys)
                return self._file.of_frozen(token, lambda state: self._first(state, request))
            return self._file.of_now(lambda state: self._first(state, request))

    def with_replay(self, cursor: str, replay: dict[str, Any]) -> str:
        """The cursor, with what the replay of its page left open.

        Raises:
            InvalidCursor: it is none of this reader's.
            LimitExceeded: `cursor_too_large`.
        """
        return sign(structs.replace(read_cursor(cursor, self._keys), replay=replay), self._keys)

    def _first(self, state: Snapshot, request: PageRequest) -> TranscriptPage:
        if state.chain is None:
            return self._page(state, None, backward=request.backward)
        chain, limit = state.chain, request.limit
        if request.at_record_id is not None:
            selection = anchored_page(chain, request.at_record_id, limit, self._soft)
            return self._page(state, selection, backward=False, target=request.at_record_id)
        if request.after_record_id is not None:
            position = place_after(chain, request.after_record_id)
        elif request.before_record_id is not None:
            position = place_before(chain, request.before_record_id)
        else:
            position = len(chain) if request.backward else 0
        select = backward_page if request.backward else forward_page
        selection = select(chain, position, limit, self._soft)
        return self._page(state, selection, backward=request.backward)

    def _next(self, state: Snapshot, frozen: Cursor, limit: int) -> TranscriptPage:
        if state.chain is None:
            return self._page(state, None, backward=frozen.backward)
        select = backward_page if frozen.backward else forward_page
        selection = select(state.chain, frozen.position, limit, self._soft)
        return self._page(state, selection, backward=frozen.backward, replay=frozen.replay)

    def _page(
        self,
        state: Snapshot,
        selection: Selection | None,
        *,
        backward: bool,
        target: str | None = None,
        replay: dict[str, Any] | UnsetType = UNSET,
    ) -> TranscriptPage:
        if selection is None:
            selection = Selection(start=0, stop=0, next=0, has_more=False, source_bytes=0)
        if self._hard is not None and state.chain is not None:
            selection = within_hard(state.chain, selection, self._hard, backward=backward)
        cursor = Cursor(
            session_id=state.session_id,
            file_identity=FileIdentity(*state.identity),
            snapshot_size=state.end,
            position=selection.next,
            direction="backward" if backward else UNSET,
            leaf_id=state.leaf_id,
            start_time=state.start_time,
            last_updated=state.last_updated,
        )
        return TranscriptPage(
            records=state.records(selection.start, selection.stop),
            next_cursor=sign(cursor, self._keys) if selection.has_more else None,
            has_more=selection.has_more,
            session_id=state.session_id,
            start_time=state.start_time,
            last_updated=state.last_updated,
            end=state.end,
            gap=state.gap() if selection.start == 0 else None,
            target_record_id=target,
            has_older=selection.has_older,
            replay=None if replay is UNSET else replay,
        )

    # --- turns, search, single records, what was appended ----------------------------------------

    def turns(
        self, start: int | None = None, limit: int = DEFAULT_LIMIT, snapshot: str | None = None
    ) -> TurnPage:
        """Turns `[start, start + limit)` of a snapshot; the newest of now without one.

        Raises:
            UsageError: `invalid_transcript_limit`.
            InvalidCursor: a start without a snapshot, or a snapshot of another transcript.
            SnapshotUnavailable, StorageError: as `page`.
        """
        PageRequest(limit=limit).checked()
        if (snapshot is None and start is not None) or (start or 0) < 0:
            raise InvalidCursor(
                "no such start of a list of turns",
                found=start,
                expected="a position, together with the snapshot that it is in",
            )
        with self._lock:
            if snapshot is not None:
                token = read_turn_token(snapshot, self._keys)
                return self._file.of_frozen(token, lambda state: self._turns(state, start, limit))
            return self._file.of_now(lambda state: self._turns(state, None, limit))

    def _turns(self, state: Snapshot, start: int | None, limit: int) -> TurnPage:
        total = 0 if state.chain is None else state.chain.turns
        first = max(0, total - limit) if start is None else min(start, total)
        token = TurnIndexToken(
            session_id=state.session_id,
            file_identity=FileIdentity(*state.identity),
            snapshot_size=state.end,
            leaf_id=state.leaf_id,
            start_time=state.start_time,
            last_updated=state.last_updated,
        )
        return TurnPage(
            session_id=state.session_id,
            snapshot=sign(token, self._keys),
            total_turns=total,
            start=first,
            turns=turn_previews(state, first, min(first + limit, total)),
        )

    def search(self, text: str, limit: int = 20, before_record_id: str | None = None) -> SearchPage:
        """Records that show `text`, whatever its case, the newest first.

        Raises:
            UsageError: `invalid_transcript_limit`, `empty_search`.
            InvalidCursor: `before_record_id` is not on the chain.
            StorageError: the file cannot be read.
        """
        PageRequest(limit=limit, before_record_id=before_record_id).checked()
        with self._lock:
            return self._file.of_now(
                lambda state: search_back(state, text, limit, before_record_id)
            )

    def record(self, record_id: str) -> TranscriptRecord:
        """One record of the active chain, however large it is.

        Raises:
            InvalidCursor: it is not on the chain.
            StorageError: the file cannot be read.
        """

        def find(state: Snapshot) -> TranscriptRecord:
            position = None if state.chain is None else state.chain.position(record_id)
            if position is None:
                raise InvalidCursor("no such record in the conversation", found=record_id)
            return state.records(position, position + 1)[0]

        with self._lock:
            return self._file.of_now(find)

    def appended(self, place: int, *, limit: int = 500, max_bytes: int = SOFT_BYTES) -> Appended:
        """The records behind a place in the order of the file, at most so many.

        Those that a side task does not show are marked.

        Raises:
            SnapshotUnavailable: the file has no such place any more.
            StorageError: the file cannot be read.
        """

        def read(state: Snapshot) -> Appended:
            if not 0 <= place <= state.end:
                raise SnapshotUnavailable("the file is shorter", found=state.end)
            return read_appended(
                self._file.source,
                self._file.index,
                place,
                state.end,
                side_task=state.side_task,
                limit=limit,
                max_bytes=max_bytes,
            )

        with self._lock:
            return self._file.of_now(read)

    # --- what is known of the transcript as it is now ---------------------------------------------

    @property
    def session_id(self) -> str | None:
        """The session that the file is of: the first that a record names."""
        return self._told(lambda state: state.session_id)

    @property
    def leaf_id(self) -> str | None:
        """The record that the active chain ends with, shown or not."""
        return self._told(lambda state: state.leaf_id)

    @property
    def side_task(self) -> bool:
        """Whether the session is a side task, which hides what it has from another session."""
        return self._told(lambda state: state.side_task is not None)

    @property
    def length(self) -> int:
        """How many records the active chain shows."""
        return self._told(len)

    @property
    def end(self) -> int:
        """The place where what can be read ends."""
        return self._told(lambda state: state.end)

    @property
    def identity(self) -> tuple[int, int]:
        """The device and the inode of the file."""
        return self._told(lambda state: state.identity)

    @property
    def gap(self) -> Gap | None:
        """Where the chain begins, if it follows a record that is not there."""
        return self._told(lambda state: state.gap())

    @property
    def diagnostics(self) -> list[Oddity]:
        """What is odd about the file: the first of each kind, and a last line that is not whole."""

        def tell(_: Snapshot) -> list[Oddity]:
            torn = self._file.index.torn
            return [*self._file.index.entries.oddities(), *([] if torn is None else [torn])]

        return self._told(tell)

    def _told(self, tell: Callable[[Snapshot], T]) -> T:
        with self._lock:
            return self._file.of_now(tell)
