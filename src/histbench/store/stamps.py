"""Records of projected fixtures: `seq` and `time` put back where an author left them out.

A projected file carries neither `seq`/`seq0` nor `time`/`time0` on any body record (facts: session
history, "Fixture canonical layout").  Reading one, the n-th event gets seq n, and time 0; the gaps
inside rows stay as they are.  Either stamp may be projected alone, but a file does it throughout:
a record that differs from the first is damage, not a projection.
"""

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from histbench.errors import InvalidLog
from histbench.events import KIND_BY_TAG

__all__ = ["Stamps", "project", "stamps_of"]


def _names(value: dict[str, Any]) -> tuple[str, str]:
    tag = value.get("type")
    packed = isinstance(tag, str) and tag in KIND_BY_TAG
    return ("seq0", "time0") if packed else ("seq", "time")


class Stamps(Struct, frozen=True):
    """Which stamps the records of a file carry."""

    seq: bool
    time: bool

    def restore(self, value: dict[str, Any], *, seq: int) -> dict[str, Any]:
        """`value` with the missing stamps put in behind its type.

        Raises:
            InvalidLog: `mixed_stamps` when the record does not carry what its file carries.
        """
        if stamps_of(value) != self:
            raise InvalidLog(
                "the record carries other stamps than the first of the file",
                code="mixed_stamps",
                found=[name for name in ("seq", "seq0", "time", "time0") if name in value],
                expected=self.describe(),
            )
        seq_name, time_name = _names(value)
        stamped: dict[str, Any] = {}
        if "type" in value:
            stamped["type"] = value["type"]
        stamped[seq_name] = value[seq_name] if self.seq else seq
        stamped[time_name] = value[time_name] if self.time else 0
        return {**stamped, **value}

    def describe(self) -> str:
        """What a record must carry, for messages."""
        names = {"seq": self.seq, "time": self.time}
        return " and ".join(f"{'a' if has else 'no'} {name}" for name, has in names.items())


def stamps_of(value: dict[str, Any]) -> Stamps:
    """The stamps that one stored record carries."""
    seq_name, time_name = _names(value)
    return Stamps(seq=seq_name in value, time=time_name in value)


def project(value: dict[str, Any], without: Collection[str] = ("seq", "time")) -> dict[str, Any]:
    """A stored record without these stamps, the other keys in their order.

    >>> project({"type": "a", "seq": 1, "time": 2, "data": {}})
    {'type': 'a', 'data': {}}
    """
    gone = [
        stored
        for stored, name in zip(_names(value), ("seq", "time"), strict=True)
        if name in without
    ]
    return {key: member for key, member in value.items() if key not in gone}
