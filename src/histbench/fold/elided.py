"""An event of a `lean` page as a fold takes it: without what the page's rows tell anyway.

Its markers stand for texts and ranges (docs: history, "Lean events"), and were proved when the page
was.  What a fold looks at is told here: a copy is the text that its rows come to, a range the
integers in it.  What no fold looks at, above all `sourceEventSeqs`, is neither parsed nor told.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from histbench.events import Event
from histbench.jsontext import merge_surrogates
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["ElidedEvent"]


class ElidedEvent(Plain, frozen=True, kw_only=True, gc=False):
    """An ordinary event whose `raw` has markers; `rows` are those named, by their first seqs.

    It is for folds only: whoever wants the event to the byte reads the page exactly.
    """

    rows: Mapping[int, RowHead]

    def event(self) -> Event:
        """The event, all markers told."""
        event: Event = self.told(super().event())
        return event

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


def _with_ranges(members: list[Any]) -> list[Any]:
    made: list[Any] = []
    for member in members:
        if type(member) is dict and "" in member:
            first, _, last = member[""].partition("-")
            made += range(int(first), int(last) + 1)
        else:
            made.append(member)
    return made
