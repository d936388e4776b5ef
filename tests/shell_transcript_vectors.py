"""Scripts of a client's view, each step with what TranscriptView says of itself after it.

    python tests/shell_transcript_vectors.py      writes tests/shell/vectors/transcript/*.json

The Python view is the oracle of the shell's: a test here says that the files are what it does now,
one in `tests/shell` that the shell's view does the same.  A step is `[name, arguments, returned]`;
a request is named by its number.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from histbench.transcript import TranscriptView
from histbench.transcript.view_requests import ViewRequest
from view_host import SESSION, Host

__all__ = ["FOLDER", "vectors"]

FOLDER = Path(__file__).parent / "shell" / "vectors" / "transcript"

_TALK = "uatsatuaasuat"
_CODES = (
    ("invalid_transcript_cursor", 400),
    ("transcript_snapshot_unavailable", 409),
    ("internal", 500),
    ("request_failed", None),
    ("slow_down", 429),
)
_SPOILS: tuple[dict[str, Any], ...] = (
    {"partial": True},
    {"replayError": "replay_bytes_limit"},
    {"sessionId": "another"},
    {"nextCursor": None, "hasMore": True, "firstRecordId": None, "events": []},
    {"events": [None, {"type": "session_update", "data": {"sessionUpdate": 3}}], "hasMore": False},
    {"events": 7, "hasMore": True},
)


class _Script:
    """Does what chance says to a view, and writes down what it did."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        chance = self._chance
        self._host = Host("".join(chance.choices(_TALK, k=chance.randint(0, 60))))
        self.options = {
            "page_size": chance.randint(1, 8),
            "max_blocks": chance.choice((1, 6, 20, 50_000)),
            "max_bytes": chance.choice((900, 4000, 1 << 27)),
        }
        self.view = TranscriptView(SESSION, **self.options)
        self.steps: list[dict[str, Any]] = []
        self._sent: list[ViewRequest] = []

    def _did(self, name: str, arguments: dict[str, Any], returned: object) -> None:
        step = {"do": name, "with": arguments, "gives": returned, "then": _state(self.view)}
        self.steps.append(step)

    def step(self) -> None:
        """One thing that happens."""
        acts: list[tuple[int, Callable[[], None]]] = [
            (12, self._answer),
            (6, self._older),
            (3, self._live),
            (2, self._fail),
            (2, self._simple),
        ]
        weights, chosen = zip(*acts, strict=True)
        self._chance.choices(chosen, weights)[0]()
        self._take()

    def start(self) -> None:
        """A view that was opened."""
        self.view.open()
        self._did("open", {}, None)
        self._take()

    def _take(self) -> None:
        taken = self.view.take_requests()
        self._sent += taken
        self._did("takeRequests", {}, [_wanted(each) for each in taken])

    def _answer(self) -> None:
        if not self._sent:
            return
        request = self._chance.choice(self._sent[-3:])
        answer = self._host.answer(request)
        if answer is None:
            self._refuse(request, "invalid_transcript_cursor", 400, None)
            return
        if self._chance.random() < 0.15:
            answer = {**answer, **self._chance.choice(_SPOILS)}
        returned = self.view.receive(request, answer)
        self._did("receive", {"request": request.number, "answer": answer}, returned)

    def _fail(self) -> None:
        if self._sent:
            code, status = self._chance.choice(_CODES)
            beyond = f"r{self._chance.randint(0, 20)}" if self._chance.random() < 0.4 else None
            self._refuse(self._sent[-1], code, status, beyond)

    def _refuse(
        self, request: ViewRequest, code: str, status: int | None, beyond: str | None
    ) -> None:
        returned = self.view.fail(request, code, "no", status=status, beyond=beyond)
        arguments = {"request": request.number, "code": code, "status": status, "beyond": beyond}
        self._did("fail", arguments, returned)

    def _older(self) -> None:
        automatic = self._chance.random() < 0.3
        returned = self.view.load_older(automatic=automatic)
        self._did("loadOlder", {"automatic": automatic}, returned)

    def _live(self) -> None:
        before = len(self._host.kinds)
        self._host.kinds += "".join(self._chance.choices(_TALK, k=self._chance.randint(1, 4)))
        events: list[Any] = list(self._host.events(before, len(self._host.kinds)))
        for event in events:
            if self._chance.random() < 0.3:
                event["data"].pop("_meta")
        events += [None] * self._chance.randint(0, 1)
        last = self._chance.choice((len(self._host.kinds), len(self._host.kinds), before, None))
        generation = self.view.generation - (self._chance.random() < 0.1)
        returned = self.view.receive_updates(events, last_event_id=last, generation=generation)
        arguments = {"events": events, "lastEventId": last, "generation": generation}
        self._did("receiveUpdates", arguments, returned)

    def _simple(self) -> None:
        name, act = self._chance.choice(
            (
                ("follow", self.view.follow),
                ("retry", self.view.retry),
                ("passOver", self.view.pass_over),
                ("open", self.view.open),
                ("retry", self.view.retry),
                ("passOver", self.view.pass_over),
            )
        )
        act()
        self._did(name, {}, None)


def _wanted(request: ViewRequest) -> dict[str, Any]:
    return {
        "sessionId": request.session_id,
        "generation": request.generation,
        "number": request.number,
        "kind": request.kind,
        "limit": request.limit,
        "cursor": request.cursor,
        "recordId": request.before_record_id,
    }


def _state(view: TranscriptView) -> dict[str, Any]:
    failure = view.failure
    return {
        "state": view.state,
        "generation": view.generation,
        "loading": view.loading,
        "count": len(view.blocks),
        "ordinals": [view.blocks[0].ordinal, view.blocks[-1].ordinal] if view.blocks else [],
        "byteSize": view.byte_size,
        "boundary": view.boundary,
        "lastEventId": view.last_event_id,
        "epoch": view.epoch,
        "flags": [view.has_older, view.has_newer, view.capacity_reached, view.can_load_older],
        "failure": failure and [failure.code, failure.kind, failure.retryable, failure.beyond],
        "notices": dict(view.notices),
    }


def vectors() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each vector's name and value."""
    for seed in range(12):
        script = _Script(seed)
        script.start()
        for _ in range(20):
            script.step()
        blocks = [
            [each.ordinal, each.kind, each.key, each.record_ids, len(each.updates), each.size]
            for each in script.view.blocks
        ]
        page_size, max_blocks, max_bytes = script.options.values()
        options = {"pageSize": page_size, "maxBlocks": max_blocks, "maxBytes": max_bytes}
        value = {"sessionId": SESSION, "options": options, "steps": script.steps, "blocks": blocks}
        yield f"view-{seed:02}.json", value


def text_of(value: dict[str, Any]) -> str:
    """A vector's file: a step on each line."""
    steps = ",\n".join(json.dumps(step, ensure_ascii=False) for step in value["steps"])
    rest = {name: part for name, part in value.items() if name != "steps"}
    return json.dumps(rest, ensure_ascii=False)[:-1] + ', "steps": [\n' + steps + "\n]}\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, value in vectors():
        (FOLDER / name).write_text(text_of(value), encoding="utf-8")
