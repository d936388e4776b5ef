"""`histbench inspect FILE`: what is in a log, and in what shape.

A recording in another format is inspected as the session log that importing it gives.
"""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec

from histbench.cli.commands import one_line
from histbench.cli.sources import log_path, note_line, source_of
from histbench.cli.tables import Table, print_table
from histbench.errors import HistbenchError, short
from histbench.history import FORMS, encode_page, whole_page
from histbench.importers import convert_recording, import_events
from histbench.jsontext import encode
from histbench.log import Diagnostic
from histbench.store import Inspection, inspect_log, read_log

__all__ = ["inspect"]

# Sizes per form need the log in memory and one encoding of each form: seconds past this.
_SIZED_EVENTS = 1_000_000


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--no-sizes", is_flag=True, help="Leave out the size of each form.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def inspect(file: str, *, no_sizes: bool, as_json: bool) -> None:
    """Count what FILE holds; it is never changed. `-` is standard input.

    FILE is a session log, a recording in one of `histbench formats`, or a Parquet table that
    `histbench convert` wrote.
    """
    with ExitStack() as stack:
        path = stack.enter_context(log_path(file))
        imported = stack.enter_context(import_events(source_of(path)))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        format_name = imported.format.name
        diagnostics: tuple[Diagnostic, ...] = ()
        log = imported.for_store()
        if imported.format.family is not None:
            log = Path(folder) / "session.jsonl.zstd"
            convert_recording(imported, log)
            diagnostics = imported.diagnostics
        inspection = inspect_log(log)
        if path != file:
            format_name = "parquet"
            inspection = msgspec.structs.replace(inspection, file_bytes=Path(file).stat().st_size)
        # Standard input can be read once only.
        wanted = not no_sizes and inspection.events <= _SIZED_EVENTS
        sizes = _form_sizes(log) if wanted and isinstance(log, Path) else {}
    if as_json:
        click.echo(encode(_plain(file, format_name, inspection, sizes)))
    else:
        _print(file, format_name, inspection, sizes)
    for diagnostic in (*diagnostics, *inspection.diagnostics):
        click.echo(one_line(note_line(file, diagnostic)), err=True)


def _form_sizes(path: Path) -> dict[str, int]:
    log = read_log(path)
    if not log.dense:
        log = log.renumbered()
    try:
        page = whole_page(log)
    except HistbenchError:
        # No interval of seqs covers it.
        return {}
    return {name: len(encode_page(page, name)) for name in FORMS}


def _print(file: str, format_name: str, found: Inspection, sizes: dict[str, int]) -> None:
    imported = "" if format_name == "dsh" else f"{format_name}, as a "
    click.echo(one_line(f"{file}: {imported}{_shape(found)}"))
    header = "  ".join(f"{key} {short(value)}" for key, value in found.header.items())
    click.echo(one_line(f"header: {header}"))
    click.echo("")
    seqs = "none" if found.from_seq is None else f"{found.from_seq} to {(found.to_seq or 0) - 1}"
    rows = [
        ("file bytes", f"{found.file_bytes:,}"),
        ("bytes of lines", f"{found.content_bytes:,}"),
        ("zstd frames", f"{found.frames:,}"),
        ("events", f"{found.events:,}"),
        ("records", f"{found.records:,}"),
        ("messages", f"{found.messages:,}"),
        ("seqs", seqs),
        ("longest run", f"{found.longest_run:,}"),
        ("closers due", f"{len(found.closers):,}"),
    ]
    print_table(Table(title="Log", headers=("", ""), rows=rows))
    for title, name, counts in (
        ("Events by type", "type", found.types),
        ("Deltas by kind", "kind", found.chunk_kinds),
        ("Stored rows and single deltas by run length", "members", found.runs),
        ("Bytes of the whole log as a page", "form", sizes),
    ):
        if counts:
            cells = [(one_line(key), f"{count:,}") for key, count in counts.items()]
            print_table(Table(title=title, headers=(name, "count"), rows=cells))


def _shape(found: Inspection) -> str:
    layout = f"{found.frames} zstd frames" if found.compressed else "plain lines"
    packed = sum(found.rows.values())
    kind = "session log" if found.archive_form is None else f"{found.archive_form} archive"
    return f"{kind}, {layout}, {packed} packed rows"


def _plain(file: str, format_name: str, found: Inspection, sizes: dict[str, int]) -> dict[str, Any]:
    counts = msgspec.to_builtins(found)
    return {"file": file, "format": format_name, **counts, "form_bytes": sizes}
