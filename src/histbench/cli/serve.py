"""`histbench serve ROOT`: the daemon, until it is told to stop."""

from pathlib import Path

import click

from histbench.cli.commands import one_line
from histbench.dictionaries import read_dictionary
from histbench.errors import UsageError

__all__ = ["serve"]


@click.command()
@click.argument("root", metavar="ROOT", type=click.Path(path_type=Path))
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="HOST", help="Where to listen."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    metavar="PORT",
    help="Which port; 0 is any free one.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Ask for the bearer token in FILE; needed to listen for other machines.",
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the keys of cursors are kept.  [default: ROOT/.histbench/cursor-keys]",
)
@click.option(
    "--allow-host",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A name under which this daemon may be asked, beside localhost; may be repeated.",
)
@click.option(
    "--dictionary",
    "dictionaries",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Offer this dictionary for history pages; may be repeated, for those that readers have from before.",
)
def serve(
    root: Path,
    *,
    host: str,
    port: int,
    token_file: Path | None,
    key_file: Path | None,
    host_names: tuple[str, ...],
    dictionaries: tuple[Path, ...],
) -> None:
    """Serve the sessions under ROOT over HTTP: pages, transcripts, live events.

    Session files are only read; indexes are kept beside them.  The address is printed on standard output.
    """
    try:
        from histbench.serve.server import Daemon  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise UsageError(
            f"the daemon needs {error.name}", code="server_missing", expected="histbench[server]"
        ) from error
    from histbench.serve.settings import Settings, read_token  # noqa: PLC0415

    token = None if token_file is None else read_token(token_file)
    names = tuple(name.lower() for name in host_names)
    settings = Settings(
        root=root,
        token=token,
        key_file=key_file,
        host_names=names,
        dictionaries=tuple(map(read_dictionary, dictionaries)),
    )
    daemon = Daemon(settings, host=host, port=port)
    click.echo(daemon.url)
    click.echo(one_line(f"serving {root}; Ctrl-C ends it"), err=True)
    daemon.run()
