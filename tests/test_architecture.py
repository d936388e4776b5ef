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


def contracts() -> dict[str, dict]:
    """The import-linter contracts of pyproject.toml, by name."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return {contract["name"]: contract for contract in listed}


def test_every_module_has_a_layer() -> None:
    """`lint-imports` refuses a module that the layers do not name."""
    layers = contracts()["layers"]

    assert layers["containers"] == ["histbench"]
    assert layers["exhaustive"]


def test_the_pure_core_is_every_layer_from_history_down() -> None:
    """A module that joins the core, or moves down into it, is held to the core's rule."""
    layers = [re.findall(r"\w+", layer) for layer in contracts()["layers"]["layers"]]
    top = next(depth for depth, names in enumerate(layers) if "history" in names)
    package = ROOT / "src" / "histbench"
    core = {
        f"histbench.{name}"
        for names in layers[top:]
        for name in names
        if (package / name).is_dir() or (package / f"{name}.py").is_file()
    }

    assert core == set(contracts()["pure core"]["source_modules"])


def test_contracts_keep_generator_and_measurement_out() -> None:
    """The library does not know the generator; what reports numbers does not make them."""
    named = contracts()

    assert named["the library does not know the generator"]["forbidden_modules"] == ["synthetic"]
    if (ROOT / "src" / "histbench" / "report").exists():
        assert named["reports read, they do not measure"]["source_modules"] == ["histbench.report"]


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
    address = b"/".join([b"https://example.org", b"work", b"42"])
    assert not MACHINE_PATH.search(address + b" ./logs/x ~/logs /home/me/project GET /session/1")


def test_files_stay_short_and_no_drawer_opens() -> None:
    """One rule per file: beyond 400 lines it holds two, and a drawer holds none."""
    paths = python_files()
    long = {path.name for path in paths if len(path.read_bytes().splitlines()) > MAX_LINES}
    drawers = {path.name for path in paths if path.stem.strip("_") in DRAWERS}

    assert long == set()
    assert drawers == set()
