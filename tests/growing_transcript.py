"""A transcript that is appended to while somebody looks at it."""

from pathlib import Path

from browser_pages import SESSION, Shell, chats
from transcript_files import chain_lines, write_lines

__all__ = ["append", "begin", "wait_until_live"]


def begin(root: Path, session: str) -> str:
    """A transcript of 30 records that will grow."""
    chats(root).mkdir(parents=True, exist_ok=True)
    write_lines(_path(root, session), [_own(line, session) for line in chain_lines(30)])
    return session


def append(root: Path, session: str, *lines: bytes) -> None:
    """Add lines to it."""
    with _path(root, session).open("ab") as file:
        file.write(b"".join(_own(line, session) + b"\n" for line in lines))


def wait_until_live(shell: Shell) -> None:
    """Until the stream is open."""
    shell.page.locator(".stream.live").wait_for()


def _path(root: Path, session: str) -> Path:
    return chats(root) / f"{session}.jsonl"


def _own(line: bytes, session: str) -> bytes:
    return line.replace(SESSION.encode(), session.encode())
