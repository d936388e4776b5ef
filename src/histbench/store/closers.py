"""The events that close what a crash left open, derived from the log alone.

When the last turn has no `turn/end`, a log is balanced again by, in this order:

1. for each call of the turn without a result, in the order the assistant asked for them, an error
   `tool/result`: the outcome is unknown when a `tool/call` says that it was started, otherwise it
   never started;
2. `step/end`, when a step is open;
3. `turn/end` with reason `interrupted`.

They continue the log's seqs and repeat the time of its last event, so the same log always gives
the same closers and a closed log gives none (facts: session history, section 3).
"""

from typing import Any

from histbench.events import Event
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["CLOSER_TYPES", "TurnTracker", "last_time"]

# Only these can open or close anything; a caller may skip every other record.
CLOSER_TYPES = frozenset(
    {
        "turn/start",
        "turn/end",
        "step/start",
        "step/end",
        "assistant/message",
        "tool/call",
        "tool/result",
    }
)

# One row a fate: error name, error code, what the model is told.
_NOT_STARTED = (
    "ToolNotStartedError",
    "TOOL_NOT_STARTED",
    "The session was interrupted before this tool call started.",
)
_OUTCOME_UNKNOWN = (
    "ToolOutcomeUnknownError",
    "TOOL_OUTCOME_UNKNOWN",
    "The session was interrupted while this tool call was running; its outcome is unknown.",
)


def last_time(record: Plain | RowHead | None) -> int | float:
    """The time of a record's last event, in milliseconds; 0 for no record."""
    if record is None:
        return 0
    return record.time if isinstance(record, Plain) else record.times()[-1]


class TurnTracker:
    """What is open after the events fed so far; feed ordinary events in order, rows not at all."""

    def __init__(self) -> None:
        self._turn: Any = None
        self._step: Any = None
        # Per pending call, in transcript order: its step, and the seq of its tool/call if any.
        self._calls: dict[str, tuple[Any, int | None]] = {}

    @property
    def open(self) -> bool:
        """Whether a turn has started and not ended."""
        return self._turn is not None

    def feed(self, event: Event) -> None:
        """Take one event into account; fields of unexpected shapes are passed over."""
        kind, data = event.get("type"), event.get("data")
        if kind not in CLOSER_TYPES or not isinstance(data, dict):
            return
        if kind == "turn/start":
            self._turn, self._step, self._calls = data.get("turn"), None, {}
        elif kind == "turn/end":
            self._turn, self._step, self._calls = None, None, {}
        elif kind == "step/start":
            self._step = data.get("step")
        elif kind == "step/end":
            self._step = None
        elif kind == "assistant/message":
            # A replacement copies what was said before; only an appended message asks for calls.
            if event.get("surfaceOp", "append") == "append":
                self._ask(data)
        elif kind == "tool/call":
            call_id = data.get("callId")
            if isinstance(call_id, str):
                step, _ = self._calls.get(call_id, (data.get("step"), None))
                self._calls[call_id] = (step, event["seq"])
        elif isinstance(call_id := _answered(data), str):
            self._calls.pop(call_id, None)

    def _ask(self, data: dict[str, Any]) -> None:
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool-call":
                call_id = block.get("id")
                if isinstance(call_id, str):
                    self._calls.setdefault(call_id, (data.get("step"), None))

    def closers(self, *, seq: int, time: float) -> list[Event]:
        """The closing events, the first with `seq`, all at `time`; none when no turn is open."""
        if not self.open:
            return []
        closers: list[Event] = []
        for call_id, (step, call_seq) in self._calls.items():
            closers.append(
                _result(call_id, self._turn, step, call_seq, seq=seq + len(closers), time=time)
            )
        if self._step is not None:
            closers.append(
                {
                    "type": "step/end",
                    "seq": seq + len(closers),
                    "time": time,
                    "data": {"turn": self._turn, "step": self._step},
                }
            )
        closers.append(
            {
                "type": "turn/end",
                "seq": seq + len(closers),
                "time": time,
                "data": {"turn": self._turn, "reason": {"kind": "interrupted"}},
            }
        )
        return closers


def _answered(data: dict[str, Any]) -> Any:
    """The call id that a `tool/result` answers; early logs have it flat in the data."""
    message = data.get("message")
    source = message.get("source") if isinstance(message, dict) else None
    return source.get("callId") if isinstance(source, dict) else data.get("callId")


def _result(
    call_id: str, turn: Any, step: Any, call_seq: int | None, *, seq: int, time: float
) -> Event:
    name, code, text = _NOT_STARTED if call_seq is None else _OUTCOME_UNKNOWN
    result = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": True,
    }
    event: Event = {
        "type": "tool/result",
        "seq": seq,
        "time": time,
        "data": {
            "turn": turn,
            "step": step,
            "message": {
                "source": {"kind": "tool", "callId": call_id},
                "content": [result],
                "role": "user",
                "id": f"interrupted-tool-result-{call_id}-{seq}",
            },
            "error": {"name": name, "code": code},
        },
    }
    if call_seq is not None:
        event["sourceEventSeqs"] = [call_seq]
    event["surfaceOp"] = "append"
    return event
