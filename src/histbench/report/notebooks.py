"""Notebooks: executed in a fresh kernel, kept small and comparable, checked, exported as HTML.

What a committed notebook holds is what a reader of a diff wants to see: code, words, and outputs
as text.  `execute` therefore leaves out what changes by itself or says nothing in a diff: times,
the interpreter's version, pictures (nbval compares none; an export draws them anew), and ids that
are random.  Two executions on any supported Python give the same bytes.

`check` holds what nbval does not see: a notebook that was stripped or half executed passes nbval
without a comparison, a trailing semicolon passes the editor and fails there.

nbformat, nbclient and nbconvert are the extra `notebooks`; they are imported when asked for.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from histbench.errors import InvalidData, Place, UsageError
from histbench.store.durable import storage_error

__all__ = ["CELL_SECONDS", "check_notebook", "execute_notebook", "export_notebook", "save_notebook"]

# A cell that reads results needs none of it; a kernel that died would otherwise hold for 2,000 s.
CELL_SECONDS = 120

MAX_CELLS = 12
MAX_LINES = 15

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml", "application/pdf")
# An output that tells of itself where it lies in memory, or of a file on somebody's machine.
_PAYLOAD = re.compile(r"0x[0-9a-f]{6,}|/(?:home|root|tmp|Users)/|[A-Z]:\\+Users")
_FORBIDDEN = (
    (re.compile(r";\s*\Z"), "trailing_semicolon", "the last line ends in `;`"),
    (re.compile(r"^\s*[%!]", re.MULTILINE), "magic", "a line starts with % or !"),
    (re.compile(r"\btqdm\b|\brich\b|clear_output"), "progress", "progress or rewritten output"),
    (re.compile(r"\.style\b"), "styler", "pandas' Styler has random ids"),
)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{name} is not installed",
            code="notebooks_missing",
            expected="pip install 'histbench[notebooks]'",
        ) from error


def _read(path: str | os.PathLike[str]) -> Any:
    """The notebook at `path`, in the version of the format that is written here.

    Raises:
        StorageError: it cannot be read.
        InvalidData: it is no notebook (`invalid_notebook`).
    """
    nbformat = _library("nbformat")
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise storage_error(error, os.fspath(path)) from error
    # nbformat raises whatever its parsers do.
    except Exception as error:
        raise InvalidData(
            f"not a notebook: {type(error).__name__}",
            code="invalid_notebook",
            where=Place(file=os.fspath(path)),
        ) from error


def execute_notebook(path: str | os.PathLike[str]) -> Any:
    """The notebook at `path` after a run in a fresh kernel, in the notebook's own folder.

    Raises:
        UsageError: `notebooks_missing`.
        InvalidData: `invalid_notebook`, or `notebook_failed` with the first cell that did.
    """
    notebook = _read(path)
    nbclient = _library("nbclient")
    client = nbclient.NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        record_timing=False,
        # With it an export would show widgets, which nothing answers there, instead of their HTML.
        store_widget_state=False,
        kernel_name="python3",
        # Errors only: a kernel on this machine warns each time that its port has no encryption.
        extra_arguments=["--log-level=40"],
        resources={"metadata": {"path": str(Path(path).resolve().parent)}},
    )
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        raise InvalidData(
            f"{error.ename}: {error.evalue}".strip(),
            code="notebook_failed",
            where=Place(file=os.fspath(path)),
        ) from error
    # nbclient's CellTimeoutError, DeadKernelError and "didn't respond" are of these.
    except (TimeoutError, RuntimeError) as error:
        raise InvalidData(
            f"the kernel died or took too long: {error}",
            code="notebook_failed",
            where=Place(file=os.fspath(path)),
            expected=f"at most {CELL_SECONDS} s for each cell",
        ) from error
    return notebook


def _normalise(notebook: Any) -> None:
    """Leave out what changes by itself; number cells so that their ids do not."""
    notebook.metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
        tags = cell.metadata.get("tags")
        cell.metadata = {"tags": tags} if tags else {}
        if "outputs" in cell:
            cell.outputs = _joined_streams(cell.outputs)
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if "data" in output:
                output.metadata = {}
                for kind in _PICTURES:
                    output.data.pop(kind, None)


def _joined_streams(outputs: list[Any]) -> list[Any]:
    """Outputs with printed text in one piece: where a kernel flushes is chance."""
    joined: list[Any] = []
    for output in outputs:
        before = joined[-1] if joined else None
        if (
            before is not None
            and output.output_type == before.output_type == "stream"
            and output.name == before.name
        ):
            before.text += output.text
        else:
            joined.append(output)
    return joined


def save_notebook(notebook: Any, path: str | os.PathLike[str]) -> bool:
    """Write an executed notebook, normalised; whether the file changed."""
    _normalise(notebook)
    nbformat = _library("nbformat")
    text = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
    target = Path(path)
    before = target.read_bytes() if target.exists() else b""
    if before == text.encode():
        return False
    try:
        target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise storage_error(error, os.fspath(path)) from error
    return True


def check_notebook(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """What is wrong with a committed notebook, one line each; nothing if it may be shown.

    Counts run from 1 without a gap, the first and last cells are words, no more than MAX_CELLS
    code cells of MAX_LINES lines each, none with what `_FORBIDDEN` names, and outputs hold no
    error, picture, address or path.

    Raises:
        StorageError, InvalidData: as `execute_notebook`.
    """
    return tuple(_problems(_read(path)))


def _problems(notebook: Any) -> Iterator[str]:
    cells = notebook.cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        yield f"counts: executed in the order {counts}, not 1 to {len(code)}"
    if len(code) > MAX_CELLS:
        yield f"cells: {len(code)} code cells, at most {MAX_CELLS}"
    if not cells or cells[0].cell_type != "markdown":
        yield "question: the first cell is not words"
    for number, cell in enumerate(code, 1):
        lines = cell.source.count("\n") + 1
        if lines > MAX_LINES:
            yield f"cell {number}: {lines} lines, at most {MAX_LINES}"
        for pattern, name, problem in _FORBIDDEN:
            if pattern.search(cell.source):
                yield f"cell {number}: {name}, {problem}"
        for output in cell.outputs:
            yield from (f"cell {number}: {problem}" for problem in _output_problems(output))


def _output_problems(output: Any) -> Iterator[str]:
    if output.output_type == "error":
        yield "an error stands in the output"
    data = output.get("data", {})
    if any(kind in data for kind in _PICTURES):
        yield "a picture stands in the output"
    text = output.get("text", "") + "".join(v for v in data.values() if isinstance(v, str))
    if _PAYLOAD.search(text):
        yield "an address or a path of one machine stands in the output"


def export_notebook(notebook: Any, *, title: str) -> str:
    """An executed notebook as one HTML page: no script, no address outside.

    The page is nbconvert's own with what it would load from elsewhere taken out (the template
    folder beside this module) and a policy that forbids the rest.  Formulas stay as text.
    """
    nbconvert = _library("nbconvert")
    with _templates() as folder:
        exporter = nbconvert.HTMLExporter(
            template_name="histbench",
            extra_template_basedirs=[str(folder)],
            embed_images=True,
        )
        text, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title}})
    # The theme's comments name the pages it learnt from: no request, but nobody's business either.
    return _STYLE.sub(lambda style: _COMMENT.sub("", style[0]), text)


@contextlib.contextmanager
def _templates() -> Iterator[Path]:
    """The folder of templates as a folder on disk, also out of a zip."""
    with as_file(files("histbench.report").joinpath("templates")) as folder:
        yield folder
