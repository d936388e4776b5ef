"""A results file comes back as it was saved, or is refused with the place."""

import json

import pytest
from hypothesis import given

from histbench.errors import InvalidResults, StorageError
from histbench.results import load_results, render_results, save_results
from results_strategies import any_results, small_results


@pytest.fixture
def saved(tmp_path):
    """A small results file."""
    path = tmp_path / "results.json"
    save_results(small_results(raw_bytes=10, packed_seconds=0.5, joined_bytes=None), path)
    return path


@given(results=any_results())
def test_load_gives_back_what_save_took(results, tmp_path_factory):
    """Every value, every key, every None."""
    path = tmp_path_factory.mktemp("results") / "r.json"
    save_results(results, path)

    assert load_results(path) == results


@given(results=any_results())
def test_the_same_results_are_the_same_text(results):
    """No order of a dict gets into the file."""
    shuffled = dict(reversed(results.environment.items()))
    same = type(results)(
        **{
            name: getattr(results, name)
            for name in results.__struct_fields__
            if name != "environment"
        },
        environment=shuffled,
    )

    assert render_results(same) == render_results(results)
    assert json.loads(render_results(results))


def test_one_sample_is_one_line(saved):
    """A changed number is a changed line."""
    lines = saved.read_text().splitlines()

    assert sum('"stage"' in line for line in lines) == 3


def test_every_truncation_is_refused(saved, tmp_path):
    """A file cut short never passes for a smaller one."""
    text = saved.read_bytes()
    cut = tmp_path / "cut.json"
    for length in range(len(text) - 1):
        cut.write_bytes(text[:length])
        with pytest.raises(InvalidResults) as caught:
            load_results(cut)

        assert caught.value.where.file == str(cut)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "not_results"),
        ("null", "not_results"),
        ('{"schema":"pyperf"}', "not_results"),
        ('{"type":"session","version":0}', "not_results"),
        ('{"schema":"histbench-results","version":2,"news":1}', "unsupported_version"),
        ('{"schema":"histbench-results","version":1}', "invalid_results"),
        ('{"schema":"histbench-results","version":"1"}', "invalid_results"),
        ("[" * 100_000, "invalid_results"),
        ("\xff\xfe", "invalid_results"),
        ("", "invalid_results"),
    ],
)
def test_another_kind_of_file_is_refused_by_code(tmp_path, text, code):
    """What it is not and what it is too new for are told apart from damage."""
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InvalidResults) as caught:
        load_results(path)

    assert (caught.value.code, caught.value.where.file) == (code, str(path))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"value":10', '"value":NaN'),
        ('"value":10', '"value":1e999'),
        ('"value":10', '"value":-1'),
        ('"value":10', '"value":"10"'),
        ('"value":10', '"value":true'),
        ('"value":10', '"value":null'),
        ('"value":10', '"value":10,"payload":"text"'),
        ('"unit":"byte"', '"unit":"second"'),
        ('"run":0', '"run":-1'),
        ('"log.jsonl","origin"', '"/home/me/log.jsonl","origin"'),
        ("2026-01-02T03:04:05Z", "yesterday"),
        ("a" * 64, "a" * 63),
    ],
)
def test_a_value_that_the_schema_forbids_is_refused(saved, old, new):
    """Numbers that are none, foreign fields, paths in names, times in words."""
    text = saved.read_text()
    assert old in text
    saved.write_text(text.replace(old, new))

    with pytest.raises(InvalidResults) as caught:
        load_results(saved)

    assert caught.value.code == "invalid_results"


def test_damage_names_its_byte(saved):
    """Malformed JSON is told with the byte it stops at."""
    text = saved.read_bytes().replace(b'"run":0', b'"run":?', 1)
    saved.write_bytes(text)

    with pytest.raises(InvalidResults) as caught:
        load_results(saved)

    assert caught.value.where.byte == text.index(b"?")


def test_unreadable_paths_are_storage_errors(tmp_path):
    """No OSError gets past this module."""
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(StorageError):
            load_results(path)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    """Until the new file is whole and on disk the old one stays."""
    before = saved.read_bytes()

    def fail(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        save_results(small_results(), saved)

    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_saving_into_no_folder_is_a_storage_error(tmp_path):
    """The folder is the caller's to make."""
    with pytest.raises(StorageError) as caught:
        save_results(small_results(), tmp_path / "absent" / "r.json")

    assert caught.value.where.file.endswith("r.json")


def test_saved_files_are_readable_by_colleagues(saved):
    """Not the 0600 of a temporary file."""
    assert saved.stat().st_mode & 0o044
