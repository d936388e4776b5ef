"""Inputs that can be read only once, as files for as long as they are needed."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from histbench.cli.sources import STANDARD_STREAM, log_path
from histbench.measure import Source

__all__ = ["spooled"]


@contextmanager
def spooled(name: str, format_name: str | None) -> Iterator[Source]:
    """The input called `name`; standard input and pipes are copied to a file first.

    A Parquet table of events is told by its content, unless a format is named, and its log is made.
    """
    with _as_file(name, format_name) as source:
        if format_name is not None:
            yield source
            return
        with log_path(source.path) as log:
            made = None if log == source.path else log
            yield msgspec.structs.replace(source, log=made)


@contextmanager
def _as_file(name: str, format_name: str | None) -> Iterator[Source]:
    if name != STANDARD_STREAM and Path(name).is_file():
        yield Source.of_file(name, format=format_name)
        return
    with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
        path = Path(folder) / "session.jsonl"
        with ExitStack() as stack:
            target = stack.enter_context(path.open("wb"))
            named = name != STANDARD_STREAM
            source = stack.enter_context(Path(name).open("rb")) if named else sys.stdin.buffer
            shutil.copyfileobj(source, target)
        yield Source(path=str(path), name="pipe" if named else "stdin", format=format_name)
