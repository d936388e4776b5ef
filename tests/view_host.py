"""A daemon for tests of views: records of one chain, paged by the real selection."""

from typing import Any

from histbench.transcript.select import backward_page, place_before
from histbench.transcript.view_requests import ViewRequest
from transcript_records import ListChain, entries_of

SESSION = "s"


class Host:
    """Records, one for each letter (`transcript_records.linear`); t answers the a before it.

    Cursors are kept in a table instead of being signed; an unknown one is refused.
    """

    def __init__(self, kinds: str = "") -> None:
        self.kinds = kinds
        self.cursors: dict[str, tuple[int, int]] = {}

    def updates(self, start: int, stop: int) -> list[dict[str, Any]]:
        """The session updates of these records."""
        return [each for place in range(start, stop) for each in self.updates_of(place)]

    def updates_of(self, place: int) -> list[dict[str, Any]]:
        """What a record is shown as: two chunks, a chunk and a call, a result, or nothing."""
        letter = self.kinds[place]
        made: list[dict[str, Any]]
        chunk: dict[str, Any] = {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "x"},
        }
        if letter == "a":
            made = [chunk, {"sessionUpdate": "tool_call", "toolCallId": f"c{place}"}]
        elif letter == "t":
            caller = self.kinds.rfind("a", 0, place)
            made = [{"sessionUpdate": "tool_call_update", "toolCallId": f"c{caller}"}]
        elif letter == "s":
            made = []
        else:
            made = [chunk | {"sessionUpdate": "user_message_chunk", "n": n} for n in range(2)]
        return [each | {"_meta": {"qwen.session.recordId": f"r{place}"}} for each in made]

    def answer(self, request: ViewRequest) -> dict[str, Any] | None:
        """The answer; None where the cursor is refused."""
        if request.kind == "load":
            return self.loaded(request.limit)
        size, position = len(self.kinds), 0
        if request.cursor is not None:
            if request.cursor not in self.cursors:
                return None
            size, position = self.cursors[request.cursor]
        chain = ListChain(entries_of(self.kinds[:size]))
        if request.before_record_id is not None:
            position = place_before(chain, request.before_record_id)
        page = backward_page(chain, position, request.limit)
        answer = {
            "sessionId": SESSION,
            "events": self.events(page.start, page.stop),
            "hasMore": page.has_more,
            "firstRecordId": f"r{page.start}",
        }
        if page.has_more:
            cursor = f"cursor {len(self.cursors)}"
            self.cursors[cursor] = (size, page.next)
            answer["nextCursor"] = cursor
        return answer

    def loaded(self, limit: int) -> dict[str, Any]:
        """The newest page, with its watermark: how many records there are."""
        page = backward_page(ListChain(entries_of(self.kinds)), len(self.kinds), limit)
        return {
            "sessionId": SESSION,
            "compactedReplay": self.events(page.start, page.stop),
            "liveJournal": [],
            "historyHasMore": page.has_more,
            "historyAnchorRecordId": f"r{page.start}",
            "lastEventId": len(self.kinds),
            "eventEpoch": "e",
        }

    def events(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Records as the events of an answer."""
        return [
            {"v": 1, "type": "session_update", "data": each} for each in self.updates(start, stop)
        ]
