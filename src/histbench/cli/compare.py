"""`histbench compare A B`: two results files side by side."""

import click
import msgspec

from histbench.cli.commands import EXIT_FAILED
from histbench.cli.tables import NO_VALUE, Table, print_table
from histbench.results import (
    Breach,
    Change,
    Comparison,
    Difference,
    Summary,
    compare_results,
    find_breaches,
    load_results,
    parse_limit,
)
from histbench.results.numbers import bytes_text, change_text, milliseconds

__all__ = ["compare"]

_METRIC_TITLES = {
    "bytes": "Wire bytes",
    "count": "Counts",
    "seconds": "Milliseconds (median)",
    "peak_bytes": "Peak bytes (median)",
}


@click.command()
@click.argument("before", metavar="A.json")
@click.argument("after", metavar="B.json")
@click.option(
    "--fail-on",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="Exit with 1 if a figure grew past a limit, e.g. 'bytes>1%'. May be given several times.",
)
@click.option("--mixed", is_flag=True, help="Hold limits across different environments too.")
@click.option("--all", "every", is_flag=True, help="Show what did not change as well.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.pass_context
def compare(
    context: click.Context,
    before: str,
    after: str,
    limits: tuple[str, ...],
    *,
    mixed: bool,
    every: bool,
    as_json: bool,
) -> None:
    """Compare two results files, differences of environment first."""
    stated = [parse_limit(text) for text in limits]
    comparison = compare_results(load_results(before), load_results(after))
    breaches = find_breaches(comparison, stated, mixed=mixed)
    if as_json:
        click.echo(msgspec.json.encode(_plain(comparison, breaches)))
    else:
        _print(comparison, every=every)
    for breach in breaches:
        click.echo(_breach_line(breach), err=True)
    if breaches:
        context.exit(EXIT_FAILED)


def _print(comparison: Comparison, *, every: bool) -> None:
    for title, differences in (
        ("Environment", comparison.environment),
        ("Inputs (sha256)", comparison.inputs),
    ):
        if differences:
            rows = [_difference_row(difference) for difference in differences]
            print_table(Table(title=title, headers=("", "A", "B"), rows=rows, labels=3))
    for metric, title in _METRIC_TITLES.items():
        of_metric = [change for change in comparison.changes if change.key.metric == metric]
        changed = [_change_row(change) for change in of_metric if every or change.fraction != 0]
        same = len(of_metric) - len(changed)
        notes = [f"{same} more are the same in both"] if same else []
        if of_metric:
            headers = ("input", "stage", "form", "encoding", "A", "B", "change")
            print_table(Table(title=title, headers=headers, rows=changed, labels=4, notes=notes))


def _difference_row(difference: Difference) -> tuple[str, str, str]:
    return (
        difference.name,
        NO_VALUE if difference.before is None else str(difference.before),
        NO_VALUE if difference.after is None else str(difference.after),
    )


def _change_row(change: Change) -> tuple[str, ...]:
    key = change.key
    show = _show_seconds if key.metric == "seconds" else _show_whole
    return (
        key.input,
        key.stage,
        key.form or NO_VALUE,
        key.encoding or NO_VALUE,
        show(change.before),
        show(change.after),
        change_text(change.fraction),
    )


def _show_seconds(summary: Summary | None) -> str:
    return NO_VALUE if summary is None else milliseconds(summary.median)


def _show_whole(summary: Summary | None) -> str:
    return NO_VALUE if summary is None else bytes_text(summary.median)


def _breach_line(breach: Breach) -> str:
    change = breach.change
    name = " ".join(part for part in change.key[:4] if part)
    if change.after is None:
        return f"limit {breach.limit.text} passed: {name} is no longer measured"
    return f"limit {breach.limit.text} passed: {name} {change_text(change.fraction)}"


def _plain(comparison: Comparison, breaches: tuple[Breach, ...]) -> dict[str, object]:
    return {
        "environment": comparison.environment,
        "inputs": comparison.inputs,
        "changes": [_plain_change(change) for change in comparison.changes],
        "breaches": [
            {"limit": breach.limit.text, **_plain_change(breach.change)} for breach in breaches
        ],
    }


def _plain_change(change: Change) -> dict[str, object]:
    # JSON has no infinity: growth from nothing has no fraction either.
    fraction = change.fraction
    return {
        **change.key._asdict(),
        "unit": change.unit,
        "before": change.before and change.before._asdict(),
        "after": change.after and change.after._asdict(),
        "change": None if fraction is None or fraction == float("inf") else fraction,
    }
