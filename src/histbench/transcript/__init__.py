"""Transcripts: files of conversation records, their active chain, its pages, cursors and turns.

Pure: what is on disk belongs to `transcript_file`, what is on a network to `serve` and `client`.
The rules are told in docs/transcript.md.
"""

from histbench.transcript.chain import Chain, ChainEntry, Gap, MemoryChain, check_session
from histbench.transcript.head import RecordHead, read_head
from histbench.transcript.lines import Fragment, LineOddity, split_line
from histbench.transcript.record import Diagnostic, TranscriptRecord, merge_fragments
from histbench.transcript.select import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    Selection,
    anchored_page,
    backward_page,
    check_limit,
    forward_page,
    place_after,
    place_before,
)
from histbench.transcript.view import TranscriptView

__all__ = [
    "DEFAULT_LIMIT",
    "MAX_LIMIT",
    "Chain",
    "ChainEntry",
    "Diagnostic",
    "Fragment",
    "Gap",
    "LineOddity",
    "MemoryChain",
    "RecordHead",
    "Selection",
    "TranscriptRecord",
    "TranscriptView",
    "anchored_page",
    "backward_page",
    "check_limit",
    "check_session",
    "forward_page",
    "merge_fragments",
    "place_after",
    "place_before",
    "read_head",
    "split_line",
]
