"""Which records of a chain make a page.

Forward pages begin where they are asked to, and hold `limit` records or as many as `soft_bytes`
take.  Backward pages end where they are asked to (P below, exclusive) and try to begin where a
person's turn begins, so that no scroll shows the end of a turn alone.  In five rules:

    1  the page begins `limit` records before P, or at the first turn start after that place
    2  without a turn start there, one among the `limit` records before is taken
    3  from the end, records are taken while they fit in `soft_bytes`; the last always is
    4  of what was taken, records before the first turn start are left to the next page.  Two
       expansions, to at most 2 * limit records and `expansion_bytes`: to the chain's beginning,
       where no turn starts before; and to the turn's start, where none was taken
    5  if a tool's result has lost its call, the page begins at the nearest page start among the
       `limit` records before, unless what lies between, without that record itself, is more than
       `expansion_bytes`

So a page has at most 3 * limit records and, while there are records, at least one, however large:
one enormous turn comes in pieces, one enormous record comes alone.  The next page ends where this
one begins, or begins where it ends: pages join without gap or overlap, whatever each was asked
with.  No more than 3 * limit records are looked at.
"""

from collections.abc import Sequence

from msgspec import Struct

from histbench.errors import InvalidCursor, UsageError
from histbench.transcript.chain import Chain, ChainEntry

__all__ = [
    "DEFAULT_LIMIT",
    "MAX_EXPANSION_BYTES",
    "MAX_LIMIT",
    "Selection",
    "anchored_page",
    "backward_page",
    "check_limit",
    "expansion_of",
    "forward_page",
    "place_after",
    "place_before",
]

# The original's, which its clients know.
DEFAULT_LIMIT, MAX_LIMIT = 100, 500
# What a page may grow by beyond its budget, however large that is.
MAX_EXPANSION_BYTES = 16 << 20


class Selection(Struct, frozen=True, kw_only=True):
    """A page as positions of its chain.

    `[start, stop)` is the page, `next` the position that the following page is asked with, and
    `has_more` whether there is one.  An anchored page also knows whether records come before it.
    """

    start: int
    stop: int
    next: int
    has_more: bool
    source_bytes: int
    has_older: bool | None = None


def check_limit(limit: object) -> int:
    """The limit, or UsageError `invalid_transcript_limit`."""
    if type(limit) is int and 1 <= limit <= MAX_LIMIT:
        return limit
    raise UsageError(
        "bad page limit",
        code="invalid_transcript_limit",
        found=limit,
        expected=f"an integer from 1 to {MAX_LIMIT}",
    )


def expansion_of(soft_bytes: int | None) -> int:
    """How many bytes a page may grow by for the sake of whole turns and pairs."""
    return MAX_EXPANSION_BYTES if soft_bytes is None else min(2 * soft_bytes, MAX_EXPANSION_BYTES)


def place_before(chain: Chain, record_id: str) -> int:
    """The position that a backward page is asked with to end just before a record.

    Raises:
        InvalidCursor: the record is not on the chain.
    """
    position = chain.position(record_id)
    if position is None:
        raise InvalidCursor("no such record in the conversation", found=record_id)
    return position


def place_after(chain: Chain, record_id: str) -> int:
    """The position that a forward page is asked with to begin just after a record.

    Raises:
        InvalidCursor: the record is not on the chain.
    """
    return place_before(chain, record_id) + 1


def forward_page(
    chain: Chain, position: int, limit: int = DEFAULT_LIMIT, soft_bytes: int | None = None
) -> Selection:
    """The page that begins at `position`, which is at most the chain's length.

    Raises:
        UsageError: `invalid_transcript_limit`.
        InvalidCursor: there is no such position.
    """
    check_limit(limit)
    _check_position(chain, position)
    entries = chain.entries(position, min(position + limit, len(chain)))
    stop = position + _fitting(entries, soft_bytes)
    return _forward(chain, position, stop, entries)


def _forward(chain: Chain, start: int, stop: int, entries: Sequence[ChainEntry]) -> Selection:
    return Selection(
        start=start,
        stop=stop,
        next=stop,
        has_more=stop < len(chain),
        source_bytes=_bytes(entries[: stop - start]),
    )


def anchored_page(
    chain: Chain,
    record_id: str,
    limit: int = DEFAULT_LIMIT,
    soft_bytes: int | None = None,
    *,
    expansion_bytes: int | None = None,
) -> Selection:
    """The forward page that shows a turn which people jump to, with where it is safe to begin.

    It begins at the nearest page start among the `limit` records before the turn, unless what is
    before the turn is more than the expansion, and it always holds the turn's first record.

    Raises:
        UsageError: `invalid_transcript_limit`.
        InvalidCursor: the record is no such turn of this chain (`invalid_turn_anchor`).
    """
    check_limit(limit)
    target = chain.position(record_id)
    if target is None or chain.entries(target, target + 1)[0].navigation is None:
        raise InvalidCursor("no turn to jump to", code="invalid_turn_anchor", found=record_id)
    allowed = expansion_of(soft_bytes) if expansion_bytes is None else expansion_bytes
    first = max(0, target - limit)
    around = chain.entries(first, min(target + limit, len(chain)))
    start = target
    for place in range(target, first - 1, -1):
        if around[place - first].page_start:
            if _bytes(around[place - first : target - first]) <= allowed:
                start = place
            break
    entries = around[start - first :][: max(limit, target + 1 - start)]
    stop = max(start + _fitting(entries, soft_bytes), target + 1)
    page = _forward(chain, start, stop, entries)
    return Selection(
        start=start,
        stop=stop,
        next=stop,
        has_more=page.has_more,
        source_bytes=page.source_bytes,
        has_older=start > 0,
    )


def backward_page(
    chain: Chain,
    position: int,
    limit: int = DEFAULT_LIMIT,
    soft_bytes: int | None = None,
    *,
    expansion_bytes: int | None = None,
) -> Selection:
    """The page that ends before `position`; see the module.

    Args:
        chain: what is paged.
        position: 0 to the chain's length, which is where the newest page ends.
        limit: how many records to aim at.
        soft_bytes: how many source bytes to aim at; None for any.
        expansion_bytes: what rules 4 and 5 may use; None for `expansion_of(soft_bytes)`.

    Raises:
        UsageError: `invalid_transcript_limit`.
        InvalidCursor: there is no such position.
    """
    check_limit(limit)
    _check_position(chain, position)
    if position == 0:
        return Selection(start=0, stop=0, next=0, has_more=False, source_bytes=0)
    window = _Window(chain, position)
    allowed = expansion_of(soft_bytes) if expansion_bytes is None else expansion_bytes
    near, far = max(0, position - limit), max(0, position - 2 * limit)
    start = window.first_turn(near)
    if start is None:
        start = window.last_turn(far, near)
    start = window.within(near if start is None else start, soft_bytes)
    start = _to_turn(window, start, far, allowed)
    start = _to_call(window, start, limit, allowed)
    return Selection(
        start=start,
        stop=position,
        next=start,
        has_more=start > 0,
        source_bytes=window.bytes_from(start),
    )


def _to_turn(window: "_Window", start: int, far: int, allowed: int) -> int:
    """Rule 4: begin at a turn, as far as the page may grow for it."""
    turn = window.first_turn(start)
    earlier = window.last_turn(far, start if turn is None else turn)
    if earlier is None and far == 0 and window.bytes_from(0) <= allowed:
        return 0
    if turn is not None:
        return turn
    if earlier is not None and window.bytes_from(earlier) <= allowed:
        return earlier
    return start


def _to_call(window: "_Window", start: int, limit: int, allowed: int) -> int:
    """Rule 5: do not part a tool's result from its call."""
    if not window.begins_with_result(start):
        return start
    for place in range(start - 1, max(0, start - limit) - 1, -1):
        if window[place].page_start:
            return (
                place
                if window.bytes_from(place + 1) - window.bytes_from(start) <= allowed
                else start
            )
    return start


class _Window:
    """The entries before the page's end, fetched as far back as somebody looks."""

    def __init__(self, chain: Chain, end: int) -> None:
        self._chain = chain
        self._end = end
        # Backwards from the end, and the bytes from there to the end.
        self._entries: list[ChainEntry] = []
        self._bytes: list[int] = [0]

    def _fetch(self, start: int) -> None:
        known = self._end - len(self._entries)
        if start < known:
            for entry in reversed(self._chain.entries(start, known)):
                self._entries.append(entry)
                self._bytes.append(self._bytes[-1] + entry.source_bytes)

    def __getitem__(self, place: int) -> ChainEntry:
        self._fetch(place)
        return self._entries[self._end - 1 - place]

    def bytes_from(self, start: int) -> int:
        """The source bytes from `start` to the end."""
        self._fetch(start)
        return self._bytes[self._end - start]

    def first_turn(self, start: int) -> int | None:
        """The first turn start from `start` on."""
        self._fetch(start)
        return next((place for place in range(start, self._end) if self[place].turn_start), None)

    def last_turn(self, start: int, stop: int) -> int | None:
        """The last turn start in `[start, stop)`."""
        self._fetch(start)
        return next((p for p in range(stop - 1, start - 1, -1) if self[p].turn_start), None)

    def within(self, start: int, soft_bytes: int | None) -> int:
        """The first place from `start` on whose records fit; the last record always does."""
        if soft_bytes is None:
            return start
        place = self._end - 1
        while place > start and self.bytes_from(place - 1) <= soft_bytes:
            place -= 1
        return place

    def begins_with_result(self, start: int) -> bool:
        """Whether a result comes before any record that a call may be in."""
        for place in range(start, self._end):
            if self[place].page_start:
                return False
            if self[place].tool_result:
                return True
        return False


def _check_position(chain: Chain, position: int) -> None:
    if not 0 <= position <= len(chain):
        raise InvalidCursor("a position outside of the conversation", found=position)


def _fitting(entries: Sequence[ChainEntry], soft_bytes: int | None) -> int:
    """How many of the first entries fit; one always does."""
    if soft_bytes is None:
        return len(entries)
    total = 0
    for number, entry in enumerate(entries):
        total += entry.source_bytes
        if total > soft_bytes and number > 0:
            return number
    return len(entries)


def _bytes(entries: Sequence[ChainEntry]) -> int:
    return sum(entry.source_bytes for entry in entries)
