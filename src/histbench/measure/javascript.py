"""What the client's stages cost in V8: in Node, and in Chromium as a browser's client pays them.

The work is done by the web shell's own modules (`serve/shell/history`, `serve/shell/fold`), in
`client_work.js`, which both engines load.  One process of an engine times all forms in alternating
rounds; the peaks of each form are taken in another, fresh one, as `memory` does it.

A heap peak is what V8 says its heap holds, looked at after each stage, above what it held before,
garbage collected first.  What came and went inside a stage is not seen, and neither are the page's
own bytes, which lie outside the heap.

No number counts before the engine has shown that it came to Python's state: the digest of what
each page folds to must be the same.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from histbench.errors import HistbenchError, InvalidPage, UsageError
from histbench.fold import PairState, compact_inputs, fold_pair
from histbench.history import FORMS, Form
from histbench.jsontext import encode
from histbench.measure.javascript_chromium import Chromium
from histbench.measure.javascript_node import Node
from histbench.measure.plan import Plan, Steps
from histbench.measure.samples import SampleSheet

__all__ = ["count_javascript", "find_clients", "measure_javascript", "state_digest"]


class _Engine(Protocol):
    """Runs a job in a process of its own."""

    def find(self) -> str:
        """The program; UsageError (`client_missing`) where there is none."""
        ...

    def run(self, job: bytes, pages: Mapping[str, bytes]) -> bytes:
        """The reply to a job about these pages, by form; both are JSON."""
        ...


_ENGINES: Mapping[str, _Engine] = {"node": Node(), "chromium": Chromium()}


class _JobPage(msgspec.Struct, frozen=True):
    form: str
    bytes: int


class _Job(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    task: Literal["time", "peaks"]
    pages: list[_JobPage]
    runs: int
    warm_up: int = 0


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds by form, run and stage, or peaks in bytes by run; or what went wrong."""

    seconds: dict[str, list[dict[str, float]]] = {}
    digests: dict[str, str] = {}
    peaks: list[int] = []
    versions: dict[str, str] = {}
    failed: str | None = None


def find_clients(names: Sequence[str]) -> None:
    """Refuse at once a client that cannot be started when its turn comes.

    Raises:
        UsageError: `client_missing`, or `unknown_client`.
    """
    for name in names:
        if name not in _ENGINES:
            raise UsageError(
                "no such client",
                code="unknown_client",
                found=name,
                expected=f"one of {', '.join(_ENGINES)}",
            )
        _ENGINES[name].find()


def count_javascript(plan: Plan) -> int:
    """How many steps `measure_javascript` takes."""
    peaks = len(_read_forms(plan)) if plan.memory_samples else 0
    return len(plan.clients) * (1 + peaks)


def measure_javascript(
    name: str,
    plan: Plan,
    pages: Mapping[str, bytes],
    sheet: SampleSheet,
    steps: Steps,
    *,
    engines: Mapping[str, _Engine] = _ENGINES,
) -> dict[str, str]:
    """Seconds and heap peaks of every form in each of the plan's clients; the engines' versions.

    Raises:
        InvalidPage: `not_lossless`, an engine comes to another state than Python.
        HistbenchError: `client_failed`.
    """
    versions: dict[str, str] = {}
    forms = _read_forms(plan)
    shipped = {form.name: pages[form.name] for form in forms}
    expected = {form.name: _expected(form, pages[form.name]) for form in forms}
    for client in plan.clients:
        engine = engines[client]
        steps.next(f"{name}: {client}")
        reply = _ask(client, engine, "time", shipped, runs=plan.runs, warm_up=plan.warm_up)
        versions |= {f"client.{each}": version for each, version in reply.versions.items()}
        for form, runs in reply.seconds.items():
            if reply.digests.get(form) != expected[form]:
                raise InvalidPage(
                    f"form {form} folds to another state in {client}", code="not_lossless"
                )
            for run, seconds in enumerate(runs):
                for stage, value in seconds.items():
                    sheet.add(f"{client}.{stage}", round(value, 9), form=form, run=run)
        for each in plan.forms:
            if each not in forms:
                why = f"the web shell's modules do not read {each.name}"
                sheet.leave_out([f"{client}.total"], why, form=each.name)
        for form in shipped if plan.memory_samples else ():
            steps.next(f"{name}: heap of {client} {form}")
            only = {form: shipped[form]}
            peaks = _ask(client, engine, "peaks", only, runs=plan.memory_samples).peaks
            for run, peak in enumerate(peaks):
                sheet.add(f"memory.{client}.heap", max(peak, 0), form=form, run=run)
    return versions


def _read_forms(plan: Plan) -> list[Form]:
    """The forms that the web shell's modules read: all but the rivals."""
    return [form for form in plan.forms if form.name in FORMS]


def _ask(
    client: str,
    engine: _Engine,
    task: Literal["time", "peaks"],
    pages: Mapping[str, bytes],
    *,
    runs: int,
    warm_up: int = 0,
) -> _Reply:
    listed = [_JobPage(form, len(data)) for form, data in pages.items()]
    job = _Job(task=task, pages=listed, runs=runs, warm_up=warm_up)
    try:
        reply = msgspec.json.decode(engine.run(msgspec.json.encode(job), pages), type=_Reply)
    except msgspec.DecodeError as error:
        raise HistbenchError(f"{client} gave no reply", code="client_failed") from error
    if reply.failed is not None:
        raise HistbenchError(f"{client} failed", code="client_failed", found=reply.failed)
    return reply


def _expected(form: Form, page: bytes) -> str:
    return state_digest(fold_pair(compact_inputs(form.validate(form.parse(page)).records)))


def state_digest(state: PairState) -> str:
    """SHA-256 of a state's JSON as `client_work.js` writes it, counts left out."""
    told: list[list[list[Any]]] = [
        [
            [
                step.turn,
                step.step,
                [list(block) for block in step.blocks.items()],
                step.first_token_time,
                step.first_visible_seq,
                step.first_visible_time,
            ]
            for step in steps
        ]
        for steps in (state.chat, state.trajectory)
    ]
    return hashlib.sha256(encode(told)).hexdigest()
