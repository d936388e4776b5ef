"""The command line: one module for each command, errors to exit codes in `commands`.

    run       the transport benchmark                 compare    two results files
    report    results files as one page               notebooks  execute, check, export
    profiles  the synthetic profiles                  formats    what can be imported
    inspect   what is in a log                        verify     read it all, find the first fault
    convert   import, pack, unpack, re-frame          fixtures   keep test fixtures canonical
    page      one history page as JSON                transcript one page of a conversation
    corpus    many logs at once, on Dask              serve      the daemon
    limit     what a log needs at best        dictionary train one, see what it saves

Machine output and tables go to standard output, everything else to standard error.
"""

import click

from histbench import __version__
from histbench.cli.commands import Commands
from histbench.cli.compare import compare
from histbench.cli.convert import convert
from histbench.cli.corpus import corpus
from histbench.cli.dictionary import dictionary
from histbench.cli.fixtures import fixtures
from histbench.cli.formats import formats
from histbench.cli.inspect import inspect
from histbench.cli.limit import limit
from histbench.cli.notebooks import notebooks
from histbench.cli.page import page
from histbench.cli.profiles import profiles
from histbench.cli.report import report
from histbench.cli.run import run
from histbench.cli.serve import serve
from histbench.cli.transcript import transcript
from histbench.cli.verify import verify

__all__ = ["main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="histbench")
def main() -> None:
    """Measure how chat and agent session histories are best stored, shipped and folded."""


for command in (
    run,
    report,
    compare,
    profiles,
    formats,
    notebooks,
    inspect,
    limit,
    verify,
    convert,
    fixtures,
    page,
    transcript,
    corpus,
    dictionary,
    serve,
):
    main.add_command(command)
