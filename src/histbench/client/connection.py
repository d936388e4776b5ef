"""One connection to a daemon: requests out, checked bytes back, and every failure a RequestFailed.

The content encodings are asked for and undone here and not by httpx, which would let a few
kilobytes expand without end; `encodings` stops at a bound.  No proxy of the environment is used and
no redirect is followed: both would carry the token to somebody else.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import httpx

from histbench import jsontext
from histbench.client.dictionary import KeptDictionary
from histbench.dictionaries import MAX_DICTIONARY_BYTES, Dictionary, decode_dcz
from histbench.encodings import ENCODINGS
from histbench.errors import HistbenchError, LimitExceeded, RequestFailed

__all__ = ["Connection", "failed"]

# What is asked for, the best first, and our names of what comes back.
_ACCEPTED = "zstd, br;q=0.9, gzip;q=0.8"
_ENCODING_NAMES = {"zstd": "zstd-3", "br": "br-5", "gzip": "gzip-6"}

# Daemons refuse to send longer pages (`history.forms`).
_MOST_BYTES = 128 * 1024 * 1024
_ERROR_BYTES = 64 * 1024


def failed(
    message: str, *, code: str, status: int | None = None, found: object = None
) -> RequestFailed:
    """The error of a request, with the status of its answer where there was one."""
    error = (
        RequestFailed(message, code=code)
        if found is None
        else RequestFailed(message, code=code, found=found)
    )
    error.status = status
    return error


class Connection:
    """Requests to the daemon at `base_url`; close it after."""

    def __init__(
        self, base_url: str, token: str | None, *, timeout_seconds: float, dictionaries: bool = True
    ) -> None:
        self._kept = KeptDictionary(self._fetch_dictionary) if dictionaries else None
        headers = {"accept-encoding": _ACCEPTED, "user-agent": "histbench"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        self._timeout_seconds = timeout_seconds
        try:
            self._http = httpx.Client(
                base_url=base_url.rstrip("/"),
                headers=headers,
                timeout=timeout_seconds,
                trust_env=False,
                # Loading the system's certificates takes longer than a request; a plain address
                # never needs them, since no redirect is followed.
                verify=not base_url.lower().startswith("http://"),
                follow_redirects=False,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
            )
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise failed("no such address", code="bad_address", found=base_url) from error

    def close(self) -> None:
        """Close the sockets."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def stream(
        self,
        path: str,
        *,
        method: str = "GET",
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        read_timeout: float | None = None,
    ) -> Iterator[httpx.Response]:
        """The response of a request whose status is 200, its body yet to be read.

        Raises:
            RequestFailed: `connection_failed`, or the daemon's own code.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        options: dict[str, Any] = {"params": given, "headers": dict(headers or {})}
        if body is not None:
            options["content"] = body
            options["headers"]["content-type"] = "application/json"
        if read_timeout is not None:
            options["timeout"] = httpx.Timeout(self._timeout_seconds, read=read_timeout)
        try:
            with self._http.stream(method, path, **options) as response:
                if response.status_code != httpx.codes.OK:
                    raise _refused(response)
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise failed(
                f"no answer from the daemon: {type(error).__name__}", code="connection_failed"
            ) from error

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> bytes:
        """The decoded body of a GET, which may come as dcz; a dictionary is fetched once offered.

        Raises:
            RequestFailed: as `stream`; `bad_answer` for a body that cannot be decoded.
        """
        if self._kept is None:
            with self.stream(path, query=query) as response:
                return _body(response, _MOST_BYTES)
        fields = self._kept.fields(path)
        if fields:
            fields["accept-encoding"] = f"dcz, {_ACCEPTED}"
        with self.stream(path, query=query, headers=fields) as response:
            self._kept.note(path, response)
            return _body(response, _MOST_BYTES, self._kept.find if fields else _none)

    @property
    def dictionary(self) -> Dictionary | None:
        """What pages may be encoded with; None before one was fetched."""
        return None if self._kept is None else self._kept.dictionary

    def _fetch_dictionary(self, path: str) -> tuple[bytes, Mapping[str, str]]:
        with self.stream(path) as response:
            return _body(response, MAX_DICTIONARY_BYTES), response.headers

    def get_json(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON object that a GET returns."""
        return _object(self.get(path, query))

    def post_json(self, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object that a POST of one returns."""
        with self.stream(path, method="POST", body=jsontext.encode(dict(value))) as response:
            return _object(_body(response, _MOST_BYTES))


def _none(_digest: bytes) -> Dictionary | None:
    return None


def _body(
    response: httpx.Response,
    most_bytes: int,
    dictionaries: Callable[[bytes], Dictionary | None] = _none,
) -> bytes:
    parts: list[bytes] = []
    length = 0
    for part in response.iter_raw():
        length += len(part)
        if length > most_bytes:
            raise failed("the answer is too long", code="bad_answer", status=response.status_code)
        parts.append(part)
    data = b"".join(parts)
    coding = response.headers.get("content-encoding")
    if coding is None:
        return data
    try:
        if coding == "dcz":
            return decode_dcz(data, dictionaries, max_bytes=most_bytes)
        name = _ENCODING_NAMES[coding]
        return ENCODINGS[name].decode(data, max_bytes=most_bytes)
    except (KeyError, HistbenchError) as error:
        raise failed("the answer cannot be decoded", code="bad_answer", found=coding) from error


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = jsontext.decode(data)
    except HistbenchError as error:
        raise failed("the answer is no JSON", code="bad_answer") from error
    if not isinstance(value, dict):
        raise failed("the answer is no object", code="bad_answer", found=value)
    return value


def _refused(response: httpx.Response) -> RequestFailed:
    """The daemon's refusal under its own code; what is none of ours is told by its status."""
    status = response.status_code
    try:
        told = _object(_body(response, _ERROR_BYTES))
    except (RequestFailed, LimitExceeded):
        told = {}
    code, message = told.get("code"), told.get("error")
    if not isinstance(code, str) or not isinstance(message, str):
        return failed("the daemon refused", code="request_failed", status=status, found=status)
    error = failed(message, code=code, status=status)
    where = told.get("where")
    if isinstance(where, dict):
        error.at(**{name: where.get(name) for name in ("line", "byte", "seq", "record")})
    before = told.get("continueBeforeRecordId")
    if isinstance(before, str):
        error.at(record=before)
    return error
