"""A daemon in a process of its own on a loopback port, for the tests that talk to one."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from histbench.jsontext import decode

__all__ = ["RunningDaemon", "get", "open_socket", "post", "raw_request", "running_daemon"]

_START_SECONDS = 30


class RunningDaemon:
    """`histbench serve` on a free port; `start` again takes the same port."""

    def __init__(self, root: Path, options: Sequence[str] = ()) -> None:
        self._root = root
        self._options = options
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self.url = ""

    def start(self) -> None:
        """Start, and wait until it listens."""
        command = [sys.executable, "-m", "histbench", "serve", str(self._root)]
        self._process = subprocess.Popen(
            [*command, "--port", str(self.port), *self._options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, self._process.communicate(timeout=_START_SECONDS)[1]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """End it as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate(timeout=_START_SECONDS)

    def stop(self) -> tuple[int, str]:
        """End it as a shell would, if it runs; the exit code and what it had to say."""
        assert self._process is not None
        ended: int | None = self._process.returncode
        if ended is not None:
            return ended, ""
        self._process.send_signal(signal.SIGTERM)
        _, said = self._process.communicate(timeout=_START_SECONDS)
        return self._process.returncode, said


@contextmanager
def running_daemon(root: Path, *options: str) -> Iterator[RunningDaemon]:
    """A daemon for the time of a `with` block."""
    daemon = RunningDaemon(root, options)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.stop()


@cache
def _client() -> httpx.Client:
    # One for all: making one loads the system's certificates, which takes longer than a request.
    return httpx.Client(trust_env=False, timeout=30)


def get(daemon: RunningDaemon, path: str, **options: Any) -> httpx.Response:
    """One GET, the path taken as it is."""
    return _client().get(daemon.url + path, **options)


def post(daemon: RunningDaemon, path: str, **options: Any) -> httpx.Response:
    """One POST."""
    return _client().post(daemon.url + path, **options)


def open_socket(daemon: RunningDaemon) -> socket.socket:
    """A plain connection."""
    return socket.create_connection(("127.0.0.1", daemon.port), timeout=30)


def raw_request(daemon: RunningDaemon, request: bytes) -> tuple[int, dict[str, Any]]:
    """The status and the JSON body of the answer to these bytes; (0, {}) when it is cut off."""
    with open_socket(daemon) as connection:
        connection.sendall(request)
        answer = b""
        while part := _receive(connection):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head:
        return 0, {}
    is_json = b"application/json" in head.lower()
    return int(head.split(b" ", 2)[1]), decode(body) if is_json and body else {}


def _receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""
