"""Content chunks: every frame, its checksum, and how far a file may expand."""

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidLog, LimitExceeded
from histbench.store.content import ContentReader
from histbench.store.frames import BLOCK_BYTES
from histbench.store.limits import MIB, Limits
from store_logs import frame, refusal


def content(data: bytes, **options) -> bytes:
    """All content of a file."""
    return b"".join(chunk.data for chunk in ContentReader(io.BytesIO(data).read, **options))


@given(st.lists(st.binary(max_size=300_000), min_size=1, max_size=5))
def test_the_content_of_all_frames_comes_in_order(parts):
    """A reader that sees only the first frame has been met in the wild."""
    assert content(b"".join(map(frame, parts))) == b"".join(parts)


@given(st.binary(min_size=1, max_size=1000))
def test_text_is_handed_through(data):
    """Without a magic number the file is its content."""
    assert content(b"{" + data) == b"{" + data


@given(st.data())
def test_a_torn_frame_gives_a_prefix_of_its_content(data):
    """Whole blocks come out of the torn frame, nothing made up, the frame's start is told."""
    body = data.draw(st.binary(max_size=1000)) * data.draw(st.integers(1, 600))
    first, last = frame(b"first"), frame(body)
    cut = data.draw(st.integers(1, len(last) - 1))
    reader = ContentReader(io.BytesIO(first + last[:cut]).read)

    found = b"".join(chunk.data for chunk in reader)

    assert (b"first" + body).startswith(found)
    assert found.startswith(b"first")
    assert reader.torn_at == len(first)
    assert reader.file_bytes == len(first) + cut


@pytest.mark.parametrize("place", ["content", "checksum"])
def test_a_frame_that_fails_its_checksum_is_refused_with_its_byte(place):
    """Incompressible content, so that a changed byte decompresses to another one."""
    first, second = frame(b"first"), bytearray(frame(bytes(range(256)), level=1))
    second[-1 if place == "checksum" else 50] ^= 1

    error = refusal(content, first + bytes(second))

    assert isinstance(error, InvalidLog)
    assert (error.code, error.where.byte) == ("zstd_frame", len(first))


def test_a_frame_that_holds_more_than_it_says_is_refused():
    """Neither checksum nor decompressor need notice."""
    data = bytearray(frame(b"a" * 100, checksum=False))
    assert data[5] == 100  # the one-byte content size of a single-segment frame
    data[5] = 99

    assert refusal(content, bytes(data)).code == "zstd_frame"


@pytest.mark.parametrize(
    ("head", "name"), [(b"\x1f\x8b\x08", "gzip"), (b"PK\x03\x04", "zip"), (b"PAR1", "Parquet")]
)
def test_other_formats_are_named(head, name):
    """Handing in the wrong file is the commonest mistake."""
    error = refusal(content, head + bytes(100))

    assert error.code == "not_a_log"
    assert name in error.message


def bomb(total: int) -> bytes:
    """One frame of `total` equal bytes."""
    header = b"\x28\xb5\x2f\xfd\x00\x58"
    run = (BLOCK_BYTES << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    end = (1).to_bytes(3, "little")
    return header + run * (total // BLOCK_BYTES) + end


def test_a_bomb_is_refused_in_bounded_memory():
    """Some kilobytes that expand to a gigabyte: refused at 64 MiB, in chunks of at most 1 MiB."""
    data = bomb(1024 * MIB)
    assert len(data) < 64 * 1024
    tracemalloc.start()

    def drain() -> None:
        for chunk in ContentReader(io.BytesIO(data).read):
            assert len(chunk.data) <= MIB

    error = refusal(drain)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert isinstance(error, LimitExceeded)
    assert error.code == "expands_too_far"
    assert peak < 8 * MIB


def test_the_ratio_rule_leaves_small_and_moderate_files_alone():
    """Below `free_bytes` any ratio goes; above it the ratio must be passed."""
    data = bomb(4 * MIB)

    assert len(content(data)) == 4 * MIB
    assert len(content(data, limits=Limits(free_bytes=MIB, ratio=10**6))) == 4 * MIB
    assert refusal(content, data, limits=Limits(free_bytes=MIB)).code == "expands_too_far"
