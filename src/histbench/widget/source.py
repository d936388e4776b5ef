"""Where a viewer's answers come from: a log in memory, or a daemon.

Both answer `(method, path, query, body)` with `(status, text)`, and follow what is appended.
"""

from collections.abc import Generator, Mapping
from typing import Any, Protocol
from urllib.parse import quote

from histbench import jsontext
from histbench.log import EventLog
from histbench.widget.daemon_source import DaemonSource
from histbench.widget.memory_source import MemorySource

__all__ = ["Answer", "DaemonSource", "MemorySource", "Source", "Stream", "load_answer", "source_of"]

Answer = tuple[int, str]


class Stream(Protocol):
    """An open event stream; read by one thread."""

    def __iter__(self) -> Generator[bytes]:
        """The bytes as they come, until the stream ends."""

    def leave(self) -> None:
        """End it soon; from any thread."""


class Source(Protocol):
    """Answers requests about one session."""

    session_id: str

    def ask(self, method: str, path: str, query: str, body: object) -> Answer:
        """The status and the JSON text of an answer."""

    def follow(self, path: str, query: str, headers: Mapping[str, str]) -> Stream | Answer:
        """The stream that is asked for, or a refusal."""


def source_of(log_or_url: EventLog | str, session: str | None, token: str | None) -> Source:
    """The source for what `viewer` was given."""
    if isinstance(log_or_url, str):
        return DaemonSource(log_or_url, session, token)
    return MemorySource(log_or_url)


def load_answer(source: Source, page_size: int) -> Mapping[str, Any]:
    """The newest page; an empty mapping where the source refuses."""
    path = f"/session/{quote(source.session_id, safe='')}/load"
    status, text = source.ask("POST", path, "", {"historyPageSize": page_size})
    answer = jsontext.decode(text.encode()) if status == 200 else {}
    return answer if isinstance(answer, dict) else {}
