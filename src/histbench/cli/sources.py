"""FILE arguments: a path, or `-` for standard input; and tables where a log is due."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from histbench.corpus.event_table import is_event_table, log_of_table
from histbench.errors import HistbenchError
from histbench.log import Diagnostic

__all__ = ["STANDARD_STREAM", "fault_line", "log_path", "note_line", "source_of"]

STANDARD_STREAM = "-"


def source_of(name: str) -> str | BinaryIO:
    """What the readers of `store` take: the path itself, or standard input."""
    return sys.stdin.buffer if name == STANDARD_STREAM else name


@contextmanager
def log_path(name: str) -> Iterator[str]:
    """`name` itself, or the log of a Parquet table, which is there while the context is open.

    Raises:
        As `log_of_table`; whatever is wrong with the log is told of the table.
    """
    if name == STANDARD_STREAM or not is_event_table(name):
        yield name
        return
    with log_of_table(name) as log:
        try:
            yield str(log)
        except HistbenchError as error:
            error.where.file = name
            raise


def note_line(name: str, diagnostic: Diagnostic) -> str:
    """A diagnostic as one line."""
    places = (("line", diagnostic.line), ("byte", diagnostic.byte), ("seq", diagnostic.seq))
    where = "".join(f", {what} {value}" for what, value in places if value is not None)
    return f"note: {name}{where}: {diagnostic.message} [{diagnostic.code}]"


def fault_line(error: HistbenchError) -> str:
    """An error as one line, with its code."""
    return f"error: {error} [{error.code}]"
