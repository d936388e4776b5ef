"""Secrets: each kind is found wherever deltas cut it, none is shown, and prose raises no alarm."""

import base64
import hashlib
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.log import EventLog
from histbench.privacy import find_secrets
from histbench.privacy.secrets import REACH
from strategies import deltas
from synthetic import generate

BLOCK = {"tag": "text-chunks", "turn": 1, "step": 1, "index": 0}


def noise(length, alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"):
    """Characters that look random and are the same in every run; no secret of anybody."""
    digest = b"".join(hashlib.sha256(b"%d" % k).digest() for k in range(length // 32 + 1))
    return "".join(alphabet[byte % len(alphabet)] for byte in digest[:length])


def token(text):
    """A part of a JSON web token."""
    return base64.urlsafe_b64encode(json.dumps(text).encode()).decode().rstrip("=")


# Put together here, so that no scanner takes this file for a leak.
SAMPLES = {
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "AWS access key": "AK" + "IA" + noise(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "GitHub token": "gh" + "p_" + noise(36),
    "GitLab token": "glp" + "at-" + noise(20),
    "Slack token": "xo" + "xb-" + noise(40),
    "Google API key": "AI" + "za" + noise(35),
    "Anthropic API key": "sk-" + "ant-api03-" + noise(60),
    "API key": "sk-" + "proj-" + noise(48),
    "Hugging Face token": "h" + "f_" + noise(34),
    "JSON web token": f"{token({'alg': 'HS256', 'typ': 'JWT'})}.{token({'sub': '17'})}.{noise(43)}",
    "bearer token": "Authorization: Bearer " + noise(40),
    "connection string": "postgres://app:" + noise(12) + "@db.internal:5432/main",
    "e-mail address": "ann.lee@" + "corp.io",
}


def log_of(text, cuts=()):
    """A log whose one block has this text in pieces."""
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(places)]
    return EventLog.from_events(deltas(seq, 0, piece, BLOCK) for seq, piece in enumerate(pieces))


@pytest.mark.parametrize("kind", SAMPLES)
@given(cuts=st.lists(st.integers(0, 200), max_size=20), before=st.sampled_from(["", "x: ", "é "]))
def test_each_kind_is_found_however_deltas_cut_it(kind, cuts, before):
    """Kind, count and the seq of the delta in which it begins."""
    log = log_of(f"{before}{SAMPLES[kind]} and so on", cuts)
    (found,) = find_secrets(log.records())
    place = len(before) + ("Bearer" in SAMPLES[kind]) * len("Authorization: ")
    starts = sorted({0, *(cut for cut in cuts if cut < len(before + SAMPLES[kind]) + 10)})

    assert (found.kind, found.count) == (kind, 1)
    assert found.seq == sum(start <= place for start in starts) - 1
    assert SAMPLES[kind][8:] not in repr(found)
    assert found.diagnostic().code == "secret_found"


@settings(max_examples=30)
@given(st.integers(0, 3 * REACH), st.integers(1, 400))
def test_a_long_block_is_searched_whole_and_nothing_is_counted_twice(before, piece):
    """Only the end of a block's text is kept, and that is enough."""
    one = SAMPLES["GitHub token"]
    text = "word " * (before // 5) + one + " and " * 900 + one + " tail" * 2000
    found = find_secrets(log_of(text, range(0, len(text), piece)).records())

    assert [(each.kind, each.count) for each in found] == [("GitHub token", 2)]


def test_other_events_are_searched_too():
    """Results and arguments are where secrets mostly are; keys of objects count."""
    event = {
        "type": "tool/result",
        "seq": 7,
        "time": 0,
        "data": {"env": [SAMPLES["AWS access key"]], SAMPLES["GitHub token"]: 1},
    }
    log = EventLog.from_events([event])

    assert [(each.kind, each.seq) for each in find_secrets(log.records())] == [
        ("AWS access key", 7),
        ("GitHub token", 7),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "task-runner-for-the-integration-tests-of-this-project",
        "sk-this-is-only-a-placeholder-name",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "Bearer authentication-is-described-below-in-full",
        "Bearer <your-token-goes-here-and-nowhere-else>",
        "https://user:password@localhost/",
        "ghp_" + "x" * 36,
        "ann@example.com and git@github.com:a/b.git",
        "logo@2x.png",
        "@decorator\ndef f(): ...",
        "eyJhbGciOi",
        hashlib.sha256(b"").hexdigest(),
    ],
)
def test_what_is_no_secret_raises_no_alarm(text):
    """Placeholders, documentation and digests are common in sessions."""
    assert find_secrets(log_of(text).records()) == ()


def test_a_generated_session_holds_no_secrets():
    """No false alarm in thousands of events."""
    assert find_secrets(EventLog.from_events(generate("quick", seed=1)).records()) == ()


@pytest.mark.parametrize(
    "piece",
    ["a", "@", "eyJ", "sk-", "://", "a@a.", "Bearer ", "xoxb-", "https://a:", "-----BEGIN "],
)
def test_hostile_texts_take_linear_time(piece):
    """A megabyte of what almost matches is searched like any other; a quadratic search hangs here."""
    find_secrets(log_of(piece * (1_000_000 // len(piece))).records())
