"""`histbench fixtures check|migrate [ROOT]`: fixtures of a git repository in canonical form."""

from collections import Counter

import click

from histbench.cli.commands import EXIT_FAILED, one_line
from histbench.cli.sources import fault_line
from histbench.jsontext import encode
from histbench.store.fixture_repository import FixtureReport, check_fixtures, migrate_fixtures

__all__ = ["fixtures"]

_ROOT = click.argument("root", default=".", metavar="[ROOT]")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a fixture.")


@click.group()
def fixtures() -> None:
    """Session logs kept as test fixtures: one canonical form, stamped or projected.

    Every tracked or new *.jsonl file under ROOT whose first line is a session header is one.
    """


@fixtures.command()
@_ROOT
@_JSON
@click.pass_context
def check(context: click.Context, root: str, *, as_json: bool) -> None:
    """Exit with 1 unless every fixture is canonical."""
    reports = check_fixtures(root)
    _print(reports, as_json=as_json)
    wrong = sum(1 for report in reports if not report.canonical)
    if wrong:
        click.echo(f"{wrong} of {len(reports)} fixtures are not canonical", err=True)
        if all(report.error is None for report in reports):
            click.echo("`histbench fixtures migrate` rewrites them", err=True)
        context.exit(EXIT_FAILED)
    forms = Counter(report.fixture.form for report in reports if report.fixture is not None)
    named = ", ".join(f"{count} {form}" for form, count in sorted(forms.items()))
    click.echo(
        f"{len(reports)} fixtures, all canonical" + (f": {named}" if named else ""), err=True
    )


@fixtures.command()
@_ROOT
@click.option("--dry-run", is_flag=True, help="Only say what would be rewritten.")
@_JSON
@click.pass_context
def migrate(context: click.Context, root: str, *, dry_run: bool, as_json: bool) -> None:
    """Rewrite every fixture that is not canonical.

    The events stay what they are, which is proved for all files before the first is written; when
    one of them is faulty, none is.
    """
    reports, changed = migrate_fixtures(root, dry_run=dry_run)
    _print(reports, as_json=as_json)
    faulty = sum(1 for report in reports if report.error is not None)
    if faulty:
        click.echo(f"{faulty} fixtures are faulty; nothing was rewritten", err=True)
        context.exit(EXIT_FAILED)
    due = sum(1 for report in reports if not report.canonical)
    if dry_run:
        click.echo(f"{due} of {len(reports)} fixtures would be rewritten", err=True)
    else:
        click.echo(f"{len(changed)} of {len(reports)} fixtures rewritten", err=True)


def _print(reports: list[FixtureReport], *, as_json: bool) -> None:
    for report in reports:
        if as_json:
            click.echo(encode(_plain(report)))
        elif report.error is not None:
            click.echo(one_line(fault_line(report.error)), err=True)
        elif not report.canonical and report.fixture is not None:
            form = report.fixture.form
            click.echo(
                one_line(f"{report.path}: not canonical ({form}) from line {report.line} on")
            )


def _plain(report: FixtureReport) -> dict[str, object]:
    error, fixture = report.error, report.fixture
    return {
        "file": str(report.path),
        "canonical": report.canonical,
        "form": None if fixture is None else fixture.form,
        "events": None if fixture is None else fixture.events,
        "line": report.line if error is None else error.where.line,
        "code": None if error is None else error.code,
        "message": None if error is None else str(error),
    }
