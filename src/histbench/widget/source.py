"""Where a viewer's answers come from: a log in memory, or a daemon.

    MemorySource   the daemon's own operations, without its sockets, over a folder that lives as
                   long as the source and holds nothing but this log
    DaemonSource   a daemon at a URL; asked by the kernel, since a page of a notebook's may not

Both answer `(method, path, query, body)` with `(status, text)`.
"""

import re
import weakref
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from histbench import jsontext
from histbench.errors import HistbenchError, UsageError
from histbench.log import EventLog
from histbench.serve.api import Api
from histbench.serve.desk import Desk
from histbench.serve.message import JSON, Head
from histbench.serve.settings import Settings
from histbench.store import LogWriter

__all__ = ["DaemonSource", "MemorySource", "Source", "load_answer", "source_of"]

_TIMEOUT_SECONDS = 60
# Events that are plain objects at a time.
_BATCH = 10_000
_FOUND_SESSION = re.compile(r"^/session/([^/]+)$")


class Source(Protocol):
    """Answers requests about one session."""

    session_id: str

    def ask(self, method: str, path: str, query: str, body: object) -> tuple[int, str]:
        """The status and the JSON text of an answer."""


class MemorySource:
    """A log in memory, under its own id."""

    def __init__(self, log: EventLog) -> None:
        header = dict(log.header or {})
        named = header.get("id")
        self.session_id = named if isinstance(named, str) and named else "log"
        created = header.get("createdAt")
        folder = TemporaryDirectory(prefix="histbench-viewer-")
        root = Path(folder.name)
        writer = LogWriter.create(
            root,
            session_id=self.session_id,
            created_at=created if isinstance(created, int) else 0,
        )
        # A part of a log keeps its order here, not its seqs: a file begins at 0.
        dense = log.dense and log.from_seq == 0
        events = iter(log) if dense else ({**each, "seq": at} for at, each in enumerate(log))
        with writer:
            while batch := list(islice(events, _BATCH)):
                writer.append(batch)
        desk = Desk(Settings(root=root))
        self._api = Api(desk)
        self._close = weakref.finalize(self, _close, desk, folder)

    def ask(self, method: str, path: str, query: str, body: object) -> tuple[int, str]:
        """As the daemon answers."""
        head = Head(
            method=method,
            path=path.encode(),
            query=query.encode(),
            headers={"host": ("localhost",), "content-type": (JSON,)},
        )
        try:
            operation, call = self._api.admit(head)
            if operation.answer is None:
                raise UsageError("there are no streams here", code="unknown_path")
            sent = b"" if body is None else jsontext.encode(body)
            response = self._api.respond(operation, operation.answer, call, sent)
        except HistbenchError as error:
            response = self._api.refuse(head, error)
        return response.status, response.body.decode()


def _close(desk: Desk, folder: "TemporaryDirectory[str]") -> None:
    desk.close()
    folder.cleanup()


class DaemonSource:
    """A session of a running daemon."""

    def __init__(self, url: str, session_id: str | None, token: str | None) -> None:
        """Take the session, or the newest one.

        Raises:
            UsageError: the URL is none (`bad_address`), or there is no session (`session_not_found`).
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise UsageError("a daemon has an http address", code="bad_address", found=url)
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._token = token
        # A daemon is on this machine or named on purpose; proxies are for other things.
        self._opener = build_opener(ProxyHandler({}))
        found = _FOUND_SESSION.match(parts.fragment)
        named = session_id or (unquote(found[1]) if found else None)
        self.session_id = named or self._newest()

    def _newest(self) -> str:
        status, text = self.ask("GET", "/sessions", "limit=1", None)
        answer = jsontext.decode(text.encode())
        sessions = answer.get("sessions") if isinstance(answer, dict) else None
        if status != 200 or not sessions:
            raise UsageError("the daemon has no session", code="session_not_found", found=status)
        return str(sessions[0]["sessionId"])

    def ask(self, method: str, path: str, query: str, body: object) -> tuple[int, str]:
        """As the daemon answers; 503 where it cannot be reached."""
        headers = {"content-type": JSON}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        request = Request(  # noqa: S310  (the scheme was checked)
            self._base + path + (f"?{query}" if query else ""),
            data=None if body is None else jsontext.encode(body),
            headers=headers,
            method=method,
        )
        try:
            with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
                return int(answer.status), answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except (URLError, OSError) as error:
            refused = {"code": "connection_failed", "error": f"no answer ({error})"}
            return 503, jsontext.encode(refused).decode()


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
