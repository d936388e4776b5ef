"""The README shows what is true: its tables, its session, its links, its commands."""

import doctest
import re
from pathlib import Path

import pytest
from click import Context

from histbench.cli import main

ROOT = Path(__file__).parent.parent
GENERATED = ("README.md", "docs/measuring.md", "docs/shell.md", "docs/comparing.md")


@pytest.mark.parametrize("name", GENERATED)
def test_generated_tables_equal_the_results(name, monkeypatch):
    """Every table is the one that results/reference makes now."""
    cogapp = pytest.importorskip("cogapp")
    monkeypatch.chdir(ROOT)

    assert cogapp.Cog().main(["cog", "--check", name]) == 0


def test_session_in_the_readme_runs():
    """The library session prints what stands there."""
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert tried
    assert not failed


@pytest.mark.parametrize("name", GENERATED)
def test_links_lead_somewhere(name):
    """Every link within the repository names a file."""
    page = ROOT / name
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))

    assert links
    for link in links:
        if "://" not in link:
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("name", GENERATED)
def test_commands_exist_with_their_options(name):
    """Every `histbench ...` and `make ...` that is shown can be called."""
    text = (ROOT / name).read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command, rest in re.findall(r"histbench (\w+)((?: [^`\n]+)?)", text):
        if command in {"import", "measures"}:
            continue
        found = main.get_command(Context(main), command)
        assert found is not None, command
        known = {option for each in found.params for option in each.opts}
        assert set(re.findall(r"(?<!\S)--?[a-z-]+", rest)) <= known, command
    for target in re.findall(r"`make (\w+)`|^    make (\w+)$", text, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), target
