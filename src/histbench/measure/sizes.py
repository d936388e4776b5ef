"""How many values a JSON text holds, told from its bytes without building one of them.

A parser's work follows the number of values more than the number of bytes, so it stands beside
the sizes.  Outside of strings every comma separates two values of a container, and every container
that is not empty has one value more than it has commas; with the root that makes

    values = 1 + commas + opening brackets - empty containers

where keys are not counted.  White space between tokens, which a log may hold in events that came
from elsewhere, counts for nothing.
"""

import re
from collections.abc import Mapping

import msgspec
import numpy as np

__all__ = ["count_json_values", "count_records"]

_members = msgspec.json.Decoder(Mapping[str, msgspec.Raw])
_list = msgspec.json.Decoder(list[msgspec.Raw])

_ESCAPE = re.compile(rb"\\.", re.DOTALL)

# Bounds the arrays below; a raw page is 65 MB.
_BLOCK = 1 << 22

_OPENING_OR_NEXT = np.frombuffer(b",[{", np.uint8)
_TEXT = np.uint8(ord("x"))
_SPACE = np.uint8(ord(" "))


def count_json_values(text: bytes) -> int:
    """The number of values in one compact JSON text, the root and all containers included.

    >>> count_json_values(b'{"a":[1,"x,y"],"b":{}}')
    5
    """
    if b"\\" in text:
        text = _ESCAPE.sub(b"", text)
    values = 1
    inside = 0
    before = np.zeros(1, np.uint8)
    for start in range(0, len(text), _BLOCK):
        block = np.frombuffer(text, np.uint8, min(_BLOCK, len(text) - start), start)
        # The parity of the quotes so far; it survives the wrap-around of eight bits.
        in_string = (np.cumsum(block == ord('"'), dtype=np.uint8) & 1) ^ inside
        inside = int(in_string[-1])
        tokens = np.where(in_string, _TEXT, block)
        # The last token of the block before goes first: "[]" may be cut in two.
        tokens = np.concatenate((before, tokens[tokens > _SPACE]))
        before = tokens[-1:]
        values += int(np.isin(tokens[1:], _OPENING_OR_NEXT).sum())
        for opening, closing in (b"[]", b"{}"):
            values -= int(((tokens[:-1] == opening) & (tokens[1:] == closing)).sum())
    return values


def count_records(text: bytes) -> int | None:
    """How many records a page of JSON lists; None for a page that lists none by a known name.

    >>> count_records(b'{"events":[{"event":{}},{"event":{}}],"hasMore":false}')
    2
    """
    try:
        page = _members.decode(text)
    except msgspec.DecodeError:
        return None
    lists = [page[name] for name in ("events", "records") if name in page]
    return len(_list.decode(lists[0])) if lists else None
