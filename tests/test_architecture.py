"""What holds for the repository as a whole: layers, file sizes, and nobody's machine in it."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# A home or a work folder of some machine; the homes of examples, `~` and relative paths are fine.
MACHINE_PATH = re.compile(
    rb"(?<![\w.~-])(?:/(?:root|work|(?:home|Users)/(?!me/|user/)\w+)/|[A-Z]:\\{1,2}Users\\)"
)
DRAWERS = {"common", "helper", "helpers", "misc", "util", "utils"}
MAX_LINES = 400


def committed_files() -> list[Path]:
    """Every file under version control that exists here."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    names = listing.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def python_files() -> list[Path]:
    """The modules of both packages."""
    return [path for folder in ("src", "synthetic") for path in (ROOT / folder).rglob("*.py")]


def test_contracts_name_every_layer_and_the_pure_core() -> None:
    """`lint-imports` has something to check: an empty list would pass as well."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    by_name = {contract["name"]: contract for contract in contracts}

    assert by_name["layers"]["exhaustive"]
    assert {"histbench.errors"} <= set(by_name["pure core"]["source_modules"])
    assert "the library does not know the generator" in by_name


def test_no_committed_file_names_a_machine_path() -> None:
    """What is committed works, and says nothing, on another machine."""
    found = [
        f"{path.relative_to(ROOT)}: {match.group().decode()}"
        for path in committed_files()
        for match in MACHINE_PATH.finditer(path.read_bytes())
    ]

    assert found == []


def test_machine_paths_are_recognised() -> None:
    """The pattern above finds what it is for, and leaves addresses and relative paths alone."""
    assert MACHINE_PATH.search(b"cd " + b"/".join([b"", b"home", b"ann", b"logs"]))
    assert not MACHINE_PATH.search(
        b"https://example.org/work/42 ./work/x ~/logs /home/me/project GET /session/1/history"
    )


def test_files_stay_short_and_no_drawer_opens() -> None:
    """One rule per file: beyond 400 lines it holds two, and a drawer holds none."""
    paths = python_files()
    long = {path.name for path in paths if len(path.read_bytes().splitlines()) > MAX_LINES}
    drawers = {path.name for path in paths if path.stem.strip("_") in DRAWERS}

    assert long == set()
    assert drawers == set()
