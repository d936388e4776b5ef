"""The shell's modules as one module, which is what a widget takes.

Each module becomes a function that is called once and returns what the module exports.  The modules
are our own and keep to two forms, which is all that is understood here:

    import { a, b } from "./other.js";
    export [async] function|class|const NAME     and, in the entry, export default
"""

import re
from collections.abc import Mapping

from histbench.errors import UsageError

__all__ = ["bundle"]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)


def bundle(sources: Mapping[str, str], entry: str) -> str:
    """One module with what `entry` exports as its default.

    Args:
        sources: the modules by their paths, such as `ui/dom.js`.
        entry: the path of one.

    Raises:
        UsageError: a module that is imported is not there (`missing_module`).
    """
    made: dict[str, str] = {}
    _add(sources, entry, made)
    parts = [f"const {_name(path)} = (() => {{\n{text}\n}})();" for path, text in made.items()]
    return "\n".join([*parts, f"export default {_name(entry)}.default;\n"])


def _add(sources: Mapping[str, str], path: str, made: dict[str, str]) -> None:
    """Put a module behind those that it imports."""
    if path in made:
        return
    if path not in sources:
        raise UsageError("there is no such module", code="missing_module", found=path)

    def replaced(found: re.Match[str]) -> str:
        other = _resolve(path, found[2])
        _add(sources, other, made)
        return f"const {{{found[1]}}} = {_name(other)};"

    text = _IMPORT.sub(replaced, sources[path])
    names = [found[2] for found in _EXPORT.finditer(text)]
    text = _EXPORT.sub(r"\1", text)
    if _DEFAULT.search(text):
        text = _DEFAULT.sub("const exported = ", text)
        names.append("default: exported")
    made[path] = f"{text}\nreturn {{ {', '.join(names)} }};"


def _resolve(path: str, relative: str) -> str:
    parts = path.split("/")[:-1]
    for part in relative.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _name(path: str) -> str:
    return "module_" + re.sub(r"\W", "_", path)
