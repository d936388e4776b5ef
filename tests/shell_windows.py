"""Scripts for a HistoryWindow: what happens to it, and what it then is and wants.

A script is a list of steps `[what, argument..., seen]`.  Requests are named by their numbers, pages
by their place in the script's own list, and `seen` is the window's state after the step.  Frames
and replies are late, lost, repeated and out of order, as in `tests/history/test_window_model.py`,
and now and then the host is wrong.
"""

from random import Random
from typing import Any

from histbench.history import HistoryWindow, PageRequest, encode_page, select_page
from histbench.history.page import HistoryPage
from histbench.jsontext import encode
from histbench.log import EventLog
from history_host import delta, events_of
from shell_logs import pick

_SCRIPTS = 28
_STEPS = 60


def window_scripts() -> list[dict[str, Any]]:
    """All scripts."""
    return [_Script(Random(seed)).played() for seed in range(_SCRIPTS)]


class _Script:
    """One script while it is being played; the random choices are the network's and the host's."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.events = events_of(random.randrange(60))
        limits = {
            "max_messages": random.randrange(1, 4),
            "max_events": pick(random, (None, None, 3, 8)),
            "max_bytes": pick(random, (None, None, 400)),
            "retain_events": pick(random, (None, 0, 5, 20)),
        }
        self.window = HistoryWindow("s", **limits)
        self.options = {
            "maxMessages": limits["max_messages"],
            "maxEvents": limits["max_events"],
            "maxBytes": limits["max_bytes"],
            "retainEvents": limits["retain_events"],
        }
        self.pages: list[str] = []
        self.steps: list[list[Any]] = []
        # Taken and not yet forgotten: late and repeated replies come from here.
        self.requests: list[PageRequest] = []
        self.frames: list[tuple[int, dict[str, Any]]] = []

    def played(self) -> dict[str, Any]:
        """The script, played to its end."""
        self.open()
        acts = (
            *(self.take, self.take, self.reply, self.reply, self.reply, self.frame, self.frame),
            *(self.grow, self.grow, self.load_older, self.load_older, self.load_newer),
            *(
                self.follow,
                self.retry,
                self.retry,
                self.fail,
                self.log_ends_at,
                self.log_ends_at,
                self.rarely,
            ),
        )
        for _ in range(_STEPS):
            pick(self.random, acts)()
        window = self.window
        events = [encode(event).decode() for event in window.events()]
        return {
            "options": self.options,
            "pages": self.pages,
            "steps": self.steps,
            "events": events,
        }

    def note(self, what: str, *arguments: Any) -> None:
        """Keep a step with what the window is after it."""
        window = self.window
        seen = {
            "state": window.state,
            "span": [window.from_seq, window.to_seq],
            "epoch": window.epoch,
            "generation": window.generation,
            "hasMore": window.has_more,
            "hasNewer": window.has_newer,
            "faults": {kind: fault.code for kind, fault in sorted(window.faults.items())},
            "waiting": sorted(request.number for request in window.waiting),
            "records": [record.count for record in window.records()],
        }
        self.steps.append([what, *arguments, seen])

    def open(self) -> None:
        self.window.open()
        self.note("open")

    def take(self) -> None:
        taken = self.window.take_requests()
        self.requests += taken
        told = [{"number": r.number, "kind": r.kind, **r.parameters()} for r in taken]
        self.note("take", told)

    def reply(self) -> None:
        if not self.requests:
            self.take()
        if not self.requests:
            return
        # Mostly one that is waited for, sometimes one that was answered before.
        due = [request for request in self.requests if request in self.window.waiting]
        request = pick(self.random, due if due and self.random.randrange(5) else self.requests)
        page = self.page_for(request)
        took = self.window.receive(request, page)
        self.pages.append(encode_page(page).decode())
        self.note("receive", request.number, len(self.pages) - 1, took)

    def page_for(self, request: PageRequest) -> HistoryPage:
        """What the host answers: honest, too old, rewritten, or nothing although there is more."""
        events = self.events
        wrong = self.random.randrange(14)
        if wrong == 0:
            events = events[: self.random.randrange(len(events) + 1)]
        if wrong == 2:
            place = self.random.randrange(len(events) + 1)
            return HistoryPage(records=(), has_more=True, from_seq=place, to_seq=place)
        if wrong == 1 and events:
            events = [delta(event["seq"], "other") for event in events]
        return select_page(
            EventLog.from_events(events),
            # Off by one, now and then: the page then does not touch the window.
            before_seq=request.before_seq and request.before_seq - (wrong == 3),
            max_messages=request.max_messages,
            max_events=request.max_events,
            max_bytes=request.max_bytes,
        )

    def grow(self) -> None:
        grown = events_of(self.random.randrange(1, 9), from_seq=len(self.events))
        self.events += grown
        if self.random.randrange(4):
            self.frames += [(self.window.generation, event) for event in grown]

    def frame(self) -> None:
        if not self.frames:
            return
        place = 0 if self.random.randrange(5) else self.random.randrange(len(self.frames))
        generation, event = self.frames[place]
        if self.random.randrange(5):
            del self.frames[place]
        took = self.window.receive_event(event, generation=generation)
        self.note("frame", event, generation, took)

    def log_ends_at(self) -> None:
        generation = self.window.generation - (not self.random.randrange(4))
        self.window.log_ends_at(len(self.events), generation=generation)
        self.note("logEndsAt", len(self.events), generation)

    def load_older(self) -> None:
        self.window.load_older()
        self.note("loadOlder")

    def load_newer(self) -> None:
        self.window.load_newer()
        self.note("loadNewer")

    def follow(self) -> None:
        self.window.follow()
        self.note("follow")

    def retry(self) -> None:
        self.window.retry()
        self.note("retry")

    def fail(self) -> None:
        if self.requests and not self.random.randrange(3):
            request = pick(self.random, self.requests)
            waited = self.window.fail(request)
            self.note("fail", request.number, waited)

    def rarely(self) -> None:
        """Reopen or close."""
        match self.random.randrange(10):
            case 0:
                self.window.close()
                self.note("close")
                self.open()
            case 1:
                self.open()
