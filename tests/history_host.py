"""An honest host for HistoryWindow: a log, and pages of it that go over the wire."""

from typing import Any

from histbench.history import (
    HistoryPage,
    HistoryWindow,
    PageRequest,
    decode_page,
    encode_page,
    select_page,
)
from histbench.log import EventLog

Event = dict[str, Any]


def delta(seq: int, text: str = "t") -> Event:
    """A delta of the one block that all deltas here belong to."""
    chunk = {"type": "text-delta", "index": 0, "text": text}
    return {
        "type": "assistant/chunk",
        "seq": seq,
        "time": 10 * seq,
        "data": {"turn": 1, "step": 1, "chunk": chunk},
    }


def message(seq: int) -> Event:
    """A message without sources."""
    return {
        "type": "user/message",
        "seq": seq,
        "time": 10 * seq,
        "data": {"content": []},
        "surfaceOp": "append",
    }


def events_of(count: int, *, from_seq: int = 0) -> list[Event]:
    """A message at every seq that 7 divides, deltas elsewhere."""
    return [
        delta(seq, f"t{seq}") if seq % 7 else message(seq)
        for seq in range(from_seq, from_seq + count)
    ]


def answer(log: EventLog, request: PageRequest) -> HistoryPage:
    """What an honest host serves, over the wire."""
    page = select_page(
        log,
        before_seq=request.before_seq,
        max_messages=request.max_messages,
        max_events=request.max_events,
        max_bytes=request.max_bytes,
    )
    return decode_page(encode_page(page))


def serve(window: HistoryWindow, log: EventLog) -> int:
    """Answer requests until none is left; how many there were."""
    served = 0
    while requests := window.take_requests():
        for request in requests:
            served += 1
            assert served < 1_000
            window.receive(request, answer(log, request))
    return served


def read_to_the_start(window: HistoryWindow, log: EventLog) -> None:
    """Ask for older pages until there are none."""
    while window.has_more:
        before = window.from_seq
        window.load_older()
        serve(window, log)
        assert window.from_seq < before


def opened(log: EventLog, **limits: Any) -> HistoryWindow:
    """A window that has its newest page."""
    window = HistoryWindow("s", **limits)
    window.open()
    serve(window, log)
    return window
