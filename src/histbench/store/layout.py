r"""Where a session's log lies under a root, and what may not lie there.

    <root>/--<slug of cwd>--/<encoded id>/session.jsonl.zstd      (or session.jsonl)
    <root>/_no-cwd/<encoded id>/...                               without a working folder

Both names are built over UTF-16 units, so that the original and this project derive the same one:

id     a unit outside A-Z a-z 0-9 . _ - becomes `~XXXX` (four hex digits, upper case); the ids `.`
       and `..` are escaped whole; an empty id is refused.  One id, one name: `~` is escaped too.
slug   runs of / \ : become one `-`, leading `-` go, other units are escaped as above, nothing
       becomes `root`, and the result is cut at 251 so that the folder's name fits 255 bytes.
       Slugs may collide; ids under them then still tell the sessions apart.

Whether a log that lies somewhere belongs there is `catalog`'s to say.  (Facts: session history,
section 3.)
"""

import re
from pathlib import Path

from histbench.errors import UsageError

__all__ = [
    "ARCHIVE_SUFFIXES",
    "LOG_NAMES",
    "LOG_SUFFIXES",
    "encode_id",
    "project_folder",
    "project_slug",
    "session_folder",
]

# By compression: the default first.
LOG_NAMES = {"zstd": "session.jsonl.zstd", "none": "session.jsonl"}

# What a log may be called outside of a root.
LOG_SUFFIXES = (".jsonl", ".jsonl.zst", ".jsonl.zstd")
# And an archive of one (`archive`), which no root holds.
ARCHIVE_SUFFIXES = tuple(f".lean{suffix}" for suffix in LOG_SUFFIXES)

NO_CWD = "_no-cwd"

_SLUG_UNITS = 251
# The longest file name of every common file system, in bytes.
_NAME_BYTES = 255

_SEPARATORS = re.compile(r"[/\\:]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"~{units[i : i + 2].hex().upper()}" for i in range(0, len(units), 2))


def encode_id(session_id: str) -> str:
    r"""The folder name of a session.

    Raises:
        UsageError: `session_id` when it is empty or its name would be too long for a folder.

    >>> encode_id("a/b"), encode_id(".."), encode_id("\U0001f600")
    ('a~002Fb', '~002E~002E', '~D83D~DE00')
    """
    if session_id in {".", ".."}:
        return "~002E" * len(session_id)
    name = _UNSAFE.sub(_escape, session_id)
    if not 0 < len(name) <= _NAME_BYTES:
        raise UsageError(
            "no folder can be named after this session id",
            code="session_id",
            found=session_id,
            expected=f"1 to {_NAME_BYTES} characters once escaped",
        )
    return name


def project_slug(cwd: str) -> str:
    r"""The slug of a working folder.

    >>> project_slug("/home/me/my project"), project_slug("/"), project_slug("C:\\x")
    ('home-me-my~0020project', 'root', 'C-x')
    """
    slug = _UNSAFE.sub(_escape, _SEPARATORS.sub("-", cwd).lstrip("-"))
    return (slug or "root")[:_SLUG_UNITS]


def project_folder(cwd: str | None) -> str:
    """The folder name of a project.

    >>> project_folder("/home/me"), project_folder(None)
    ('--home-me--', '_no-cwd')
    """
    return NO_CWD if cwd is None else f"--{project_slug(cwd)}--"


def session_folder(root: Path, session_id: str, cwd: str | None) -> Path:
    """The folder that holds a session's log."""
    return root / project_folder(cwd) / encode_id(session_id)
