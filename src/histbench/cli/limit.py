"""`histbench limit FILE`: what a log needs at best, and how far each form is from it."""

import click
import msgspec

from histbench.cli.commands import one_line
from histbench.cli.progress import reporting
from histbench.cli.sources import note_line
from histbench.cli.spooling import spooled
from histbench.cli.tables import NO_VALUE, Table, print_table
from histbench.jsontext import encode
from histbench.measure.limit import LimitEstimate, StreamSize, estimate_limit
from histbench.measure.stored import stored_input
from histbench.store import read_log

__all__ = ["limit"]


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--from", "format_name", metavar="FORMAT", help="What FILE is.  [default: its content says]"
)
@click.option("--full", is_flag=True, help="Also what takes minutes: br-11 on more than 16 MB.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def limit(file: str, *, format_name: str | None, full: bool, as_json: bool) -> None:
    """Estimate the bytes that FILE's log needs at best; `-` is standard input.

    FILE is a session log, a recording in one of `histbench formats`, or a Parquet table that
    `histbench convert` wrote.  Its texts, their
    boundaries, its times and the rest are compressed apart from each other.
    """
    with (
        spooled(file, format_name) as spool,
        stored_input(spool.stored, format_name, table=spool.log is not None) as stored,
    ):
        log = read_log(stored.path).renumbered()
        with reporting() as progress:
            found = estimate_limit(log, full=full, progress=progress)
        noted = (*stored.diagnostics, *log.diagnostics)
    if as_json:
        click.echo(encode({"file": file, "format": stored.format, **msgspec.to_builtins(found)}))
    else:
        _print(file, found)
    for diagnostic in noted:
        click.echo(one_line(note_line(file, diagnostic)), err=True)


def _print(file: str, found: LimitEstimate) -> None:
    counts = f"{found.events:,} events, {found.deltas:,} deltas in {found.runs:,} runs"
    print_table(
        Table(
            title=one_line(f"{file}: at best {found.limit_bytes:,} bytes ({counts})"),
            headers=("part", "taken from", "bytes", "of all", "bits/delta"),
            rows=[
                (
                    part.name,
                    part.by,
                    f"{part.bytes:,}",
                    _percent(part.bytes, found.limit_bytes),
                    f"{8 * part.bytes / found.deltas:.2f}" if found.deltas else NO_VALUE,
                )
                for part in found.parts
            ],
            labels=2,
            notes=[
                "boundaries told by marks in the text: {marks:,}; by a column of lengths: "
                "{lengths:,}".format(**found.boundary_bytes),
                f"method: {found.method}",
            ],
        )
    )
    print_table(
        Table(
            title="Streams, in bytes",
            headers=("stream", "plain", *found.streams[0].compressed, "order 0", "order 1"),
            rows=[
                (
                    stream.name,
                    f"{stream.plain:,}",
                    *map(_size, stream.compressed.values()),
                    *_entropy(stream),
                )
                for stream in found.streams
            ],
        )
    )
    if not found.forms:
        click.echo("Forms of so long a log are sized with --full.")
        return
    print_table(
        Table(
            title="Forms, in bytes and in times of the limit",
            headers=(
                "form",
                *(cell for name in found.forms[0].bytes for cell in (name, "times")),
            ),
            rows=[
                (
                    form.form,
                    *(
                        cell
                        for size in form.bytes.values()
                        for cell in (_size(size), _times(size, found.limit_bytes))
                    ),
                )
                for form in found.forms
            ],
        )
    )


def _size(size: int | None) -> str:
    return NO_VALUE if size is None else f"{size:,}"


def _entropy(stream: StreamSize) -> tuple[str, str]:
    if stream.entropy is None:
        return NO_VALUE, NO_VALUE
    return _size(stream.entropy.order_0), _size(stream.entropy.order_1)


def _times(size: int | None, least: int) -> str:
    return NO_VALUE if size is None or not least else f"{size / least:.2f}"


def _percent(size: int, whole: int) -> str:
    return f"{100 * size / whole:.1f} %" if whole else NO_VALUE
