"""Following a session live: one endless iterator over connections that come and go.

    connect    with the last watermark and its epoch, so that the daemon goes on exactly there
    check      a frame must begin where the last one ended; what came before is dropped, and after a
               frame that does not fit the connection is made anew, once, before it is an error
    connect    again after any break, waiting longer each time, up to a bound
    resync     is passed on: what follows does not continue what was there, and it is the caller's
               to load anew

The daemon speaks at least every 15 seconds; a connection that is silent for longer is dead.
"""

import time
from collections.abc import Iterator
from typing import Any, Literal

from httpx_sse import EventSource, ServerSentEvent, SSEError
from msgspec import Struct

from histbench import jsontext
from histbench.client.connection import Connection, failed
from histbench.errors import HistbenchError, RequestFailed
from histbench.history import HistoryPage, decode_page

__all__ = ["LiveEvent", "follow"]

_SILENT_SECONDS = 45.0
_FIRST_WAIT_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 3.0
# What asking again will not change.
_FINAL_STATUS = range(400, 500)
_SOON_AGAIN = (408, 429)


class LiveEvent(Struct, frozen=True, kw_only=True):
    """Something that a followed session said.

    subscribed   the stream begins (again) behind `position`
    records      `page` was appended to a log
    updates      `updates` are what records appended to a transcript mean, oldest first
    resync       what follows does not continue what there was, for `reason`; load anew

    `position` and `epoch` are where the next connection would go on.
    """

    kind: Literal["subscribed", "records", "updates", "resync"]
    position: int
    epoch: str
    page: HistoryPage | None = None
    updates: tuple[dict[str, Any], ...] = ()
    reason: str | None = None


class _GapError(Exception):
    """A frame does not begin where the last one ended."""


class _Place:
    """Where the stream is, over all connections."""

    def __init__(self, position: int | None, epoch: str | None) -> None:
        self.position = position
        self.epoch = epoch
        self.gaps = 0
        self.failing_since: float | None = None
        self.wait_seconds = _FIRST_WAIT_SECONDS

    def works(self) -> None:
        self.failing_since = None
        self.wait_seconds = _FIRST_WAIT_SECONDS


def follow(
    connection: Connection,
    path: str,
    *,
    position: int | None,
    epoch: str | None,
    give_up_seconds: float | None,
) -> Iterator[LiveEvent]:
    """The events of the stream at `path`, from `position` on or from now on.

    Raises:
        RequestFailed: the daemon refuses for good, could not be reached for `give_up_seconds`
            (`connection_failed`), or leaves out what it has announced (`event_gap`).
    """
    place = _Place(position, epoch)
    while True:
        try:
            for event in _one_connection(connection, path, place):
                place.works()
                place.position, place.epoch = event.position, event.epoch
                if event.kind in {"records", "updates"}:
                    place.gaps = 0
                yield event
        except _GapError:
            place.gaps += 1
            if place.gaps > 1:
                raise failed("events are missing", code="event_gap", found=place.position) from None
            continue
        except RequestFailed as error:
            if error.status in _FINAL_STATUS and error.status not in _SOON_AGAIN:
                raise
            _give_up(place, error, give_up_seconds)
        time.sleep(place.wait_seconds)
        place.wait_seconds = min(2 * place.wait_seconds, _LONGEST_WAIT_SECONDS)


def _give_up(place: _Place, error: RequestFailed, give_up_seconds: float | None) -> None:
    now = time.monotonic()
    place.failing_since = place.failing_since or now
    if give_up_seconds is not None and now - place.failing_since >= give_up_seconds:
        raise error


def _one_connection(connection: Connection, path: str, place: _Place) -> Iterator[LiveEvent]:
    headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
    if place.position is not None:
        headers["last-event-id"] = str(place.position)
        if place.epoch is not None:
            headers["x-qwen-event-epoch"] = place.epoch
    with connection.stream(path, headers=headers, read_timeout=_SILENT_SECONDS) as response:
        epoch, position = place.epoch or "", place.position
        try:
            for told in EventSource(response).iter_sse():
                event = _read(told, epoch, position)
                if event is not None:
                    epoch, position = event.epoch, event.position
                    yield event
        except SSEError as error:
            raise failed("no event stream", code="bad_answer") from error


def _read(told: ServerSentEvent, epoch: str, position: int | None) -> LiveEvent | None:
    """The event that a frame is; None for one that tells nothing new.

    Raises:
        _GapError: it does not continue what was there.
        RequestFailed: `bad_answer`.
    """
    try:
        if told.event == "records":
            page = decode_page(told.data.encode())
            if position is not None and page.to_seq <= position:
                return None
            if position is not None and page.from_seq != position:
                raise _GapError
            return LiveEvent(kind="records", page=page, position=page.to_seq, epoch=epoch)
        if told.event == "session_update":
            return _updates(jsontext.decode(told.data), epoch, position)
        if told.event in {"subscribed", "state_resync_required"}:
            return _state(told.event, jsontext.decode(told.data), epoch, position)
    except (HistbenchError, KeyError, TypeError, ValueError) as error:
        raise failed("a frame cannot be read", code="bad_answer", found=told.event) from error
    # A frame of a kind that a later daemon sends.
    return None


def _state(event: str, value: Any, epoch: str, position: int | None) -> LiveEvent | None:
    told_position, told_epoch = int(value["lastEventId"]), str(value["eventEpoch"])
    if event == "subscribed":
        if position is not None and (told_position != position or epoch not in {"", told_epoch}):
            # A resync comes next.  Taken on before it, this place would hide the loss if the
            # connection broke in between.
            return None
        return LiveEvent(kind="subscribed", position=told_position, epoch=told_epoch)
    return LiveEvent(
        kind="resync", position=told_position, epoch=told_epoch, reason=str(value["reason"])
    )


def _updates(value: Any, epoch: str, position: int | None) -> LiveEvent | None:
    start, end = int(value["fromPlace"]), int(value["toPlace"])
    if position is not None and end <= position:
        return None
    if position is not None and start != position:
        raise _GapError
    return LiveEvent(kind="updates", updates=tuple(value["events"]), position=end, epoch=epoch)
