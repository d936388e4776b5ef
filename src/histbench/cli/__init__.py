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

from histbench.cli.commands import Commands

__all__ = ["main"]

_COMMANDS = (
    "compare",
    "convert",
    "corpus",
    "dictionary",
    "fixtures",
    "formats",
    "inspect",
    "limit",
    "notebooks",
    "page",
    "profiles",
    "report",
    "run",
    "serve",
    "transcript",
    "verify",
)


@click.group(
    cls=Commands, modules=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="histbench", prog_name="histbench")
def main() -> None:
    """Measure how chat and agent session histories are best stored, shipped and folded."""
