"""Names of folders, derived over UTF-16 units."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import UsageError
from histbench.store.layout import encode_id, project_folder, project_slug, session_folder
from store_logs import refusal

# Text as JavaScript has it: lone surrogates included.
texts = st.text(st.characters(exclude_categories=()))


def decode_id(name: str) -> str:
    """The id that a folder is named after."""
    units = b""
    at = 0
    while at < len(name):
        if name[at] == "~":
            units += bytes.fromhex(name[at + 1 : at + 5])
            at += 5
        else:
            units += name[at].encode("utf-16-be")
            at += 1
    return units.decode("utf-16-be", "surrogatepass")


@given(texts.filter(bool))
def test_one_id_one_folder_name(session_id):
    """The escape loses nothing, and no name can leave its folder."""
    try:
        name = encode_id(session_id)
    except UsageError:
        assert len(session_id) > 255 // 10
        return

    # Two halves that meet are one character in UTF-16.
    utf16 = session_id.encode("utf-16-be", "surrogatepass")
    assert decode_id(name).encode("utf-16-be", "surrogatepass") == utf16
    assert name.isascii()
    assert len(name) <= 255
    assert name not in {".", ".."}
    assert not set(name) & set("/\\:\0")


@given(texts)
def test_a_project_folder_is_one_safe_name(cwd):
    """Whatever the working folder is called."""
    name = project_folder(cwd)

    assert name.isascii()
    assert 0 < len(name) <= 255
    assert "/" not in name
    assert name.startswith("--")


@pytest.mark.parametrize(
    ("cwd", "slug"),
    [
        ("/home/me/work", "home-me-work"),
        ("C:\\data\\me", "C-data-me"),
        ("", "root"),
        ("///", "root"),
        ("--x", "x"),
        ("/a//b:c", "a-b-c"),
        ("/é", "~00E9"),
        ("/😀", "~D83D~DE00"),
        ("/" + "a" * 300, "a" * 251),
    ],
)
def test_slugs_by_example(cwd, slug):
    """Runs of separators, leading dashes, escapes per UTF-16 unit, the cut."""
    assert project_slug(cwd) == slug


def test_ids_by_example():
    """Dots are safe inside a name and dangerous alone; the escape character is escaped."""
    assert encode_id("a.b-c_D9") == "a.b-c_D9"
    assert encode_id(".") == "~002E"
    assert encode_id("~") == "~007E"
    assert encode_id("...") == "..."
    assert refusal(encode_id, "").code == "session_id"
    assert refusal(encode_id, "é" * 100).code == "session_id"


def test_a_session_without_a_working_folder_has_its_own_project():
    """It cannot collide with a slug: those start with two dashes."""
    assert session_folder(Path("r"), "s", None) == Path("r/_no-cwd/s")
    assert session_folder(Path("r"), "s", "/w") == Path("r/--w--/s")
