"""Search: the newest records that show a text, found by looking through the chain backward.

No text is in the index, so a search reads the records themselves, newest first, and stops after so
many hits or so many bytes.  What it has not seen yet is found by searching on before the record
that it stopped at.  Most records are passed over by their bytes, without parsing them.
"""

import re

from histbench.errors import UsageError
from histbench.transcript.select import place_before
from histbench.transcript.text import excerpt, one_line, searchable_text
from histbench.transcript_file.pages import SearchHit, SearchPage
from histbench.transcript_file.snapshot import Snapshot

__all__ = ["search_back"]

# What one request may read: a second or so.
_BYTES_AT_ONCE = 32 << 20
_RECORDS_AT_ONCE = 100
_TEXT_CHARACTERS = 1000

_WORD = re.compile("[a-z0-9]+")


def search_back(state: Snapshot, text: str, limit: int, before_record_id: str | None) -> SearchPage:
    """At most `limit` hits before a record, or before the chain's end.

    Raises:
        UsageError: `empty_search`, `long_search`.
        InvalidCursor: the record is not on the chain.
        StaleIndexError: the index does not hold.
    """
    if len(text) > _TEXT_CHARACTERS:
        raise UsageError(
            "a text too long to search for",
            code="long_search",
            found=len(text),
            expected=f"at most {_TEXT_CHARACTERS} characters",
        )
    wanted = one_line(text).casefold()
    if not wanted:
        raise UsageError("nothing to search for", code="empty_search", expected="a text")
    if state.chain is None:
        return SearchPage(hits=(), next_before=None)
    # The longest word tells most; the empty one, where there is none, is in every record.
    word = max(_WORD.findall(wanted), key=len, default="").encode()
    chain = state.chain
    stop = len(chain) if before_record_id is None else place_before(chain, before_record_id)
    hits: list[SearchHit] = []
    left = _BYTES_AT_ONCE
    while stop:
        sizes = [
            entry.source_bytes for entry in chain.entries(max(0, stop - _RECORDS_AT_ONCE), stop)
        ]
        start = stop - _fitting(sizes, left)
        for record in state.records_with(start, stop, word):
            shown = searchable_text(record)
            if wanted not in shown.casefold():
                continue
            hits.append(
                SearchHit(
                    record_id=record.record_id,
                    type=record.type,
                    timestamp=record.timestamp,
                    preview=excerpt(shown, wanted),
                )
            )
            if len(hits) == limit:
                return _page(hits, record.record_id, chain.position(record.record_id))
        left -= sum(sizes[start - stop :])
        stop = start
        if left <= 0 and stop:
            (entry,) = chain.entries(stop, stop + 1)
            return _page(hits, entry.record_id, stop)
    return SearchPage(hits=tuple(hits), next_before=None)


def _page(hits: list[SearchHit], record_id: str, position: int | None) -> SearchPage:
    return SearchPage(hits=tuple(hits), next_before=record_id if position else None)


def _fitting(sizes: list[int], most: int) -> int:
    """How many of the last records have together no more than so many bytes; at least one."""
    count, total = 0, 0
    for size in reversed(sizes):
        total += size
        if count and total > most:
            break
        count += 1
    return count
