"""`histbench convert IN OUT`: import, pack, unpack, compress; proved before anything is replaced.

A session log goes through the store, which keeps the text of its ordinary events; any other
recording through its importer, which writes while it reads.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from histbench.cli.commands import one_line
from histbench.cli.sources import STANDARD_STREAM, note_line, source_of
from histbench.importers import Import, convert_recording, import_events
from histbench.log import Diagnostic
from histbench.store import convert_log

__all__ = ["convert"]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from", "format_name", metavar="FORMAT", help="What IN is.  [default: its content says]"
)
@click.option("--no-pack", is_flag=True, help="Write one event a line.")
@click.option(
    "--compression",
    type=click.Choice(["zstd", "none"]),
    help="Default: what OUT's suffix says, else as IN, or zstd for a recording.",
)
def convert(
    source: str, target: str, *, format_name: str | None, no_pack: bool, compression: str | None
) -> None:
    """Write IN as the session log OUT; `-` is standard input or output.

    IN is a session log, or a recording in one of `histbench formats`.

    The new file is read back and compared, event by event, before it takes the place of OUT.  IN
    and OUT may be the same file.
    """
    with import_events(source_of(source), format_name) as imported:
        if target != STANDARD_STREAM:
            _convert(source, imported, target, target, pack=not no_pack, compression=compression)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            _convert(source, imported, path, target, pack=not no_pack, compression=compression)
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)


def _convert(
    source: str,
    imported: Import,
    path: str | Path,
    target: str,
    *,
    pack: bool,
    compression: str | None,
) -> None:
    """Write `path`, and tell about it as `target`."""
    if imported.format.family is None:
        done = convert_log(imported.for_store(), path, compression=compression, pack_chunks=pack)
        _note(source, done.log.diagnostics)
        sizes = f"{done.from_bytes:,} to {done.to_bytes:,} bytes"
        _say(f"{target}: {len(done.log):,} events, {sizes}")
        return
    written = convert_recording(imported, path, compression=compression, pack_chunks=pack)
    _note(source, imported.diagnostics)
    counts = (
        f"{imported.events:,} events, {imported.deltas:,} deltas in {written.rows:,} packed runs, "
        f"{imported.clock} clock"
    )
    sizes = f"{imported.file_bytes:,} to {written.to_bytes:,} bytes"
    _say(f"{target}: {imported.format.name}: {counts}, {sizes}")


def _note(source: str, diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        _say(note_line(source, diagnostic))


def _say(text: str) -> None:
    click.echo(one_line(text), err=True)
