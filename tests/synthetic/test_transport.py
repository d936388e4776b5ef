"""The transport fixture is the published one: its cardinalities and the hashes of its wire forms."""

import hashlib
import json
from collections import Counter

import pytest

from synthetic import generate

# Of the two responses that the published benchmark measures, with the fixed message id.
RAW_BYTES = 64_905_900
RAW_SHA256 = "05aa21fae277401920106d6fe0bce3030438d969e29e34315871ca5c4f9f9ba9"


def test_cardinalities_are_the_published_ones():
    """416,756 events, of which 580 are no deltas: one turn, message and step, 577 separators."""
    types = Counter(event["type"] for event in generate("transport", 0))

    assert types == {
        "turn/start": 1,
        "user/message": 1,
        "step/start": 1,
        "assistant/chunk": 416_176,
        "benchmark/separator": 577,
    }


@pytest.mark.slow
def test_raw_wire_is_the_published_one_byte_for_byte():
    """The raw response over the fixture is the published one."""
    digest, size = hashlib.sha256(b'{"events":['), 11
    separator = b""
    for event in generate("transport", 0):
        entry = separator + json.dumps({"event": event}, separators=(",", ":")).encode()
        separator = b","
        digest.update(entry)
        size += len(entry)
    digest.update(b'],"hasMore":false}')

    assert size + 18 == RAW_BYTES
    assert digest.hexdigest() == RAW_SHA256
