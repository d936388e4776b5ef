"""A model of HistoryWindow's world, in which everything is lost, repeated, reordered or late.

At every step the window is an interval of the log; once the host is heard again, it is the log.
"""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from histbench.history import HistoryPage, HistoryWindow, PageRequest
from histbench.jsontext import encode
from histbench.log import EventLog
from history_host import Event, answer, events_of, read_to_the_start, serve


class WindowModel(RuleBasedStateMachine):
    """A host with a growing log, a network that does what it likes, and one window.

    Frames and replies lie on heaps from which any may be delivered at any time, twice, or never.
    Replies are made from the log as it was when the request arrived.
    """

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.frames: list[tuple[int, Event]] = []
        self.replies: list[tuple[PageRequest, HistoryPage]] = []
        self.window = HistoryWindow("s")
        self.retain: int | None = None
        self.asked: tuple[int, int] | None = None

    @initialize(
        count=st.integers(0, 60),
        max_messages=st.integers(1, 3),
        max_events=st.none() | st.integers(1, 12),
        max_bytes=st.none() | st.integers(150, 900),
        retain=st.none() | st.integers(0, 25),
    )
    def begin(self, count, max_messages, max_events, max_bytes, retain) -> None:
        """Some log, some limits, one open window."""
        self.events = events_of(count)
        self.retain = retain
        self.window = HistoryWindow(
            "s",
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
            retain_events=retain,
        )
        self.reopen()

    def log(self) -> EventLog:
        """The log as it is."""
        return EventLog.from_events(self.events)

    def reopen(self) -> None:
        """Every connection begins with the newest page and has its own frames."""
        self.asked = None
        self.window.open()

    @rule(luck=st.integers(0, 4))
    def connection_is_lost(self, luck) -> None:
        """Now and then the client begins anew."""
        if luck == 0:
            self.reopen()

    @rule(count=st.integers(1, 15), fate=st.sampled_from(["arrive", "arrive", "wait", "lost"]))
    def log_grows(self, count, fate) -> None:
        """Live events, whose frames arrive, wait or get lost."""
        grown = events_of(count, from_seq=len(self.events))
        self.events += grown
        frames = [(self.window.generation, event) for event in grown]
        if fate == "arrive":
            for generation, event in frames:
                self.window.receive_event(event, generation=generation)
        elif fate == "wait":
            self.frames += frames

    @precondition(lambda self: self.frames)
    @rule(data=st.data(), again=st.booleans())
    def a_frame_arrives(self, data, again) -> None:
        """A frame that waited, in any order, perhaps not for the last time."""
        # Mostly in order: a frame late or early is the exception.
        place = data.draw(st.just(0) | st.integers(0, len(self.frames) - 1))
        generation, event = self.frames[place] if again else self.frames.pop(place)
        self.window.receive_event(encode(event) if again else event, generation=generation)

    @precondition(lambda self: self.window.waiting)
    @rule(prompt=st.booleans())
    def requests_reach_the_host(self, prompt) -> None:
        """The window's requests are answered, now or later."""
        self.host_answers(prompt=prompt)

    def host_answers(self, *, prompt: bool) -> None:
        """Answer what the window wants from the log as it is; the answer may take its time."""
        for request in self.window.take_requests():
            self.replies.append((request, answer(self.log(), request)))
            if prompt:
                self.deliver(len(self.replies) - 1, again=False)

    @precondition(lambda self: self.replies)
    @rule(data=st.data(), again=st.booleans())
    def a_reply_arrives(self, data, again) -> None:
        """A reply that waited, in any order, perhaps not for the last time."""
        self.deliver(data.draw(st.integers(0, len(self.replies) - 1)), again=again)

    def deliver(self, place: int, *, again: bool) -> None:
        """Give the window one reply; it stays on the heap if it is to come again."""
        request, page = self.replies[place] if again else self.replies.pop(place)
        waited = request in self.window.waiting
        before = (self.window.from_seq, self.window.to_seq, self.window.epoch)
        took = self.window.receive(request, page)

        if not waited:
            assert not took
            assert before == (self.window.from_seq, self.window.to_seq, self.window.epoch)
        elif took and request.kind == "older":
            # What the reader asked for is not what is trimmed.
            self.asked = (page.from_seq, page.to_seq)
        elif took:
            self.asked = None

    @precondition(lambda self: self.replies)
    @rule(data=st.data())
    def a_reply_is_lost(self, data) -> None:
        """The driver gives up on a request."""
        request, _ = self.replies.pop(data.draw(st.integers(0, len(self.replies) - 1)))
        self.window.fail(request, "timed out")

    @rule(
        wish=st.sampled_from(["older", "older", "older", "newer", "follow"]), prompt=st.booleans()
    )
    def reader_moves(self, wish, prompt) -> None:
        """The reader scrolls."""
        if wish == "older":
            self.window.load_older()
        else:
            self.asked = None
            (self.window.load_newer if wish == "newer" else self.window.follow)()
        if prompt:
            self.host_answers(prompt=True)

    @precondition(lambda self: self.window.faults)
    @rule()
    def reader_retries(self) -> None:
        """The reader has seen a fault."""
        self.window.retry()

    @rule()
    def host_says_where_its_log_ends(self) -> None:
        """A heartbeat."""
        self.window.log_ends_at(len(self.events), generation=self.window.generation)

    @invariant()
    def window_is_an_interval_of_the_log(self) -> None:
        """No event is missing, doubled or made up."""
        window = self.window

        assert 0 <= window.from_seq <= window.to_seq <= len(self.events)
        assert window.events() == self.events[window.from_seq : window.to_seq]

    @invariant()
    def more_is_never_denied(self) -> None:
        """Trimming and faults never look like the start of the log."""
        if self.window.state == "open":
            assert self.window.has_more == (self.window.from_seq > 0)

    @invariant()
    def a_window_behind_the_log_waits_shows_it_or_does_not_know(self) -> None:
        """What is missing is under way, or is told."""
        window = self.window
        if window.state == "open" and window.has_newer:
            kinds = {request.kind for request in window.waiting} | set(window.faults)
            assert "newest" in kinds or window._detached

    @invariant()
    def the_page_asked_for_last_is_there(self) -> None:
        """Trimming spares what the reader asked for."""
        if self.asked is not None:
            assert self.window.from_seq <= self.asked[0]
            assert self.asked[1] <= self.window.to_seq

    @invariant()
    def retention_is_bounded(self) -> None:
        """A window with a limit stays near it."""
        if self.retain is not None and self.window.state == "open":
            largest = max((record.count for record in self.window.records()), default=0)
            held = self.window.to_seq - self.window.from_seq
            # Frames kept aside during a gap join when it closes; they are trimmed with the next.
            assert held <= self.retain + self.window._asked_events + largest + 60

    def teardown(self) -> None:
        """With a network that works, the window becomes the log."""
        window, log = self.window, self.log()
        window.log_ends_at(len(log), generation=window.generation)
        for _ in range(20):
            window.follow()
            for request in window.waiting:
                window.receive(request, answer(log, request))
            window.take_requests()
            window.retry()
            serve(window, log)
        assert window.state == "open"
        assert (window.to_seq, window.has_newer, dict(window.faults)) == (len(log), False, {})
        if self.retain is None:
            read_to_the_start(window, log)
            assert window.events() == self.events


TestWindowModel = WindowModel.TestCase
TestWindowModel.settings = settings(
    max_examples=80, stateful_step_count=40, suppress_health_check=list(HealthCheck)
)
