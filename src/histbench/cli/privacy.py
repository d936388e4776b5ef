"""Redaction and secrets for the commands that read logs: `--redact`, `--redact-key`, warnings.

Without `--redact-key` a call draws a key of its own, which is nowhere afterwards.
"""

import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from histbench.cli.commands import one_line
from histbench.cli.sources import note_line
from histbench.errors import Place, StorageError, UsageError
from histbench.events import Event
from histbench.importers import Import, import_events
from histbench.importers.converting import write_events
from histbench.log import Diagnostic
from histbench.privacy import (
    MIN_KEY_BYTES,
    Redactor,
    Secret,
    SecretFinder,
    find_secrets,
    redact_log,
)
from histbench.store import read_log

if TYPE_CHECKING:
    from histbench.measure import Source

__all__ = [
    "Redacted",
    "observed",
    "redacted_source",
    "redaction_key",
    "warn_of_secrets",
    "warn_of_secrets_in",
]

# A key is a few bytes; this is no place for a whole disk.
_MAX_KEY_BYTES = 1 << 20


def redaction_key(*, redact: bool, key_file: str | None) -> bytes | None:
    """The key to redact under, None when nothing is to be redacted.

    Raises:
        UsageError: a key file without `--redact` (`key_without_redact`), or `short_key`.
        StorageError: the file cannot be read.
    """
    if not redact:
        if key_file is not None:
            raise UsageError("a key redacts nothing by itself", code="key_without_redact")
        return None
    if key_file is None:
        return secrets.token_bytes(2 * MIN_KEY_BYTES)
    try:
        with Path(key_file).open("rb") as file:
            key = file.read(_MAX_KEY_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        where = Place(file=key_file)
        raise StorageError(reason[:1].lower() + reason[1:], where=where) from error
    Redactor(key)
    return key


class Redacted:
    """The redacted events of a recording, as a stream; what was noticed is known after the last."""

    def __init__(self, imported: Import, key: bytes) -> None:
        self.finder = SecretFinder()
        self._imported = imported
        self._noted: tuple[Diagnostic, ...] = ()
        if imported.format.family is None:
            # The store's reader knows the log's own header, and whether it was cut off.
            log = read_log(imported.for_store())
            for record in log.records():
                self.finder.record(record)
            redacted = redact_log(log, key=key)
            self._noted = log.diagnostics
            self.header = redacted.header or {}
            self.events: Iterable[Event] = redacted
        else:
            redactor = Redactor(key)
            self.header = redactor.header(imported.header)
            self.events = map(redactor.event, observed(imported, self.finder))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the reader or importer noticed."""
        return self._noted or self._imported.diagnostics


def observed(events: Iterable[Event], finder: SecretFinder) -> Iterator[Event]:
    """The events, each shown to `finder` on its way."""
    for event in events:
        finder.event(event)
        yield event


@contextmanager
def redacted_source(source: "Source", key: bytes) -> "Iterator[Source]":
    """The source's log redacted, as a file that is there while the context is open."""
    with tempfile.TemporaryDirectory(prefix="histbench-") as folder:
        path = Path(folder) / "session.jsonl.zstd"
        with import_events(source.stored, source.format) as imported:
            redacted = Redacted(imported, key)
            write_events(redacted.events, redacted.header, path, compressed=True)
            for diagnostic in redacted.diagnostics:
                click.echo(one_line(note_line(source.name, diagnostic)), err=True)
            warn_of_secrets(source.name, redacted.finder.secrets())
        yield msgspec.structs.replace(source, path=str(path), log=None, format=None)


def warn_of_secrets_in(source: "Source") -> None:
    """Read a source for its secrets alone, and warn of them."""
    with import_events(source.stored, source.format) as imported:
        if imported.format.family is None:
            found = find_secrets(read_log(source.stored).records())
        else:
            finder = SecretFinder()
            for event in imported:
                finder.event(event)
            found = finder.secrets()
    warn_of_secrets(source.name, found)


def warn_of_secrets(name: str, found: Iterable[Secret]) -> None:
    """One line for each kind: how often, and where first; never the secret."""
    for each in found:
        line = note_line(name, each.diagnostic())
        click.echo(one_line("warning" + line.removeprefix("note")), err=True)
