"""Which logs a corpus has."""

import os
import zipfile

import fsspec
import pytest

from histbench.corpus import measure_corpus
from histbench.corpus.finding import find_logs
from histbench.errors import StorageError, UsageError
from measure_session import small_events, write_session


@pytest.fixture
def folder(tmp_path):
    """Logs in two folders, and what is none."""
    (tmp_path / "deep").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("a.jsonl", "deep/b.jsonl", ".hidden/c.jsonl", "named"):
        write_session(tmp_path / name, small_events(4))
    (tmp_path / "notes.md").write_text("no log")
    (tmp_path / "deep" / ".d.jsonl").write_text("")
    os.mkfifo(tmp_path / "deep" / "pipe.jsonl")
    return tmp_path


def test_a_folder_gives_its_recordings(folder):
    """All below it, hidden ones, pipes and other files left out."""
    found = [log.path for log in find_logs([folder])]

    assert found == [str(folder / "a.jsonl"), str(folder / "deep" / "b.jsonl")]


def test_files_and_globs_are_taken_as_named(folder):
    """A file counts whatever it is called, and once, however often it is named."""
    names = [folder / "named", str(folder / "**" / "*.jsonl"), folder / "a.jsonl"]
    found = [log.path for log in find_logs(names)]

    assert found == sorted(str(folder / name) for name in ("a.jsonl", "deep/b.jsonl", "named"))


def test_urls_are_read_through_fsspec(folder):
    """The same log has the same figures wherever it lies: on disk, behind a URL, in an archive."""
    with zipfile.ZipFile(folder / "logs.zip", "w") as archive:
        archive.write(folder / "a.jsonl", "x/a.jsonl")
    with fsspec.open("memory://corpus/a.jsonl", "wb") as file:
        file.write((folder / "a.jsonl").read_bytes())
    urls = [
        f"file://{folder}/a.jsonl",
        f"zip://**/*.jsonl::file://{folder}/logs.zip",
        "memory://corpus/*.jsonl",
    ]
    results = measure_corpus([*urls, folder / "a.jsonl"], workers=0)
    figures = {(row.sha256, row.events, row.sizes["packed"]["br-5"]) for row in results.rows}

    assert len(results.rows) == 4
    assert [row.error_code for row in results.rows] == [None] * 4
    assert len(figures) == 1


def test_what_is_not_there_is_refused_at_once(folder):
    """A missing file, a pipe, nothing at all, and a protocol that nobody knows."""
    codes = []
    for names in (
        [folder / "absent.jsonl"],
        [folder / "deep" / "pipe.jsonl"],
        [str(folder / "*.none")],
        ["gopher-9://host/a.jsonl"],
    ):
        with pytest.raises((StorageError, UsageError)) as caught:
            find_logs(names)
        codes.append(caught.value.code)

    assert codes == ["file_not_found", "not_a_file", "no_input", "bad_url"]


def test_a_name_that_is_no_text_is_shown_with_escapes(folder, tmp_path):
    """The log is measured, journalled and in the table; it goes on like any other."""
    name = os.fsdecode(os.fsencode(folder) + b"/deep/\xff.jsonl")
    (folder / "deep" / "b.jsonl").rename(name)
    output = tmp_path / "out.parquet"
    (row,) = measure_corpus([folder / "deep"], workers=0, output=output).rows
    kept = []
    measure_corpus([folder / "deep"], workers=0, output=output, progress=kept.append)

    assert row.path.endswith("\\xff.jsonl")
    assert row.error_code is None
    assert kept[-1].kept == 1
