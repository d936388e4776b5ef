"""Chromium as a client: a headless browser that loads the work from a server on loopback.

The server knows the modules, the job, the pages and nothing else, under a path that nobody can
guess; it and the browser's own profile are gone when the job is done.  The response headers isolate
the page, without which its clock ticks in steps of 0.1 ms.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self

from histbench.errors import HistbenchError, UsageError

__all__ = ["Chromium"]

_NAMES = ("chromium", "chromium-browser")
_FLAGS = (
    "--headless",
    # A container has none to offer, and only this project's own code runs here.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--js-flags=--expose-gc",
    "--enable-precise-memory-info",
)

_PACKAGE = Path(__file__).resolve().parent.parent
_MODULES = ("measure", "serve/shell/history", "serve/shell/fold")
_DOCUMENT = b'<!doctype html><script type="module" src="measure/client_chromium.js"></script>'

# A page that cannot be done in this time has hung.
_SECONDS = 600
_LONGEST_REPLY = 16 * 1024 * 1024


class Chromium:
    """Runs jobs in `client_chromium.js`."""

    @staticmethod
    def find() -> str:
        """The program; UsageError (`client_missing`) where there is none."""
        for name in _NAMES:
            found = shutil.which(name)
            if found is not None:
                return found
        raise UsageError("no chromium on the path", code="client_missing", expected="Chromium")

    def run(self, job: bytes, pages: Mapping[str, bytes]) -> bytes:
        """The reply to a job.

        Raises:
            HistbenchError: `client_failed`, the browser ended or hung before it replied.
        """
        served: dict[str, tuple[str, bytes]] = {
            "": ("text/html", _DOCUMENT),
            "job": ("application/json", job),
        }
        for folder in _MODULES:
            for path in (_PACKAGE / folder).glob("*.js"):
                served[f"{folder}/{path.name}"] = ("text/javascript", path.read_bytes())
        for form, data in pages.items():
            served[f"page/{form}"] = ("application/octet-stream", data)
        with _Server(served) as server:
            return self._reply(server)

    def _reply(self, server: "_Server") -> bytes:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            process = subprocess.Popen(
                [self.find(), *_FLAGS, f"--user-data-dir={profile}", server.address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                for _ in range(_SECONDS):
                    with contextlib.suppress(Empty):
                        return server.replies.get(timeout=1)
                    if process.poll() is not None:
                        raise HistbenchError(
                            "chromium ended without a reply",
                            code="client_failed",
                            found=f"exit code {process.returncode}",
                        )
                raise HistbenchError(
                    "chromium did not reply", code="client_failed", expected=f"within {_SECONDS} s"
                )
            finally:
                # Its helpers too: they are all of the session that was started for it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class _Server:
    """Serves names and takes the reply, while its context lasts."""

    def __init__(self, served: Mapping[str, tuple[str, bytes]]) -> None:
        self.replies: SimpleQueue[bytes] = SimpleQueue()
        root = f"/{secrets.token_urlsafe(24)}/"
        replies = self.replies

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                known = served.get(self.path.removeprefix(root))
                if known is None or not self.path.startswith(root):
                    self.send_error(404)
                    return
                kind, body = known
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cross-Origin-Opener-Policy", "same-origin")
                self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                if self.path != f"{root}reply" or length > _LONGEST_REPLY:
                    self.send_error(404)
                    return
                body = self.rfile.read(length)
                self.send_response(204)
                self.end_headers()
                replies.put(body)

            def log_message(self, *_: object) -> None:
                """Say nothing: standard error belongs to the measurement."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}{root}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
