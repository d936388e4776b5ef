"""The updates of one record, each stamped with the record it came from.

    _meta.qwen.session.recordId         on every update: the record that is being replayed
    _meta.qwenTranscript
        sourceRecordIds                 the records it was made of, mostly that one
        segmentId                       on chunks: `<record>:<ordinal of the segment's first chunk>`
    _meta.timestamp                     milliseconds, where the record has a time

Neighbouring chunks of one *lane* (kind of update, type of content, calling tool) are one segment,
which a client shows as one block; any other update between them ends it.  A *discrete* chunk is a
block of its own whatever stands beside it.
"""

from typing import Any

from histbench.transcript.record import Diagnostic, TranscriptRecord, time_of
from histbench.transcript.replay.calls import OpenCalls
from histbench.transcript.replay.fields import object_of
from histbench.transcript.replay.totals import Totals

__all__ = ["RECORD_ID", "RecordReplay", "Update"]

Update = dict[str, Any]

RECORD_ID = "qwen.session.recordId"


class RecordReplay:
    """One record on its way to updates; the rules of `table` write into it."""

    def __init__(self, record: TranscriptRecord, calls: OpenCalls, totals: Totals) -> None:
        self.record = record
        self.value = record.value
        self.payload = object_of(record.value.get("systemPayload"))
        self.calls = calls
        self.totals = totals
        self.time_ms = None if record.timestamp is None else time_of(record.timestamp)
        self.updates: list[Update] = []
        self.diagnostics: dict[str, Diagnostic] = {}
        self._lane: tuple[str, str, str] | None = None
        self._segment = ""

    def report(self, code: str, detail: str) -> None:
        """Note that something was not shown, once for each code: the record is there to be read."""
        record_id = self.record.record_id
        found = Diagnostic(code=code, record_id=record_id, detail=detail)
        self.diagnostics.setdefault(code, found)

    def chunk(
        self,
        kind: str,
        content: dict[str, Any],
        *,
        discrete: bool = False,
        segment: str | None = None,
        **extra: Any,
    ) -> None:
        """A `kind` of message chunk; `extra` goes to its `_meta`."""
        lane = (kind, str(content["type"]), str(extra.get("parentToolCallId", "")))
        if discrete:
            extra["qwenDiscreteMessage"] = True
        if discrete or segment is not None or lane != self._lane:
            self._segment = segment or f"{self.record.record_id}:{len(self.updates)}"
        self._lane = None if discrete or segment is not None else lane
        update = {"sessionUpdate": kind, "content": content}
        self._stamp(update, extra, segmentId=self._segment)

    def text(self, kind: str, text: str, **options: Any) -> None:
        """A chunk of text."""
        self.chunk(kind, {"type": "text", "text": text}, **options)

    def update(
        self,
        update: Update,
        *,
        sources: tuple[str, ...] = (),
        transcript: dict[str, Any] | None = None,
        **extra: Any,
    ) -> None:
        """Any other update; `sources` are records before this one that it was made of."""
        self._lane = None
        own = transcript or {}
        self._stamp(update, extra, sourceRecordIds=[*sources, self.record.record_id], **own)

    def _stamp(self, update: Update, extra: dict[str, Any], **transcript: Any) -> None:
        record_id = self.record.record_id
        meta: dict[str, Any] = {
            RECORD_ID: record_id,
            "qwenTranscript": {"sourceRecordIds": [record_id], **transcript},
        }
        if self.time_ms is not None:
            meta["timestamp"] = self.time_ms
        self.updates.append({**update, "_meta": {**meta, **extra}})
