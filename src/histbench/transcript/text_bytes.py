r"""Whether a record's JSON text may show a word, told by its bytes, without parsing it.

A word of ASCII letters and digits stands in the bytes as it is, in some case, unless

    \uXXXX        spells one of its letters
    long s, ...   become letters of it once case is ignored: Kelvin's sign, ligatures, too
    U+200B, ...   stand inside of it and are not shown (`text`)

Where none of these is there, the word is in the bytes or the record does not show it.
"""

import re

__all__ = ["may_show"]

_ESCAPE = b"\\u"
# The UTF-8 of all such characters; a test goes through Unicode to see that none is missing.
_UNLIKE_ITSELF = re.compile(
    rb"\x7f|\xc2[\x80-\x9f\xad]|\xc3\x9f|\xc4\xb0|\xc5[\x89\xbf]|\xc7\xb0|\xd8\x9c"
    rb"|\xe1\xba[\x96-\x9a\x9e]|\xe2\x80[\x8b\x8e\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa4\xa6-\xaf]"
    rb"|\xe2\x84\xaa|\xef\xac[\x80-\x86]|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]|\xf3\xa0[\x80\x81]"
)


def may_show(raw: bytes, word: bytes) -> bool:
    """Whether the JSON text may show a word of lower-case ASCII letters and digits, in any case.

    >>> may_show(b'{"text":"Hello"}', b"hello"), may_show(b'{"text":"Hello"}', b"world")
    (True, False)
    """
    if word in raw.lower() or _ESCAPE in raw:
        return True
    return _UNLIKE_ITSELF.search(raw) is not None
