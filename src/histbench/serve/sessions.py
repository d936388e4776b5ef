"""Which file a session id means: a session log or a conversation transcript somewhere under the root.

    <root>/<project>/<encoded id>/session.jsonl.zstd   a log (`store.layout`, `store.catalog`)
    <root>/<project>/chats/<id>.jsonl                  a transcript of conversation records
    <root>/<project>/chats/archive/<id>.jsonl          one that was put away: 409, never read

A *workspace* is the name of a project folder.  Ids come from strangers, so neither ever becomes a
path as it is: a log's id is escaped first, a transcript's must be hexadecimal digits and dashes, a
workspace must be one of the names that are there.  What a link leads to outside the root is not
found, and neither is anything but a regular file.  An id that means two files is refused.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from histbench.errors import HistbenchError, StorageError, UsageError
from histbench.store.catalog import SessionEntry, find_session, list_sessions
from histbench.store.durable import storage_error
from histbench.store.layout import LOG_NAMES, encode_id

__all__ = ["STATE_FOLDER", "Session", "Sessions", "revision_of"]

# The daemon's own folder in the root.
STATE_FOLDER = ".histbench"

# Looking through every project folder costs more than a page does.
_BELIEVED_SECONDS = 1.0
_MOST_FOUND = 1024

_CHATS = "chats"
_ARCHIVE = "archive"
_SUFFIX = ".jsonl"
_CHAT_ID = re.compile(r"[0-9a-fA-F-]{32,36}\Z")


class Session(Struct, frozen=True, kw_only=True):
    """A session that was found; `header` is a log's, empty for a transcript."""

    session_id: str
    kind: Literal["log", "transcript"]
    workspace: str
    path: Path
    identity: tuple[int, int]
    file_bytes: int
    modified_ns: int
    header: dict[str, Any] = {}


class Sessions:
    """The sessions under one root; holds no file open, so it may be asked from any thread."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._found: dict[tuple[str, str | None], tuple[float, Session]] = {}

    def find(
        self, session_id: str, *, workspace: str | None = None, fresh: bool = False
    ) -> Session:
        """The session of that id, in one workspace if one is named.

        What was found is believed for a second, as long as the same file lies there; `fresh` looks
        anew, since a file that was just deleted may have left its inode to the next one.

        Raises:
            StorageError: `session_not_found`, `workspace_not_found`, `session_conflict`,
                `session_archived`, `duplicate_session`, `outside_root`, ...
            InvalidLog: the log's header is damaged or belongs to another session.
        """
        asked = session_id, workspace
        until, known = self._found.get(asked, (0.0, None))
        if known is not None and time.monotonic() < until and not fresh:
            with suppress(HistbenchError):
                if _identity(known.path) == known.identity:
                    return known
        found = self._search(session_id, workspace)
        if len(self._found) >= _MOST_FOUND:
            self._found.clear()
        self._found[asked] = time.monotonic() + _BELIEVED_SECONDS, found
        return found

    def _search(self, session_id: str, workspace: str | None) -> Session:
        if workspace is not None and workspace not in (each.name for each in self._projects()):
            raise StorageError("no such workspace", code="workspace_not_found", found=workspace)
        found = [
            session
            for session in (*self._logs(session_id), *self._chats(session_id))
            if workspace in {None, session.workspace}
        ]
        if len(found) > 1:
            raise StorageError("two files have this id", code="session_conflict", found=session_id)
        if found:
            return found[0]
        if any(
            workspace in {None, project.name} and _is_file(project / _CHATS / _ARCHIVE / name)
            for name in _chat_name(session_id)
            for project in self._projects()
        ):
            raise StorageError("the session is archived", code="session_archived")
        raise StorageError("no such session", code="session_not_found", found=session_id)

    def _logs(self, session_id: str) -> Iterator[Session]:
        try:
            name = encode_id(session_id)
        except UsageError:
            return
        folders = (project / name for project in self._projects())
        if any(_is_file(folder / log) for folder in folders for log in LOG_NAMES.values()):
            yield _of_entry(find_session(self.root, session_id))

    def _chats(self, session_id: str) -> Iterator[Session]:
        for name in _chat_name(session_id):
            for project in self._projects():
                yield from self._chat(project / _CHATS / name, project)

    def _chat(self, path: Path, project: Path) -> Iterator[Session]:
        if not _is_file(path) or not path.resolve().is_relative_to(self.root.resolve()):
            return
        status = _status(path)
        yield Session(
            session_id=path.name.removesuffix(_SUFFIX),
            kind="transcript",
            workspace=project.name,
            path=path,
            identity=(status.st_dev, status.st_ino),
            file_bytes=status.st_size,
            modified_ns=status.st_mtime_ns,
        )

    def survey(self) -> tuple[list[Session], dict[str, int]]:
        """All sound sessions, the newest change first, and how often which fault was met.

        Raises:
            StorageError: the root cannot be read.
        """
        listing = list_sessions(self.root)
        sessions = [_of_entry(entry) for entry in listing.sessions]
        faults: Counter[str] = Counter(fault.code for fault in listing.faults)
        for project in self._projects():
            try:
                names = sorted(path.name for path in (project / _CHATS).iterdir())
            except OSError:
                # No transcripts here, or none for us to see.
                continue
            for name in names:
                if name.endswith(_SUFFIX) and _CHAT_ID.match(name.removesuffix(_SUFFIX)):
                    try:
                        sessions.extend(self._chat(project / _CHATS / name, project))
                    except HistbenchError as error:
                        faults[error.code] += 1
        sessions.sort(key=lambda session: (-session.modified_ns, session.session_id))
        return sessions, dict(sorted(faults.items()))

    def _projects(self) -> list[Path]:
        try:
            with os.scandir(self.root) as entries:
                return [
                    self.root / entry.name
                    for entry in entries
                    if entry.is_dir() and entry.name != STATE_FOLDER
                ]
        except OSError as error:
            raise storage_error(error, self.root) from error


def _of_entry(entry: SessionEntry) -> Session:
    return Session(
        session_id=entry.session_id,
        kind="log",
        workspace=entry.path.parent.parent.name,
        path=entry.path,
        identity=_identity(entry.path),
        file_bytes=entry.file_bytes,
        modified_ns=entry.modified_ns,
        header=entry.header,
    )


def revision_of(path: Path) -> tuple[int, int]:
    """What changes when somebody writes to a file: its length and its time.

    Raises:
        StorageError: it is gone.
    """
    status = _status(path)
    return status.st_size, status.st_mtime_ns


def _identity(path: Path) -> tuple[int, int]:
    status = _status(path)
    return status.st_dev, status.st_ino


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise storage_error(error, path) from error


def _chat_name(session_id: str) -> list[str]:
    """The file name of a transcript; none for an id that no transcript has."""
    return [session_id + _SUFFIX] if _CHAT_ID.match(session_id) else []


def _is_file(path: Path) -> bool:
    try:
        # Follows links; a pipe, which opening would wait for, is no file.
        return path.is_file()
    except (OSError, ValueError):
        return False
