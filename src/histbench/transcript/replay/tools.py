"""How a call looks before anything is known of its result: kind, title and places.

Tools are known by name, in whichever style a program writes it; what is not in the table is
`other`, and MCP tools are.
"""

from typing import Any

from histbench.transcript.replay.fields import count_of, first_text, object_of

__all__ = ["kind_of_tool", "locations_of", "title_of"]

_KINDS = {
    "read": "read readfile readmanyfiles listdirectory ls notebookread",
    "edit": "edit multiedit write writefile replace notebookedit applypatch strreplaceeditor",
    "delete": "delete deletefile remove",
    "move": "move movefile rename",
    "search": "grep glob search searchfilecontent ripgrep grepsearch toolsearch",
    "execute": "bash shell runshellcommand execute exec pwsh powershell bashoutput killshell",
    "think": "think task agent savememory todowrite exitplanmode",
    "fetch": "fetch webfetch websearch",
}
_KIND_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names.split()}

_PATHS = ("file_path", "absolute_path", "path", "filePath", "notebook_path", "dir_path")
_SUBJECTS = (*_PATHS, "command", "pattern", "query", "url", "description", "prompt")
# One line of a list of calls.
_TITLE_CHARACTERS = 120


def kind_of_tool(name: str) -> str:
    """The protocol's kind of a tool.

    >>> kind_of_tool("run_shell_command"), kind_of_tool("WebFetch"), kind_of_tool("mcp__x__y")
    ('execute', 'fetch', 'other')
    """
    return _KIND_BY_NAME.get(name.replace("_", "").replace("-", "").lower(), "other")


def title_of(name: str, arguments: object) -> str:
    """One line that says what is called on what."""
    subject = first_text(object_of(arguments), *_SUBJECTS)
    title = name if subject is None else f"{name}: {' '.join(subject[:400].split())}"
    return title if len(title) <= _TITLE_CHARACTERS else title[: _TITLE_CHARACTERS - 1] + "…"


def locations_of(arguments: object) -> list[dict[str, Any]]:
    """The file that a call names, with the line where it names one."""
    fields = object_of(arguments)
    path = first_text(fields, *_PATHS)
    if path is None:
        return []
    line = count_of(fields.get("line"))
    return [{"path": path} if line is None else {"path": path, "line": line}]
