"""`histbench formats`: the recordings that can be imported, and what is kept of each."""

import click

from histbench.cli.tables import Table, print_table
from histbench.importers import FORMATS
from histbench.jsontext import encode

__all__ = ["formats"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def formats(*, as_json: bool) -> None:
    """List the formats that `histbench run` and `histbench convert` read."""
    if as_json:
        fields = ("title", "deltas", "clock", "keeps")
        rows_by_name = {
            name: {field: getattr(each, field) for field in fields}
            for name, each in FORMATS.items()
        }
        click.echo(encode(rows_by_name))
        return
    rows = [
        (each.name, "yes" if each.deltas else "no", each.clock, each.title, each.keeps)
        for each in FORMATS.values()
    ]
    headers = ("format", "deltas", "clock", "what it is", "what is kept")
    print_table(Table(title="Formats", headers=headers, rows=rows, labels=len(headers)))
