"""Profile files are checked on loading, with errors that name the fault."""

from importlib import resources

import pytest

from histbench.errors import StorageError, UsageError
from synthetic import generate, load_profile, profile_names


def test_names_are_sorted_and_all_load():
    """Each built-in profile has a one-line summary."""
    assert profile_names() == sorted(profile_names())
    for name in profile_names():
        assert load_profile(name).summary


def test_unknown_profile_names_the_known_ones():
    """The error lists what could have been meant."""
    with pytest.raises(UsageError) as caught:
        load_profile("transprot")

    assert caught.value.code == "unknown_profile"
    assert "transport" in str(caught.value)


def test_a_missing_file_is_a_storage_error(tmp_path):
    """A path that ends in .toml is read, never taken for a name."""
    with pytest.raises(StorageError):
        load_profile(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model = ", "Invalid"),
        ('model = "nothing"\nsummary = ""', "nothing"),
        ('model = "whitespace-prefix"\nsummary = ""', "members"),
        ('model = "whitespace-prefix"\nsummary = ""\nmembers = 0', "members"),
        ('model = "whitespace-prefix"\nsummary = ""\nmembers = 1\nseed = 2', "seed"),
        ("\udcff", "utf-8"),
    ],
)
def test_a_wrong_file_tells_its_fault(tmp_path, text, told):
    """Syntax, unknown models, missing, impossible and unknown fields are refused by name."""
    path = tmp_path / "own.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UsageError) as caught:
        load_profile(str(path))

    assert caught.value.code == "invalid_profile"
    assert told in str(caught.value)


@pytest.fixture
def changed(tmp_path):
    """A built-in profile's file with one passage replaced, as a path."""

    def change(name, old, new):
        text = (resources.files("synthetic") / "profiles" / f"{name}.toml").read_text()
        assert old in text
        path = tmp_path / "own.toml"
        path.write_text(text.replace(old, new))
        return str(path)

    return change


def test_an_own_file_works_like_a_built_in(changed):
    """A path in place of a name, everywhere."""
    path = changed("quick", "events = 5_000", "events = 300")

    assert len(list(generate(path, 1))) == 300


def test_unknown_languages_are_refused(changed):
    """The error names the language and the known ones."""
    path = changed("quick", "chinese", "klingon")
    with pytest.raises(UsageError, match=r"klingon.*russian"):
        load_profile(path)


@pytest.mark.parametrize(("old", "new"), [("whole = 5", "whole = 0"), ("piece = 3", "piece = 0")])
def test_words_cannot_be_cut_to_nothing(changed, old, new):
    """A piece has a letter at least."""
    path = changed("published", old, new)
    with pytest.raises(UsageError, match=old.split()[0]):
        load_profile(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ordinary = 580", "ordinary = 400"),
        ("runs = 116", "runs = 9_000"),
        ("kept_by_projection = 228_129", "kept_by_projection = 416_000"),
        ("completed_runs = 54", "completed_runs = 20"),
        ("completed_runs = 54", "completed_runs = 110"),
        ("completed_turns = 8", "completed_turns = 80"),
    ],
)
def test_counts_that_do_not_fit_are_refused(changed, old, new):
    """Published counts are planned before the first event, and an impossible plan says so."""
    path = changed("published", old, new)
    with pytest.raises(UsageError) as caught:
        next(generate(path, 1))

    assert caught.value.code == "invalid_profile"
