"""Cursors: whoever holds one may go on, and whoever changes one may not."""

import base64
import hashlib
import hmac
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidCursor, LimitExceeded, UsageError
from histbench.jsontext import same
from histbench.transcript.cursor import (
    MAX_CURSOR_BYTES,
    Cursor,
    FileIdentity,
    TurnIndexToken,
    read_cursor,
    read_turn_token,
    sign,
)
from strategies import json_keys, json_values

OLD, NEW, OTHER = b"o" * 32, b"n" * 32, b"x" * 40
CURSOR = Cursor(
    session_id="0123abcd-0000-4000-8000-0123456789ab",
    file_identity=FileIdentity(dev=64769, ino=7),
    snapshot_size=1234,
    position=55,
    direction="backward",
    leaf_id="leaf",
    start_time="2026-07-17T09:00:00.000Z",
    last_updated="2026-07-17T10:00:00.000Z",
)
TOKEN = TurnIndexToken(
    session_id=CURSOR.session_id,
    file_identity=CURSOR.file_identity,
    snapshot_size=1234,
    leaf_id="leaf",
    start_time=None,
    last_updated=None,
)
TEXT = sign(CURSOR, NEW)

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.sampled_from([0, 1, 2**53 + 1, 2**64, 2**127])
cursors = st.builds(
    Cursor,
    session_id=texts,
    file_identity=st.builds(FileIdentity, dev=numbers | st.just(-1), ino=numbers),
    snapshot_size=numbers,
    position=numbers,
    direction=st.sampled_from([msgspec.UNSET, "backward"]),
    leaf_id=texts,
    start_time=texts,
    last_updated=texts,
    replay=st.just(msgspec.UNSET) | st.dictionaries(json_keys, json_values, max_size=3),
)


def refused(text, keys=(NEW, OLD), read=read_cursor, **expected):
    """Whether a text is refused, under the one code."""
    with pytest.raises(InvalidCursor) as caught:
        read(text, keys, **expected)
    return caught.value.code == "invalid_transcript_cursor"


def signed_by_hand(payload, key=NEW):
    """A text that the key proves, whatever it says."""
    mac = base64.urlsafe_b64encode(hmac.new(key, payload, hashlib.sha256).digest()).rstrip(b"=")
    whole = payload[:-1] + b',"mac":"' + mac + b'"}'
    return base64.urlsafe_b64encode(whole).rstrip(b"=").decode()


def test_the_text_is_as_documented():
    """Keys in this order, without white space; a forward cursor has no direction."""
    padded = TEXT + "=" * (-len(TEXT) % 4)
    value = json.loads(base64.urlsafe_b64decode(padded))
    mac = value.pop("mac")
    payload = json.dumps(value, separators=(",", ":")).encode()

    assert list(value) == [
        *("v", "sessionId", "fileIdentity", "snapshotSize", "position", "direction"),
        *("leafUuid", "startTime", "lastUpdated"),
    ]
    assert base64.urlsafe_b64decode(mac + "=") == hmac.digest(NEW, payload, "sha256")
    forward = msgspec.structs.replace(CURSOR, direction=msgspec.UNSET)
    assert (CURSOR.backward, forward.backward) == (True, False)
    assert b"direction" not in base64.urlsafe_b64decode(sign(forward, NEW) + "==")
    assert sign(CURSOR, NEW) == TEXT == signed_by_hand(payload)


@given(cursors)
def test_a_cursor_comes_back_as_it_was(cursor):
    """Whatever the system's numbers and the client's states are."""
    back = read_cursor(sign(cursor, NEW), NEW)

    assert same(msgspec.to_builtins(back), msgspec.to_builtins(cursor))


def test_any_key_proves_and_the_newest_signs():
    """So keys change without a client noticing, and a forgotten key ends its cursors."""
    assert sign(CURSOR, [NEW, OLD]) == TEXT
    assert read_cursor(sign(CURSOR, OLD), [NEW, OLD]) == CURSOR
    assert refused(sign(CURSOR, OLD), [NEW])
    assert refused(sign(CURSOR, OTHER))


def test_no_character_can_be_changed():
    """Nor left out, nor doubled, nor followed by something."""
    for place in range(len(TEXT)):
        changed = [TEXT[:place] + other + TEXT[place + 1 :] for other in "AZaz09-_=+/. \n"]
        changed += [
            TEXT[:place] + TEXT[place + 1 :],
            TEXT[:place],
            TEXT[:place] + "A" + TEXT[place:],
        ]

        assert all(refused(text) for text in changed if text != TEXT)


@given(st.integers(0, len(base64.urlsafe_b64decode(TEXT + "==")) * 8 - 1))
def test_no_bit_can_be_changed(bit):
    """Of what the text encodes: size, position, direction, leaf, mac."""
    raw = bytearray(base64.urlsafe_b64decode(TEXT + "=" * (-len(TEXT) % 4)))
    if bit < len(raw) * 8:
        raw[bit // 8] ^= 1 << bit % 8
        assert refused(base64.urlsafe_b64encode(raw).rstrip(b"=").decode())


@given(st.text(max_size=80) | st.binary(max_size=80).map(lambda b: b.decode("latin-1")))
def test_no_text_crashes(text):
    """Anything that is no cursor is refused in the same way."""
    assert refused(text)
    assert refused(text, read=read_turn_token)


@given(st.binary(max_size=200))
def test_no_bytes_crash(raw):
    """Also what decodes well."""
    assert refused(base64.urlsafe_b64encode(raw).rstrip(b"=").decode())


@given(st.dictionaries(json_keys, json_values, max_size=4), st.sampled_from([CURSOR, TOKEN]))
def test_what_the_key_proves_is_still_checked(fields, base):
    """A key may have signed something else, or for another version."""
    value = msgspec.to_builtins(base) | fields
    text = signed_by_hand(json.dumps(value, separators=(",", ":")).encode())
    if fields:
        assert refused(text)
    assert refused(text, read=read_turn_token if base is CURSOR else read_cursor)


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": True},
        {"position": -1},
        {"position": 1.5},
        {"position": "5"},
        {"snapshotSize": None},
        {"direction": "forward"},
        {"direction": None},
        {"leafUuid": 5},
        {"fileIdentity": {"dev": 1}},
        {"fileIdentity": {"dev": 1, "ino": "2"}},
        {"replay": []},
        {"kind": "turn_index"},
    ],
)
def test_fields_are_what_they_have_to_be(change):
    """Although the key proves them."""
    value = msgspec.to_builtins(CURSOR) | change

    assert refused(signed_by_hand(json.dumps(value, separators=(",", ":")).encode()))


def test_another_spelling_is_no_cursor():
    """There is one text for each cursor and key."""
    value = msgspec.to_builtins(CURSOR)

    assert refused(signed_by_hand(json.dumps(value).encode()))
    assert refused(signed_by_hand(json.dumps(dict(reversed(value.items()))).encode()))
    assert refused(signed_by_hand(b"[1]"))
    assert refused(signed_by_hand(b"{}"))


def test_a_cursor_belongs_to_its_session():
    """One session's cursor opens no other, whatever the key."""
    assert read_cursor(TEXT, NEW, session_id=CURSOR.session_id) == CURSOR
    assert refused(TEXT, session_id="another")
    assert refused(TEXT, session_id=None)


def test_a_token_is_no_cursor():
    """They have one scheme, and each its kind."""
    text = sign(TOKEN, NEW)

    assert read_turn_token(text, [NEW]) == TOKEN
    assert refused(text)
    assert refused(TEXT, read=read_turn_token)


def test_a_text_has_a_bound():
    """Both when it is made and when it is sent."""
    with pytest.raises(LimitExceeded) as caught:
        sign(msgspec.structs.replace(CURSOR, replay={"x": "y" * MAX_CURSOR_BYTES}), NEW)

    assert caught.value.code == "cursor_too_large"
    assert refused("A" * (MAX_CURSOR_BYTES + 1))


@pytest.mark.parametrize("keys", [b"", b"short", [], [NEW, b"short"]])
def test_keys_are_long(keys):
    """A forgotten key file does not become a key."""
    for call in (lambda: sign(CURSOR, keys), lambda: read_cursor(TEXT, keys)):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.code == "bad_cursor_key"
