"""`histbench transcript FILE`: one page of a conversation, its turns, or what a search finds."""

from pathlib import Path
from typing import Any

import click
import msgspec

from histbench.cli.commands import one_line
from histbench.cli.progress import reporting
from histbench.errors import StorageError, UsageError
from histbench.jsontext import encode
from histbench.transcript.replay import replay_updates
from histbench.transcript.select import DEFAULT_LIMIT, MAX_LIMIT
from histbench.transcript_file import CursorKeys, TranscriptPage, TranscriptReader

__all__ = ["transcript"]

KEYS_SUFFIX = ".cursor-keys"
_SHOWN_ODDITIES = 10
# Bytes, or events, whose index takes long enough to be told about.
_LONG = 2_000_000


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--before", metavar="ID", help="End just before this record.")
@click.option("--after", metavar="ID", help="Begin just after this record.")
@click.option("--at", metavar="ID", help="Show this turn, one of `--turns`.")
@click.option("--cursor", metavar="C", help="Go on from the page that had this `nextCursor`.")
@click.option("--forward", is_flag=True, help="Begin at the first record.  [default: the newest]")
@click.option(
    "--limit",
    type=int,
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help=f"Aim at so many records, 1 to {MAX_LIMIT}.",
)
@click.option("--updates", is_flag=True, help="Print session updates of the Agent Client Protocol.")
@click.option("--turns", is_flag=True, help="Print the newest turns instead of a page.")
@click.option("--search", metavar="TEXT", help="Print the newest records that show TEXT.")
@click.option(
    "--keys",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of keys that cursors are signed with.  [default: beside FILE]",
)
def transcript(
    file: Path,
    *,
    before: str | None,
    after: str | None,
    at: str | None,
    cursor: str | None,
    forward: bool,
    limit: int,
    updates: bool,
    turns: bool,
    search: str | None,
    keys: Path | None,
) -> None:
    """Print one page of the conversation in FILE as JSON.

    FILE holds conversation records, one a line, or is a session log.  Without anything else this
    is the newest page; the page before it has `--before` = its first record's id, or `--cursor` =
    its nextCursor, which shows the conversation as it was even if it goes on meanwhile.

    An index is kept beside FILE, so that only the first page takes as long as FILE is large.
    """
    places = [before, after, at, cursor]
    if (turns or search is not None) and (at or after or cursor or forward or updates):
        raise UsageError("turns and search take --limit, and a search takes --before")
    if turns and (search is not None or before):
        raise UsageError("turns take --limit only")
    with (
        reporting() as report,
        TranscriptReader(
            file,
            key=_keys(keys, file),
            progress=lambda done, total: (
                report(done, total, f"indexing {file.name}") if total > _LONG else None
            ),
        ) as reader,
    ):
        value: Any
        if turns:
            value = msgspec.to_builtins(reader.turns(limit=limit))
        elif search is not None:
            value = msgspec.to_builtins(reader.search(search, limit, before))
        else:
            page = reader.page(
                limit,
                "forward" if forward else None if any(places) else "backward",
                before,
                after,
                at_record_id=at,
                cursor=cursor,
            )
            value = _page_value(page, updates=updates)
        for oddity in reader.diagnostics[:_SHOWN_ODDITIES]:
            place = f"{file}, at {oddity.first}"
            click.echo(one_line(f"note: {place}: {oddity.message} [{oddity.code}]"), err=True)
    click.echo(encode(value))


def _keys(given: Path | None, file: Path) -> tuple[bytes, ...] | None:
    """The keys, made beside the transcript; where that cannot be, a page goes without."""
    if given is not None:
        return CursorKeys(given).load()
    if not file.is_file():
        # Nothing is made for a name that was mistyped: the reader will say so.
        return None
    try:
        return CursorKeys(file.with_name(file.name + KEYS_SUFFIX)).load()
    except StorageError as error:
        click.echo(one_line(f"note: {error}; use --before instead of --cursor"), err=True)
        return None


def _page_value(page: TranscriptPage, *, updates: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"sessionId": page.session_id}
    if updates:
        gap = () if page.gap is None else (page.gap.child_id,)
        replayed = replay_updates(page.records, finalize=not page.has_more, gap_children=gap)
        shown["updates"] = replayed.updates
        shown |= {"partial": True, "replayError": replayed.error} if replayed.partial else {}
    else:
        shown["records"] = [record.value for record in page.records]
    if page.gap is not None:
        shown["gap"] = {
            "childId": page.gap.child_id,
            "missingParentId": page.gap.missing_parent_id,
        }
    optional = {"targetRecordId": page.target_record_id, "hasOlder": page.has_older}
    return {
        **shown,
        **{name: value for name, value in optional.items() if value is not None},
        "nextCursor": page.next_cursor,
        "hasMore": page.has_more,
        "startTime": page.start_time,
        "lastUpdated": page.last_updated,
    }
