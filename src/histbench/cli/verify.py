"""`histbench verify FILE...`: read everything, say what is wrong first."""

import click
import msgspec

from histbench.cli.commands import EXIT_FAILED, one_line
from histbench.cli.sources import fault_line, log_path, note_line, source_of
from histbench.errors import HistbenchError
from histbench.jsontext import encode
from histbench.store import Verdict, verify_log

__all__ = ["verify"]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--canonical",
    is_flag=True,
    help="Check as a fixture: packing the events must give the file's own bytes back.",
)
@click.option("--strict", is_flag=True, help="Refuse everything that no store would write.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file.")
@click.pass_context
def verify(
    context: click.Context, files: tuple[str, ...], *, canonical: bool, strict: bool, as_json: bool
) -> None:
    """Read every FILE to its end; `-` is standard input.

    Exits with 1 when a file has a fault, after the line or byte, and the seq, of its first one.
    """
    faulty = 0
    for name in files:
        try:
            with log_path(name) as path:
                verdict = verify_log(source_of(path), strict=strict, canonical=canonical)
        except HistbenchError as error:
            faulty += 1
            error.at(file=name)
            if as_json:
                click.echo(encode(_plain_fault(name, error)))
            click.echo(one_line(fault_line(error)), err=True)
            continue
        if as_json:
            click.echo(encode({"file": name, "ok": True, **_plain(verdict)}))
        else:
            click.echo(one_line(f"{name}: ok, {_summary(verdict)}"))
        for diagnostic in verdict.diagnostics:
            click.echo(one_line(note_line(name, diagnostic)), err=True)
    if faulty:
        context.exit(EXIT_FAILED)


def _summary(verdict: Verdict) -> str:
    frames = f" in {verdict.frames:,} frames" if verdict.frames else ""
    return f"{verdict.events:,} events in {verdict.records:,} records{frames}"


def _plain(verdict: Verdict) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(verdict)
    return plain


def _plain_fault(name: str, error: HistbenchError) -> dict[str, object]:
    where = error.where
    return {
        "file": name,
        "ok": False,
        "code": error.code,
        "message": error.message,
        "line": where.line,
        "byte": where.byte,
        "seq": where.seq,
    }
