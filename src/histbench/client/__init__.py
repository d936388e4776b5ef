"""The Python client of a histbench daemon: load, page, search, follow.

    with Client("http://127.0.0.1:8765") as client:
        loaded = client.load(session_id, page_size=100)
        for slice in client.pages(session_id, before_record_id=loaded.first_record_id): ...
        for event in client.follow(session_id, after=loaded): ...

Every failure is a RequestFailed with the daemon's `code` and HTTP `status`; `connection_failed`
without a status means that there was no answer.  Needs the extra `client`.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import quote

from msgspec import Struct

from histbench.client.connection import Connection, failed
from histbench.client.following import LiveEvent, follow
from histbench.client.paging import TranscriptSlice, walk_back
from histbench.dictionaries import Dictionary
from histbench.errors import HistbenchError, RequestFailed
from histbench.history import HistoryPage, decode_page
from histbench.history.negotiation import FormChoice

__all__ = ["Client", "LiveEvent", "Loaded", "TranscriptSlice"]

_PAGED_LOAD = "session_transcript_pagination"


class Loaded(Struct, frozen=True, kw_only=True):
    """A session as it was loaded: its newest history, and where following it goes on.

    `events` are the replayed updates, oldest first; `first_record_id` is what older pages come
    before; `has_more` says whether there are any.  `answer` is all that the daemon said.
    """

    session_id: str
    events: tuple[dict[str, Any], ...]
    has_more: bool
    first_record_id: str | None
    last_event_id: int
    event_epoch: str
    answer: dict[str, Any]


class Client:
    """A connection to one daemon; a context manager.  For one thread at a time.

    `follow` uses a connection of its own beside the requests, so a loop over it may make requests.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        dictionaries: bool = True,
    ) -> None:
        """Nothing is sent yet.

        Args:
            base_url: where the daemon is.
            token: its bearer token, if it has one.
            timeout_seconds: how long a connection, or the next bytes, may take.
            dictionaries: take the dictionary that a daemon offers for history pages, from the
                second page on.

        Raises:
            RequestFailed: `bad_address`.
        """
        self._connection = Connection(
            base_url, token, timeout_seconds=timeout_seconds, dictionaries=dictionaries
        )
        self._features: frozenset[str] | None = None
        self._choice: FormChoice | None = None

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def dictionary(self) -> Dictionary | None:
        """What history pages may be encoded with; None before one was fetched."""
        return self._connection.dictionary

    def capabilities(self) -> dict[str, Any]:
        """What the daemon can do, and its bounds."""
        return self._connection.get_json("/capabilities")

    def supports(self, feature: str) -> bool:
        """Whether the daemon names this feature; it is asked once."""
        return feature in self._told_features()

    def _told_features(self) -> frozenset[str]:
        if self._features is None:
            try:
                told = self.capabilities().get("features")
            except RequestFailed as error:
                # A daemon that has no capabilities to tell of.
                if error.status != HTTPStatus.NOT_FOUND:
                    raise
                told = None
            self._features = frozenset(map(str, told if isinstance(told, list) else ()))
        return self._features

    def sessions(self, *, limit: int | None = None) -> list[dict[str, Any]]:
        """The sessions of the daemon's root, the newest change first."""
        answer = self._connection.get_json("/sessions", {"limit": limit})
        return list(answer.get("sessions", ()))

    def load(self, session_id: str, *, page_size: int | None = None) -> Loaded:
        """A session's newest history: a page of it, or all of it as far as the daemon's bound goes.

        A daemon that has no paged load is asked for all.
        """
        paged = page_size is not None and self.supports(_PAGED_LOAD)
        body = {"historyPageSize": page_size} if paged else {}
        answer = self._connection.post_json(f"{_path(session_id)}/load", body)
        try:
            return Loaded(
                session_id=str(answer["sessionId"]),
                events=(*answer["compactedReplay"], *answer["liveJournal"]),
                has_more=bool(answer.get("historyHasMore")),
                first_record_id=answer.get("historyAnchorRecordId"),
                last_event_id=int(answer["lastEventId"]),
                event_epoch=str(answer["eventEpoch"]),
                answer=answer,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise failed("this is no loaded session", code="bad_answer") from error

    def transcript(
        self,
        session_id: str,
        *,
        workspace: str | None = None,
        limit: int | None = None,
        direction: str | None = None,
        before_record_id: str | None = None,
        after_record_id: str | None = None,
        at_record_id: str | None = None,
        cursor: str | None = None,
        snapshot: str | None = None,
    ) -> dict[str, Any]:
        """One page of a transcript: `events`, `hasMore`, `nextCursor`, ..., as the daemon sends it."""
        query = {
            "limit": limit,
            "direction": direction,
            "beforeRecordId": before_record_id,
            "afterRecordId": after_record_id,
            "atRecordId": at_record_id,
            "cursor": cursor,
            "snapshot": snapshot,
        }
        return self._connection.get_json(f"{_path(session_id, workspace)}/transcript", query)

    def pages(
        self,
        session_id: str,
        *,
        workspace: str | None = None,
        before_record_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[TranscriptSlice]:
        """The pages of a transcript from the newest, or from before a record, back to the first."""
        path = f"{_path(session_id, workspace)}/transcript"

        def request(query: Mapping[str, Any]) -> dict[str, Any]:
            return self._connection.get_json(path, {**query, "limit": limit})

        return walk_back(request, before_record_id=before_record_id)

    def turns(
        self,
        session_id: str,
        *,
        start: int | None = None,
        limit: int | None = None,
        snapshot: str | None = None,
    ) -> dict[str, Any]:
        """A page of the session's turns: `turns`, `totalTurns`, `start`, `snapshot`."""
        query = {"start": start, "limit": limit, "snapshot": snapshot}
        return self._connection.get_json(f"{_path(session_id)}/turn-index", query)

    def search(
        self, session_id: str, text: str, *, limit: int | None = None, before: str | None = None
    ) -> dict[str, Any]:
        """Records whose text has `text` in it, the newest first: `hits`, `hasMore`, `next`."""
        query = {"text": text, "limit": limit, "before": before}
        return self._connection.get_json(f"{_path(session_id)}/search", query)

    def history(
        self,
        session_id: str,
        *,
        form: str | None = None,
        before_seq: int | None = None,
        max_messages: int | None = None,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> HistoryPage:
        """A page of a session log, everything in it validated.

        Args:
            session_id: which.
            form: the page's form by name, and no other; None for the shortest that the daemon has
                (`history.negotiation`).  The events are the same.
            before_seq: end before this seq; None for the newest page.
            max_messages: the page's budgets, as `select_page` takes them; None for the daemon's.
            max_events: as above.
            max_bytes: as above.

        Raises:
            RequestFailed: as every request; `bad_answer` for a page that is none.
        """
        query = _budgets(before_seq, max_messages, max_events, max_bytes)
        return self._history(f"{_path(session_id)}/history", form, query)

    def subagent_history(
        self,
        parent_id: str,
        child_id: str,
        *,
        mode: str,
        form: str | None = None,
        before_seq: int | None = None,
        max_messages: int | None = None,
        max_events: int | None = None,
        max_bytes: int | None = None,
    ) -> HistoryPage:
        """The same of a child's log, asked for by the session that started it in `mode`."""
        query = _budgets(before_seq, max_messages, max_events, max_bytes)
        path = f"{_path(parent_id)}/subagent/{_segment(child_id)}/history"
        return self._history(path, form, {"mode": mode, **query})

    def _history(self, path: str, form: str | None, query: Mapping[str, Any]) -> HistoryPage:
        if form is not None:
            return self._page(path, form, query)
        if self._choice is None:
            self._choice = FormChoice(self._told_features())
        while True:
            chosen = self._choice.form
            try:
                return self._page(path, chosen, query)
            except RequestFailed as error:
                if not self._choice.give_up(chosen, error.code):
                    raise

    def _page(self, path: str, form: str, query: Mapping[str, Any]) -> HistoryPage:
        named = None if form == "packed" else form
        data = self._connection.get(path, {**query, "form": named})
        try:
            return decode_page(data, form)
        except HistbenchError as error:
            raise failed(f"this is no page: {error.message}", code="bad_answer") from error

    def follow(
        self,
        session_id: str,
        *,
        after: Loaded | LiveEvent | None = None,
        position: int | None = None,
        epoch: str | None = None,
        give_up_seconds: float | None = None,
    ) -> Iterator[LiveEvent]:
        """What is appended to a session, for ever, over as many connections as it takes.

        Args:
            session_id: which.
            after: what to go on from: a load, or the last event of an earlier iteration.
            position: the same as a number, with its `epoch`; without either, from now on.
            epoch: as above.
            give_up_seconds: how long the daemon may be away; None for as long as it takes.

        Raises:
            RequestFailed: the daemon refuses for good, is away for too long, or leaves out events.
        """
        if isinstance(after, Loaded):
            position, epoch = after.last_event_id, after.event_epoch
        elif after is not None:
            position, epoch = after.position, after.epoch
        return follow(
            self._connection,
            f"{_path(session_id)}/events",
            position=position,
            epoch=epoch,
            give_up_seconds=give_up_seconds,
        )


def _segment(text: str) -> str:
    # Dots too: a segment of dots is a way upwards to whoever normalises addresses.
    return quote(text, safe="").replace(".", "%2E") if text in {".", ".."} else quote(text, safe="")


def _path(session_id: str, workspace: str | None = None) -> str:
    path = f"/session/{_segment(session_id)}"
    return path if workspace is None else f"/workspace/{_segment(workspace)}{path}"


def _budgets(
    before_seq: int | None,
    max_messages: int | None,
    max_events: int | None,
    max_bytes: int | None,
) -> dict[str, Any]:
    return {
        "beforeSeq": before_seq,
        "maxMessages": max_messages,
        "maxEvents": max_events,
        "maxBytes": max_bytes,
    }
