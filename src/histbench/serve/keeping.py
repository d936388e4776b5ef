"""The daemon's own folder in the root, `.histbench`: the keys that cursors are signed with.

They outlive the daemon, so that cursors do.  Where the root takes no file, the daemon has a key for
as long as it runs; clients then go on from record ids after a restart.
"""

import logging
import secrets
from pathlib import Path

from histbench.errors import StorageError
from histbench.serve.sessions import STATE_FOLDER
from histbench.transcript_file.keys import KEY_BYTES, CursorKeys

__all__ = ["cursor_keys"]

_KEY_FILE = "cursor-keys"

_log = logging.getLogger(__name__)


def cursor_keys(root: Path, key_file: Path | None) -> tuple[bytes, ...]:
    """The keys, the newest first; made on first use.

    Raises:
        StorageError: the file that was named cannot be used, or the usual one is damaged or
            readable by others.
    """
    if key_file is not None:
        return CursorKeys(key_file).load()
    try:
        return CursorKeys(root / STATE_FOLDER / _KEY_FILE).load()
    except StorageError as error:
        if error.code not in {"permission_denied", "disk_full"}:
            raise
        _log.warning("cursors end with this daemon: no key can be kept [%s]", error.code)
        return (secrets.token_bytes(KEY_BYTES),)
