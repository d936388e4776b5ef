"""What a viewer follows: the streams of its sources, and what a page is sent of them."""

import time
from queue import SimpleQueue
from threading import enumerate as threads

import pytest

from histbench import EventLog
from histbench.errors import HistbenchError
from histbench.widget.source import MemorySource
from histbench.widget.streams import Streams
from store_logs import conversation, note

EVENTS = "/session/log/events"


class Page:
    """Streams of a log in memory, and what they send, by name."""

    def __init__(self):
        self.source = MemorySource(EventLog.from_events(conversation(2)))
        self.sent = SimpleQueue()
        self.streams = Streams(self.source, self.sent.put)

    def begin(self, name="a", path=EVENTS, **headers):
        """Ask for a stream; the first message of it."""
        self.streams.begin(name, path, "", headers)
        return self.next()

    def next(self):
        """The next message."""
        return self.sent.get(timeout=20)

    def append(self, count, **data):
        """So many events, each followed as a part of its own."""
        for _ in range(count):
            self.source.append([note(0, **data)])
            time.sleep(0.15)


@pytest.fixture
def page():
    """Closed after the test."""
    made = Page()
    yield made
    made.streams.close()
    made.source._close()


def test_a_stream_begins_where_it_is_asked_to(page):
    """Behind an id that was seen, else at the end; a frame's id is where the next begins."""
    end = page.source._writer.next_seq
    page.source.append([note(0)])
    opened = page.begin(**{"last-event-id": str(end)})
    hello, frame = page.next()["part"], page.next()["part"]

    assert opened == {"id": "a", "status": 200, "text": ""}
    assert f'"lastEventId":{end}' in hello
    assert f"id: {end + 1}\nevent: records\n" in frame


def test_a_stream_that_there_is_not_is_refused_as_a_daemon_refuses(page):
    """With its status and code, and nothing stays open."""
    refusals = {
        "/session/other/events": (404, "session_not_found"),
        "/session/log/turn-index": (404, "unknown_path"),
        "/nowhere": (404, "unknown_path"),
    }
    for path, (status, code) in refusals.items():
        told = page.begin(path=path)
        assert (told["status"], f'"{code}"' in told["text"]) == (status, True), told
    assert page.source.ask("GET", EVENTS, "", None)[0] == 404


@pytest.mark.slow
def test_a_page_that_takes_nothing_is_sent_so_much(page):
    """Sixteen megabytes, in parts of one here; for each that it takes, one more."""
    page.begin()
    page.append(20, text="x" * (1 << 20))
    before = page.sent.qsize()
    page.streams.took("a", 3)
    time.sleep(1)

    assert before <= 17
    assert page.sent.qsize() > before
    assert page.sent.qsize() <= before + 3


def test_a_stream_that_is_left_ends(page):
    """So does the oldest when there are more than a widget has use for, and all when it is closed."""
    for name in map(str, range(16)):
        assert page.begin(name)["status"] == 200
        page.next()
    page.streams.leave("3")
    left = page.next()
    page.begin("16")
    page.next()
    page.streams.begin("17", EVENTS, "", {})
    told = [page.next() for _ in range(3)]
    page.streams.close()
    others = {page.next()["id"] for _ in range(16)}

    assert left == {"id": "3", "end": True}
    assert {"id": "0", "end": True} in told
    assert len(others) == 16


def test_what_is_no_event_is_not_appended(page):
    """The log is as it was and goes on."""
    with pytest.raises(HistbenchError):
        page.source.append([{"type": "x", "time": 1}, {"type": 7}])
    page.source.append([note(0)])

    assert page.source._writer.next_seq == len(conversation(2)) + 1


def test_a_source_ends_its_streams_and_threads_with_itself(page):
    """A kernel lives on."""
    page.begin()
    page.next()
    page.source._close()
    while "end" not in (message := page.next()):
        pass
    deadline = time.monotonic() + 10
    while any("viewer" in each.name for each in threads()) and time.monotonic() < deadline:
        time.sleep(0.02)

    assert message == {"id": "a", "end": True}
    assert not [each.name for each in threads() if "viewer" in each.name]
