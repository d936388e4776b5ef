r"""Tool calls: JSON arguments as a model streams them, and the result each tool gives back.

Arguments are streamed as JSON text, fragment by fragment, the first fragment empty and structure
in small pieces (`{`, `"`, `file`, `_path`, `"`, `: `), as recorded logs show.  Values are escaped
fragment by fragment, so code inside them has `\n` and `\"` as text.

Files live on in a small workspace: what was written or read before comes back when it is read
again, which is why results and arguments of one session share long passages.
"""

from functools import lru_cache
from typing import NamedTuple

from histbench.jsontext import encode
from synthetic.dice import Dice
from synthetic.phrases import NAME_PIECE, NAME_WHOLE, Fragments, PhraseSource
from synthetic.prose import Prose
from synthetic.tokens import cut

__all__ = ["ToolCall", "Toolbox"]

_WORKSPACE_FILES = 40
# Of 100 calls.
_TOOLS = {"read": 32, "bash": 26, "edit": 18, "grep": 12, "write": 12}
_RESULT_LINES = [1, 4, 12, 30, 60, 140]
_BASH_LINES = [1, 2, 5, 12, 40]


class ToolCall(NamedTuple):
    """One call: the fragments of its arguments and the text of its result."""

    name: str
    fragments: Fragments
    result: str


@lru_cache(maxsize=1 << 16)
def _escaped(fragment: str) -> str:
    return encode(fragment)[1:-1].decode()


def _member(key: str, value: Fragments) -> Fragments:
    return ['"', *cut(key, NAME_WHOLE, NAME_PIECE), '"', ": ", '"', *map(_escaped, value), '"']


class Toolbox:
    """Draws calls of a coding agent's tools over one workspace."""

    def __init__(
        self, code: PhraseSource, shell: PhraseSource, prose: Prose, files: list[str], dice: Dice
    ) -> None:
        self._code = code
        self._shell = shell
        self._prose = prose
        self._paths = files[:_WORKSPACE_FILES]
        self._files: dict[str, str] = {}
        self._dice = dice

    def draw(self, content: int) -> ToolCall:
        """A call of any tool; `content` is the size of a written or changed text in fragments."""
        names = list(_TOOLS)
        name = names[self._dice.weighted(list(_TOOLS.values()))]
        path = self._dice.one_of(self._paths)
        if name == "write":
            return self._write(path, content)
        where = _member("file_path", list(cut(path, NAME_WHOLE, NAME_PIECE)))
        if name == "edit":
            old = self._code.fill(max(1, content // 3))
            new = [*old[: len(old) // 2], *self._code.fill(max(1, content // 3))]
            members = [where, _member("old_string", old), _member("new_string", new)]
            return ToolCall(name, _arguments(members), f"The file {path} has been updated.")
        if name == "read":
            return ToolCall(name, _arguments([where]), self._numbered(path))
        if name == "grep":
            pattern = list(self._shell.phrase())[-3:]
            return ToolCall(name, _arguments([_member("pattern", pattern), where]), self._found())
        command = _member("command", list(self._shell.phrase()))
        purpose = _member("description", self._prose.sentence(first=True))
        return ToolCall(name, _arguments([command, purpose]), self._output())

    def write(self, count: int) -> ToolCall:
        """A `write` call whose arguments have exactly `count` fragments (at least 40)."""
        path = self._dice.one_of(self._paths)
        frame = len(self._write(path, 0).fragments)
        return self._write(path, count - frame)

    def _write(self, path: str, content: int) -> ToolCall:
        code = self._code.fill(content)
        text = "".join(code)
        self._files[path] = text
        where = _member("file_path", list(cut(path, NAME_WHOLE, NAME_PIECE)))
        done = f"Wrote {len(text)} characters to {path}."
        return ToolCall("write", _arguments([where, _member("content", code)]), done)

    def _numbered(self, path: str) -> str:
        text = self._files.get(path)
        if text is None:
            text = "".join(self._code.fill(12 * self._dice.quantile(_RESULT_LINES)))
            self._files[path] = text
        lines = text.split("\n")[: self._dice.quantile(_RESULT_LINES)]
        numbered = "\n".join(f"{n}: {line}" for n, line in enumerate(lines, 1))
        return f"<path>{path}</path>\n<content>\n{numbered}\n</content>"

    def _found(self) -> str:
        lines = "".join(self._code.fill(10 * self._dice.quantile(_BASH_LINES))).split("\n")
        below, path = self._dice.below, self._dice.one_of
        return "\n".join(f"{path(self._paths)}:{1 + below(400)}:{line}" for line in lines)

    def _output(self) -> str:
        count = self._dice.quantile(_BASH_LINES)
        return "\n".join("".join(self._shell.phrase()) for _ in range(count))


def _arguments(members: list[Fragments]) -> Fragments:
    fragments = ["", "{"]
    for n, member in enumerate(members):
        if n:
            fragments.append(", ")
        fragments += member
    fragments.append("}")
    return fragments
