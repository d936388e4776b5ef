"""The fixtures of a git repository: found, not listed; checked; migrated all or none.

Every `*.jsonl` file that is tracked, or untracked and not ignored, is a fixture when its first line
with text is a session header; nobody keeps a list that could be forgotten.  Links are not followed:
what they lead to is found by itself, or lies outside.

A migration renders every fixture first.  If one of them cannot be rendered, or its proof fails,
nothing is written.  Then files are replaced one by one, each in one step; should the disk refuse
one in between, the error names what was changed and what was not, and running it again goes on.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from histbench.errors import HistbenchError, Place, StorageError
from histbench.store.durable import replace_file
from histbench.store.fixtures import Fixture, first_difference, is_fixture, render_fixture
from histbench.store.limits import MIB
from histbench.store.scan import LogSource

__all__ = ["FixtureReport", "check_fixtures", "find_fixtures", "migrate_fixtures"]

# A header line is short; a longer first line is none.
_HEAD_BYTES = 1 * MIB

_LISTING = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.jsonl")


class FixtureReport(Struct, frozen=True, kw_only=True):
    """One fixture: canonical, or not (then `line` is the first that differs), or faulty.

    `fixture` is None when the file is faulty; `error` says why.
    """

    path: Path
    fixture: Fixture | None = None
    error: HistbenchError | None = None
    line: int | None = None
    canonical: bool = False


def find_fixtures(root: str | os.PathLike[str]) -> list[Path]:
    """The fixtures under `root`, a folder of a git working tree, sorted.

    Raises:
        StorageError: `not_a_repository`, `git_missing`; a file cannot be read.
    """
    base = Path(root)
    paths = {base / name for name in _listed(base)}
    # A file that is tracked and deleted is still listed.
    return sorted(path for path in paths if path.is_file() and not path.is_symlink() and _is(path))


def _listed(root: Path) -> list[str]:
    try:
        listing = subprocess.run(_LISTING, cwd=root, capture_output=True, check=False)
    except FileNotFoundError as error:
        missing = not root.is_dir()
        raise StorageError(
            "no such folder" if missing else "the git command is needed to find fixtures",
            code="file_not_found" if missing else "git_missing",
            where=Place(file=str(root)),
        ) from error
    except NotADirectoryError as error:
        raise StorageError(
            "this is no folder", code="file_not_found", where=Place(file=str(root))
        ) from error
    if listing.returncode:
        reason = listing.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StorageError(
            "git cannot list the files of this folder",
            code="not_a_repository",
            where=Place(file=str(root)),
            found=reason[-1] if reason else None,
        )
    return [os.fsdecode(name) for name in listing.stdout.split(b"\0") if name]


def _is(path: Path) -> bool:
    with LogSource(path) as source:
        return is_fixture(source.read_at(0, _HEAD_BYTES))


def _reports(root: str | os.PathLike[str]) -> Iterator[tuple[FixtureReport, bytes]]:
    for path in find_fixtures(root):
        with LogSource(path) as source:
            content = source.read_at(0, source.stat().st_size)
        try:
            fixture = render_fixture(content)
        except HistbenchError as error:
            yield FixtureReport(path=path, error=error.at(file=str(path))), b""
            continue
        if fixture.text == content:
            yield FixtureReport(path=path, fixture=fixture, canonical=True), fixture.text
        else:
            line = first_difference(content, fixture.text)[0]
            yield FixtureReport(path=path, fixture=fixture, line=line), fixture.text


def check_fixtures(root: str | os.PathLike[str]) -> list[FixtureReport]:
    """A report on every fixture under `root`.

    Raises:
        As `find_fixtures`.
    """
    return [report for report, _ in _reports(root)]


def migrate_fixtures(
    root: str | os.PathLike[str], *, dry_run: bool = False
) -> tuple[list[FixtureReport], list[Path]]:
    """Make every fixture under `root` canonical; the reports from before, and the files changed.

    When a fixture is faulty, nothing is changed.

    Raises:
        StorageError: a file could not be replaced; the message says how many were and lists them.
    """
    reports = list(_reports(root))
    due = [(report.path, text) for report, text in reports if not report.canonical]
    faulty = any(report.error is not None for report, _ in reports)
    changed: list[Path] = []
    for path, text in [] if faulty or dry_run else due:
        try:
            replace_file(path, [text])
        except StorageError as error:
            left = len(due) - len(changed)
            error.message += f"; {len(changed)} fixtures were migrated before it, {left} were not"
            error.found = ", ".join(map(str, changed)) or None
            raise
        changed.append(path)
    return [report for report, _ in reports], changed
