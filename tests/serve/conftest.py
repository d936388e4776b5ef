"""One daemon over a root of known sessions, shared by the tests that only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon import RunningDaemon, running_daemon
from histbench.store import LogWriter
from store_logs import conversation
from transcript_files import SESSION, chain_lines, write_lines

LOG_ID = "a session/1"
CHAT_RECORDS = 60


def write_log(root: Path, session_id: str, *, turns: int = 40, cwd: str | None = "/x") -> Path:
    """A log of a conversation."""
    writer = LogWriter.create(root, session_id=session_id, created_at=5, cwd=cwd)
    with writer:
        writer.append(conversation(turns))
    return Path(writer.path)


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with one log and one transcript, and one transcript that was put away."""
    folder = tmp_path_factory.mktemp("root")
    write_log(folder, LOG_ID)
    archive = folder / "project" / "chats" / "archive"
    archive.mkdir(parents=True)
    write_lines(archive.parent / f"{SESSION}.jsonl", chain_lines(CHAT_RECORDS))
    write_lines(archive / f"{SESSION[:-1]}f.jsonl", chain_lines(3))
    return folder


@pytest.fixture(scope="session")
def daemon(root: Path) -> Iterator[RunningDaemon]:
    """A daemon over it."""
    with running_daemon(root) as running:
        yield running
