"""Errors to exit codes: 0 done, 1 the input is wrong or a check fails, 2 the call is wrong.

Every error that histbench raises on purpose, and every refusal of the file system, becomes one
line on standard error: `error: file: message`.  A traceback means a defect of histbench itself.
Ctrl-C ends with 130 and SIGTERM with 143, as a shell expects; both end what was started and take
temporary files along.
"""

import errno
import signal
import threading
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from histbench.errors import HistbenchError, UsageError

__all__ = ["Commands", "Failure", "one_line"]

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class Failure(click.ClickException):
    """Ends the command with exit code 1 after one line on standard error."""

    exit_code = EXIT_FAILED

    def show(self, file: object = None) -> None:  # noqa: ARG002  (click's signature)
        """Print the line."""
        click.echo(f"error: {one_line(self.message)}", err=True)


class WrongCall(Failure):
    """The same with the exit code of a wrong call."""

    exit_code = EXIT_USAGE


class Interrupted(Failure):
    """The same with the exit code of Ctrl-C."""

    exit_code = EXIT_INTERRUPTED


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)


def one_line(text: str) -> str:
    """`text` without line ends and whatever else a terminal would act on.

    >>> one_line("a" + chr(10) + "b" + chr(27) + "[2J")
    'a b?[2J'
    """
    text = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "?" for letter in text)


class Commands(click.Group):
    """A group of commands whose errors end as the module says.

    Each command of `sections` (title, name, short help) is a module of this package with a command
    of its own name.  It is imported when it is asked for, and not where commands are only listed.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._sections = sections
        self._listed = {
            name: text for commands in sections.values() for name, text in commands.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """The names of all commands."""
        return list(self._listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """The command of that name."""
        if cmd_name not in self._listed:
            return None
        command: click.Command = getattr(import_module(f"{__package__}.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a call names, or the nearest names to what it says."""
        name = args[0]
        if not ctx.resilient_parsing and name[:1] != "-" and name not in self._listed:
            near = " or ".join(get_close_matches(name, self._listed))
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """List the commands, section by section."""
        widest = max(map(len, self._listed))
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), text) for name, text in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What a shell offers: commands with their short help, then options."""
        found = [
            CompletionItem(name, help=text)
            for name, text in self._listed.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program: SIGTERM unwinds the stack instead of ending the process on the spot."""
        if threading.current_thread() is not threading.main_thread():
            return super().main(*args, **kwargs)
        before = signal.signal(signal.SIGTERM, _terminate)
        try:
            return super().main(*args, **kwargs)
        finally:
            signal.signal(signal.SIGTERM, before)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            raise WrongCall(str(error)) from error
        except HistbenchError as error:
            raise Failure(str(error)) from error
        except KeyboardInterrupt as error:
            raise Interrupted("interrupted") from error
        except OSError as error:
            # A closed pipe (`| head`) is nobody's error; click ends quietly.
            if error.errno == errno.EPIPE:
                raise
            place = f"{error.filename}: " if error.filename else ""
            reason = error.strerror or type(error).__name__
            raise Failure(place + reason[:1].lower() + reason[1:]) from error
