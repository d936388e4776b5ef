"""`histbench corpus PATHS...`: the sizes and the shape of many logs, on Dask."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from histbench.cli.commands import one_line
from histbench.cli.tables import Table, print_table
from histbench.corpus import (
    DEFAULT_ENCODINGS,
    DEFAULT_FORMS,
    CorpusResults,
    Standing,
    Summary,
    measure_corpus,
)
from histbench.errors import Place, StorageError
from histbench.jsontext import encode
from histbench.results.numbers import bytes_text

__all__ = ["corpus"]

# Not every log that loses: the table has them all.
_LISTED = 20


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", default="corpus.parquet", show_default=True, metavar="FILE")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, as tcp://host:8786.")
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    metavar="N",
    help="Local processes; 0 measures in this one.  [default: one a core]",
)
@click.option("--memory-limit", metavar="SIZE", help="Of each local process, as 2GiB.")
@click.option("--forms", default=",".join(DEFAULT_FORMS), show_default=True, metavar="A,B")
@click.option("--encodings", default=",".join(DEFAULT_ENCODINGS), show_default=True, metavar="A,B")
@click.option(
    "--resume/--fresh",
    default=True,
    help="Go on from the journal, or start anew.  [default: resume]",
)
@click.option("--timings", is_flag=True, help="Take seconds too: one task a process only.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def corpus(
    paths: tuple[str, ...],
    *,
    output: str,
    scheduler: str | None,
    workers: int | None,
    memory_limit: str | None,
    forms: str,
    encodings: str,
    resume: bool,
    timings: bool,
    as_json: bool,
) -> None:
    """Measure many logs, one row each, and write them as Parquet (the extra `corpus`).

    PATH is a file, a glob, a folder or an fsspec URL.  A log that cannot be measured is a row with
    its error.  Interrupted, the same command goes on where it stopped.
    """
    if not Path(output).parent.is_dir():
        raise StorageError("no such directory", where=Place(file=str(Path(output).parent)))
    last: list[Standing] = []
    with _progress() as report, _told_where_to_go_on(output, last):

        def note(standing: Standing) -> None:
            last[:] = [standing]
            report(standing)

        results = measure_corpus(
            paths,
            output=output,
            scheduler=scheduler,
            workers=workers,
            memory_limit=memory_limit,
            forms=_names(forms),
            encodings=_names(encodings),
            timings=timings,
            fresh=not resume,
            progress=note,
        )
    summary = results.summary()
    if as_json:
        click.echo(encode(msgspec.to_builtins(summary)))
    else:
        _print(summary, results)
    for kind, count in summary.secrets.items():
        holders = [row for row in results.rows if kind in row.secrets]
        first = f"{holders[0].path}, seq {holders[0].secret_seqs[kind]}"
        said = f"what looks like: {kind}; {count:,} in all, the first in {first}"
        click.echo(one_line(f"warning: {said} [secret_found]"), err=True)
    click.echo(one_line(f"{output}: {summary.logs:,} rows"), err=True)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _told_where_to_go_on(output: str, last: list[Standing]) -> Iterator[None]:
    """Says, when a run is cut short, what is kept of it."""
    try:
        yield
    except BaseException:
        for standing in last:
            done = f"{standing.logs:,} of {standing.all_logs:,} logs are kept"
            said = f"{done} in {output}.journal; the same command goes on from there"
            click.echo(one_line(said), err=True)
        raise


@contextmanager
def _progress() -> Iterator[Callable[[Standing], None]]:
    """What takes the standing of a run, and shows it on standard error."""
    console = Console(stderr=True)
    started = time.monotonic()
    told = {"tenth": -1, "link": False}

    def tell_link(standing: Standing, say: Callable[[str], None]) -> None:
        # Dask's pages need bokeh.
        if standing.dashboard and not told["link"] and find_spec("bokeh"):
            told["link"] = True
            say(f"dashboard: {standing.dashboard}")

    def label(standing: Standing) -> str:
        seconds = max(time.monotonic() - started, 1e-3)
        done = standing.logs - standing.kept
        parts = [f"{standing.logs:,}/{standing.all_logs:,} logs", f"{done / seconds:,.1f} logs/s"]
        parts.append(f"{standing.bytes / seconds / 1e6:,.1f} MB/s")
        if standing.kept:
            parts.append(f"{standing.kept:,} kept")
        if standing.failed:
            parts.append(f"{standing.failed:,} failed")
        return ", ".join(parts)

    if not console.is_terminal:

        def report_line(standing: Standing) -> None:
            tell_link(standing, lambda text: click.echo(text, err=True))
            tenth = standing.logs * 10 // max(standing.all_logs, 1)
            if tenth > told["tenth"]:
                told["tenth"] = tenth
                click.echo(label(standing), err=True)

        yield report_line
        return
    columns = (
        TaskProgressColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def report_bar(standing: Standing) -> None:
            tell_link(standing, lambda text: bar.console.print(text, markup=False))
            bar.update(
                task,
                completed=standing.logs,
                total=standing.all_logs,
                description=label(standing),
            )

        yield report_bar


def _print(summary: Summary, results: CorpusResults) -> None:
    rows = [
        ("logs", f"{summary.logs:,}"),
        ("measured", f"{summary.measured:,}"),
        ("file bytes", bytes_text(summary.bytes)),
        ("events", f"{summary.events:,}"),
        ("deltas", f"{summary.deltas:,}"),
    ]
    print_table(Table(title="Corpus", headers=("", ""), rows=rows))
    encodings = list(next(iter(summary.totals.values()), {}))
    if summary.measured and encodings:
        totals = [
            (form, *(bytes_text(sizes[encoding]) for encoding in encodings))
            for form, sizes in summary.totals.items()
        ]
        print_table(Table(title="Page bytes in all", headers=("form", *encodings), rows=totals))
    if summary.spreads:
        spreads = [
            (name, *(_figure(each) for each in msgspec.structs.astuple(spread)[1:]))
            for name, spread in summary.spreads.items()
        ]
        headers = ("", "smallest", "p10", "median", "p90", "largest")
        note = "ratio: bytes of the packed page to those of the raw one"
        print_table(Table(title="Over the logs", headers=headers, rows=spreads, notes=(note,)))
    if summary.not_paying:
        by_path = {row.path: row for row in results.rows}
        losing = [
            (one_line(path), _figure(by_path[path].ratio() or 0), str(by_path[path].run_p50 or "-"))
            for path in summary.not_paying[:_LISTED]
        ]
        more = len(summary.not_paying) - len(losing)
        notes = (f"and {more:,} more",) if more else ()
        title = f"Packing does not pay: {len(summary.not_paying):,} logs"
        print_table(
            Table(title=title, headers=("log", "ratio", "run p50"), rows=losing, notes=notes)
        )
    if summary.failures:
        failures = [(code, f"{count:,}") for code, count in summary.failures.items()]
        print_table(Table(title="Not measured", headers=("error", "logs"), rows=failures))


def _figure(value: float) -> str:
    return f"{value:,.3f}" if value < 10 and value != int(value) else f"{value:,.0f}"
