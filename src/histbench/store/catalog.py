"""The sessions under a root: listing them, finding one, and refusing what does not belong there.

A log is identified by the header inside it: its id must be that of the folder, and its id and cwd
must derive the very path that it lies at (`layout`).  What breaks the rules is named, never passed
over in silence and never guessed at:

    identity_id         the folder is named after another id than the header's
    identity_path       the header's cwd belongs to another project folder
    duplicate_session   the same id lies under two project folders
    opposite_suffix     a session folder holds a compressed and a plain log
    flat_artefact       a log lies in a project folder itself, as other tools leave them
    outside_root        a link leads out of the root

Listing reads the header frame (or line) of each log and nothing else.  (Facts: session history,
section 3.)
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, Place, StorageError
from histbench.store.archive import split_header
from histbench.store.content import ContentReader
from histbench.store.durable import storage_error
from histbench.store.header import read_header_line
from histbench.store.layout import (
    LOG_NAMES,
    LOG_SUFFIXES,
    encode_id,
    project_folder,
    session_folder,
)
from histbench.store.limits import MIB, Limits
from histbench.store.lines import LineSplitter
from histbench.store.scan import LogSource

__all__ = [
    "SessionEntry",
    "SessionListing",
    "check_vacant",
    "find_session",
    "list_sessions",
    "read_header",
]

# A header holds a dozen short fields; whatever is longer is none.
_HEADER_LIMITS = Limits(line_bytes=MIB)


class SessionEntry(Struct, frozen=True, kw_only=True):
    """One session of a root: its log, and the header inside."""

    session_id: str
    path: Path
    header: dict[str, Any]
    file_bytes: int
    modified_ns: int


class SessionListing(Struct, frozen=True, kw_only=True):
    """The sound sessions of a root, by path, and what else was found there."""

    sessions: tuple[SessionEntry, ...]
    faults: tuple[HistbenchError, ...]


def read_header(path: str | os.PathLike[str], *, any_version: bool = False) -> dict[str, Any]:
    """The header of the log at `path`; no more of the file than its first line is read.

    Raises:
        StorageError: `file_not_found`, ...
        InvalidLog: `empty_log`, `no_header`, `not_a_log`, `log_version`.
    """
    with LogSource(path) as source:
        content = ContentReader(source.read, limits=_HEADER_LIMITS)
        splitter = LineSplitter(iter(content), exact=not content.compressed, limits=_HEADER_LIMITS)
        block = next(iter(splitter), None)
        if block is None:
            raise InvalidLog(
                "the file is empty" if not content.file_bytes else "the header is not complete",
                code="no_header" if content.file_bytes else "empty_log",
                where=Place(line=1, byte=0),
            )
        line, _ = split_header(block.lines[0])
        return read_header_line(line, any_version=any_version)


def list_sessions(root: str | os.PathLike[str]) -> SessionListing:
    """Every session under `root`; later format versions are listed too.

    Raises:
        StorageError: the root itself cannot be read.
    """
    base = Path(root)
    sessions: list[SessionEntry] = []
    faults: list[HistbenchError] = []
    for project in _folders(base):
        for path in sorted(_children(project)):
            try:
                if not path.is_dir():
                    _check_flat(path)
                else:
                    sessions.extend(_session_in(path, base))
            except HistbenchError as error:
                faults.append(error.at(file=str(path)))
    seen: dict[str, list[SessionEntry]] = {}
    for entry in sessions:
        seen.setdefault(entry.session_id, []).append(entry)
    for entries in seen.values():
        if len(entries) > 1:
            faults.extend(_duplicate(entry.path, entry.session_id) for entry in entries)
    sound = [entry for entry in sessions if len(seen[entry.session_id]) == 1]
    return SessionListing(sessions=tuple(sound), faults=tuple(faults))


def find_session(root: str | os.PathLike[str], session_id: str) -> SessionEntry:
    """The one session of that id under `root`.

    Raises:
        UsageError: `session_id`.
        StorageError: `session_not_found`, `duplicate_session`, `opposite_suffix`, `outside_root`.
        InvalidLog: `identity_id`, `identity_path`, or a header that cannot be read.
    """
    base = Path(root)
    name = encode_id(session_id)
    folders = [project / name for project in _folders(base) if (project / name).is_dir()]
    found = [(folder, _log_in(folder)) for folder in folders]
    logs = [path for _, path in found if path is not None]
    if len(logs) > 1:
        raise _duplicate(logs[1], session_id)
    if not logs:
        raise StorageError(
            "no such session",
            code="session_not_found",
            where=Place(file=str(base)),
            found=session_id,
        )
    (entry,) = _session_in(logs[0].parent, base)
    return entry


def check_vacant(root: Path, session_id: str) -> None:
    """Raise StorageError (`session_exists`) when a log of this session lies anywhere under `root`."""
    name = encode_id(session_id)
    if not root.exists():
        return
    for project in _folders(root):
        path = _log_in(project / name)
        if path is not None:
            raise StorageError(
                "the root holds a log of this session already",
                code="session_exists",
                where=Place(file=str(path)),
                found=session_id,
            )


def _folders(root: Path) -> list[Path]:
    return sorted(path for path in _children(root) if path.is_dir())


def _children(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError as error:
        raise storage_error(error, folder) from error


def _log_in(folder: Path) -> Path | None:
    """The log in a session folder; None where there is none (yet)."""
    paths = [folder / name for name in LOG_NAMES.values() if (folder / name).exists()]
    if len(paths) > 1:
        raise StorageError(
            "the session has a log of either suffix",
            code="opposite_suffix",
            where=Place(file=str(paths[1])),
            found=paths[1].name,
            expected="one log in a session's folder",
        )
    return paths[0] if paths else None


def _session_in(folder: Path, root: Path) -> Iterator[SessionEntry]:
    path = _log_in(folder)
    if path is None:
        return
    if not path.resolve().is_relative_to(root.resolve()):
        raise StorageError(
            "the path leads out of the root", code="outside_root", where=Place(file=str(path))
        )
    if not path.is_file() and not path.is_dir():
        # To open a pipe would wait for whoever writes to it.
        raise StorageError("this is no file", code="not_a_file", where=Place(file=str(path)))
    header = read_header(path, any_version=True)
    _check_identity(path, header, root)
    status = path.stat()
    yield SessionEntry(
        session_id=header["id"],
        path=path,
        header=header,
        file_bytes=status.st_size,
        modified_ns=status.st_mtime_ns,
    )


def _check_identity(path: Path, header: dict[str, Any], root: Path) -> None:
    session_id, cwd = header.get("id"), header.get("cwd")
    where = Place(file=str(path), line=1)
    if not isinstance(session_id, str) or not session_id:
        raise InvalidLog("the header names no session", code="header_shape", where=where)
    if not isinstance(cwd, str | None):
        raise InvalidLog("the header's cwd is no text", code="header_shape", where=where)
    if encode_id(session_id) != path.parent.name:
        raise InvalidLog(
            "the header names another session than the folder",
            code="identity_id",
            where=where,
            found=session_id,
            expected=f"the id of folder {path.parent.name}",
        )
    if session_folder(root, session_id, cwd) != path.parent:
        raise InvalidLog(
            "the header's working folder belongs to another project",
            code="identity_path",
            where=where,
            found=path.parent.parent.name,
            expected=project_folder(cwd),
        )


def _check_flat(path: Path) -> None:
    if path.name.endswith(LOG_SUFFIXES):
        raise StorageError(
            "a log lies in a project folder itself",
            code="flat_artefact",
            where=Place(file=str(path)),
            expected="a folder named after the session, with the log in it",
        )


def _duplicate(path: Path, session_id: str) -> StorageError:
    return StorageError(
        "the session lies under two project folders",
        code="duplicate_session",
        where=Place(file=str(path)),
        found=session_id,
    )
