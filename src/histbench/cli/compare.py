"""`histbench compare A B`: two results files side by side, as a table or as a gate."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from histbench.cli.commands import EXIT_FAILED, one_line
from histbench.cli.run_tables import as_text
from histbench.cli.tables import print_table
from histbench.report.cells import Table
from histbench.report.comparing import (
    breach_sentence,
    change_tables,
    difference_tables,
    limits_table,
)
from histbench.report.markdown import render_tables
from histbench.results import (
    Breach,
    Change,
    Comparison,
    Limit,
    compare_results,
    find_breaches,
    load_results,
    parse_limit,
)

__all__ = ["compare"]


class _Compared(msgspec.Struct, frozen=True):
    """Everything that an edition shows."""

    names: tuple[str, str]
    comparison: Comparison
    limits: Sequence[Limit]
    breaches: Sequence[Breach]

    def tables(self, *, every: bool) -> list[Table]:
        """What differs around the numbers, the numbers, the limits."""
        shown = [*difference_tables(self.comparison), *change_tables(self.comparison, every=every)]
        if self.limits:
            shown.append(limits_table(self.comparison, self.limits, self.breaches))
        return shown


@click.command()
@click.argument("before", metavar="A.json")
@click.argument("after", metavar="B.json")
@click.option(
    "--fail-on",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="Exit with 1 if a figure grew past a limit, e.g. 'bytes>1%' or 'bytes[packed,identity]>0%'."
    "  May be given several times.",
)
@click.option("--mixed", is_flag=True, help="Hold limits across different inputs and environments.")
@click.option("--all", "every", is_flag=True, help="Show what did not change as well.")
@click.option(
    "--format",
    "edition",
    type=click.Choice(["text", "md", "json"]),
    default="text",
    show_default=True,
    help="Tables for a terminal, Markdown for a pull request, or JSON.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_context
def compare(
    context: click.Context,
    before: str,
    after: str,
    limits: tuple[str, ...],
    *,
    mixed: bool,
    every: bool,
    edition: str,
    as_json: bool,
) -> None:
    """Compare two results files, differences of environment first.

    A limit is METRIC>N% with METRIC one of bytes, count, seconds and peak_bytes; words in brackets
    narrow it to the series that have each of them as input, form, encoding or stage.
    """
    stated = [parse_limit(text) for text in limits]
    comparison = compare_results(load_results(before), load_results(after))
    compared = _Compared(
        names=(Path(before).name, Path(after).name),
        comparison=comparison,
        limits=stated,
        breaches=find_breaches(comparison, stated, mixed=mixed),
    )
    _EDITIONS["json" if as_json else edition](compared, every=every)
    for breach in compared.breaches:
        click.echo(one_line(f"limit {breach_sentence(breach)}"), err=True)
    if compared.breaches:
        context.exit(EXIT_FAILED)


def _print_text(compared: _Compared, *, every: bool) -> None:
    for table in compared.tables(every=every):
        shown = as_text(table, title=table.title)
        # Standard error tells them.
        print_table(msgspec.structs.replace(shown, notes=()) if table.title == "Limits" else shown)


def _print_markdown(compared: _Compared, *, every: bool) -> None:
    before, after = compared.names
    tables = compared.tables(every=every)
    # A reader of a pull request wants the verdict first.
    verdict = [tables.pop()] if compared.limits else []
    title = f"Compared: A is {before}, B is {after}"
    click.echo(render_tables(title, [*verdict, *tables]), nl=False)


def _print_json(compared: _Compared, *, every: bool) -> None:  # noqa: ARG001  (has all anyway)
    comparison = compared.comparison
    told = {
        "environment": comparison.environment,
        "settings": comparison.settings,
        "inputs": comparison.inputs,
        "changes": [_plain(change) for change in comparison.changes],
        "limits": [limit.text for limit in compared.limits],
        "breaches": [
            {"limit": breach.limit.text, **_plain(breach.change)} for breach in compared.breaches
        ],
    }
    click.echo(msgspec.json.encode(told))


def _plain(change: Change) -> dict[str, object]:
    # JSON has no infinity: growth from nothing has no fraction either.
    fraction = change.fraction
    return {
        **change.key._asdict(),
        "unit": change.unit,
        "before": change.before and change.before._asdict(),
        "after": change.after and change.after._asdict(),
        "change": None if fraction is None or fraction == float("inf") else fraction,
        "within_spread": change.within_spread,
    }


_EDITIONS: Mapping[str, Callable[..., None]] = {
    "text": _print_text,
    "md": _print_markdown,
    "json": _print_json,
}
