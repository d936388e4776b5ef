"""Encodings give back what they took, whatever they took, and hold no more than they may."""

import contextlib
import subprocess
import sys
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from histbench.encodings import ENCODINGS, find_encoding
from histbench.errors import InvalidData, LimitExceeded, UsageError

COMPRESSED = [name for name in ENCODINGS if name != "identity"]
NULLS = b"\0" * 1_000_000

# Run in an interpreter of its own, so that its peak is the decoder's.  VmHWM and not ru_maxrss:
# Linux starts the latter at the size of the process that forked.
BOMB_READER = """
import sys
from histbench.encodings import find_encoding
from histbench.errors import LimitExceeded

def peak_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

bomb = sys.stdin.buffer.read()
before = peak_kib()
try:
    find_encoding(sys.argv[1]).decode(bomb, max_bytes=10_000_000)
except LimitExceeded:
    print(peak_kib() - before)
"""


def gzip_bomb(megabytes):
    """One gzip stream of nulls."""
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(stream.compress(NULLS) for _ in range(megabytes)) + stream.flush()


def brotli_bomb(megabytes):
    """One brotli stream of nulls."""
    stream = brotli.Compressor(quality=5)
    return b"".join(stream.process(NULLS) for _ in range(megabytes)) + stream.finish()


def zstd_bomb(megabytes):
    """One zstd frame of nulls, its size stated."""
    stream = zstandard.ZstdCompressor().compressobj(size=megabytes * len(NULLS))
    return b"".join(stream.compress(NULLS) for _ in range(megabytes)) + stream.flush()


BOMBS = {"gzip-6": gzip_bomb, "br-5": brotli_bomb, "zstd-3": zstd_bomb}


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.binary(max_size=2_000))
def test_decode_gives_back_what_encode_took(name, data):
    """Every encoding is lossless, and exactly `len(data)` bytes are enough of a limit."""
    encoding = ENCODINGS[name]

    assert encoding.decode(encoding.encode(data), max_bytes=len(data)) == data


@pytest.mark.parametrize("name", ENCODINGS)
def test_encoding_twice_gives_the_same_bytes(name):
    """No clock and no randomness gets into an encoding."""
    encoding = ENCODINGS[name]

    assert encoding.encode(b"abc" * 500) == encoding.encode(b"abc" * 500)


@pytest.mark.parametrize("name", ENCODINGS)
def test_one_byte_past_the_limit_is_refused(name):
    """The limit is exact, not a hint."""
    encoding = ENCODINGS[name]

    with pytest.raises(LimitExceeded) as caught:
        encoding.decode(encoding.encode(bytes(100)), max_bytes=99)

    assert caught.value.code == "encoding_too_large"


@pytest.mark.parametrize("name", COMPRESSED)
@given(data=st.data(), content=st.sampled_from([b"", b"x", bytes(range(256)) * 4]))
def test_a_stream_cut_anywhere_is_refused(name, data, content):
    """A prefix never passes for the whole, and be it that of nothing."""
    encoding = ENCODINGS[name]
    encoded = encoding.encode(content)
    cut = data.draw(st.integers(0, len(encoded) - 1))

    with pytest.raises(InvalidData) as caught:
        encoding.decode(encoded[:cut], max_bytes=10_000)

    assert caught.value.code == "invalid_encoding"


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize("tail", [b"x", b"\0", "again"])
@pytest.mark.parametrize("content", [b"", b"abc" * 100])
def test_bytes_after_the_stream_are_refused(name, tail, content):
    """What follows the first stream is never dropped in silence."""
    encoding = ENCODINGS[name]
    encoded = encoding.encode(content)

    with pytest.raises(InvalidData) as caught:
        encoding.decode(encoded + (encoded if tail == "again" else tail), max_bytes=10_000)

    assert caught.value.code == "invalid_encoding"


@pytest.mark.parametrize("name", COMPRESSED)
@given(data=st.binary(max_size=200))
def test_foreign_bytes_raise_nothing_but_invalid_data(name, data):
    """No library's own exception gets past this module."""
    with contextlib.suppress(InvalidData):
        ENCODINGS[name].decode(data, max_bytes=1_000)


def test_zstd_frame_states_size_and_checksum():
    """A reader can bound and verify a frame before and after it reads one."""
    frame = zstandard.get_frame_parameters(find_encoding("zstd-3").encode(b"abc" * 100))

    assert frame.content_size == 300
    assert frame.has_checksum


def test_zstd_frame_with_a_flipped_byte_is_refused():
    """The checksum is not only written."""
    encoded = bytearray(find_encoding("zstd-3").encode(bytes(range(256))))
    encoded[100] ^= 1

    with pytest.raises(InvalidData):
        find_encoding("zstd-3").decode(bytes(encoded), max_bytes=1_000)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_refused_within_the_limit(name):
    """A small body that grows a thousandfold costs the limit and a constant, not its size."""
    bomb = BOMBS[name](300)
    done = subprocess.run(
        [sys.executable, "-c", BOMB_READER, name], input=bomb, capture_output=True, check=True
    )

    assert len(bomb) < 400_000
    # Limit 10 MB; brotli hands over a last buffer as large again, and keeps a window of 4 MB.
    assert int(done.stdout) < 45_000


def test_zstd_frame_that_lies_about_its_size_is_refused_before_it_is_read():
    """A stated size past the limit is enough to refuse; nothing is allocated for it."""
    with pytest.raises(LimitExceeded):
        find_encoding("zstd-3").decode(zstd_bomb(20), max_bytes=10_000_000)


def test_unknown_name_lists_the_known_ones():
    """A typo is answered with the choice."""
    with pytest.raises(UsageError) as caught:
        find_encoding("gzip")

    assert caught.value.code == "unknown_encoding"
    assert all(name in str(caught.value) for name in ENCODINGS)


def test_a_name_holds_its_level():
    """`gzip-6` is level 6: a figure can be made again from its label."""
    for name in COMPRESSED:
        level = int(name.rpartition("-")[2])
        parameters = ENCODINGS[name].parameters

        assert level == parameters.get("level", parameters.get("quality"))
