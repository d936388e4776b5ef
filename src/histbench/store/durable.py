"""Bytes to disk so that a crash leaves the old state or the new one, and errors that say why not.

new file     a temporary file beside the final name (mode 0600), fsync, hard link to the final name
             (fails when it exists: nothing is ever overwritten), fsync of the folder, temporary
             name removed
append       written behind a known length, fsync; on failure the length is restored and synced
replacement  a temporary file, fsync, rename over the old name, fsync of the folder

Only POSIX gives these guarantees, so only POSIX file systems with hard links take new logs.
Every OSError becomes a StorageError here, with a code that tells what to do about it.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from histbench.errors import Place, StorageError

__all__ = [
    "append_at",
    "make_folders",
    "open_file",
    "publish_new",
    "replace_file",
    "storage_error",
    "sync_folder",
]

# Windows has no descriptor that survives a process, and would translate line ends.
_OPEN_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_FILE_MODE = 0o600
# Sessions are private: so are the folders made for them.
_FOLDER_MODE = 0o700

_CODES = {
    errno.ENOENT: ("file_not_found", "no such file or folder"),
    errno.ENOTDIR: ("file_not_found", "a part of the path is no folder"),
    errno.EISDIR: ("is_a_directory", "this is a folder"),
    errno.EACCES: ("permission_denied", "permission denied"),
    errno.EPERM: ("permission_denied", "permission denied"),
    errno.EROFS: ("permission_denied", "the file system is read-only"),
    errno.EEXIST: ("already_exists", "the file exists already"),
    errno.ENOSPC: ("disk_full", "no space is left"),
    errno.EDQUOT: ("disk_full", "the disk quota is used up"),
    errno.EFBIG: ("disk_full", "the file would exceed the allowed size"),
    errno.ENAMETOOLONG: ("name_too_long", "a name in the path is too long"),
    errno.ELOOP: ("file_not_found", "too many symbolic links"),
}


def storage_error(error: OSError, path: Path | str) -> StorageError:
    """`error` as one of ours: `file_not_found`, `disk_full`, ..., or `io_error` for the rest."""
    code, message = _CODES.get(
        error.errno or 0, ("io_error", (error.strerror or str(error)).lower())
    )
    return StorageError(message, code=code, where=Place(file=str(path)))


def open_file(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of an existing regular file (or pipe).

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
    """
    try:
        descriptor = os.open(path, flags | _OPEN_FLAGS)
    except OSError as error:
        raise storage_error(error, path) from error
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StorageError("this is a folder", code="is_a_directory", where=Place(file=str(path)))
    return descriptor


def make_folders(folder: Path) -> None:
    """`folder` and its missing parents, each made durable in the one above it.

    Raises:
        StorageError: a folder cannot be made.
    """
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for folder in reversed(missing):
        try:
            # Another process may make it meanwhile; a file in its place is still an error.
            folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        except OSError as error:
            raise storage_error(error, folder) from error
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable; where folders cannot be synced, nothing more is done."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise storage_error(error, folder) from error
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and FUSE file systems answer EINVAL: they have no such operation.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise storage_error(error, folder) from error
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Every byte of `data`; short writes are continued.  Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _temporary(path: Path) -> tuple[Path, int]:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    return temporary, os.open(temporary, flags, _FILE_MODE)


def publish_new(
    path: Path, data: bytes, *, before_link: Callable[[int], None], sync: bool = True
) -> int:
    """A new file `path` that holds `data`, as a descriptor open for reading and appending.

    `before_link` is given the descriptor while nobody else can know the file: to lock it.

    Raises:
        StorageError: `already_exists` when the name is taken; otherwise why the bytes could not
            be stored.  Then nothing is left behind.
    """
    try:
        temporary, descriptor = _temporary(path)
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        try:
            write_all(descriptor, data)
            if sync:
                os.fsync(descriptor)
            before_link(descriptor)
            os.link(temporary, path)
        finally:
            temporary.unlink()
        if sync:
            _sync_published(path)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError):
            raise storage_error(error, path) from error
        raise
    return descriptor


def _sync_published(path: Path) -> None:
    """Make the name of a new file durable, or take it back: its writer will be told no."""
    try:
        sync_folder(path.parent)
    except BaseException:
        path.unlink()
        raise


def replace_file(
    path: Path,
    chunks: Iterable[bytes],
    *,
    prove: Callable[[Path], None] | None = None,
    sync: bool = True,
) -> None:
    """`path` with the content of `chunks`, all of it or as before; its mode stays.

    `prove` is given the new file under its temporary name.

    Raises:
        StorageError: why not.  Errors that `chunks` and `prove` raise pass through, and nothing
            changes.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mode = _FILE_MODE
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        temporary, descriptor = _temporary(path)
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        try:
            for chunk in chunks:
                write_all(descriptor, chunk)
            os.fchmod(descriptor, mode)
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if prove is not None:
            prove(temporary)
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise storage_error(error, path) from error
        raise
    if sync:
        sync_folder(path.parent)


def append_at(descriptor: int, data: bytes, *, length: int, path: Path, sync: bool = True) -> None:
    """`data` behind the `length` bytes that the file has.

    Raises:
        StorageError: why not, with the file back at `length`; `rollback_failed` when not even
            that could be done, so that its last bytes may be torn.
    """
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    except OSError as error:
        _roll_back(descriptor, length, path, error, sync=sync)
        raise storage_error(error, path) from error
    except BaseException as error:
        # Ctrl-C between two writes: the same promise holds.
        _roll_back(descriptor, length, path, error, sync=sync)
        raise


def _roll_back(
    descriptor: int, length: int, path: Path, cause: BaseException, *, sync: bool
) -> None:
    try:
        os.ftruncate(descriptor, length)
        if sync:
            os.fsync(descriptor)
    except OSError as error:
        reason = cause.strerror if isinstance(cause, OSError) else type(cause).__name__
        raise StorageError(
            f"the append failed ({reason}) and could not be rolled back",
            code="rollback_failed",
            where=Place(file=str(path), byte=length),
            found=error.strerror,
        ) from cause
