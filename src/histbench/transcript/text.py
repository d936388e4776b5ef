"""Text that people see, as one line that is safe to show: for previews and for search.

    white space             runs of it, line ends among them, become one space
    control characters      go, and so do marks that turn or hide text: bidirectional formatting,
                            tag characters, zero-width spaces (joiners stay, emoji need them)
    half surrogate pairs    become U+FFFD

So a preview cannot reorder the terminal or the page around it, and a search finds what is read, not
what is between it: `one_line` both the text and what is searched for.

Searched is what is shown (`parts.shown_text`): what users and assistants say.  Thoughts never are.
Arguments and results of tools are when that is asked for.
"""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from histbench.transcript.parts import call_arguments, result_texts, shown_text
from histbench.transcript.record import TranscriptRecord

__all__ = ["cut", "excerpt", "one_line", "searchable_text"]

# As long as the detail of a turn.
EXCERPT_CHARACTERS = 240

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f\u00ad"  # controls, soft hyphen
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional formatting
    "\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible
    "\U000e0000-\U000e007f"  # tags: whole sentences that nobody sees
    "]"
)


def one_line(text: str) -> str:
    r"""The text on one line, with nothing in it that acts.

    >>> one_line(" a\n\t b\u202e c\x1b ")
    'a b c'
    """
    spaced = " ".join(text.split())
    # Again, since what was removed may have stood alone between two spaces.
    return " ".join(_HALF_PAIR.sub("\ufffd", _UNSAFE.sub("", spaced)).split())


def cut(text: str, characters: int) -> str:
    """The beginning of a text, at most so many code points, with an ellipsis where it was cut.

    >>> cut("abcdef", 4), cut("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def searchable_text(record: TranscriptRecord, *, tools: bool = False) -> str:
    """What a record shows, on one line; with `tools`, what tools were given and gave back too."""
    texts = [shown_text(record.value)]
    if tools:
        for name, arguments in call_arguments(record.value):
            texts += [name, *_strings(arguments)]
        for result in result_texts(record.value):
            texts += _strings(result)
    return one_line(" ".join(texts))


def _strings(value: Any) -> list[str]:
    """The strings in a JSON value, in order; a stack of its own, for values that nest deeply."""
    found, open_values = [], [value]
    while open_values:
        each = open_values.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            open_values.extend(reversed(each.values()))
        elif isinstance(each, list):
            open_values.extend(reversed(each))
    return found


def excerpt(text: str, wanted: str, characters: int = EXCERPT_CHARACTERS) -> str:
    """Some of a text around the first place where it has what was searched for, in any case.

    Args:
        text: of `searchable_text`.
        wanted: what was searched for; where the text has it not, the excerpt is its beginning.
        characters: at most so many code points.

    >>> excerpt("the quick brown fox jumps", "BROWN", 14)
    '…ck brown fox…'
    """
    if len(text) <= characters:
        return text
    at = _place(text, one_line(wanted).casefold())
    start = min(max(0, at - (characters - len(wanted)) // 2), len(text) - characters)
    piece = text[start : start + characters]
    head, tail = "…" if start else "", "…" if start + characters < len(text) else ""
    return head + piece[len(head) : characters - len(tail)] + tail


def _place(text: str, folded: str) -> int:
    """Where the text has this, whatever its case; 0 where it has it not."""
    whole = text.casefold()
    at = max(0, whole.find(folded))
    if len(whole) == len(text):
        return at
    # Some characters fold to several.
    starts = list(accumulate((len(each.casefold()) for each in text), initial=0))
    return bisect_right(starts, at) - 1
