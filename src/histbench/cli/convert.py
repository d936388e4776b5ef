"""`histbench convert IN OUT`: pack, unpack, compress, re-frame; proved before anything is replaced."""

import shutil
import sys
import tempfile
from pathlib import Path

import click

from histbench.cli.commands import one_line
from histbench.cli.sources import STANDARD_STREAM, note_line, source_of
from histbench.store.converting import Conversion, convert_log

__all__ = ["convert"]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--no-pack", is_flag=True, help="Write one event a line.")
@click.option(
    "--compression",
    type=click.Choice(["zstd", "none"]),
    help="Default: what OUT's suffix says, else as IN.",
)
def convert(source: str, target: str, *, no_pack: bool, compression: str | None) -> None:
    """Write the log IN anew as OUT; `-` is standard input or output.

    The new file is read back and compared, event by event, before it takes the place of OUT.  IN
    and OUT may be the same file.
    """
    pack_chunks = not no_pack
    if target == STANDARD_STREAM:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            done = convert_log(
                source_of(source), path, compression=compression, pack_chunks=pack_chunks
            )
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
    else:
        done = convert_log(
            source_of(source), target, compression=compression, pack_chunks=pack_chunks
        )
    _tell(source, target, done)


def _tell(source: str, target: str, done: Conversion) -> None:
    for diagnostic in done.log.diagnostics:
        click.echo(one_line(note_line(source, diagnostic)), err=True)
    sizes = f"{done.from_bytes:,} to {done.to_bytes:,} bytes"
    click.echo(one_line(f"{target}: {len(done.log):,} events, {sizes}"), err=True)
