"""How far input may expand before it is refused.

A compressed file is a promise that may not be kept: 4 bytes of zstd stand for up to 128 KiB.
Three bounds keep memory in proportion, each told in the error that enforces it:

line      No stored line may be longer than `line_bytes`.  A line is the only thing that must be
          held whole, so this bounds every streaming reader.
ratio     Past `free_bytes` of content, a compressed log may hold at most `ratio` times its own
          bytes.  Real logs reach 20 (packed) to 60 (one event a line, re-framed as one frame);
          a bomb of repeated bytes reaches 20,000 and more.
total     `read_log` keeps what it reads, so it stops at `total_bytes` of content, compressed or
          not.  Streaming readers (`verify_log`, `open_log`) have no such bound.

A frame whose window is larger than `window_bytes` is refused before anything is allocated for it.
"""

from msgspec import Struct

__all__ = ["DEFAULT_LIMITS", "MIB", "Limits"]

MIB = 1024 * 1024


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bounds above, in bytes; `ratio` is bytes of content per byte of file."""

    # Half the longest string of the JavaScript engines that write these logs.
    line_bytes: int = 256 * MIB
    free_bytes: int = 64 * MIB
    ratio: int = 1000
    total_bytes: int = 4096 * MIB
    # What the zstd command itself accepts without --long=31 or --memory.
    window_bytes: int = 128 * MIB


DEFAULT_LIMITS = Limits()
