"""A transcript on disk: its index beside it, its keys, and the reader that pages it."""

from histbench.transcript_file.index import index_path
from histbench.transcript_file.keys import CursorKeys
from histbench.transcript_file.pages import (
    Appended,
    AppendedRecord,
    SearchHit,
    SearchPage,
    TranscriptPage,
    TurnPage,
)
from histbench.transcript_file.reader import TranscriptReader

__all__ = [
    "Appended",
    "AppendedRecord",
    "CursorKeys",
    "SearchHit",
    "SearchPage",
    "TranscriptPage",
    "TranscriptReader",
    "TurnPage",
    "index_path",
]
