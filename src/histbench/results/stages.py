"""The stages that samples are taken of, as one table in the order in which they are told.

The vocabulary of a results file: `measure` takes the samples, `report` names them.  A stage fixes
the metric of its samples, and with it their unit.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

__all__ = ["STAGES", "Stage"]


class Stage(msgspec.Struct, frozen=True):
    """One row of the table: what a sample of this stage is a number of."""

    name: str
    metric: Literal["bytes", "seconds", "peak_bytes", "count"]
    description: str


# The client's stages once more, as the web shell's modules do them.
_V8_SECONDS = tuple(
    Stage(f"{client}.{stage}", "seconds", f"{words}, in {title}")
    for client, title in (("node", "Node"), ("chromium", "Chromium"))
    for stage, words in (
        ("parse", "page bytes to values"),
        ("validate", "values to a proved page"),
        ("prepare", "page to the fold's inputs"),
        ("fold", "inputs to the state of both consumers"),
        ("total", "page bytes to the state of both consumers"),
    )
)

_TABLE = (
    Stage("structure.deltas", "count", "events that a packed row can hold"),
    Stage("structure.runs", "count", "runs of such deltas"),
    Stage("structure.run_p50", "count", "median length of a run"),
    Stage("structure.run_p90", "count", "length that 90 % of the runs do not exceed"),
    Stage("structure.run_max", "count", "longest run"),
    Stage("wire", "bytes", "page bytes under an encoding"),
    Stage("records", "count", "records that the page lists"),
    Stage("values", "count", "JSON values that a parser meets"),
    Stage("host.stored", "seconds", "session file to page bytes"),
    Stage("host.pack", "seconds", "logical events to a page (raw: to envelopes)"),
    Stage("host.serialise", "seconds", "page to page bytes"),
    Stage("host.total", "seconds", "logical events to page bytes"),
    Stage("host.encode", "seconds", "page bytes to encoded bytes"),
    Stage("client.decode", "seconds", "encoded bytes to page bytes"),
    Stage("client.parse", "seconds", "page bytes to values"),
    Stage("client.validate", "seconds", "values to a proved page"),
    Stage("client.prepare", "seconds", "page to the fold's inputs"),
    Stage("client.fold", "seconds", "inputs to the state of both consumers"),
    Stage("client.total", "seconds", "page bytes to the state of both consumers"),
    *_V8_SECONDS,
    Stage("page.expand", "seconds", "an open log to one dict for every event"),
    Stage("page.select", "seconds", "an open log to its newest page of 50 messages"),
    Stage("page.serialise", "seconds", "that page to page bytes"),
    Stage("page.serve", "seconds", "an open log to the bytes of that page"),
    Stage("page.validate", "seconds", "the bytes of that page to a proved page"),
    Stage("page.stitch_1", "seconds", "1 proved page into a client's window"),
    Stage("page.stitch_10", "seconds", "10 proved pages, the whole log, into a client's window"),
    Stage("page.stitch_100", "seconds", "100 proved pages, the whole log, into a client's window"),
    Stage("baseline.json_loads", "seconds", "json.loads of the page bytes"),
    Stage("memory.host.traced", "peak_bytes", "Python objects, session file to page bytes"),
    Stage("memory.host.rss", "peak_bytes", "resident process, session file to page bytes"),
    Stage("memory.host.native", "peak_bytes", "all allocations, session file to page bytes"),
    Stage("memory.client.traced", "peak_bytes", "Python objects, page bytes to state"),
    Stage("memory.client.rss", "peak_bytes", "resident process, page bytes to state"),
    Stage("memory.client.native", "peak_bytes", "all allocations, page bytes to state"),
    Stage("memory.node.heap", "peak_bytes", "V8's heap in Node, page bytes to state"),
    Stage("memory.chromium.heap", "peak_bytes", "V8's heap in Chromium, page bytes to state"),
    Stage("memory.encode.native", "peak_bytes", "all allocations of an encoder"),
)

STAGES: Mapping[str, Stage] = {stage.name: stage for stage in _TABLE}
