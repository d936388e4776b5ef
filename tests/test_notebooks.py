"""Committed notebooks were executed whole, are small, and export to pages that ask nobody.

That their outputs are what the code gives now is nbval's business (`make notebooks`).
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.errors import InvalidData, StorageError
from histbench.report.notebooks import (
    check_notebook,
    execute_notebook,
    export_notebook,
    save_notebook,
)

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbconvert")
pytest.importorskip("nbclient")
v4 = nbformat.v4

# Jupyter's own packages warn about each other.
pytestmark = pytest.mark.filterwarnings("default")

FOLDER = Path(__file__).parent.parent / "notebooks"
COMMITTED = sorted(FOLDER.glob("*.ipynb"))


def written(path, *cells):
    """A notebook of these cells at `path`; text is a code cell."""
    made = [v4.new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("# Question?"), *made]), path)
    return path


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_committed_notebooks_may_be_shown(path):
    """Counts 1 to N, short cells, no forbidden call, no picture, no trace of a machine."""
    assert check_notebook(path) == ()


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_committed_notebooks_ask_first_and_answer_last(path):
    """The first cell asks, and the heading before the last cell says Answer."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    headings = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]

    assert "?" in headings[0].splitlines()[0]
    assert headings[-1].startswith("## Answer")
    assert cells[-1]["outputs"]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook with text, a table and a figure, executed once."""
    path = written(
        tmp_path_factory.mktemp("notebook") / "n.ipynb",
        "from histbench.report.panels import Bar, Panel\n"
        "from histbench.report.plots import plot_panels\n"
        "bar = Bar(form='packed', value=2, text='2 B')\n"
        "print('1 < 2')",
        "plot_panels([Panel(title='plain', subtitle='bytes', bars=(bar,))])",
    )
    return path, execute_notebook(path)


def test_saved_notebook_keeps_text_and_drops_pictures(executed, tmp_path):
    """What is committed has counts and text, no picture, no time, no version."""
    path, notebook = executed
    saved = tmp_path / "saved.ipynb"
    save_notebook(nbformat.from_dict(json.loads(json.dumps(notebook))), saved)
    text = saved.read_text("utf-8")

    assert check_notebook(saved) == ()
    assert "1 < 2" in text
    assert "image/png" not in text
    assert "iopub" not in text
    assert '"version"' not in text
    assert check_notebook(path) == ("counts: executed in the order [None, None], not 1 to 2",)


def test_printed_text_is_saved_in_one_piece(tmp_path):
    """Where a kernel happens to flush makes no difference to the file."""
    pieces = [v4.new_output("stream", name="stdout", text=text) for text in ("a", "b\n")]
    other = v4.new_output("stream", name="stderr", text="c")
    cell = v4.new_code_cell(
        "x",
        execution_count=1,
        outputs=[*pieces, other, nbformat.from_dict({**other, "name": "stdout"})],
    )
    save_notebook(v4.new_notebook(cells=[cell]), tmp_path / "n.ipynb")
    saved = nbformat.read(tmp_path / "n.ipynb", as_version=4).cells[0].outputs

    assert [output.text for output in saved] == ["ab\n", "c", "c"]


def test_saving_the_same_execution_changes_nothing(executed, tmp_path):
    """A second save says that the file is as it was."""
    notebook = nbformat.from_dict(json.loads(json.dumps(executed[1])))
    saved = tmp_path / "saved.ipynb"

    assert save_notebook(notebook, saved)
    assert not save_notebook(notebook, saved)


def test_exported_page_asks_nobody(executed):
    """No script, no address outside the page, a policy, the picture inside and in words."""
    page = export_notebook(executed[1], title="n")

    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert "Content-Security-Policy" in page
    assert "data:image/png;base64," in page
    assert "plain, bytes: packed 2 B" in page
    assert export_notebook(executed[1], title="n") == page


def test_exported_page_has_panels_for_a_narrow_screen():
    """One by one beside the whole, each in words; the page shows the one or the others."""
    picture = "iVBORw0KGgo="
    parts = [{"alt": f"panel <{name}>", "png": picture} for name in "ab"]
    output = v4.new_output(
        "display_data",
        data={"image/png": picture},
        metadata={"image/png": {"alt": "both", "parts": parts}},
    )
    cell = v4.new_code_cell("x", execution_count=1, outputs=[output])
    page = export_notebook(v4.new_notebook(cells=[cell]), title="n")

    assert page.count('class="whole"') == 1
    assert page.count('class="part"') == 2
    assert 'alt="both"' in page
    assert 'alt="panel &lt;a&gt;"' in page


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x = 1;", "trailing_semicolon"),
        ("%time x = 1", "magic"),
        ("!ls", "magic"),
        ("frame.style", "styler"),
        ("from tqdm import tqdm", "progress"),
        ("\n".join(["x = 1"] * 16), "16 lines"),
    ],
)
def test_forbidden_sources_are_found(tmp_path, source, problem):
    """What nbval cannot honour or a reader cannot read."""
    found = check_notebook(written(tmp_path / "n.ipynb", source))

    assert any(problem in each for each in found)


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (v4.new_output("error", ename="E", evalue="", traceback=[]), "error"),
        (v4.new_output("display_data", data={"image/png": "AAAA"}), "picture"),
        (v4.new_output("stream", text="<object at 0x7f00deadbeef>"), "address"),
        (v4.new_output("execute_result", data={"text/plain": "/tmp/ipykernel_1/2.py"}), "path"),
    ],
)
def test_forbidden_outputs_are_found(tmp_path, output, problem):
    """What differs from machine to machine, or bloats a diff."""
    cell = v4.new_code_cell("x", execution_count=1, outputs=[output])
    found = check_notebook(written(tmp_path / "n.ipynb", cell))

    assert len(found) == 1
    assert problem in found[0]


def test_failing_cell_is_told_with_its_notebook(tmp_path):
    """An exception in a cell is invalid input, not a traceback."""
    with pytest.raises(InvalidData) as caught:
        execute_notebook(written(tmp_path / "n.ipynb", "1 / 0"))

    assert caught.value.code == "notebook_failed"
    assert caught.value.where.file.endswith("n.ipynb")


def test_what_is_no_notebook_is_refused(tmp_path):
    """A missing file, and a file of something else."""
    (tmp_path / "n.ipynb").write_text("no", "utf-8")

    with pytest.raises(InvalidData) as caught:
        check_notebook(tmp_path / "n.ipynb")
    assert caught.value.code == "invalid_notebook"
    with pytest.raises(StorageError):
        check_notebook(tmp_path / "missing.ipynb")


def test_check_ends_with_one_where_something_is_wrong(tmp_path):
    """The command says what and where, and its exit code fails a build."""
    written(tmp_path / "n.ipynb", "x = 1;")
    done = CliRunner().invoke(main, ["notebooks", "check", str(tmp_path)])

    assert done.exit_code == 1
    assert "n.ipynb: cell 1: trailing_semicolon" in done.stdout


def test_folder_without_notebooks_is_a_wrong_call(tmp_path):
    """Nothing to do is not success."""
    done = CliRunner().invoke(main, ["notebooks", "check", str(tmp_path)])

    assert done.exit_code == 2
