"""What the replay of one forward page tells the replay of the next.

Open calls wait for results on later pages, ids that were used must not be used again, and the
tokens add up.  A cursor carries all of it, so everything here is bounded: `MAX_OPEN` calls,
`MAX_RECENT` ids of 8 characters each, and no text longer than `MAX_TEXT` characters.  The bounds
hold on one page as well as over many, which is why a transcript replays the same however it is
paged.
"""

from typing import Any, Literal, Self

import msgspec
from msgspec import Struct

from histbench.errors import InvalidCursor

__all__ = ["MAX_OPEN", "MAX_RECENT", "MAX_TEXT", "OpenCall", "ReplayState", "UsageTotals"]

# Calls that run at a time are as many as one answer starts; a cursor of 64 KiB holds these.
MAX_OPEN = 128
# Providers that number their calls anew in every answer come back to the same few ids.
MAX_RECENT = 256
# What the routes allow for a record id; call ids are shorter with every provider but a few.
MAX_TEXT = 200


class OpenCall(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A call without a result so far; `raw_id` is set where `call_id` had to differ from it.

    A `hidden` call was not shown (it made a plan), so nothing has to close it.
    """

    call_id: str
    tool_name: str
    source_record_id: str
    source_timestamp: int | None = None
    raw_id: str | None = None
    hidden: bool = False


class UsageTotals(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Tokens and API time of everything replayed so far."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    candidate_tokens: int = 0
    api_time_ms: int = 0


class ReplayState(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The state between two forward pages; a page that begins a transcript begins with none.

    `recent_ids` holds a digest of each recently used call id and how often it was used, the least
    recent first; `usage_message` a digest of the message whose tokens were counted last.
    """

    v: Literal[1] = 1
    pending_tool_calls: tuple[OpenCall, ...] = ()
    cumulative_usage: UsageTotals = UsageTotals()
    recent_ids: tuple[tuple[str, int], ...] = ()
    usage_message: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The state as the JSON object that a cursor carries."""
        value: dict[str, Any] = msgspec.to_builtins(self)
        return value

    @classmethod
    def from_json(cls, value: object) -> Self:
        """The state that a cursor carried.

        Raises:
            InvalidCursor: it is none.
        """
        try:
            return msgspec.convert(value, cls)
        except msgspec.ValidationError as error:
            raise InvalidCursor(f"the cursor's replay state: {error}", found=value) from error
