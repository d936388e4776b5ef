"""Walking back through a transcript, page by page, until its first record.

The cursor of a page freezes what the walk sees.  When the daemon refuses it (its key was renewed, it
was another daemon's), the walk goes on from the oldest record that it has, which every daemon
understands; it never starts over and never repeats a page.  A page that no daemon would send, for
one record alone is too large, is told as such and passed by.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from histbench.errors import RequestFailed

__all__ = ["TranscriptSlice", "walk_back"]

_CURSOR_REFUSED = "invalid_transcript_cursor"
_TOO_LARGE = "transcript_page_too_large"


class TranscriptSlice(Struct, frozen=True, kw_only=True):
    """One page of a walk, its events oldest first; pages come newest first.

    `too_large` stands for records that were passed by because a page with them would be refused;
    there are no events then, and what lies before `first_record_id` comes next.
    """

    events: tuple[dict[str, Any], ...]
    first_record_id: str | None
    has_more: bool
    too_large: bool = False


def walk_back(
    request: Callable[[Mapping[str, Any]], dict[str, Any]], *, before_record_id: str | None
) -> Iterator[TranscriptSlice]:
    """The pages that `request` gets, from the newest or from before a record.

    Raises:
        RequestFailed: what the daemon refuses, but for the two refusals that can be gone around.
    """
    anchor = before_record_id
    query = _from(anchor)
    while True:
        try:
            answer = request(query)
        except RequestFailed as error:
            if error.code == _CURSOR_REFUSED and "cursor" in query and anchor is not None:
                query = {"beforeRecordId": anchor}
                continue
            if error.code == _TOO_LARGE and error.where.record not in {None, anchor}:
                anchor = error.where.record
                query = _from(anchor)
                yield TranscriptSlice(
                    events=(), first_record_id=anchor, has_more=True, too_large=True
                )
                continue
            raise
        events = tuple(answer.get("events", ()))
        anchor = answer.get("firstRecordId") or anchor
        more = bool(answer.get("hasMore"))
        yield TranscriptSlice(events=events, first_record_id=anchor, has_more=more)
        if not more:
            return
        cursor = answer.get("nextCursor")
        query = _from(anchor) if cursor is None else {"cursor": cursor}


def _from(record_id: str | None) -> dict[str, Any]:
    return {"direction": "backward"} if record_id is None else {"beforeRecordId": record_id}
