"""The header line: what the first line of a session log must be, and what a new one looks like.

    {type: "session", version, id, createdAt, cwd?, parentSession?, seedLength?, origin?,
     delegationDepth, agentPreset?}

written in exactly that order; what is absent is left out, never null.  `version` is 0,
`createdAt` milliseconds since the epoch, `seedLength` the number of leading inherited events
(facts: session history, sections 1 and 3).  A store checks all of that.  A reader of fixtures
checks only that the line is a header of this format's version, since authored ones leave out
fields.  The version is judged before the shape: a later format may have any other shape.
"""

from typing import Any

from histbench.errors import InvalidJson, InvalidLog, Place, UsageError
from histbench.events import safe_integer
from histbench.jsontext import decode, encode, js_number

__all__ = ["FORMAT_VERSION", "check_header", "header_line", "is_header", "read_header_line"]

FORMAT_VERSION = 0

_RETIRED_FIELDS = ("sandboxMode", "approvalPolicy")


def is_header(value: object) -> bool:
    """Whether a JSON value claims to be a session header.

    >>> is_header({"type": "session", "id": "a"}), is_header({"type": "turn/start"})
    (True, False)
    """
    return isinstance(value, dict) and value.get("type") == "session"


def read_header_line(
    line: bytes, *, strict: bool = False, any_version: bool = False
) -> dict[str, Any]:
    """The header that `line` holds.

    Raises:
        InvalidLog: `not_a_log` when it is no header at all, `log_version` for another format
            version (unless `any_version`); when `strict` also `header_shape`, `header_retired`.
    """
    try:
        value = decode(line)
    except InvalidJson as error:
        raise InvalidLog(
            f"the first line is not a session header: {error.message}",
            code="not_a_log",
            where=Place(line=1, byte=0),
            found=line,
        ) from error
    if not is_header(value):
        raise InvalidLog(
            "the first line is not a session header",
            code="not_a_log",
            where=Place(line=1, byte=0),
            found=line,
            expected='{"type":"session",…}',
        )
    if not any_version:
        _check_version(value)
    if strict:
        check_header(value)
    return dict(value)


def _check_version(header: dict[str, Any]) -> None:
    version = js_number(header.get("version", FORMAT_VERSION))
    if version is not None and version != FORMAT_VERSION:
        raise InvalidLog(
            "the log uses another format version",
            code="log_version",
            where=Place(line=1),
            found=version,
            expected=f"version {FORMAT_VERSION}",
        )


def check_header(header: dict[str, Any]) -> None:
    """Raise InvalidLog (`header_shape`, `header_retired`) unless a store may hold `header`."""
    rules = {
        "version": js_number(header.get("version")) == FORMAT_VERSION,
        "id": isinstance(header.get("id"), str) and header["id"] != "",
        "createdAt": _is_count(header.get("createdAt")),
        "delegationDepth": _is_count(header.get("delegationDepth")),
        "cwd": isinstance(header.get("cwd", ""), str),
        "origin": header.get("origin", "subagent") == "subagent",
        "agentPreset": isinstance(header.get("agentPreset", ""), str),
    }
    for name, holds in rules.items():
        if not holds:
            raise InvalidLog(
                f"the header's `{name}` is not what it must be",
                code="header_shape",
                where=Place(line=1),
                found=header.get(name),
            )
    for name in _RETIRED_FIELDS:
        if name in header:
            raise InvalidLog(
                f"the header uses the retired field `{name}`",
                code="header_retired",
                where=Place(line=1),
            )


def _is_count(value: object) -> bool:
    number = safe_integer(value)
    return number is not None and number >= 0


def header_line(
    *,
    session_id: str,
    created_at: int,
    cwd: str | None = None,
    parent_session: str | None = None,
    seed_length: int | None = None,
    origin: str | None = None,
    delegation_depth: int = 0,
    agent_preset: str | None = None,
) -> bytes:
    r"""The line of a new header, with its newline.

    Raises:
        UsageError: `header_shape`, a field that no store may hold.

    >>> header_line(session_id="a", created_at=5)
    b'{"type":"session","version":0,"id":"a","createdAt":5,"delegationDepth":0}\n'
    """
    fields: dict[str, Any] = {
        "type": "session",
        "version": FORMAT_VERSION,
        "id": session_id,
        "createdAt": created_at,
        "cwd": cwd,
        "parentSession": parent_session,
        "seedLength": seed_length,
        "origin": origin,
        "delegationDepth": delegation_depth,
        "agentPreset": agent_preset,
    }
    header = {name: value for name, value in fields.items() if value is not None}
    try:
        check_header(header)
    except InvalidLog as error:
        raise UsageError(error.message, code=error.code, found=error.found) from error
    return encode(header) + b"\n"
