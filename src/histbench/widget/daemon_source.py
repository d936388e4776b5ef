"""A running daemon as a viewer's source; asked by the kernel, since a page of a notebook's may not."""

import re
from collections.abc import Generator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from histbench import jsontext
from histbench.errors import UsageError
from histbench.serve.message import JSON

__all__ = ["DaemonSource"]

_TIMEOUT_SECONDS = 60
# Of what a stream brings, at once.
_PART_BYTES = 64 * 1024
_FOUND_SESSION = re.compile(r"^/session/([^/]+)$")


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
        sent = None if body is None else jsontext.encode(body)
        opened = self._open(method, path, query, {"content-type": JSON}, sent)
        if isinstance(opened, tuple):
            return opened
        try:
            with opened:
                return int(opened.status), opened.read().decode()
        except (OSError, HTTPException) as error:
            return _unreachable(error)

    def follow(
        self, path: str, query: str, headers: Mapping[str, str]
    ) -> "_DaemonStream | tuple[int, str]":
        """As the daemon streams."""
        opened = self._open("GET", path, query, headers, None)
        return opened if isinstance(opened, tuple) else _DaemonStream(opened)

    def _open(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes | None
    ) -> Any:
        """A response that is no refusal, or the refusal."""
        sent = dict(headers)
        if self._token is not None:
            sent["authorization"] = f"Bearer {self._token}"
        address = self._base + path + (f"?{query}" if query else "")
        request = Request(address, data=body, headers=sent, method=method)  # noqa: S310  (checked)
        try:
            return self._opener.open(request, timeout=_TIMEOUT_SECONDS)
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except (URLError, OSError, HTTPException) as error:
            return _unreachable(error)


def _unreachable(error: Exception) -> tuple[int, str]:
    refused = {"code": "connection_failed", "error": f"no answer ({error})"}
    return 503, jsontext.encode(refused).decode()


class _DaemonStream:
    """A response that goes on; the daemon says something every 15 seconds."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self._left = False

    def __iter__(self) -> Generator[bytes]:
        try:
            while not self._left and (part := self._response.read1(_PART_BYTES)):
                yield part
        except (OSError, HTTPException, ValueError):
            # Cut off, or silent: whoever follows connects again.
            return
        finally:
            self._response.close()

    def leave(self) -> None:
        """End it with the next that comes."""
        self._left = True
