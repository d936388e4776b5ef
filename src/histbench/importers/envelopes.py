"""What surrounds a token on the wire, kept beside the tokens: constant parts once, others by column.

A delta event has room for its text and nothing else, or it could not be packed.  The rest of the
value that carried it (ids, a model's name, log probabilities, random padding) stands in a
`source/envelope` event behind the deltas of a *segment*, at most `SEGMENT_MEMBERS` values of the
same shape in a row:

    {count, first, texts, same | like, columns}

    count    how many values the segment held
    first    the seq at which the segment's deltas begin
    texts    where in each value the texts stood, as paths; each text is one delta, in this order
    same     the value itself, null where a text or a column belongs
    like     in place of `same`: the seq of an earlier envelope that has the same
    columns  what differed from value to value: {path, values}, {path, from} for integers that
             count up by one, {path, text: true} for a copy of the value's only text

A path leads through {value, frame}; `frame` is there only for what a server-sent event said
besides its data.  In a segment of snapshots (`lengths` in place of `first`) each text is what its
block had come to: `blocks` names turn, step and index of each, `lengths` says how much of it.
`restoring` puts the values back together, which is how the tests prove that nothing is lost.
"""

from collections.abc import Callable, Sequence
from typing import Any

from histbench.jsontext import encode

__all__ = ["SEGMENT_MEMBERS", "Path", "Segment"]

Path = tuple[str | int, ...]

# The most members of a row in the original's own database, and its most bytes of texts.
SEGMENT_MEMBERS = 1024
_SEGMENT_CHARACTERS = 1024 * 1024

# Of the values' JSON text: as Python objects they are some ten times as large.
_SEGMENT_BYTES = 4 * 1024 * 1024

# Envelopes that a later one may refer to: interleaved streams take turns.
_REMEMBERED = 64
_REMEMBERED_BYTES = 64 * 1024

_SCALARS = (str, int, float, bool, type(None))


class Segment:
    """Values of one shape in a row, until `flush` gives the data of their envelope."""

    def __init__(self) -> None:
        self._shape: Any = None
        self._members: list[Any] = []
        self._texts: list[list[str]] = []
        self._characters = self._bytes = 0
        self._first = 0
        self._known: dict[bytes, int] = {}

    def fits(self, shape: Any) -> bool:
        """Whether a value of this shape may join the segment, or begin one."""
        return not self._members or (
            shape == self._shape
            and len(self._members) < SEGMENT_MEMBERS
            and self._characters < _SEGMENT_CHARACTERS
            and self._bytes < _SEGMENT_BYTES
        )

    def add(self, shape: Any, member: Any, texts: list[str], seq: int, size: int) -> None:
        """Add a value of `size` bytes whose texts were taken out; its first delta has `seq`."""
        if not self._members:
            self._shape, self._first = shape, seq
        self._members.append(member)
        self._texts.append(texts)
        self._characters += sum(map(len, texts))
        self._bytes += size

    def flush(self, seq: int) -> dict[str, Any] | None:
        """The data of the envelope, which will have `seq`; None when there is nothing to say."""
        if not self._members:
            return None
        paths, _keys, blocks = self._shape
        texts = [each[0] for each in self._texts] if len(paths) == 1 and blocks is None else None
        columns: list[dict[str, Any]] = []
        same = _split(self._members, (), texts, columns.append)
        data: dict[str, Any] = {"count": len(self._members)}
        if blocks is None:
            data["first"] = self._first
        else:
            data["blocks"] = [list(block) for block in blocks]
            data["lengths"] = [[len(text) for text in each] for each in self._texts]
        data["texts"] = [list(path) for path in paths]
        key = encode(same)
        if key in self._known:
            data["like"] = self._known[key]
        else:
            data["same"] = same
            if len(key) <= _REMEMBERED_BYTES:
                self._known[key] = seq
            if len(self._known) > _REMEMBERED:
                del self._known[next(iter(self._known))]
        if columns:
            data["columns"] = columns
        self._members, self._texts, self._characters, self._bytes = [], [], 0, 0
        return data


def _split(
    values: Sequence[Any],
    path: Path,
    texts: list[str] | None,
    put: Callable[[dict[str, Any]], object],
) -> Any:
    """What `values` have in common, null where they differ; the differences go to `put`."""
    first = values[0]
    if _all_same(values):
        return first
    if isinstance(first, dict):
        keys = tuple(first)
        if all(isinstance(each, dict) and tuple(each) == keys for each in values):
            return {
                key: _split([each[key] for each in values], (*path, key), texts, put)
                for key in keys
            }
    elif isinstance(first, list):
        length = len(first)
        if all(isinstance(each, list) and len(each) == length for each in values):
            return [
                _split([each[index] for each in values], (*path, index), texts, put)
                for index in range(length)
            ]
    column: dict[str, Any] = {"path": list(path)}
    if values == texts:
        column["text"] = True
    elif _counts_up(values):
        column["from"] = first
    else:
        column["values"] = values
    put(column)
    return None


def _all_same(values: Sequence[Any]) -> bool:
    # 1 and true are equal to Python, and so are [1] and [true]; only these are spelled apart.
    if len(set(map(type, values))) > 1 or values.count(values[0]) < len(values):
        return False
    return isinstance(values[0], _SCALARS) or len(set(map(repr, values))) == 1


def _counts_up(values: Sequence[Any]) -> bool:
    first = values[0]
    return type(first) is int and all(
        type(each) is int and each == first + number for number, each in enumerate(values)
    )
