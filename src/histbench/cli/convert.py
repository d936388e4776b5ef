"""`histbench convert IN OUT`: import, pack, unpack, compress; proved before anything is replaced.

A session log goes through the store, which keeps the text of its ordinary events; any other
recording through its importer, which writes while it reads, and so does everything that is to be
or was a Parquet table.  Secrets are looked for on the way.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from histbench import measure
from histbench.cli.commands import one_line
from histbench.cli.privacy import (
    Redacted,
    observed,
    redaction_key,
    warn_of_secrets,
    warn_of_secrets_in,
)
from histbench.cli.sources import STANDARD_STREAM, note_line, source_of
from histbench.cli.spooling import spooled
from histbench.corpus.event_table import is_event_table, log_of_table, write_event_table
from histbench.errors import UsageError
from histbench.events import Event
from histbench.importers import Import, import_events
from histbench.importers.converting import write_events
from histbench.log import Diagnostic
from histbench.privacy import SecretFinder, find_secrets
from histbench.results import render_results, save_results
from histbench.store import convert_log
from histbench.store.layout import ARCHIVE_SUFFIXES

__all__ = ["STATS_ENCODINGS", "convert"]

# The quick ones: what compression does to a shape, without minutes of waiting.
STATS_ENCODINGS = ("gzip-6", "br-5", "zstd-3")


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from", "format_name", metavar="FORMAT", help="What IN is.  [default: its content says]"
)
@click.option(
    "--to",
    "kind",
    type=click.Choice(["log", "parquet"]),
    help="What OUT is.  [default: parquet for *.parquet, else a log]",
)
@click.option("--no-pack", is_flag=True, help="Write one event a line.")
@click.option("--lean", is_flag=True, help="Write a lean archive, for *.lean.jsonl.zstd.")
@click.option(
    "--compression",
    type=click.Choice(["zstd", "none"]),
    help="Default: what OUT's suffix says, else as IN, or zstd for a recording.",
)
@click.option("--redact", is_flag=True, help="Replace all text by text of the same shape.")
@click.option(
    "--redact-key",
    metavar="FILE",
    help="The bytes to redact under.  [default: drawn, and forgotten]",
)
@click.option("--stats-only", is_flag=True, help="OUT is a results file of sizes and counts.")
def convert(
    source: str,
    target: str,
    *,
    format_name: str | None,
    kind: str | None,
    no_pack: bool,
    lean: bool,
    compression: str | None,
    redact: bool,
    redact_key: str | None,
    stats_only: bool,
) -> None:
    """Write IN as the session log OUT; `-` is standard input or output.

    IN is a session log, or a recording in one of `histbench formats`.  IN and OUT may also be
    Parquet tables of one row for each event (the extra `corpus`); then IN is a file.

    The new file is read back and compared, event by event, before it takes the place of OUT.  IN
    and OUT may be the same file.
    """
    key = redaction_key(redact=redact, key_file=redact_key)
    parquet = kind == "parquet" or (kind is None and target.endswith(".parquet"))
    with ExitStack() as stack:
        origin = source
        table_bytes = None
        if source != STANDARD_STREAM and format_name is None and is_event_table(source):
            table_bytes = Path(source).stat().st_size
            origin = str(stack.enter_context(log_of_table(source)))
        if stats_only:
            _write_stats(origin, target, format_name)
            return
        _check_suffix(target, lean=lean)
        if parquet and (no_pack or lean or compression is not None):
            raise UsageError(
                "a table has a layout and a compression of its own", code="table_options"
            )
        imported = stack.enter_context(import_events(source_of(origin), format_name))
        task = _Task(
            source,
            imported,
            target,
            pack=not no_pack,
            lean=lean,
            compression=compression,
            key=key,
            parquet=parquet,
            table_bytes=table_bytes,
        )
        if target != STANDARD_STREAM:
            task.write(Path(target))
            return
        path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log"
        task.write(path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def _check_suffix(target: str, *, lean: bool) -> None:
    if target != STANDARD_STREAM and target.endswith(ARCHIVE_SUFFIXES) != lean:
        raise UsageError(
            "only an archive has an archive's suffix, and every archive has one",
            code="archive_suffix",
            found=target,
            expected=" or ".join(ARCHIVE_SUFFIXES) if lean else "another suffix, or --lean",
        )


def _write_stats(source: str, target: str, format_name: str | None) -> None:
    with spooled(source, format_name) as spool:
        warn_of_secrets_in(spool)
        results = measure.measure_shapes([spool], measure.Plan.of_names(encodings=STATS_ENCODINGS))
    if target == STANDARD_STREAM:
        click.echo(render_results(results), nl=False)
    else:
        save_results(results, target)


class _Task:
    """One conversion, and what is told about it."""

    def __init__(
        self,
        source: str,
        imported: Import,
        target: str,
        *,
        pack: bool,
        lean: bool,
        compression: str | None,
        key: bytes | None,
        parquet: bool,
        table_bytes: int | None,
    ) -> None:
        self._source = source
        self._imported = imported
        self._target = target
        self._pack = pack
        self._lean = lean
        self._compression = compression
        self._key = key
        self._parquet = parquet
        self._table_bytes = table_bytes

    def write(self, path: Path) -> None:
        """Write `path`, and tell about it as the target."""
        if self._key is not None:
            self._write_redacted(path, self._key)
        elif self._imported.format.family or self._parquet or self._table_bytes is not None:
            self._write_recording(path)
        else:
            self._write_log(path)

    def _write_log(self, path: Path) -> None:
        done = convert_log(
            self._imported.for_store(),
            path,
            compression=self._compression,
            pack_chunks=self._pack,
            archive=self._lean,
        )
        _note(self._source, done.log.diagnostics)
        warn_of_secrets(self._source, find_secrets(done.log.records()))
        sizes = f"{done.from_bytes:,} to {done.to_bytes:,} bytes"
        _say(f"{self._target}: {len(done.log):,} events, {sizes}")

    def _write_recording(self, path: Path) -> None:
        imported, finder = self._imported, SecretFinder()
        rows = self._write_events(observed(imported, finder), imported.header, path)
        _note(self._source, imported.diagnostics)
        warn_of_secrets(self._source, finder.secrets())
        runs = "" if self._parquet else f" in {rows:,} packed runs"
        counts = (
            f"{imported.events:,} events, {imported.deltas:,} deltas{runs}, {imported.clock} clock"
        )
        name, size = imported.format.name, imported.file_bytes
        if self._table_bytes is not None:
            name, size = "parquet", self._table_bytes
        sizes = f"{size:,} to {path.stat().st_size:,} bytes"
        _say(f"{self._target}: {name}: {counts}, {sizes}")

    def _write_redacted(self, path: Path, key: bytes) -> None:
        redacted = Redacted(self._imported, key)
        rows = self._write_events(redacted.events, redacted.header, path)
        _note(self._source, redacted.diagnostics)
        warn_of_secrets(self._source, redacted.finder.secrets())
        rows_are = "events" if self._parquet else "packed runs"
        _say(f"{self._target}: redacted, {rows:,} {rows_are}, {path.stat().st_size:,} bytes")

    def _write_events(self, events: Iterable[Event], header: dict[str, Any], path: Path) -> int:
        """How many packed runs were written, or rows of a table."""
        if self._parquet:
            return write_event_table(events, header, path)
        plain = self._compression == "none" or (
            self._compression is None and self._target.endswith(".jsonl")
        )
        if not self._lean:
            return write_events(events, header, path, compressed=not plain, pack_chunks=self._pack)
        compression = "none" if plain else "zstd"
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "session.jsonl.zstd"
            rows = write_events(events, header, log, compressed=True, pack_chunks=True)
            convert_log(log, path, compression=compression, archive=True)
        return rows


def _note(source: str, diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        _say(note_line(source, diagnostic))


def _say(text: str) -> None:
    click.echo(one_line(text), err=True)
