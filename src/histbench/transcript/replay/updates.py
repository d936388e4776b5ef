"""Records to updates, page by page, within bounds.

A page is replayed record by record (`table`).  Forward pages hand their `ReplayState` on; then all
pages together give the updates of the whole, whatever the size of the pages.  A backward page has
nobody before it and starts with none.

The last page of a direction is *finalized*: what can still be open there has no result in the
transcript.  Such a call is closed as failed only when its writer is known to be gone; otherwise it
may be running this moment, and stays in progress.

The output is bounded.  A record that alone has more updates or bytes than allowed is replaced by
one chunk that says so; before a record that no longer fits the replay stops, names the bound, and
tells how many records it has shown, so that the next request can go on there.
"""

from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec import Struct

from histbench.errors import InvalidJson, UsageError
from histbench.jsontext import encode
from histbench.transcript.record import Diagnostic, TranscriptRecord
from histbench.transcript.replay.calls import OpenCalls
from histbench.transcript.replay.record_replay import RecordReplay, Update
from histbench.transcript.replay.state import OpenCall, ReplayState
from histbench.transcript.replay.table import show_record
from histbench.transcript.replay.totals import Totals

__all__ = ["MAX_BYTES", "MAX_UPDATES", "Replayed", "replay_updates"]

# What the original answers a load with (facts: transcript pager, section 2.1).
MAX_UPDATES = 10_000
MAX_BYTES = 32 * 1024 * 1024

# How JavaScript would print a number makes no difference to a bound.
_encoder = msgspec.json.Encoder()

_GAP = "Earlier messages are missing: the saved history does not reach further back from here."
_NO_RESULT = "The saved history has no result of this call; the run that made it is over."


class Replayed(Struct, frozen=True, kw_only=True):
    """The updates of a page.

    `consumed` records are in them and in `state`, the first ones of the page; all of them unless
    `error` (`replay_updates_limit`, `replay_bytes_limit`) names the bound that was met.
    """

    updates: list[Update]
    state: ReplayState
    diagnostics: tuple[Diagnostic, ...]
    consumed: int
    error: str | None = None

    @property
    def partial(self) -> bool:
        """Whether something of the page is missing."""
        return self.error is not None


def replay_updates(
    records: Iterable[TranscriptRecord],
    *,
    state: ReplayState | None = None,
    finalize: bool,
    writer_gone: bool = False,
    gap_children: Collection[str] = (),
    max_updates: int = MAX_UPDATES,
    max_bytes: int = MAX_BYTES,
) -> Replayed:
    """The session updates of these records, oldest first, each stamped with its record's id.

    Args:
        records: a page of one chain.
        state: what the forward page before gave; None for a first page and for backward pages.
        finalize: whether no record that could answer an open call comes after these.
        writer_gone: whether whoever ran the calls runs no more; only then are they closed.
        gap_children: ids of records whose parent is missing; a notice comes before each.
        max_updates: the most updates to give.
        max_bytes: the most bytes of JSON to give, each update counted alone.

    Raises:
        UsageError: a bound below 1 (`bad_replay_limit`).
    """
    if max_updates < 1 or max_bytes < 1:
        raise UsageError(
            "a replay must be allowed something",
            code="bad_replay_limit",
            found=[max_updates, max_bytes],
            expected="at least 1",
        )
    page = list(records)
    before = state or ReplayState()
    replay = _Replay(before, gap_children, max_updates, max_bytes)
    for number, record in enumerate(page):
        if not replay.add(record):
            # The record has changed the state already: the ones before it are replayed anew.
            shown = _Replay(before, gap_children, max_updates, max_bytes)
            shown.add_all(page[:number])
            return shown.replayed(number, error=replay.error)
    if finalize and writer_gone:
        replay.close_calls(page)
    return replay.replayed(len(page), error=replay.error)


class _Replay:
    """A page under way."""

    def __init__(
        self, state: ReplayState, gap_children: Collection[str], max_updates: int, max_bytes: int
    ) -> None:
        self._calls = OpenCalls(state.pending_tool_calls, state.recent_ids)
        self._totals = Totals(state.cumulative_usage, state.usage_message)
        self._gap_children = gap_children
        self._max_updates = max_updates
        self._max_bytes = max_bytes
        self._updates: list[Update] = []
        self._bytes = 0
        self._diagnostics: list[Diagnostic] = []
        self.error: str | None = None

    def add_all(self, records: Sequence[TranscriptRecord]) -> None:
        for record in records:
            self.add(record)

    def add(self, record: TranscriptRecord) -> bool:
        """Replay a record; False, with `error` set, when its updates do not fit any more."""
        replay = self._begin(record)
        show_record(replay)
        size = _size(replay.updates)
        if size is None or size > self._max_bytes or len(replay.updates) > self._max_updates:
            replay = self._too_large(replay, size)
            size = _size(replay.updates) or 0
        if self._updates and not self._fits(replay.updates, size):
            return False
        self._take(replay, size)
        return True

    def _begin(self, record: TranscriptRecord) -> RecordReplay:
        replay = RecordReplay(record, self._calls, self._totals)
        if record.record_id in self._gap_children:
            replay.text("agent_message_chunk", _GAP, discrete=True)
        return replay

    def _fits(self, updates: list[Update], size: int) -> bool:
        if not updates:
            return True
        if len(self._updates) + len(updates) > self._max_updates:
            self.error = "replay_updates_limit"
        elif self._bytes + size > self._max_bytes:
            self.error = "replay_bytes_limit"
        return self.error is None

    def _take(self, replay: RecordReplay, size: int) -> None:
        self._updates += replay.updates
        self._bytes += size
        self._diagnostics += replay.diagnostics.values()

    def _too_large(self, large: RecordReplay, size: int | None) -> RecordReplay:
        notice = self._begin(large.record)
        told = "more than can be written" if size is None else f"{size:,} bytes"
        text = f"A record is too large to be shown: {len(large.updates):,} updates, {told}."
        notice.report("replay_record_too_large", text)
        notice.text("agent_message_chunk", text, discrete=True, replayRecordTooLarge=True)
        return notice

    def close_calls(self, page: Sequence[TranscriptRecord]) -> None:
        """Close what is still open as failed, in the name of the page's last record."""
        shown = [call for call in self._calls.all_open() if not call.hidden]
        if not shown:
            self._calls.forget_all()
        elif page:
            closing = RecordReplay(page[-1], self._calls, self._totals)
            for call in shown:
                _close(closing, call)
            size = _size(closing.updates) or 0
            if self._fits(closing.updates, size):
                self._calls.forget_all()
                self._take(closing, size)

    def replayed(self, consumed: int, *, error: str | None) -> Replayed:
        return Replayed(
            updates=self._updates,
            state=ReplayState(
                pending_tool_calls=self._calls.all_open(),
                cumulative_usage=self._totals.sums,
                recent_ids=self._calls.recent_ids(),
                usage_message=self._totals.message,
            ),
            diagnostics=tuple(self._diagnostics),
            consumed=consumed,
            error=error,
        )


def _close(replay: RecordReplay, call: OpenCall) -> None:
    replay.report("missing_tool_result", f"{call.tool_name[:40]} of {call.source_record_id[:80]}")
    own = replay.record.record_id
    content = {"type": "content", "content": {"type": "text", "text": _NO_RESULT}}
    replay.update(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call.call_id,
            "status": "failed",
            "content": [content],
        },
        sources=() if call.source_record_id == own else (call.source_record_id,),
        toolName=call.tool_name,
    )


def _size(updates: list[Update]) -> int | None:
    """The bytes of these updates as JSON; None when no JSON text can hold them."""
    try:
        return sum(len(_encoder.encode(update)) for update in updates)
    except (UnicodeEncodeError, RecursionError, OverflowError, ValueError):
        # Half a surrogate pair, mostly, which only takes another way.
        pass
    try:
        return sum(len(encode(update)) for update in updates)
    except InvalidJson:
        return None
