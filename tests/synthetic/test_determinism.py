"""The same profile and seed give the same bytes: here, in another process, on another day."""

import hashlib
import os
import subprocess
import sys

import pytest

from synthetic import generate, profile_names, session_header
from synthetic.writing import log_chunks

FIXED = {"transport", "whitespace-prefix"}
# SHA-256 of the uncompressed packed log with seed 1.  A change here is a change of the profile:
# figures measured before and after it must not be compared.
FROZEN = {
    "adversarial": "abb51cef9d7323758b9c4df2fcf7702c106dbb1326c66957e66ed3995221590a",
    "interleaved": "8aabf0a6a65473f680a2cc9952cf3525020481618b62f3cd23ed246d414d917f",
    "quick": "f2be2306e1ddf8caaac5f8861105ac9acf35792a458b923a76ddc05f4de4f63e",
    "short-runs": "c32c19fed2a2897363b65915ae1671ec32b74733424505471cca6016a0ee7b99",
    "whitespace-prefix": "6de8c12392ad9a72e0b8cddbdf22cf6700429c864b1995c92fabb3629aed852e",
}


def log_sha256(name, seed):
    """Of the packed log, uncompressed."""
    digest = hashlib.sha256()
    for chunk in log_chunks(name, seed, compression="none"):
        digest.update(chunk)
    return digest.hexdigest()


def first_events(name, seed, count=3_000):
    """Enough of a log to tell it from another."""
    return [event for event, _ in zip(generate(name, seed), range(count), strict=False)]


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_bytes_never_change(name):
    """The log has the bytes that it had when the profile was made."""
    assert log_sha256(name, 1) == FROZEN[name]


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_bytes_do_not_depend_on_the_process(hash_seed):
    """Another hash seed, locale and time zone change nothing."""
    code = (
        "import hashlib; from synthetic.writing import log_chunks;"
        "print(hashlib.sha256(b''.join(log_chunks('quick', 1, compression='none'))).hexdigest())"
    )
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "LC_ALL": "C",
        "TZ": "Asia/Kathmandu",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == FROZEN["quick"]


@pytest.mark.parametrize("name", profile_names())
def test_same_seed_same_events(name):
    """Two iterations give equal events and headers."""
    assert first_events(name, 5) == first_events(name, 5)
    assert session_header(name, 5) == session_header(name, 5)


@pytest.mark.parametrize("name", sorted(set(profile_names()) - FIXED))
def test_another_seed_gives_other_events(name):
    """Drawn profiles differ from seed to seed, in events and in the session's id."""
    assert first_events(name, 5) != first_events(name, 6)
    assert session_header(name, 5)["id"] != session_header(name, 6)["id"]


@pytest.mark.parametrize("name", sorted(FIXED))
def test_fixtures_are_the_same_for_every_seed(name):
    """The two that draw nothing are one file, whatever the seed."""
    assert first_events(name, 5) == first_events(name, 6)
    assert session_header(name, 5) == session_header(name, 6)
