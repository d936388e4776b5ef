"""The stages of a page's way from session file or events to folded state (`results.stages`).

    host     host.stored                        a session file to page bytes, in one go
             host.pack -> host.serialise        logical events to a page to page bytes
             host.encode                        page bytes to encoded bytes, per encoding
    client   client.decode                      encoded bytes to page bytes, per encoding
             client.parse -> client.validate -> client.prepare -> client.fold
                                                page bytes to values to a proved page to the
                                                fold's inputs to both consumers' states
    baseline baseline.json_loads                the standard library's parser over the same bytes,
                                                in the same rounds: ratios to it survive a noisy
                                                machine, seconds do not

A host that ships raw events has nothing to pack: there `host.pack` is the wrapping into envelopes.
A total is its own reading around the stages above it, so it holds what lies between them too: the
freeing of what a stage no longer needs.  The functions below do the work of one turn and tell a
Stopwatch; timing and memory call the same ones.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from histbench import jsontext
from histbench.encodings import Encoding
from histbench.events import Event
from histbench.fold import compact_inputs, fold_pair
from histbench.history import Form, HistoryPage, whole_page
from histbench.log import EventLog
from histbench.measure.timing import Stopwatch
from histbench.store import read_log

__all__ = [
    "load_page",
    "run_baseline",
    "run_client",
    "run_decode",
    "run_encode",
    "run_host",
    "run_stored",
]


def load_page(path: str | os.PathLike[str]) -> HistoryPage:
    """The page that holds all of the session file at `path`, its seqs made dense if they are not."""
    return whole_page(read_log(path).renumbered())


def run_stored(form: Form, path: str | os.PathLike[str], watch: Stopwatch) -> bytes:
    """The page bytes that a host serves from the session file at `path`: `host.stored`."""
    return watch.time("host.stored", lambda: form.encode(load_page(path)))


def _pack(events: Sequence[Event]) -> HistoryPage:
    return whole_page(EventLog.from_events(events))


def _wrap(events: Sequence[Event]) -> list[dict[str, Event]]:
    return [{"event": event} for event in events]


def _serialise(envelopes: list[dict[str, Event]]) -> bytes:
    # One by one: a number or surrogate that needs the slow writer then slows one event only.
    return b'{"events":[%b],"hasMore":false}' % b",".join(map(jsontext.encode, envelopes))


# form -> how its host gets from logical events to what it serialises, and how it serialises that.
# The raw host is the naive one on purpose: it is what the other forms are an alternative to.
_FROM_EVENTS: Mapping[str, tuple[Callable[[Sequence[Event]], Any], Callable[[Any], bytes]]] = {
    "raw": (_wrap, _serialise),
}


def run_host(form: Form, events: Sequence[Event], watch: Stopwatch) -> bytes:
    """The page bytes of logical events: `host.pack`, then `host.serialise`."""
    gather, serialise = _FROM_EVENTS.get(form.name, (_pack, form.encode))

    def work() -> bytes:
        gathered = watch.time("host.pack", gather, events)
        return watch.time("host.serialise", serialise, gathered)

    return watch.time("host.total", work)


def run_client(form: Form, data: bytes, watch: Stopwatch) -> Any:
    """The folded state of page bytes: parse, validate, prepare, fold."""

    def work() -> Any:
        parsed = watch.time("client.parse", form.parse, data)
        records = watch.time("client.validate", form.prove, parsed)
        # A client that keeps the page does not keep what the page was parsed from.
        del parsed
        inputs = watch.time("client.prepare", compact_inputs, records)
        del records
        return watch.time("client.fold", fold_pair, inputs)

    return watch.time("client.total", work)


def run_encode(encoding: Encoding, data: bytes, watch: Stopwatch) -> bytes:
    """The encoded page bytes: `host.encode`."""
    return watch.time("host.encode", encoding.encode, data)


def run_decode(encoding: Encoding, data: bytes, max_bytes: int, watch: Stopwatch) -> bytes:
    """The page bytes of encoded ones: `client.decode`."""
    return watch.time("client.decode", encoding.decode, data, max_bytes=max_bytes)


def run_baseline(data: bytes, watch: Stopwatch) -> Any:
    """What the standard library makes of page bytes: `baseline.json_loads`."""
    return watch.time("baseline.json_loads", json.loads, data)
