"""Which logs a corpus has: files, globs, folders and fsspec URLs, each log once, in order of paths.

A folder or a glob is looked through; of a folder the files are taken whose names end like a
recording's, hidden ones left out.  A file that is named is taken whatever it is called.

A URL is anything with a protocol, chained ones (`zip://*.jsonl::file:///logs.zip`) included.  What
lies in this process alone (`memory://`) cannot be read by another.
"""

import os
import stat
from collections.abc import Iterable
from glob import has_magic, iglob
from pathlib import Path
from typing import Any

from msgspec import Struct

from histbench.corpus.extras import load
from histbench.errors import Place, StorageError, UsageError
from histbench.store.durable import storage_error

__all__ = ["FoundLog", "find_logs", "is_url"]

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".sse", ".sse.txt")
_COMPRESSED = (".zst", ".zstd")


class FoundLog(Struct, frozen=True, kw_only=True):
    """A log before it is read.

    `path` is how it is called in the table, `address` where a worker finds it (local paths are
    absolute).  `bytes` and `changed` (a time or another mark of the content) are None where unknown.
    """

    path: str
    address: str
    bytes: int | None = None
    changed: str | None = None


def is_url(name: str) -> bool:
    """Whether `name` has a protocol.

    >>> is_url("s3://bucket/a.jsonl"), is_url("logs/a.jsonl")
    (True, False)
    """
    return "://" in name


def find_logs(paths: Iterable[str | os.PathLike[str]]) -> list[FoundLog]:
    """The logs that `paths` name, sorted by path.

    Raises:
        UsageError: `no_input` when there is none, `missing_extra`, `bad_url`.
        StorageError: a file that is named does not exist, or a place cannot be listed.
    """
    found: dict[str, FoundLog] = {}
    for each in paths:
        name = os.fspath(each)
        for log in _find_remote(name) if is_url(name) else _find_local(name):
            found.setdefault(log.address, log)
    if not found:
        raise UsageError("no log to measure", code="no_input", expected="files, globs or folders")
    return sorted(found.values(), key=lambda log: (log.path, log.address))


def _find_local(name: str) -> Iterable[FoundLog]:
    path = Path(name)
    if path.is_dir():
        names = [
            os.path.join(folder, file)  # noqa: PTH118 - keeps `./` and the caller's spelling
            for folder, folders, files in os.walk(name)
            if _keep_visible(folders)
            for file in files
            if _is_recording(file) and Path(folder, file).is_file()
        ]
    elif has_magic(name) and not path.exists():
        matches = iglob(name, recursive=True)  # noqa: PTH207 - the caller's own spelling
        names = [each for each in matches if Path(each).is_file()]
    else:
        names = [name]
    return [_local(each) for each in names]


def _keep_visible(folders: list[str]) -> bool:
    folders[:] = [folder for folder in folders if not folder.startswith(".")]
    return True


def _is_recording(name: str) -> bool:
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return name.endswith(_SUFFIXES) and not name.startswith(".")


def _local(name: str) -> FoundLog:
    try:
        status = Path(name).stat()
    except OSError as error:
        raise storage_error(error, name) from error
    if not stat.S_ISREG(status.st_mode):
        # A pipe would be waited for, or read by whichever worker comes first.
        raise StorageError("no regular file", code="not_a_file", where=Place(file=name))
    return FoundLog(
        # A name that is not UTF-8 is shown with escapes; no table could hold it.
        path=os.fsencode(name).decode("utf-8", "backslashreplace"),
        address=str(Path(name).absolute()),
        bytes=status.st_size,
        changed=str(status.st_mtime_ns),
    )


def _find_remote(url: str) -> list[FoundLog]:
    core = load("fsspec.core")
    try:
        files, path = core.url_to_fs(url)
        rest = url[url.index("::") :] if "::" in url else ""
        if has_magic(path):
            listed = files.glob(path, detail=True)
        elif files.isdir(path):
            listed = {
                name: entry
                for name, entry in files.find(path, detail=True).items()
                if _is_recording(name.rpartition("/")[2])
            }
        else:
            listed = {path: files.info(path)}
    except ImportError as error:
        raise UsageError(
            f"no file system for this URL: {error}", code="bad_url", found=url
        ) from error
    except ValueError as error:
        raise UsageError(f"not a URL: {error}", code="bad_url", found=url) from error
    except OSError as error:
        raise StorageError("cannot be listed", code="unreachable", where=Place(file=url)) from error
    return [
        _remote(files, name, entry, rest)
        for name, entry in listed.items()
        if entry.get("type") != "directory"
    ]


def _remote(files: Any, name: str, entry: dict[str, Any], rest: str) -> FoundLog:
    address = files.unstrip_protocol(name) + rest
    marks = (entry.get(mark) for mark in ("ETag", "etag", "mtime", "LastModified", "last_modified"))
    changed = next((str(mark) for mark in marks if mark is not None), None)
    return FoundLog(path=address, address=address, bytes=entry.get("size"), changed=changed)
