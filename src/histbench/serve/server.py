"""Running the daemon: a socket, uvicorn on it, and an end in good order.

The socket is bound here, before anything else is started, so that a port in use is an error with a
code and port 0 can be told.  On SIGTERM or SIGINT every stream ends, requests under way are
answered, and then the process ends; a client comes back to the next daemon with its last id.
"""

import errno
import resource
import socket
import sys
from contextlib import suppress

import uvicorn

from histbench.errors import StorageError, UsageError
from histbench.serve.app import Edge, create_app
from histbench.serve.connections import Connection
from histbench.serve.settings import Settings, check_binding

__all__ = ["Daemon", "bind"]

# Descriptors for files, threads and the interpreter; the rest may be connections.
_RESERVED_DESCRIPTORS = 256
_WANTED_DESCRIPTORS = 65_536
_BACKLOG = 1024
_GRACE_SECONDS = 5
_SWITCH_SECONDS = 0.001


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free one.

    Raises:
        UsageError: `bad_address`.
        StorageError: `port_in_use`, `cannot_listen`.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise UsageError("no such address", code="bad_address", found=host) from error
    listening = socket.socket(family, kind, protocol)
    try:
        # Restarting must not wait for connections of the daemon before.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise StorageError(
                "another program listens there",
                code="port_in_use",
                found=port,
                expected="a free port (--port 0 takes any)",
            ) from error
        raise StorageError(
            f"cannot listen: {(error.strerror or '').lower()}", code="cannot_listen", found=port
        ) from error
    except OverflowError as error:
        listening.close()
        raise UsageError("no such port", code="bad_address", found=port) from error
    return listening


class _Server(uvicorn.Server):
    """uvicorn's, whose streams hear of the end when the process does."""

    def __init__(self, config: uvicorn.Config, edge: Edge) -> None:
        super().__init__(config)
        self._edge = edge

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, which uvicorn would otherwise wait for."""
        self._edge.hub.close()
        await super().shutdown(sockets)


class Daemon:
    """A daemon on a bound socket; `url` is where it is, `run` serves until a signal comes."""

    def __init__(self, settings: Settings, *, host: str = "127.0.0.1", port: int = 8765) -> None:
        """Bind.

        Raises:
            UsageError: `token_required`, `dictionary_exposed`, `bad_address`.
            StorageError: `port_in_use`, `cannot_listen`, or the root is no folder.
        """
        check_binding(host, settings)
        if not settings.root.is_dir():
            raise StorageError("no such folder", code="file_not_found").at(file=str(settings.root))
        self._settings = settings
        self._socket = bind(host, port)
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self._socket.getsockname()[1]}"

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        app = create_app(self._settings)
        config = uvicorn.Config(
            app,
            lifespan="on",
            # What goes wrong here is told by our own log; broken requests are not worth a line.
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            # No proxy in front is believed, whatever it says about who asks.
            proxy_headers=False,
            ws="none",
            http=Connection,
            h11_max_incomplete_event_size=self._settings.head_bytes,
            limit_concurrency=max(64, _raise_descriptors() - _RESERVED_DESCRIPTORS),
            backlog=_BACKLOG,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        # The event loop gives the lock away at every send, and threads that make pages keep it for
        # an interval each time: with the usual 5 ms, 200 sends to followers take a second.
        sys.setswitchinterval(_SWITCH_SECONDS)
        server = _Server(config, app.state.edge)
        with self._socket:
            server.run(sockets=[self._socket])


def _raise_descriptors() -> int:
    """How many descriptors this process may have, after asking for as many as are allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    if soft < most:
        # Some systems name no bound and have one all the same.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return soft
