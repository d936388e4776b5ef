"""The names that one session keeps using: identifiers, types and file paths.

A session works on one code base, so its names are made once, from generated compounds of a few
stems, and then drawn again and again with Zipf weights: they are the part of the text that recurs
most, in every language.
"""

from synthetic.dice import Dice

__all__ = ["make_names"]

_STEMS = """
    record event frame page cursor window line value key index field message header stream buffer client
    server session token cache task queue path limit size offset count range start end table column filter
    order group state result source copy report title text block chunk node root rule format codec budget
    score weight sample metric route handler reader writer parser store loader runner layout render switch
    probe guard clock timer batch label scale
"""
_VERBS = "read write parse check keep drop merge split sort count load store send find build encode decode pack"
_FOLDERS = (
    "src src/core src/store src/wire tests tests/unit docs tools web/app web/shell lib scripts"
)
_SUFFIXES = "py py py ts ts tsx md toml json css"

# How many of each a session knows; with Zipf weights about 40 of them make up half of the uses.
_IDENTIFIERS = 260
_FILES = 90


def make_names(dice: Dice) -> dict[str, list[str]]:
    """Word lists by slot: S snake_case, J camelCase, C types, F file paths, I any identifier."""
    stems, verbs = _STEMS.split(), _VERBS.split()
    folders, suffixes = _FOLDERS.split(), _SUFFIXES.split()
    snake = []
    for _ in range(_IDENTIFIERS):
        head = dice.one_of(verbs) if dice.percent(45) else dice.one_of(stems)
        parts = [head] if dice.percent(20) else [head, dice.one_of(stems)]
        snake.append("_".join(parts))
    camel = [
        first + "".join(map(str.title, rest)) for first, *rest in (s.split("_") for s in snake)
    ]
    types = [
        "".join(part.title() for part in name.split("_")) for name in snake[: _IDENTIFIERS // 3]
    ]
    files = [
        f"{dice.one_of(folders)}/{dice.one_of(snake)}.{dice.one_of(suffixes)}"
        for _ in range(_FILES)
    ]
    calls = [f"{name}()" for name in snake[::3]]
    dotted = [f"{dice.one_of(types)}.{name}" for name in snake[1::3]]
    return {"S": snake, "J": camel, "C": types, "F": files, "I": snake[2::3] + calls + dotted}
