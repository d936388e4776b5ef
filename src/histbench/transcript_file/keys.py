"""The file of keys that cursors are signed with: made on first use, for its owner only.

One key a line, 64 hexadecimal digits, the newest first: it signs, all of them verify.  The file has
mode 0600 in a folder that is made with 0700 if need be; one that others may read is refused rather
than trusted, and one of another content is refused rather than replaced: it is somebody's file.
`rotate` puts a new key on top and lets those beyond the last few go; cursors that only they signed
are then refused, and clients go on from a record id.
"""

import os
import re
import secrets
import stat
from pathlib import Path

from histbench.errors import Place, StorageError
from histbench.store.durable import make_folders, open_file, publish_new, replace_file

__all__ = ["KEY_BYTES", "CursorKeys"]

KEY_BYTES = 32

# Cursors live as long as a reader scrolls; two rotations later nobody does any more.
_KEPT_KEYS = 3

_LINE_CHARACTERS = 2 * KEY_BYTES
_KEY_LINES = re.compile(rb"([0-9a-f]{%d}\n){1,%d}" % (_LINE_CHARACTERS, _KEPT_KEYS))
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class CursorKeys:
    """The keys in the file at `path`, newest first."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def load(self) -> tuple[bytes, ...]:
        """The keys; the file is made if there is none.

        Raises:
            StorageError: `key_file_exposed` if others may read it, `key_file_damaged` if it holds
                anything but keys, and why it can be neither read nor made.
        """
        if not self.path.exists():
            make_folders(self.path.parent)
            try:
                os.close(publish_new(self.path, _text(_new_key()), before_link=lambda _: None))
            except StorageError as error:
                # Another process made it first.
                if error.code != "already_exists":
                    raise
        return self._read()

    def rotate(self) -> tuple[bytes, ...]:
        """Sign with a new key from now on; the last ones still verify.

        Raises:
            StorageError: as `load`.
        """
        keys = (_new_key(), *self.load())[:_KEPT_KEYS]
        replace_file(self.path, [_text(*keys)])
        return keys

    def _read(self) -> tuple[bytes, ...]:
        # A link could lead to a file that somebody else chose.
        descriptor = open_file(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & _OTHERS:
                raise StorageError(
                    "others may read the cursor keys",
                    code="key_file_exposed",
                    where=Place(file=str(self.path)),
                    found=oct(stat.S_IMODE(mode)),
                    expected="0o600",
                )
            # One byte more than there can be tells that there is more.
            data = file.read((_LINE_CHARACTERS + 1) * _KEPT_KEYS + 1)
        if not _KEY_LINES.fullmatch(data):
            raise StorageError(
                "not a file of cursor keys",
                code="key_file_damaged",
                where=Place(file=str(self.path)),
                expected=f"one to {_KEPT_KEYS} lines of {_LINE_CHARACTERS} hexadecimal digits",
            )
        return tuple(bytes.fromhex(line) for line in data.decode().split())


def _new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def _text(*keys: bytes) -> bytes:
    return "".join(f"{key.hex()}\n" for key in keys).encode()
