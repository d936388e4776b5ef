"""An event of a `lean` page as a fold takes it: without what the page's rows tell anyway.

Its markers stand for texts and ranges (docs: history, "Lean events"), and were proved when the page
was.  What a fold looks at is told here: a copy is the text that its rows come to, a range the
integers in it.  What no fold looks at, above all `sourceEventSeqs`, is neither parsed nor told.

An event whose text has markers is no `Plain`: who takes a `Plain` may read its text as it stands.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from histbench.codec import split_delta
from histbench.events import Event
from histbench.jsontext import decode, merge_surrogates
from histbench.records import OrdinaryHead, Plain, is_no_delta
from histbench.rows import ListRow, RowHead

__all__ = ["ElidedEvent", "FoldRecord", "MarkedEvent"]


class MarkedEvent(OrdinaryHead, frozen=True, kw_only=True, gc=False):
    """An ordinary event whose `raw` is JSON text with markers in it."""


class ElidedEvent(MarkedEvent, frozen=True, kw_only=True, gc=False):
    """A marked event that can tell itself; `rows` are those named, by their first seqs.

    It is for folds only: whoever wants the event to the byte reads the page exactly.
    """

    rows: Mapping[int, RowHead]

    def event(self) -> Event:
        """The event, all markers told."""
        event: Event = self.told(decode(self.raw))
        return event

    def delta(self) -> ListRow | None:
        """The packable delta that it holds, as a row of one member; told only if it may be one."""
        # Where the type stands in a marker, that is an object: not sure.
        return None if is_no_delta(self) else split_delta(self.event())

    def told(self, value: Any) -> Any:
        """A value of the event with its markers told; its dicts and lists are changed."""
        if type(value) not in (dict, list):
            return value
        holder: list[Any] = [value]
        open_holders: list[Any] = [holder]
        while open_holders:
            inside = open_holders.pop()
            ranges = False
            for key, member in inside.items() if type(inside) is dict else enumerate(inside):
                if type(member) is list or (type(member) is dict and "" not in member):
                    open_holders.append(member)
                elif type(member) is dict:
                    if type(member[""]) is str:
                        ranges = True
                    else:
                        inside[key] = self._text(member[""])
            if ranges:
                inside[:] = _with_ranges(inside)
        return holder[0]

    def _text(self, named: int | list[int]) -> str:
        if isinstance(named, int):
            return self.rows[named].text()
        return merge_surrogates("".join([self.rows[seq].text() for seq in accumulate(named)]))


# A record of a page, as a fold is given it.
FoldRecord = Plain | ElidedEvent | RowHead


def _with_ranges(members: list[Any]) -> list[Any]:
    made: list[Any] = []
    for member in members:
        if type(member) is dict and "" in member:
            first, _, last = member[""].partition("-")
            made += range(int(first), int(last) + 1)
        else:
            made.append(member)
    return made
