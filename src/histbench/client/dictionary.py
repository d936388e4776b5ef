"""The dictionary that a daemon offers for its history pages (RFC 9842).

A page says where one is (`Link`).  It is fetched when another page is asked for, at a path with the
same end, so that whoever wants one page never pays for it, and kept for as long as the connection.  What cannot be had, is not
what its name says, or is for other requests, is passed over: everything works without.

Of the patterns that say which requests a dictionary is for, paths with `*` in them are understood;
a dictionary with any other pattern is not used.
"""

import re
from collections.abc import Callable, Mapping

import httpx

from histbench.dictionaries import Dictionary
from histbench.errors import HistbenchError, InvalidData

__all__ = ["KeptDictionary"]

_OFFER = re.compile(r'<(/[!-;=?-~]{1,2000})>\s*;\s*rel="?compression-dictionary"?\s*(?:[,;]|$)')
_MATCH = re.compile(r'(?:^|,)\s*match="([^"\\]{1,2000})"')
_OTHER_TYPE = re.compile(r"(?:^|,)\s*type=(?!raw\s*(?:$|[,;]))")
# In a URL pattern these mean something, or begin something that does.
_NOT_UNDERSTOOD = re.compile(r"[^/!$&',;=@\w.~%*-]", re.ASCII)
_HASH_AT_END = re.compile(r"/([0-9a-f]{64})$")

# The bytes of an address, and the fields of its answer.
Fetch = Callable[[str], tuple[bytes, Mapping[str, str]]]


class KeptDictionary:
    """One dictionary at most: the last that was offered and could be had."""

    def __init__(self, fetch: Fetch) -> None:
        self.dictionary: Dictionary | None = None
        self._fetch = fetch
        self._paths = re.compile(r"(?!)")
        self._offered: str | None = None
        self._end = ""
        self._asked: str | None = None

    def fields(self, path: str) -> dict[str, str]:
        """What a request for the page at `path` says; what was offered is fetched now."""
        offered = self._offered
        if offered is not None and offered != self._asked and path.endswith(self._end):
            self._asked = offered
            self._take(offered)
        if self.dictionary is None or not self._paths.fullmatch(path):
            return {}
        return {"available-dictionary": self.dictionary.field}

    def note(self, path: str, response: httpx.Response) -> None:
        """Remember what the page at `path` offers."""
        found = _OFFER.search(response.headers.get("link", ""))
        if found is not None and not found[1].startswith("//"):
            self._offered = found[1]
            self._end = path[path.rfind("/") :]

    def find(self, digest: bytes) -> Dictionary | None:
        """The dictionary, if it is this one."""
        known = self.dictionary
        return known if known is not None and known.digest == digest else None

    def _take(self, address: str) -> None:
        named = _HASH_AT_END.search(address)
        try:
            content, fields = self._fetch(address)
            paths = _paths(fields.get("use-as-dictionary", ""))
            digest = None if named is None else bytes.fromhex(named[1])
            self.dictionary, self._paths = Dictionary.of(content, digest=digest), paths
        except HistbenchError:
            return


def _paths(field: str) -> re.Pattern[str]:
    """The paths of the requests that a dictionary is for, from `Use-As-Dictionary`."""
    match = _MATCH.search(field)
    if match is None or _OTHER_TYPE.search(field) or _NOT_UNDERSTOOD.search(match[1]):
        raise InvalidData("this dictionary is for requests that are not made here")
    return re.compile(".*".join(map(re.escape, match[1].split("*"))))
