"""The scripts that the shell's view is held against are what this view does."""

from shell_transcript_vectors import FOLDER, text_of, vectors


def test_the_shells_vectors_are_what_the_view_does():
    """`python tests/shell_transcript_vectors.py` writes them anew."""
    made = {name: text_of(value) for name, value in vectors()}

    assert sorted(made) == sorted(path.name for path in FOLDER.glob("*.json"))
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text
