"""`histbench profiles`: the synthetic profiles and what they are made to show."""

import click

from histbench.cli.generated import list_profiles
from histbench.cli.tables import Table, print_table

__all__ = ["profiles"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def profiles(*, as_json: bool) -> None:
    """List the synthetic profiles that `histbench run --profile` takes."""
    text, summaries = list_profiles()
    if as_json:
        click.echo(text)
        return
    rows = list(summaries.items())
    print_table(Table(title="Profiles", headers=("name", "what it is"), rows=rows, labels=2))
