"""Which call a result belongs to, and under which id both are shown.

A call is shown under the id its record gives.  Three rules cover the rest (facts: transcript
pager, section 1.4):

1. A call without an id is shown under `qwen-replay-tool:<record>:<part>`.
2. An id that was used before gets `:2`, `:3`, ...; results find the oldest open call of that id.
   *Before* means among the last `MAX_RECENT` ids, so that a cursor can carry them.
3. A result without an id belongs to the one open call of its tool; where none or several are
   open nobody can tell, and it gets an id of its own.

An id longer than `MAX_TEXT` characters is replaced by a digest, on calls and results alike.
When more than `MAX_OPEN` calls are open the oldest is forgotten: its result still comes under the
id, but nothing closes it.
"""

from base64 import urlsafe_b64encode
from hashlib import blake2b
from itertools import islice

from msgspec import Struct

from histbench.transcript.replay.state import MAX_OPEN, MAX_RECENT, MAX_TEXT, OpenCall

__all__ = ["Answered", "OpenCalls", "digest_of"]

_GENERATED = "qwen-replay-tool"
# 48 bits: among a few hundred ids, a chance of one in a billion that two look the same.
_DIGEST_BYTES = 6


def digest_of(text: str, digest_bytes: int = _DIGEST_BYTES) -> str:
    """A short name of `text`; every string has one, also half of a surrogate pair."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=digest_bytes)
    return urlsafe_b64encode(digest.digest()).decode().rstrip("=")


def _short(identifier: str) -> str:
    if len(identifier) <= MAX_TEXT:
        return identifier
    return f"{_GENERATED}:long:{digest_of(identifier, 24)}"


class Answered(Struct, frozen=True):
    """Where a result goes: the shown id, the open call if it was known, whether it was a guess."""

    call_id: str
    call: OpenCall | None
    ambiguous: bool


class OpenCalls:
    """The calls without a result, oldest first, and the ids used recently."""

    def __init__(self, calls: tuple[OpenCall, ...], recent: tuple[tuple[str, int], ...]) -> None:
        self._open = {call.call_id: call for call in calls}
        self._recent = dict(recent)

    def all_open(self) -> tuple[OpenCall, ...]:
        """The open calls, oldest first."""
        return tuple(self._open.values())

    def recent_ids(self) -> tuple[tuple[str, int], ...]:
        """Digests of the ids used recently, with how often, the least recent first."""
        return tuple(self._recent.items())

    def forget_all(self) -> None:
        """No call is open any more."""
        self._open.clear()

    def is_open(self, raw_id: str) -> str | None:
        """The shown id of the oldest open call that its record calls `raw_id`."""
        wanted = _short(raw_id)
        return next((call.call_id for call in self._open.values() if _raw_id(call) == wanted), None)

    def begin(
        self,
        raw_id: str | None,
        tool_name: str,
        *,
        record_id: str,
        part: int,
        time_ms: int | None,
        hidden: bool = False,
    ) -> str:
        """Open a call and return the id it is shown under."""
        wanted = _short(raw_id) if raw_id is not None else _generated(record_id, part)
        call_id = self._allocate(wanted)
        self._open[call_id] = OpenCall(
            call_id=call_id,
            tool_name=tool_name[:MAX_TEXT],
            source_record_id=_short(record_id),
            source_timestamp=time_ms,
            raw_id=wanted if call_id != wanted else None,
            hidden=hidden,
        )
        if len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]
        return call_id

    def answer(
        self, raw_id: str | None, tool_name: str | None, *, record_id: str, part: int
    ) -> Answered:
        """Close the call that a result belongs to, if one can be told."""
        if raw_id is None:
            return self._answer_by_name(tool_name, record_id, part)
        wanted = _short(raw_id)
        found = self.is_open(raw_id)
        if found is not None:
            return Answered(found, self._open.pop(found), ambiguous=False)
        uses = self._recent.get(digest_of(wanted), 0)
        if uses == 0:
            self._use(wanted, 1)
        return Answered(wanted if uses < 2 else f"{wanted}:{uses}", None, ambiguous=False)

    def _answer_by_name(self, tool_name: str | None, record_id: str, part: int) -> Answered:
        name = tool_name[:MAX_TEXT] if tool_name is not None else None
        named = (call for call in self._open.values() if call.tool_name == name)
        match list(islice(named, 2)):
            case [call]:
                return Answered(call.call_id, self._open.pop(call.call_id), ambiguous=False)
            case _:
                call_id = self._allocate(_generated(record_id, part))
                return Answered(call_id, None, ambiguous=True)

    def _allocate(self, wanted: str) -> str:
        uses = self._recent.get(digest_of(wanted), 0) + 1
        found = wanted if uses == 1 else f"{wanted}:{uses}"
        while found in self._open or (uses > 1 and digest_of(found) in self._recent):
            uses += 1
            found = f"{wanted}:{uses}"
        self._use(wanted, uses)
        if found != wanted:
            self._use(found, 1)
        return found

    def _use(self, identifier: str, uses: int) -> None:
        digest = digest_of(identifier)
        self._recent.pop(digest, None)
        self._recent[digest] = uses
        if len(self._recent) > MAX_RECENT:
            del self._recent[next(iter(self._recent))]


def _raw_id(call: OpenCall) -> str:
    return call.call_id if call.raw_id is None else call.raw_id


def _generated(record_id: str, part: int) -> str:
    return _short(f"{_GENERATED}:{record_id}:{part}")
