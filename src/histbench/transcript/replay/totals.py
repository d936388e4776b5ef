"""Tokens: shown once with the record that says them, and added up over the transcript.

    chat records            usageMetadata of the record      promptTokenCount, ...
    agent session files     message.usage                    input_tokens, ...
    a sub-agent's result    resultDisplay.executionSummary   inputTokens, ...

An answer of an agent session file is written as several records with one message id, and each of
them repeats the usage: only the first of them counts.
"""

from typing import Any

from msgspec import Struct

from histbench.events import MAX_SAFE_INTEGER
from histbench.transcript.replay.calls import digest_of
from histbench.transcript.replay.fields import count_of, object_of, text_of
from histbench.transcript.replay.state import UsageTotals

__all__ = ["Totals", "Usage", "usage_of_record", "usage_of_subagent"]


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens of one answer, None where nobody said; prompt tokens include cached ones."""

    prompt: int | None = None
    candidates: int | None = None
    total: int | None = None
    thoughts: int | None = None
    cached: int | None = None

    def shown(self) -> dict[str, int]:
        """The usage as a client reads it in `_meta.usage`."""
        counts = {
            "inputTokens": self.prompt or 0,
            "outputTokens": self.candidates or 0,
            "totalTokens": self.total,
            "thoughtTokens": self.thoughts,
            "cachedReadTokens": self.cached,
        }
        return {name: count for name, count in counts.items() if count is not None}


def usage_of_record(value: dict[str, Any]) -> tuple[Usage | None, str | None]:
    """What a record says of the tokens of its answer, and the message it says it of, if any."""
    metadata = object_of(value.get("usageMetadata"))
    if metadata:
        return _usage(metadata, _CHAT_NAMES), None
    message = object_of(value.get("message"))
    reported = object_of(message.get("usage"))
    if not reported:
        return None, None
    usage = _usage(reported, _AGENT_NAMES)
    fresh, written = usage.prompt or 0, count_of(reported.get("cache_creation_input_tokens")) or 0
    prompt = fresh + (usage.cached or 0) + written
    whole = Usage(
        prompt=prompt,
        candidates=usage.candidates,
        total=prompt + (usage.candidates or 0),
        cached=usage.cached,
    )
    return whole, text_of(message.get("id"))


def usage_of_subagent(display: object) -> Usage | None:
    """The tokens that a tool's result says a sub-agent used."""
    task = object_of(display)
    if task.get("type") != "task_execution":
        return None
    usage = _usage(object_of(task.get("executionSummary")), _SUMMARY_NAMES)
    return None if usage == Usage() else usage


_CHAT_NAMES = {
    "prompt": "promptTokenCount",
    "candidates": "candidatesTokenCount",
    "total": "totalTokenCount",
    "thoughts": "thoughtsTokenCount",
    "cached": "cachedContentTokenCount",
}
_AGENT_NAMES = {
    "prompt": "input_tokens",
    "candidates": "output_tokens",
    "cached": "cache_read_input_tokens",
}
_SUMMARY_NAMES = {
    "prompt": "inputTokens",
    "candidates": "outputTokens",
    "total": "totalTokens",
    "thoughts": "thoughtTokens",
    "cached": "cachedTokens",
}


def _usage(reported: dict[str, Any], names: dict[str, str]) -> Usage:
    return Usage(**{ours: count_of(reported.get(theirs)) for ours, theirs in names.items()})


class Totals:
    """The sums so far, and whose tokens were counted last."""

    def __init__(self, sums: UsageTotals, message: str | None) -> None:
        self.sums = sums
        self.message = message

    def is_counted(self, message_id: str | None) -> bool:
        """Whether the tokens of this message are in the sums; from now on they are."""
        if message_id is None:
            return False
        digest = digest_of(message_id)
        if digest == self.message:
            return True
        self.message = digest
        return False

    def add(self, usage: Usage) -> None:
        """Count the tokens of one answer."""
        self.sums = UsageTotals(
            prompt_tokens=_sum(self.sums.prompt_tokens, usage.prompt),
            cached_tokens=_sum(self.sums.cached_tokens, usage.cached),
            candidate_tokens=_sum(self.sums.candidate_tokens, usage.candidates),
            api_time_ms=self.sums.api_time_ms,
        )

    def add_api_time(self, time_ms: int) -> None:
        """Count the time of one request."""
        self.sums = UsageTotals(
            prompt_tokens=self.sums.prompt_tokens,
            cached_tokens=self.sums.cached_tokens,
            candidate_tokens=self.sums.candidate_tokens,
            api_time_ms=_sum(self.sums.api_time_ms, time_ms),
        )


def _sum(total: int, added: int | None) -> int:
    # A cursor holds the sum, and readers of cursors hold no more than this.
    return min(total + (added or 0), MAX_SAFE_INTEGER)
