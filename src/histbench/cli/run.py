"""`histbench run`: the transport benchmark on files and synthetic profiles."""

import os
from contextlib import ExitStack
from pathlib import Path

import click
import msgspec

from histbench.cli.generated import generated
from histbench.cli.privacy import redacted_source, redaction_key, warn_of_secrets_in
from histbench.cli.progress import reporting
from histbench.cli.run_tables import print_results
from histbench.cli.spooling import spooled
from histbench.dictionaries import dcz_encoding, read_dictionary
from histbench.errors import Place, StorageError, UsageError
from histbench.history import FORMS
from histbench.importers import find_format
from histbench.measure import Plan, Source, measure_shapes, run_sources
from histbench.measure.rivals import RIVALS
from histbench.results import render_results, save_results

__all__ = ["run"]

# What --quick leaves out takes most of the time.
_QUICK_PROFILE = "quick"
_QUICK_ENCODINGS = ("gzip-6", "br-5", "zstd-3")

_STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--profile", "profiles", multiple=True, metavar="NAME", help="A synthetic profile to measure."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of profiles."
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Timed runs of each arm.",
)
@click.option(
    "--warm-up",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Runs thrown away first.",
)
@click.option(
    "--forms",
    metavar="A,B",
    help=f"Only these forms; `all` adds the rivals {', '.join(RIVALS)}.  "
    f"[default: {','.join(FORMS)}]",
)
@click.option("--encodings", metavar="A,B", help="Only these encodings.  [default: all]")
@click.option(
    "--dictionary",
    metavar="FILE",
    help="Also dcz with this dictionary, which `histbench dictionary train` wrote.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="One run, fast encodings, no memory; a small profile if nothing is named.",
)
@click.option(
    "--full", is_flag=True, help="Slow encodings on large pages too; takes minutes for each."
)
@click.option(
    "--client",
    "clients",
    type=click.Choice(["python", "node", "chromium"]),
    multiple=True,
    help="A client to measure beside Python's: the web shell's modules in V8.",
)
@click.option("--no-memory", is_flag=True, help="Take no peaks of memory.")
@click.option(
    "--gc",
    "gc_policy",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Python's garbage collector while stages are timed.",
)
@click.option(
    "--from",
    "format_name",
    metavar="FORMAT",
    help="What the files are.  [default: their content says]",
)
@click.option("--torn", is_flag=True, help="Measure what is whole of a cut-off compressed file.")
@click.option("--redact", is_flag=True, help="Measure the files with their text replaced.")
@click.option(
    "--redact-key",
    metavar="FILE",
    help="The bytes to redact under.  [default: drawn, and forgotten]",
)
@click.option("--stats-only", is_flag=True, help="Sizes and counts; no seconds, memory or names.")
@click.option("--json", "as_json", is_flag=True, help="Print the results file instead of tables.")
@click.option("-o", "--output", metavar="FILE", help="Save the results file.")
def run(
    files: tuple[str, ...],
    *,
    profiles: tuple[str, ...],
    seed: int,
    runs: int,
    warm_up: int,
    forms: str | None,
    encodings: str | None,
    dictionary: str | None,
    gc_policy: str,
    output: str | None,
    quick: bool,
    full: bool,
    clients: tuple[str, ...],
    no_memory: bool,
    torn: bool,
    format_name: str | None,
    redact: bool,
    redact_key: str | None,
    stats_only: bool,
    as_json: bool,
) -> None:
    """Measure session files and synthetic profiles: wire sizes, timings, memory.

    FILE is a session log in any layout, a recording in one of `histbench formats`, a Parquet table
    that `histbench convert` wrote, or - for standard input.
    """
    if quick and not files and not profiles:
        profiles = (_QUICK_PROFILE,)
    if not files and not profiles:
        raise UsageError("nothing to measure", code="no_input", expected="a FILE or --profile NAME")
    if files.count(_STDIN) > 1:
        raise UsageError("standard input can be read only once", code="stdin_twice")
    plan = Plan.of_names(
        forms=_names(forms),
        encodings=_names(encodings) or (_QUICK_ENCODINGS if quick or stats_only else None),
        runs=1 if quick else runs,
        warm_up=warm_up,
        memory_samples=0 if quick or no_memory else 3,
        full=full,
        gc_enabled=gc_policy == "on",
        allow_torn=torn,
        clients=clients,
    )
    if dictionary is not None:
        with_it = dcz_encoding(read_dictionary(dictionary))
        plan = msgspec.structs.replace(plan, encodings=(*plan.encodings, with_it))
    for name, reason in plan.missing:
        click.echo(f"note: {name} is left out: {reason}", err=True)
    if stats_only and plan.clients:
        raise UsageError("sizes and counts are the same for every client", code="stats_only_client")
    key = redaction_key(redact=redact, key_file=redact_key)
    if format_name is not None:
        find_format(format_name)
    for name in files:
        _check_input(name)
    if output is not None:
        _check_output(output)
    with ExitStack() as stack:
        report = stack.enter_context(reporting())
        sources = [stack.enter_context(generated(name, seed)) for name in profiles]
        for name in files:
            source = stack.enter_context(spooled(name, format_name))
            if key is None:
                warn_of_secrets_in(source)
            else:
                source = stack.enter_context(redacted_source(source, key))
            sources.append(source)
        if stats_only:
            results = measure_shapes(sources, plan, progress=report)
        else:
            results = run_sources(
                sources, plan, command=_command(sources, plan, redacted=redact), progress=report
            )
    if output is not None:
        save_results(results, output)
    if as_json:
        click.echo(render_results(results), nl=False)
    else:
        print_results(results)


def _names(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise UsageError("an empty list of names", code="no_names", expected="names and commas")
    return names


def _check_input(name: str) -> None:
    """Refuse at once what cannot be read when its turn comes, minutes later."""
    if name == _STDIN:
        return
    path = Path(name)
    if path.is_dir():
        raise StorageError(
            "is a directory", where=Place(file=name), expected="a session log or a recording"
        )
    if not path.exists():
        raise StorageError("no such file", where=Place(file=name))


def _check_output(output: str) -> None:
    """Refuse before the first minute of measuring what would be refused after the last."""
    target = Path(output)
    if target.is_dir():
        raise StorageError("is a directory", where=Place(file=output), expected="a file to write")
    if not target.parent.is_dir():
        raise StorageError("no such directory", where=Place(file=str(target.parent)))
    if not os.access(target.parent, os.W_OK):
        raise StorageError("permission denied", where=Place(file=str(target.parent)))


def _command(sources: list[Source], plan: Plan, *, redacted: bool) -> str:
    """The call as somebody else would make it: no paths, only what matters to the numbers."""
    words = ["histbench run"]
    words += [
        f"--profile {source.profile} --seed {source.seed}"
        for source in sources
        if source.origin == "profile"
    ]
    words.append(f"--runs {plan.runs}")
    if plan.warm_up:
        words.append(f"--warm-up {plan.warm_up}")
    words.append(f"--forms {','.join(form.name for form in plan.forms)}")
    words.append(
        f"--encodings {','.join(each.name for each in plan.encodings if not each.dictionary)}"
    )
    words += ["--dictionary FILE" for each in plan.encodings if each.dictionary]
    words += [f"--client {client}" for client in plan.clients]
    words += [
        flag
        for flag, is_set in (
            ("--full", plan.full),
            ("--no-memory", not plan.memory_samples),
            ("--gc off", not plan.gc_enabled),
            ("--torn", plan.allow_torn),
            ("--redact", redacted),
        )
        if is_set
    ]
    words += [source.name for source in sources if source.origin == "file"]
    return " ".join(words)
