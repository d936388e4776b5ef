"""Who may ask at all: decided from the head of a request, before anything of it is acted upon.

host     the Host header is `localhost`, an address literal, or a name that the daemon was given.
         A page of a stranger's that has its own name resolve to this machine (DNS rebinding) sends
         that name.
origin   a browser says from which site a request comes.  Only the daemon's own pages may ask;
         there is no CORS.
token    when the daemon has one: `Authorization: Bearer <token>`, compared in constant time.
         The shell's own files need none.

The order is the table's; the refusals do not say more than the caller knows already.
"""

import hmac
import ipaddress

from histbench.errors import UsageError
from histbench.serve.message import Head
from histbench.serve.settings import Settings

__all__ = ["check_head"]

# A host name with a port is shorter.
_HOST_CHARACTERS = 300
_OWN_SITE = ("same-origin", "none")


def check_head(head: Head, settings: Settings, *, with_token: bool = True) -> None:
    """Return if this request may be answered; `with_token` False for what everybody may see.

    Raises:
        UsageError: `bad_request`, `host_not_allowed`, `origin_not_allowed`, `unauthorized`.
    """
    length = len(head.path) + len(head.query)
    length += sum(len(name) + sum(map(len, values)) for name, values in head.headers.items())
    if length > settings.head_bytes:
        # The server's own bound is not looked at for a head that arrives in one piece.
        raise UsageError("the request's head is too long", code="bad_request")
    if "content-length" in head.headers and "transfer-encoding" in head.headers:
        # Whoever stands in between may have read another end of this request than we do.
        raise UsageError("two lengths of a body", code="bad_request")
    host = head.header("host")
    if host is None or not _is_own(host, settings):
        raise UsageError("the Host header names another host", code="host_not_allowed")
    _check_origin(head, host)
    if with_token and settings.token is not None:
        given = head.header("authorization") or ""
        scheme, _, token = given.partition(" ")
        # Both sides as bytes: text with other letters than ASCII cannot be compared so.
        same = hmac.compare_digest(
            token.strip().encode("utf-8", "replace"), settings.token.encode()
        )
        if scheme.lower() != "bearer" or not same:
            raise UsageError("a bearer token is needed", code="unauthorized")


def _check_origin(head: Head, host: str) -> None:
    origins = head.headers.get("origin", ())
    sites = head.headers.get("sec-fetch-site", ())
    own = (f"http://{host}".lower(), f"https://{host}".lower())
    if any(origin.lower() not in own for origin in origins) or any(
        site.lower() not in _OWN_SITE for site in sites
    ):
        raise UsageError("another site asks", code="origin_not_allowed")


def _is_own(host: str, settings: Settings) -> bool:
    if len(host) > _HOST_CHARACTERS:
        return False
    name, port = _split_port(host.lower())
    if port is not None and not (port.isascii() and port.isdigit()):
        return False
    if name == "localhost" or name in settings.host_names:
        return True
    try:
        ipaddress.ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        return False
    return True


def _split_port(host: str) -> tuple[str, str | None]:
    """The name and the port of `name`, `name:port`, `[v6]` or `[v6]:port`."""
    if host.startswith("["):
        name, bracket, rest = host.partition("]")
        return name + bracket, rest[1:] if rest.startswith(":") else None if not rest else "?"
    name, colon, port = host.partition(":")
    return name, port if colon else None
