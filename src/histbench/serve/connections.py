"""What uvicorn's connections do otherwise here: refuse in our words, and not wait for ever.

Bytes that are no HTTP get the same JSON body as every refusal.  A connection on which no request
has come after a minute is closed; 1,000 that are merely idle cost a socket each until then.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from histbench.serve.content import SAFE_HEADERS
from histbench.serve.message import JSON, json_bytes

__all__ = ["Connection"]

# As long as the slowest link needs for a request line with a cursor in it, and then some.
_FIRST_REQUEST_SECONDS = 60

_NO_HTTP = json_bytes({"error": "this is no HTTP request", "code": "bad_request"})


class Connection(H11Protocol):
    """One connection."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, and look whether a request has come after a while."""
        super().connection_made(transport)
        self._waiting = self.loop.call_later(_FIRST_REQUEST_SECONDS, self._close_unused)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _close_unused(self) -> None:
        if self.cycle is None:
            # uvicorn says that there always is one, and begins with None.
            self.transport.close()  # type: ignore[unreachable]

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  (uvicorn's words)
        """Refuse bytes that are no request."""
        headers = {
            "content-type": JSON,
            "content-length": str(len(_NO_HTTP)),
            "cache-control": "no-store",
            "connection": "close",
            **SAFE_HEADERS,
        }
        response = h11.Response(
            status_code=400,
            reason=b"Bad Request",
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
        )
        for event in (response, h11.Data(data=_NO_HTTP), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
