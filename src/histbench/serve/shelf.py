"""The daemon's dictionaries: which is offered, and which a reader has (RFC 9842).

    Link: </dictionary/<sha256>>; rel="compression-dictionary"     with a page: there is one
    Available-Dictionary: :<base64>:                               with a request: I have it
    Content-Encoding: dcz                                          with a page: you need it

The first is offered; the others are those that readers may still have from before.  A reader that
names none, names one that is not here, or writes something else is answered without.
"""

from collections.abc import Sequence

from histbench.dictionaries import DczEncoder, Dictionary
from histbench.dictionaries.dictionary import read_field
from histbench.errors import InvalidData, UsageError
from histbench.serve.message import Head

__all__ = ["DICTIONARY_PATH", "Shelf"]

DICTIONARY_PATH = "/dictionary"


class Shelf:
    """Dictionaries by their hash; empty in a daemon that was given none."""

    def __init__(self, dictionaries: Sequence[Dictionary]) -> None:
        self._encoders = {each.digest: DczEncoder(each) for each in dictionaries}
        self.offered = dictionaries[0] if dictionaries else None

    @property
    def link(self) -> str | None:
        """The field that offers one."""
        if self.offered is None:
            return None
        return f'<{DICTIONARY_PATH}/{self.offered.name}>; rel="compression-dictionary"'

    def dictionary(self, name: str) -> Dictionary:
        """The one with this SHA-256, in hexadecimal.

        Raises:
            UsageError: `dictionary_not_found`.
        """
        for encoder in self._encoders.values():
            if encoder.dictionary.name == name:
                return encoder.dictionary
        raise UsageError("no such dictionary", code="dictionary_not_found")

    def encoder(self, head: Head) -> DczEncoder | None:
        """What encodes with the dictionary that the reader has; None where it has none of these."""
        field = head.header("available-dictionary")
        if field is None:
            return None
        try:
            return self._encoders.get(read_field(field))
        except InvalidData:
            return None
