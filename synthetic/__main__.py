"""`python -m synthetic`: write the log, or the transcript, of a profile and a seed to a file.

Exit codes: 0 done, 1 the file cannot be written, 2 the call is wrong.
"""

import sys
from pathlib import Path

import click

from histbench.errors import HistbenchError, UsageError
from synthetic.profiles import Chat, load_any, profile_names, transcript_names
from synthetic.transcripts import write_transcript
from synthetic.writing import COMPRESSIONS, write_log

__all__ = ["main"]


class _Progress:
    """A count of events or records on a terminal's standard error; silent when piped."""

    def __init__(self) -> None:
        self._events = 0
        self._shown = sys.stderr.isatty()

    def __call__(self, events: int) -> None:
        self._events += events
        if self._shown:
            sys.stderr.write(f"\r{self._events:,} written")
            sys.stderr.flush()

    def close(self) -> None:
        if self._shown and self._events:
            sys.stderr.write("\n")


@click.command(
    epilog=f"""Built-in profiles: of session logs {", ".join(profile_names())}; of transcripts
    {", ".join(transcript_names())}."""
)
@click.argument("profile")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, another log.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="""Where to write it; the suffix .jsonl, .jsonl.zst or .jsonl.zstd tells the compression.
    A transcript is written as it is, whatever the suffix.""",
)
@click.option("--no-pack", is_flag=True, help="Store every delta of a log as an event of its own.")
@click.option(
    "--compression",
    type=click.Choice(COMPRESSIONS),
    help="Of a log, whatever the suffix says.",
)
def main(profile: str, *, seed: int, output: Path, no_pack: bool, compression: str | None) -> None:
    """Write the session log of PROFILE: a built-in name or a .toml file of the same shape.

    A profile of the model `chat` gives a transcript of chat records, one JSON object on each line.
    """
    progress = _Progress()
    try:
        loaded = load_any(profile)
        if isinstance(loaded, Chat):
            _refuse_log_options(compression, no_pack=no_pack)
            write_transcript(output, loaded, seed, progress=progress)
        else:
            write_log(
                output,
                loaded,
                seed,
                compression=compression,
                pack_chunks=not no_pack,
                progress=progress,
            )
    except HistbenchError as error:
        progress.close()
        click.echo(f"error: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    progress.close()


def _refuse_log_options(compression: str | None, *, no_pack: bool) -> None:
    if no_pack or compression == "zstd":
        raise UsageError(
            "a transcript is neither packed nor compressed",
            code="not_a_log",
            expected="neither --no-pack nor --compression zstd",
        )


if __name__ == "__main__":
    main(prog_name="python -m synthetic")
