"""One writer per log: an advisory lock on the log file itself.

`flock` belongs to an open file, so it ends with the process however that ends, and two writers in
one process exclude each other too.  The lock is on the file and not on its name: a file that was
replaced while somebody waited for it is noticed by comparing the two.  Programs that do not know
the lock are not kept out; the writer's check of the file's tail finds them (see `writer`).
"""

import os
import sys
from pathlib import Path

from histbench.errors import Place, StorageError
from histbench.store.durable import open_file, storage_error

if sys.platform != "win32":
    import fcntl

__all__ = ["lock_file", "open_locked", "same_file"]


def lock_file(descriptor: int, path: Path) -> None:
    """Lock an open file for writing, without waiting.

    Raises:
        StorageError: `log_locked` when another writer has it.
    """
    if sys.platform == "win32":
        raise StorageError(
            "session logs can be written on POSIX systems only",
            code="locking_unsupported",
            where=Place(file=str(path)),
        )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StorageError(
            "another writer has this log open",
            code="log_locked",
            where=Place(file=str(path)),
        ) from error
    except OSError as error:
        raise storage_error(error, path) from error


def same_file(descriptor: int, path: Path) -> bool:
    """Whether `path` still names the open file."""
    try:
        named = path.stat()
    except OSError:
        return False
    opened = os.fstat(descriptor)
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def open_locked(path: Path) -> int:
    """A locked descriptor of an existing log, open for reading and appending.

    Raises:
        StorageError: `log_locked`, `file_not_found`, ...
    """
    while True:
        descriptor = open_file(path, os.O_RDWR | os.O_APPEND)
        try:
            lock_file(descriptor, path)
            # A repair may have replaced the file between opening and locking it.
            if same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
