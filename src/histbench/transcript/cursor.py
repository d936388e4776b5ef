"""Cursors and tokens: what a reader hands out so that paging goes on in the file as it was.

    text      base64url, without padding, of a JSON object whose keys stand in one fixed order
    mac       its last key: base64url of HMAC-SHA256 over the object without that key
    cursor    freezes the session, the file's identity, its size, its leaf, a position on its chain
              and the direction, which is left out when it is forward
    token     the same without position and direction, of kind turn_index: a frozen list of turns

Nothing in a text is looked at before one of the keys has proved it, and there is one text for each
object and key: whoever changes a bit has no cursor.  Several keys may prove, the newest signs, so
that keys can be changed.  Nothing expires; what was frozen is there, or the reader says it is not.

A file's identity is what the system tells: numbers of any size, also 0 where it knows none.
"""

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from histbench.errors import InvalidCursor, InvalidJson, LimitExceeded, UsageError
from histbench.jsontext import decode, encode

__all__ = [
    "MAX_CURSOR_BYTES",
    "MIN_KEY_BYTES",
    "Cursor",
    "FileIdentity",
    "TurnIndexToken",
    "read_cursor",
    "read_turn_token",
    "sign",
]

# As much of a URL as anyone takes; a cursor has some 400 characters unless it carries a state.
MAX_CURSOR_BYTES = 64 << 10
# As long as what HMAC-SHA256 gives: a shorter key would be the weakest part.
MIN_KEY_BYTES = 32

_MAC_OPENS, _MAC_ENDS = b',"mac":"', b'"}'
_MAC_LENGTH = 43
_TAIL = len(_MAC_OPENS) + _MAC_LENGTH + len(_MAC_ENDS)

_Size = Annotated[int, Meta(ge=0)]


class FileIdentity(Struct, frozen=True, forbid_unknown_fields=True):
    """Which file it is, as `stat` tells."""

    dev: int
    ino: int


class TurnIndexToken(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A session's turns as they were when their first page was given."""

    v: Literal[1] = 1
    kind: Literal["turn_index"] = "turn_index"
    session_id: str | None
    file_identity: FileIdentity
    snapshot_size: _Size
    leaf_id: str | None = msgspec.field(name="leafUuid")
    start_time: str | None
    last_updated: str | None


class Cursor(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Where the next page is, and of what; `replay` is a state that forward pages hand on."""

    v: Literal[1] = 1
    session_id: str | None
    file_identity: FileIdentity
    snapshot_size: _Size
    position: _Size
    direction: Literal["backward"] | UnsetType = UNSET
    leaf_id: str | None = msgspec.field(name="leafUuid")
    start_time: str | None
    last_updated: str | None
    replay: dict[str, Any] | UnsetType = UNSET

    @property
    def backward(self) -> bool:
        """Whether pages go towards the beginning."""
        return self.direction is not UNSET


_Signed = TypeVar("_Signed", Cursor, TurnIndexToken)


def sign(cursor: Cursor | TurnIndexToken, keys: bytes | Sequence[bytes]) -> str:
    """The text of a cursor or token, under the newest of the keys.

    Raises:
        UsageError: a key is too short, or there is none (`bad_cursor_key`).
        LimitExceeded: the text would be longer than anyone takes back (`cursor_too_large`).
    """
    payload = _payload(cursor)
    mac = _mac(_checked(keys)[0], payload)
    text = urlsafe_b64encode(payload[:-1] + _MAC_OPENS + mac + _MAC_ENDS).rstrip(b"=")
    if len(text) > MAX_CURSOR_BYTES:
        raise LimitExceeded(
            "a cursor of a state that large is taken by nobody",
            code="cursor_too_large",
            found=len(text),
            expected=f"at most {MAX_CURSOR_BYTES} bytes",
        )
    return text.decode("ascii")


def read_cursor(
    text: str, keys: bytes | Sequence[bytes], *, session_id: str | UnsetType | None = UNSET
) -> Cursor:
    """The cursor whose text this is.

    Args:
        text: as a client sent it.
        keys: the newest first; any may have signed.
        session_id: whose cursor it has to be; left out, anybody's.

    Raises:
        InvalidCursor: no cursor, not signed by one of the keys, or of another session.
        UsageError: a key is too short, or there is none (`bad_cursor_key`).
    """
    return _own(_read(text, keys, Cursor), session_id)


def read_turn_token(
    text: str, keys: bytes | Sequence[bytes], *, session_id: str | UnsetType | None = UNSET
) -> TurnIndexToken:
    """The token whose text this is; see `read_cursor`."""
    return _own(_read(text, keys, TurnIndexToken), session_id)


def _own(cursor: _Signed, session_id: str | UnsetType | None) -> _Signed:
    if session_id is not UNSET and cursor.session_id != session_id:
        raise InvalidCursor("a cursor of another session")
    return cursor


def _read(text: str, keys: bytes | Sequence[bytes], kind: type[_Signed]) -> _Signed:
    own_keys = _checked(keys)
    raw = _decoded(text)
    payload, mac = raw[:-_TAIL] + b"}", raw[-_TAIL:]
    # Every key is tried, so that time does not tell which one it was.
    proofs = [
        hmac.compare_digest(_MAC_OPENS + _mac(key, payload) + _MAC_ENDS, mac) for key in own_keys
    ]
    if not any(proofs):
        raise InvalidCursor("not a cursor of this reader")
    try:
        signed = msgspec.convert(decode(payload), kind, strict=True)
    except (InvalidJson, msgspec.ValidationError, UnicodeEncodeError) as error:
        # Signed, but by another version, or as something else.
        raise InvalidCursor("a cursor of another kind") from error
    if _payload(signed) != payload:
        raise InvalidCursor("a cursor in another spelling")
    return signed


def _decoded(text: str) -> bytes:
    if len(text) <= MAX_CURSOR_BYTES and text.isascii():
        sent = text.encode("ascii")
        try:
            raw = urlsafe_b64decode(sent + b"=" * (-len(sent) % 4))
        except binascii.Error:
            raw = b""
        # The decoder skips what is not of its alphabet, and bits that are too many.
        if urlsafe_b64encode(raw).rstrip(b"=") == sent:
            return raw
    raise InvalidCursor("not a cursor")


def _payload(cursor: Cursor | TurnIndexToken) -> bytes:
    return encode(msgspec.to_builtins(cursor))


def _mac(key: bytes, payload: bytes) -> bytes:
    return urlsafe_b64encode(hmac.new(key, payload, hashlib.sha256).digest()).rstrip(b"=")


def _checked(keys: bytes | Sequence[bytes]) -> Sequence[bytes]:
    own = [keys] if isinstance(keys, bytes) else list(keys)
    if not own or any(len(key) < MIN_KEY_BYTES for key in own):
        raise UsageError(
            "no key to sign cursors with",
            code="bad_cursor_key",
            expected=f"keys of at least {MIN_KEY_BYTES} bytes",
        )
    return own
