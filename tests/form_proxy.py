"""Stands between a client and a real daemon: writes down what is asked, and may know fewer forms.

What it knows less is as older daemons have it: features that are not named, forms or the parameter
itself refused with the daemon's own codes, or no capabilities at all.
"""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["FormProxy", "form_proxy"]


class FormProxy:
    """The address, and the form of every history request so far; None where none was named."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str | None] = []
        self.hidden_features: Collection[str] = ()
        self.refused_forms: Collection[str] = ()
        self.knows_forms = True
        self.has_capabilities = True

    def refusal(self, path: str, query: dict[str, list[str]]) -> tuple[int, str] | None:
        """The status and code that an older daemon has for a request."""
        if path == "/capabilities" and not self.has_capabilities:
            return 404, "unknown_path"
        form = query.get("form", [None])[0]
        if path.endswith("/history"):
            self.asked.append(form)
            if form is not None and not self.knows_forms:
                return 400, "unknown_parameter"
            if form in self.refused_forms:
                return 400, "unknown_form"
        return None

    def seen(self, path: str, body: bytes) -> bytes:
        """The body that the client gets."""
        if path != "/capabilities":
            return body
        told: dict[str, Any] = json.loads(body)
        told["features"] = [each for each in told["features"] if each not in self.hidden_features]
        return json.dumps(told).encode()


@contextmanager
def form_proxy(daemon_url: str) -> Iterator[FormProxy]:
    """A proxy to the daemon at this address for the time of a `with` block."""
    proxy = FormProxy()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            refused = proxy.refusal(address.path, parse_qs(address.query))
            if refused is not None:
                status, code = refused
                body = json.dumps({"code": code, "error": "not here"}).encode()
            else:
                status, body = _ask(daemon_url + self.path)
                body = proxy.seen(address.path, body) if status == 200 else body
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _ask(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
