"""Which family a transcript on disk is of: told by its first bytes, never by its name."""

from pathlib import Path

import msgspec

from histbench.transcript_file.line_source import LineSource
from histbench.transcript_file.log_source import SessionLogSource
from histbench.transcript_file.source import Source

__all__ = ["is_session_log", "open_source"]

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# Enough for a header line.
_LOOKED_AT = 64 << 10


class _Header(msgspec.Struct):
    type: str | None = None
    uuid: str | None = None


_header_decoder = msgspec.json.Decoder(_Header)


def open_source(path: Path) -> Source:
    """The transcript at `path`.

    Raises:
        StorageError: `file_not_found`, `is_a_directory`, `permission_denied`, ...
    """
    lines = LineSource(path)
    try:
        if not is_session_log(lines.read(0, _LOOKED_AT)):
            return lines
    except BaseException:
        lines.close()
        raise
    lines.close()
    return SessionLogSource(path)


def is_session_log(start: bytes) -> bool:
    """Whether a file that begins with these bytes is one: compressed, or with a log's header."""
    if start.startswith(_ZSTD_MAGIC):
        return True
    line = start.split(b"\n", 1)[0]
    try:
        header = _header_decoder.decode(line)
    except msgspec.DecodeError:
        return False
    return header.type == "session" and header.uuid is None
