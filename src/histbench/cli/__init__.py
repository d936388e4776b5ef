"""The command line: one module for each command, errors to exit codes in `commands`.

Machine output and tables go to standard output, everything else to standard error.
"""

import click

from histbench.cli.commands import Commands

__all__ = ["main"]

# What the list of commands shows.  It is told here so that showing it imports no command.
_SECTIONS = {
    "Logs": {
        "inspect": "count what is in a log",
        "verify": "read logs to their end, find the first fault",
        "convert": "import, pack, unpack, redact, archive",
        "formats": "list what can be imported",
        "fixtures": "keep a repository's fixtures canonical",
    },
    "Pages": {
        "page": "print one history page as JSON",
        "transcript": "print one page of a conversation",
        "serve": "serve a folder of sessions over HTTP",
    },
    "Measurement": {
        "run": "measure logs and profiles: bytes, times, memory",
        "compare": "compare two results files",
        "report": "write results files as one page",
        "limit": "estimate the bytes that a log needs at best",
        "dictionary": "train a dictionary, see what it saves",
        "corpus": "measure many logs at once, on Dask",
        "profiles": "list the synthetic profiles",
        "notebooks": "execute, check and export notebooks",
    },
}


@click.group(
    cls=Commands,
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`histbench COMMAND --help` tells more of each.",
)
@click.version_option(package_name="histbench", prog_name="histbench")
def main() -> None:
    """Measure how chat and agent session histories are best stored, shipped and folded."""
