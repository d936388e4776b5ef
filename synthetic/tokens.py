r"""How a text is cut into the fragments that a model streams.

The cut imitates byte-pair tokenizers from the outside, by rules that need no vocabulary:

* a word carries the space, `_`, `.` or `/` before it;
* a word longer than `whole` letters is cut into nearly equal pieces of at most `piece` letters;
* CamelCase is cut before each capital;
* digits come in groups of at most three, ASCII punctuation in ones and twos, and a line break
  takes the indentation after it along;
* Chinese and Japanese come in pieces of one or two characters.

Character classes are written out, because `\w` follows the Unicode tables of the Python that runs.
"""

import re
from functools import lru_cache
from itertools import pairwise

__all__ = ["cut"]

_LOWER = "a-z\u00df-\u024f\u0370-\u052f\u0621-\u065f\u0900-\u0963"
_CJK = "\u3041-\u30ff\u3400-\u9fff"
_FRAGMENT = re.compile(
    rf"[ _./]?(?:[A-Z]{{2,}}(?![{_LOWER}])|[A-Z\u00c0-\u00de]?[{_LOWER}]+|[A-Z])"
    rf"|[{_CJK}]+"
    r"|[0-9]{1,3}"
    r"|\n+ *"
    r"| +(?= )"
    r"| ?[!-/:-@\[-`{-~]{1,2}"
    r"|.",
    re.DOTALL,
)
_WORD = re.compile(rf"[ _./]?[A-Z{_LOWER}{_CJK}]")


@lru_cache(maxsize=1 << 16)
def cut(text: str, whole: int, piece: int) -> tuple[str, ...]:
    """The fragments of `text`; joined they give `text` again.

    >>> cut(" successfully read_all(412)", 9, 5)
    (' succ', 'essf', 'ully', ' read', '_all', '(', '412', ')')
    """
    fragments: list[str] = []
    for fragment in _FRAGMENT.findall(text):
        letters = len(fragment) - (fragment[0] in " _./")
        if letters <= whole or not _WORD.match(fragment):
            fragments.append(fragment)
            continue
        pieces = -(-letters // piece)
        # The mark before the word belongs to the first piece and counts for nothing.
        mark = len(fragment) - letters
        marks = [mark + letters * n // pieces for n in range(pieces + 1)]
        marks[0] = 0
        fragments += (fragment[a:b] for a, b in pairwise(marks))
    return tuple(fragments)
