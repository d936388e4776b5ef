"""What a daemon is told once, at its start, and the bounds that hold for every request.

Each bound has one reason beside it.  Nothing here is read from the environment.
"""

import ipaddress
from pathlib import Path

from msgspec import Struct

from histbench.dictionaries import Dictionary
from histbench.errors import StorageError, UsageError
from histbench.history.forms import MAX_PAGE_BYTES

__all__ = ["KIB", "MIB", "Settings", "check_binding", "is_loopback", "read_token"]

KIB = 1024
MIB = 1024 * KIB

# What a token must have at least, so that guessing it over a network is hopeless.
_TOKEN_CHARACTERS = 16
_TOKEN_FILE_BYTES = 4 * KIB


class Settings(Struct, frozen=True, kw_only=True):
    """One daemon's settings; bytes unless the name says another unit."""

    root: Path
    token: str | None = None
    # Where the keys of cursors are kept; None for the daemon's own folder in the root.
    key_file: Path | None = None
    # Names beside `localhost` and address literals under which this daemon may be asked.
    host_names: tuple[str, ...] = ()
    # For history pages: the first is offered, the others are taken from readers that have them.
    dictionaries: tuple[Dictionary, ...] = ()

    # A cursor may have 64 KiB and stands in the request line.
    head_bytes: int = 128 * KIB
    # The one body that is taken names a few options.
    body_bytes: int = 64 * KIB
    # Below one packet there is nothing to win by compressing.
    encode_from: int = 1400

    # A page stops growing here ...
    page_soft: int = 4 * MIB
    # ... and is refused here: a source of more would be a response that clients choke on.
    page_hard: int = 32 * MIB
    # The same for a history page, whose raw form is the longest.
    history_hard: int = MAX_PAGE_BYTES
    # A load without a page size returns at most this much of the newest history.
    load_updates: int = 10_000
    load_bytes: int = 32 * MIB

    # Threads that read files for requests, and those that watch files for followers.
    workers: int = 3
    watchers: int = 2
    # Bytes of pages kept for the next who asks for the same.
    page_cache: int = 32 * MIB
    # Open readers kept for the next request; each holds one or two descriptors.
    open_readers: int = 64

    # How often a watched file is looked at, and how long a stream may be silent.
    poll_seconds: float = 0.1
    keep_alive_seconds: float = 15.0
    # A subscriber whose connection takes nothing for so long is let go.
    stalled_seconds: float = 30.0
    # One frame of live events holds at most so many; a single event may be longer.
    frame_events: int = 4096
    frame_bytes: int = 256 * KIB
    # Frames kept of each watched file for subscribers that are a little behind.
    kept_frames: int = 512
    kept_bytes: int = 4 * MIB
    # Streams at once; each is a socket.
    streams: int = 4096


def is_loopback(host: str) -> bool:
    """Whether a socket bound to `host` can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_binding(host: str, settings: Settings) -> None:
    """Nothing goes over a network that must not.

    Raises:
        UsageError: `token_required`; `dictionary_exposed`, for plain HTTP is no secure context
            (RFC 9842, section 8).
    """
    if is_loopback(host):
        return
    if settings.dictionaries:
        raise UsageError(
            "dictionaries are for connections that nobody can listen to",
            code="dictionary_exposed",
            found=host,
            expected="a loopback address, with TLS in front of it where others are served",
        )
    if settings.token is None:
        raise UsageError(
            "a daemon that other machines can reach needs a token",
            code="token_required",
            found=host,
            expected="--token-file, or a loopback address",
        )


def read_token(path: Path) -> str:
    """The token in a file: one line of printable ASCII.

    Raises:
        StorageError: the file cannot be read.
        UsageError: `token_unusable`, for what is no token, too short, or readable by others.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_TOKEN_FILE_BYTES + 1)
            mode = path.stat().st_mode
    except OSError as error:
        raise StorageError((error.strerror or "it cannot be read").lower(), code="token_file").at(
            file=str(path)
        ) from error
    if mode & 0o077:
        raise UsageError(
            "others may read the token file",
            code="token_unusable",
            found=oct(mode & 0o777),
            expected="mode 0600",
        ).at(file=str(path))
    token = data.strip()
    if not _TOKEN_CHARACTERS <= len(token) <= _TOKEN_FILE_BYTES or not all(
        0x21 <= byte <= 0x7E for byte in token
    ):
        # What was found is not shown: it may be a secret all the same.
        raise UsageError(
            "the file holds no token",
            code="token_unusable",
            expected=f"one line of {_TOKEN_CHARACTERS} or more printable characters, no spaces",
        ).at(file=str(path))
    return token.decode("ascii")
