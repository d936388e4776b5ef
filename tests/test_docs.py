"""The page about errors is complete and true: it is held against the source."""

import ast
import re
from pathlib import Path

import pytest

from histbench import errors

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "histbench"
PAGE = ROOT / "docs" / "errors.md"

# Also codes: the rules of the row grammar are passed to a function that adds the prefix.
ROW_RULE = re.compile(r"\brefuse\(\s*\"(\w+)\"")


def raised() -> dict[str, set[str]]:
    """Each code that the source can raise, and the modules where; `{}` stands for what varies."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            for code in _codes_of(node):
                found.setdefault(code, set()).add(module)
        for rule in ROW_RULE.findall(text):
            found.setdefault(f"row_{rule}", set()).add(module)
    return found


def _codes_of(node: ast.AST) -> list[str]:
    """The codes of one call, `code=...`, whichever of two it is or however it is put together."""
    if not isinstance(node, ast.Call):
        return []
    codes = []
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg == "code":
            for each in [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    codes.append(each.value)
                elif isinstance(each, ast.JoinedStr):
                    parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in each.values)
                    codes.append("".join(map(str, parts)))
    return codes


def documented() -> list[str]:
    """The codes in the first column of the page's tables, in order."""
    cells = re.findall(r"^\| (`[^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [code for cell in cells for code in re.findall(r"`(\w+)`", cell)]


def test_every_code_is_documented() -> None:
    """Whoever meets a code can look it up; what is missing is listed with its modules."""
    known = set(documented())
    classes = [each for each in vars(errors).values() if isinstance(each, type)]
    missing = {
        code: sorted(modules)
        for code, modules in raised().items()
        if "{}" not in code and code not in known
    }
    own = {each.default_code for each in classes if issubclass(each, errors.HistbenchError)}

    assert missing == {}
    assert own <= known
    for code in raised():
        if "{}" in code:
            pattern = re.escape(code).replace(r"\{\}", r"\w+")
            assert any(re.fullmatch(pattern, each) for each in known), code


def test_no_code_is_documented_that_nobody_raises() -> None:
    """A code that went away leaves the page too."""
    classes = [each for each in vars(errors).values() if isinstance(each, type)]
    own = {each.default_code for each in classes if issubclass(each, errors.HistbenchError)}
    patterns = [re.escape(code).replace(r"\{\}", r"\w+") for code in raised()]
    # Some are chosen before they are raised, so that they stand anywhere in quotes.
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    stale = [
        code
        for code in documented()
        if code not in own
        and f'"{code}"' not in source
        and not any(re.fullmatch(pattern, code) for pattern in patterns)
    ]

    assert stale == []


@pytest.mark.parametrize("heading", ["Rows", "Session files"])
def test_no_code_is_documented_twice_in_one_table(heading: str) -> None:
    """One meaning each."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0].split("| diagnostic")[0]
    codes = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)))

    assert len(codes) == len(set(codes))
