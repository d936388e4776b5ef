"""From an answer to the bytes and headers of a response: encoding, caching, and what protects it.

The encoding is the caller's choice (RFC 9110, 12.5.3).  Of those that it likes equally the first
of `_CODINGS` is taken: br-5 is the smallest on session text, zstd-3 the fastest.  Short bodies stay
as they are, and so does everything that nobody asked to be encoded.

dcz comes before all of them where the caller has a dictionary of ours and the body is a page of up
to DCZ_MAX_BODY (`dictionaries.dcz`): longer ones are smaller with br.

A frozen answer has a strong ETag and may be kept by the one who asked, who has to ask again whether
it still holds, since a log may be replaced: `304` then saves the bytes.  Newest ones are not kept.
"""

from collections.abc import Mapping
from hashlib import blake2b

from msgspec import Struct

from histbench.dictionaries import DCZ_MAX_BODY, DczEncoder
from histbench.encodings import ENCODINGS
from histbench.serve.message import Answer, Head
from histbench.serve.shelf import Shelf

__all__ = ["SAFE_HEADERS", "Response", "choose_coding", "finish"]

# The token of the Accept-Encoding header, and our name for what is sent under it.
_CODINGS = {"br": "br-5", "zstd": "zstd-3", "gzip": "gzip-6"}

# What a browser must be told about every response; nothing here is ever a page of another site's.
SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}

_MOST_CODINGS = 32


class Response(Struct, frozen=True, kw_only=True):
    """What goes out: status, headers in order, and the body (none for HEAD)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def choose_coding(accepted: str | None, *, dcz: bool = False) -> str | None:
    """The coding to use for an Accept-Encoding header; None for the plain bytes.

    `dcz` is among them where it can be made; it has to be named, since `*` is older than it.

    >>> choose_coding("gzip, br;q=0.5"), choose_coding("zstd, br"), choose_coding("deflate")
    ('gzip', 'br', None)
    """
    if accepted is None:
        return None
    weights: dict[str, float] = {}
    for part in accepted.split(",")[:_MOST_CODINGS]:
        name, _, parameter = part.partition(";")
        weights[name.strip().lower()] = _weight(parameter)
    others = weights.get("*", 0.0)
    liked = {name: weights.get(name, others) for name in _CODINGS}
    if dcz:
        liked = {"dcz": weights.get("dcz", 0.0), **liked}
    best = max(liked, key=liked.__getitem__)
    return best if liked[best] > 0 else None


def _weight(parameter: str) -> float:
    name, _, number = parameter.partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        weight = float(number)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0


def finish(head: Head, answer: Answer, *, encode_from: int, shelf: Shelf | None = None) -> Response:
    """The response to `head`; takes the time of the compressor.

    `shelf` has the dictionaries for this answer; None for one that they are not for.
    """
    body = answer.body
    headers: dict[str, str] = {"content-type": answer.media_type, **SAFE_HEADERS}
    headers["vary"] = "accept-encoding"
    encoder = None
    if shelf is not None and shelf.link is not None:
        encoder = shelf.encoder(head)
        headers["vary"] += ", available-dictionary"
        if encoder is None or encoder.dictionary != shelf.offered:
            headers["link"] = shelf.link
    accepted = head.headers.get("accept-encoding")
    coding = choose_coding(
        None if accepted is None else ", ".join(accepted),
        dcz=encoder is not None and len(body) <= DCZ_MAX_BODY,
    )
    if len(body) < encode_from:
        coding = None
    if coding != "dcz":
        encoder = None
    headers["cache-control"] = "no-store"
    if answer.status == 200 and answer.keep == "frozen":
        headers["cache-control"] = "private, no-cache"
        headers["etag"] = etag = _etag(body, coding, encoder)
        asked = ", ".join(head.headers.get("if-none-match", ()))
        if etag in [each.strip().removeprefix("W/") for each in asked.split(",")]:
            kept = {name: headers[name] for name in ("vary", "cache-control", "etag")}
            # What is kept takes these headers over, so that they have to be all that go with it.
            return _response(304, {**SAFE_HEADERS, **kept, **answer.headers}, b"")
    if coding is not None:
        body = ENCODINGS[_CODINGS[coding]].encode(body) if encoder is None else encoder(body)
        headers["content-encoding"] = coding
    headers |= answer.headers
    headers["content-length"] = str(len(body))
    return _response(answer.status, headers, b"" if head.method == "HEAD" else body)


def _etag(body: bytes, coding: str | None, encoder: DczEncoder | None) -> str:
    # Strong: other bytes, other tag, and the coding makes other bytes; so does the dictionary.
    tag = blake2b(body, digest_size=12).hexdigest()
    if coding is not None:
        tag += f"-{coding}"
    if encoder is not None:
        tag += f"-{encoder.dictionary.name[:16]}"
    return f'"{tag}"'


def _response(status: int, headers: Mapping[str, str], body: bytes) -> Response:
    return Response(status=status, headers=tuple(headers.items()), body=body)
