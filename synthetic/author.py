"""The text models of one session, tied together: one set of names, languages and tools per seed."""

from typing import Any

from synthetic.dice import Dice
from synthetic.names import make_names
from synthetic.phrases import PhraseSource, load_language
from synthetic.prose import Prose
from synthetic.toolcalls import Toolbox

__all__ = ["Author"]

# Source code repeats itself by its grammar already.
CODE_REUSE, _CODE_MEMORY = 12, 80
_TOOLS = ("bash", "edit", "glob", "grep", "read", "task", "todo_write", "web_fetch", "write")
_SYSTEM_SENTENCES = 60
_TOOL_SENTENCES = 8
# Letters; longer than any word.
_UNBOUNDED = 99


class Author:
    """Prose in the languages of a profile, code, shell commands and tool calls.

    `languages` are weights; `reuse` and `memory` say how often prose phrases come back and out of
    how many (see `phrases`).  `whole` and `piece` bound what a language says about how its words
    are cut (see `tokens`).
    """

    def __init__(
        self,
        seed: int,
        *,
        languages: dict[str, int],
        reuse: int,
        memory: int,
        code_reuse: int = CODE_REUSE,
        whole: int = _UNBOUNDED,
        piece: int = _UNBOUNDED,
    ) -> None:
        self._seed = seed
        self._languages = sorted(languages)
        self._weights = [languages[name] for name in self._languages]
        self._reuse, self._memory = reuse, memory
        self._whole, self._piece = whole, piece
        self._names = make_names(Dice(seed, "names"))
        self._choice = Dice(seed, "languages")
        self._prose: dict[str, Prose] = {}
        self.code = self._code(code_reuse, "python")
        self._script = self._code(code_reuse, "typescript")
        shell = self._code(code_reuse, "shell")
        files = self._names["F"]
        tools = Dice(seed, "tools")
        english = self.prose("english")
        self._toolboxes = [
            Toolbox(code, shell, english, files, tools) for code in (self.code, self._script)
        ]
        self._tools = tools

    def _code(self, reuse: int, name: str) -> PhraseSource:
        dice = Dice(self._seed, "phrases", name)
        return PhraseSource(
            load_language(name), self._names, dice, reuse=reuse, memory=_CODE_MEMORY
        )

    def prose(self, name: str) -> Prose:
        """The prose model of that language, made when it is first asked for."""
        if name not in self._prose:
            language = load_language(name).cut_to(self._whole, self._piece)
            phrases = PhraseSource(
                language,
                self._names,
                Dice(self._seed, "phrases", name),
                reuse=self._reuse,
                memory=self._memory,
            )
            dice = Dice(self._seed, "prose", name)
            self._prose[name] = Prose(language, phrases, self.code, dice)
        return self._prose[name]

    def some_prose(self) -> Prose:
        """The prose model of a language drawn by the profile's weights."""
        return self.prose(self._languages[self._choice.weighted(self._weights)])

    def toolbox(self) -> Toolbox:
        """The tools, working on Python in half of the calls and on TypeScript in the other."""
        return self._tools.one_of(self._toolboxes)

    def system_prompt(self) -> str:
        """What a system prompt looks like from afar: long, in English, the same all along."""
        return self.prose("english").text(_SYSTEM_SENTENCES)

    def tool_schemas(self) -> list[dict[str, Any]]:
        """Descriptions of the tools as a request carries them."""
        return [
            {
                "name": name,
                "description": self.prose("english").text(_TOOL_SENTENCES),
                "parameters": {
                    "type": "object",
                    "properties": {"file_path": {"type": "string"}, "text": {"type": "string"}},
                    "required": ["file_path"],
                },
            }
            for name in _TOOLS
        ]
