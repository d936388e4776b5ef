"""`histbench page FILE`: one history page of a log, as a client would get it."""

import click

from histbench.cli.commands import one_line
from histbench.cli.sources import STANDARD_STREAM, log_path, note_line, source_of
from histbench.errors import UsageError
from histbench.history import DEFAULT_MAX_MESSAGES, HistoryPage, encode_page, select_page
from histbench.store import open_log, read_log

__all__ = ["page"]


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--before-seq", type=int, metavar="N", help="End before this seq.  [default: the newest page]"
)
@click.option(
    "--max-messages",
    type=int,
    default=DEFAULT_MAX_MESSAGES,
    show_default=True,
    metavar="N",
    help="Begin at the N-th message from the end, with what it was made from.",
)
@click.option("--max-events", type=int, metavar="N", help="At most so many events.")
@click.option("--max-bytes", type=int, metavar="N", help="At most so many bytes, packed.")
@click.option("--form", default="packed", show_default=True, metavar="NAME", help="How to ship it.")
def page(
    file: str,
    *,
    before_seq: int | None,
    max_messages: int,
    max_events: int | None,
    max_bytes: int | None,
    form: str,
) -> None:
    """Print one page of FILE as JSON; `-` is standard input.

    A log is read through its page index, which is made beside it if it is missing; a Parquet table
    is read whole.
    The next older page has `--before-seq` = this page's fromSeq.
    """
    data = encode_page(
        _select(
            file,
            before_seq=before_seq,
            max_messages=max_messages,
            max_events=max_events,
            max_bytes=max_bytes,
        ),
        form,
    )
    if not data.startswith(b"{"):
        raise UsageError("the form is no JSON", code="unknown_form", found=form)
    click.echo(data)


def _select(file: str, *, max_messages: int, **limits: int | None) -> HistoryPage:
    if file == STANDARD_STREAM:
        log = read_log(source_of(file))
        for diagnostic in log.diagnostics:
            click.echo(one_line(note_line(file, diagnostic)), err=True)
        return select_page(log, max_messages=max_messages, **limits)
    with log_path(file) as path, open_log(path) as log_file:
        return log_file.page(max_messages=max_messages, **limits)
