"""FILE arguments: a path, or `-` for standard input."""

import sys
from typing import BinaryIO

from histbench.errors import HistbenchError
from histbench.log import Diagnostic

__all__ = ["STANDARD_STREAM", "fault_line", "note_line", "source_of"]

STANDARD_STREAM = "-"


def source_of(name: str) -> str | BinaryIO:
    """What the readers of `store` take: the path itself, or standard input."""
    return sys.stdin.buffer if name == STANDARD_STREAM else name


def note_line(name: str, diagnostic: Diagnostic) -> str:
    """A diagnostic as one line."""
    places = (("line", diagnostic.line), ("byte", diagnostic.byte), ("seq", diagnostic.seq))
    where = "".join(f", {what} {value}" for what, value in places if value is not None)
    return f"note: {name}{where}: {diagnostic.message} [{diagnostic.code}]"


def fault_line(error: HistbenchError) -> str:
    """An error as one line, with its code."""
    return f"error: {error} [{error.code}]"
