"""`histbench dictionary train|inspect`: dictionaries for small pages, and what one saves."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from histbench.cli.commands import one_line
from histbench.cli.privacy import warn_of_secrets
from histbench.cli.sources import note_line
from histbench.cli.spooling import spooled
from histbench.cli.tables import Table, print_table
from histbench.dictionaries import (
    DEFAULT_DICTIONARY_BYTES,
    MAX_SAMPLES,
    Dictionary,
    dcz_encoding,
    read_dictionary,
    sample_pages,
    share_samples,
    train_dictionary,
    write_dictionary,
)
from histbench.dictionaries.samples import SAMPLE_FORMS
from histbench.encodings import find_encoding
from histbench.errors import UsageError
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.measure.stored import stored_input
from histbench.privacy import find_secrets
from histbench.store import list_sessions, read_log

__all__ = ["dictionary"]

_FORMAT = click.option(
    "--from", "format_name", metavar="FORMAT", help="What LOG is.  [default: its content says]"
)

# What a page has today, beside what it would have.
_WITHOUT = ("identity", "zstd-3", "br-5")


@click.group()
def dictionary() -> None:
    """Dictionaries, which make small pages smaller for readers that have them.

    A dictionary holds passages of the logs that it was trained on: guard it as you do them.
    """


@dictionary.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write.")
@click.option(
    "--size",
    type=int,
    default=DEFAULT_DICTIONARY_BYTES,
    show_default=True,
    metavar="BYTES",
    help="How large it may become.",
)
@_FORMAT
def train(logs: tuple[str, ...], *, output: str, size: int, format_name: str | None) -> None:
    """Train a dictionary on pages of LOGs, and write it to FILE.

    LOG is a session log, a recording in one of `histbench formats`, or a folder: then it is the root
    of a store, and all of its sessions are meant.  The same logs give the same dictionary.
    """
    files = [file for name in logs for file in _files(name)]
    taken, most = share_samples(len(files))
    samples: list[bytes] = []
    for number in taken:
        for log in _logs([files[number]], format_name):
            samples += sample_pages(log, most=most)
            warn_of_secrets(files[number], find_secrets(log.records()))
    made = train_dictionary(samples, size=size)
    write_dictionary(made, output)
    click.echo(made.name)
    click.echo(
        one_line(
            f"{output}: {len(made.content):,} bytes, trained on {len(samples):,} pages of "
            f"{len(taken):,} logs"
        ),
        err=True,
    )


@dictionary.command()
@click.argument("file", metavar="FILE")
@click.argument("logs", nargs=-1, metavar="[LOG]...")
@_FORMAT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def inspect(file: str, logs: tuple[str, ...], *, format_name: str | None, as_json: bool) -> None:
    """Tell the name of the dictionary in FILE, and what it saves on pages of LOGs.

    The pages are of 512 events, as those that dictionaries are trained on; with logs that this one
    was trained on, it saves more than it will on others.
    """
    found = read_dictionary(file)
    saved = _saved(found, [name for each in logs for name in _files(each)], format_name)
    told = {
        "file": file,
        "sha256": found.name,
        "bytes": len(found.content),
        "field": found.field,
        "saved": saved,
    }
    if as_json:
        click.echo(encode(told))
        return
    encodings = [*_WITHOUT, dcz_encoding(found).name]
    print_table(
        Table(
            title=one_line(f"{file}: {len(found.content):,} bytes, SHA-256 {found.name}"),
            headers=("form", "pages", *encodings),
            rows=[
                (form, f"{row['pages']:,}", *(f"{row[name]:,}" for name in encodings))
                for form, row in saved.items()
            ],
        )
    )


def _saved(
    found: Dictionary, files: Iterable[str], format_name: str | None
) -> dict[str, dict[str, int]]:
    """The bytes of all pages under each encoding, by form."""
    encodings = [*map(find_encoding, _WITHOUT), dcz_encoding(found)]
    rows: dict[str, dict[str, int]] = {}
    for log in _logs(files, format_name):
        for number, page in enumerate(sample_pages(log, most=MAX_SAMPLES)):
            row = rows.setdefault(
                SAMPLE_FORMS[number % len(SAMPLE_FORMS)],
                {"pages": 0, **{each.name: 0 for each in encodings}},
            )
            row["pages"] += 1
            for each in encodings:
                row[each.name] += len(each.encode(page))
    return rows


def _files(name: str) -> list[str]:
    """The logs that an argument means."""
    if not Path(name).is_dir():
        return [name]
    found = [str(entry.path) for entry in list_sessions(name).sessions]
    if not found:
        raise UsageError("the folder holds no sessions", code="no_input").at(file=name)
    return found


def _logs(files: Iterable[str], format_name: str | None) -> Iterator[EventLog]:
    for name in files:
        with (
            spooled(name, format_name) as spool,
            stored_input(spool.stored, format_name, table=spool.log is not None) as stored,
        ):
            log = read_log(stored.path)
            yield log.renumbered()
            for diagnostic in (*stored.diagnostics, *log.diagnostics):
                click.echo(one_line(note_line(name, diagnostic)), err=True)
