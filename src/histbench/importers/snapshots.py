"""Cumulative recordings: each update repeats the whole text so far, and the news is its end.

The rule is one: a snapshot must extend the one before.  Then what it adds is a delta, and the
snapshot itself can be put together again from the deltas and its length.  A snapshot that is
shorter, or differs before its end, contradicts the recording: no sequence of deltas gives both, so
the import stops there (`snapshot_not_extension`) instead of choosing one.  It happens: OpenCode
trims a reasoning text when it ends.

A snapshot that ends in half a surrogate pair is kept whole; the next one has both halves.
"""

from histbench.errors import InvalidStream, Place
from histbench.importers.items import Item
from histbench.importers.steps import Block

__all__ = ["check_extends", "ends_in_half"]

# Of the text before the difference, for the message.
_SHOWN = 20


def ends_in_half(text: str) -> bool:
    r"""Whether the last character is the first half of a surrogate pair.

    >>> ends_in_half("a\ud83d"), ends_in_half("a")
    (True, False)
    """
    return text[-1:] >= "\ud800" and text[-1:] <= "\udbff"


def check_extends(block: Block, text: str, item: Item, name: str) -> None:
    """Raise InvalidStream (`snapshot_not_extension`) unless `text` begins with what is there."""
    if text.startswith(block.seen):
        return
    same = _common(block.seen, text)
    start = max(0, same - _SHOWN)
    raise InvalidStream(
        f"a snapshot of {len(text):,} characters does not extend the one of "
        f"{len(block.seen):,} before it; they differ at character {same:,}",
        code="snapshot_not_extension",
        where=Place(line=item.line, byte=item.byte, record=name),
        found=text[start:],
        expected=ascii(block.seen[start : start + 2 * _SHOWN]) + "…",
    )


def _common(left: str, right: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
