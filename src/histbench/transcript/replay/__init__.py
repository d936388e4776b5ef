"""Replay: a page of records as the session updates of the Agent Client Protocol.

    updates          a page, its bounds, and what is still open at its end
    table            which rule shows a record
    messages, displayed, results, plans, system      the rules
    record_replay    the stamp on every update
    calls, totals, state                             what one page tells the next
    shown_parts, tools, fields                       how records of two dialects are read

Updates are plain dicts in the protocol's own names.  Facts: transcript pager, section 1.4.
"""

from histbench.transcript.replay.record_replay import RECORD_ID, Update
from histbench.transcript.replay.state import OpenCall, ReplayState, UsageTotals
from histbench.transcript.replay.updates import MAX_BYTES, MAX_UPDATES, Replayed, replay_updates

__all__ = [
    "MAX_BYTES",
    "MAX_UPDATES",
    "RECORD_ID",
    "OpenCall",
    "ReplayState",
    "Replayed",
    "Update",
    "UsageTotals",
    "replay_updates",
]
