"""The journal beside the table: finished rows, so that an interrupted run goes on.

JSON lines: first what was measured (a plan of other forms or another version starts anew), then one
finished row a line with the log's address, size and mark of change.  A row counts as long as the
log has the same three; where only the mark differs, as after copying, as long as the log has the
same SHA-256.  Rows of logs that may come out otherwise the next time (a killed worker, a file that
could not be read) are measured again.

A line is written whole and flushed; a torn last one is passed over.  One run at a time has it.
"""

import hashlib
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec
from msgspec import Struct

from histbench.corpus.finding import FoundLog, is_url
from histbench.corpus.measuring import LogPlan
from histbench.corpus.rows import LogRow
from histbench.errors import StorageError
from histbench.store.durable import storage_error, write_all
from histbench.store.lock import lock_file

__all__ = ["Journal", "journal_path"]

_VERSION = 1
_AGAIN = frozenset(
    {"worker_killed", "unreachable", "io_error", "permission_denied", "file_not_found"}
    | {"out_of_memory", "unexpected_error"}
)


class _Head(Struct, frozen=True, kw_only=True):
    journal: int
    histbench: str
    plan: LogPlan


class _Entry(Struct, frozen=True, kw_only=True):
    found: FoundLog
    row: LogRow


_encoder = msgspec.json.Encoder()
_head_decoder = msgspec.json.Decoder(_Head)
_entry_decoder = msgspec.json.Decoder(_Entry)


def journal_path(output: str | os.PathLike[str]) -> Path:
    """Where the journal of a table lies: beside it."""
    path = Path(output)
    return path.with_name(path.name + ".journal")


class Journal:
    """The finished rows of one table; a context manager.

    Args:
        path: the journal's file, made if it is not there.
        plan: what is being measured.
        version: of what measures; rows of another are not kept.
        fresh: start anew whatever is there.

    Raises:
        StorageError: `log_locked` when another run has it, or why the file cannot be used.
    """

    def __init__(self, path: Path, *, plan: LogPlan, version: str, fresh: bool = False) -> None:
        self.path = path
        self._entries: dict[str, _Entry] = {}
        try:
            self._file: BinaryIO = path.open("a+b", buffering=0)
        except OSError as error:
            raise storage_error(error, path) from error
        try:
            lock_file(self._file.fileno(), path)
            head = _Head(journal=_VERSION, histbench=version, plan=plan)
            if fresh or not self._load(head):
                self._file.truncate(0)
                self._write(head)
        except OSError as error:
            self._file.close()
            raise storage_error(error, path) from error
        except StorageError:
            self._file.close()
            raise

    def _load(self, head: _Head) -> bool:
        """Whether the journal is one of this plan; its entries are read."""
        lines = self.path.read_bytes().split(b"\n")
        try:
            if _head_decoder.decode(lines[0]) != head:
                return False
        except (msgspec.DecodeError, IndexError):
            return False
        for line in lines[1:]:
            try:
                entry = _entry_decoder.decode(line)
            except msgspec.DecodeError:
                continue
            self._entries[entry.found.address] = entry
        if lines[-1]:
            # Torn: what follows must not become part of it.
            write_all(self._file.fileno(), b"\n")
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def known(self, found: FoundLog) -> LogRow | None:
        """The finished row of this log, if the log is still the one it was."""
        entry = self._entries.get(_written(found).address)
        if entry is None or entry.row.error_code in _AGAIN or entry.found.bytes != found.bytes:
            return None
        same = found.changed is not None and entry.found.changed == found.changed
        if not same and (is_url(found.address) or _sha256(found.address) != entry.row.sha256):
            return None
        return msgspec.structs.replace(entry.row, path=found.path)

    def keep(self, found: FoundLog, row: LogRow) -> None:
        """Write down a finished row.

        Raises:
            StorageError: it could not be written.
        """
        try:
            self._write(_Entry(found=_written(found), row=row))
        except OSError as error:
            raise storage_error(error, self.path) from error

    def _write(self, line: Struct) -> None:
        write_all(self._file.fileno(), _encoder.encode(line) + b"\n")


def _written(found: FoundLog) -> FoundLog:
    """The log as JSON can tell it: an address that is no text is told by the path."""
    try:
        found.address.encode()
    except UnicodeEncodeError:
        return msgspec.structs.replace(found, address=found.path)
    return found


def _sha256(path: str) -> str | None:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
