"""`histbench report` writes each edition, to a file or to a pipe, and refuses in one line."""

import json

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.results import save_results
from report_results import full_results


@pytest.fixture
def files(tmp_path):
    """Two results files of one name in two folders."""
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        save_results(full_results(), tmp_path / folder / "r.json")
        paths.append(str(tmp_path / folder / "r.json"))
    return paths


def call(*arguments):
    """What the command did."""
    return CliRunner().invoke(main, ["report", *arguments])


@pytest.mark.parametrize(
    ("edition", "start"), [("html", "<!DOCTYPE html>"), ("md", "# "), ("json", "{")]
)
def test_every_edition_goes_to_a_file_or_to_standard_output(files, tmp_path, edition, start):
    """The same bytes either way."""
    target = tmp_path / "out"
    piped = call(files[0], "--format", edition)
    saved = call(files[0], "--format", edition, "-o", str(target))

    assert piped.exit_code == saved.exit_code == 0
    assert piped.stdout.startswith(start)
    assert target.read_bytes() == piped.stdout_bytes


def test_files_of_one_name_are_told_apart(files):
    """Two folders' results.json are two results, whatever their names."""
    decoded = json.loads(call(*files, "--format", "json").stdout)

    assert [each["name"] for each in decoded["sections"]] == ["published (r)", "published (r#2)"]


def test_no_path_reaches_a_report(files, tmp_path):
    """A report is for others: it names files by their last component."""
    for edition in ("html", "md", "json"):
        assert str(tmp_path) not in call(*files, "--format", edition).stdout


@pytest.mark.parametrize("text", [None, "", "{}", "[1]", '{"schema":"histbench-results"}'])
def test_what_is_no_results_file_is_refused(tmp_path, text):
    """One line with the file's name, exit code 1, and nothing written."""
    path = tmp_path / "r.json"
    if text is not None:
        path.write_text(text, "utf-8")
    done = call(str(path), "-o", str(tmp_path / "out.html"))

    assert done.exit_code == 1
    assert "r.json" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.html").exists()


def test_output_that_cannot_be_written_is_refused(files, tmp_path):
    """A folder is no file."""
    done = call(files[0], "-o", str(tmp_path))

    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1


def test_no_file_and_unknown_format_are_wrong_calls(files):
    """Exit code 2, as for every wrong call."""
    assert call().exit_code == 2
    assert call(files[0], "--format", "pdf").exit_code == 2
