"""The frame walk: where frames end, what is torn, what is damaged."""

import io
import shutil
import subprocess

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from histbench.errors import InvalidLog, LimitExceeded
from histbench.store.frames import Frame, FrameWalk, is_zstd
from histbench.store.limits import Limits
from store_logs import frame, refusal

SKIPPABLE = b"\x5a\x2a\x4d\x18\x05\x00\x00\x00hello"


def walk_all(data: bytes, limits: Limits | None = None) -> tuple[list[Frame], FrameWalk]:
    """Every frame header, and the walk at its end."""
    walk = FrameWalk(io.BytesIO(data).read, limits=limits or Limits())
    frames = []
    while (header := walk.next_frame()) is not None:
        frames.append(header)
    return frames, walk


@given(
    st.lists(st.binary(max_size=300_000), max_size=5), st.booleans(), st.sampled_from([1, 3, 19])
)
def test_the_walk_ends_every_frame_where_the_library_does(contents, checksum, level):
    """Frames of any content, with and without checksum, tile the file."""
    frames = [frame(content, checksum=checksum, level=level) for content in contents]

    found, walk = walk_all(b"".join(frames))

    ends = [sum(map(len, frames[:n])) for n in range(1, len(frames) + 1)]
    assert [header.start for header in found] == [0, *ends][: len(frames)]
    assert [header.content_bytes for header in found] == [len(content) for content in contents]
    assert all(header.checksum is checksum for header in found)
    assert (walk.torn, walk.end) == (False, sum(map(len, frames)))


def test_pieces_are_the_file_itself():
    """A frame of many blocks comes in pieces that join to the frame, none of more than 8 blocks."""
    content = bytes(range(256)) * 12_000
    data = frame(content)
    walk = FrameWalk(io.BytesIO(data).read)
    walk.next_frame()

    pieces = list(walk.pieces())

    assert b"".join(pieces) == data
    assert len(pieces) == 3


def test_streamed_frames_tell_no_content_size():
    """A frame written in a stream has no content size and is walked all the same."""
    compressor = zstandard.ZstdCompressor().compressobj()
    data = compressor.compress(b"x" * 1000) + compressor.flush()

    (header,), walk = walk_all(data)

    assert header.content_bytes is None
    assert walk.end == len(data)


@pytest.mark.parametrize("cut", range(1, 60))
def test_any_proper_prefix_of_the_last_frame_is_torn(cut):
    """The file ends inside the last frame: reported, not refused, the frame before still whole."""
    first, last = frame(b"first"), frame(bytes(range(200)))

    found, walk = walk_all(first + last[:cut])

    assert walk.torn
    assert walk.end == len(first)
    assert found[0].start == 0


@given(st.integers(1, 100))
def test_a_tail_of_nul_bytes_is_torn(length):
    """A power cut may leave a file longer than its data."""
    data = frame(b"first")

    found, walk = walk_all(data + bytes(length))

    assert (len(found), walk.torn, walk.end) == (1, True, len(data))


def test_skippable_frames_are_walked_over():
    """Other tools put their notes into them."""
    data = SKIPPABLE + frame(b"x") + SKIPPABLE

    found, walk = walk_all(data)

    assert [header.skippable for header in found] == [True, False, True]
    assert walk.end == len(data)
    assert walk_all(data[:-1])[1].torn


@pytest.mark.parametrize(
    ("data", "code", "byte"),
    [
        (frame(b"x") + b"hello", "zstd_magic", len(frame(b"x"))),
        (frame(b"x") + b"\0" * 9 + b"hello", "zstd_magic", len(frame(b"x"))),
        (b"\x28\xb5\x2f\xfd\x08\x00", "zstd_reserved_bit", 4),
        (b"\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00", "zstd_reserved_block", 6),
        (b"\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff"[:-1] + b"\xf9", "zstd_reserved_block", 6),
        (b"\x28\xb5\x2f\xfd\x00\x58\x01\x00\xff", "zstd_block_size", 6),
        (b"\x28\xb5\x2f\xfd\x01\x58\x07\x01\x00\x00", "zstd_dictionary", 0),
    ],
)
def test_damage_is_refused_with_its_byte(data, code, byte):
    """What is no prefix of a sound file is not torn but wrong."""
    error = refusal(walk_all, data)

    assert isinstance(error, InvalidLog)
    assert (error.code, error.where.byte) == (code, byte)


@pytest.mark.parametrize(
    "header",
    [
        b"\x28\xb5\x2f\xfd\x00\xf8",  # a window descriptor of 2 TiB
        b"\x28\xb5\x2f\xfd\xe0" + (2**40).to_bytes(8, "little"),  # one segment of 1 TiB
    ],
)
def test_a_window_past_the_bound_is_refused_before_anything_is_allocated(header):
    """The header alone is enough to say no."""
    error = refusal(walk_all, header + bytes(100))

    assert isinstance(error, LimitExceeded)
    assert error.code == "zstd_window"


def test_text_is_no_zstd():
    """The first bytes decide; a prefix of the magic number is not enough."""
    assert is_zstd(frame(b""))
    assert is_zstd(SKIPPABLE)
    assert not is_zstd(b'{"type":"session"}')
    assert not is_zstd(b"\x28\xb5\x2f")


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the zstd command")
@pytest.mark.parametrize("options", [["-1"], ["-12"], ["--fast"], ["-T2", "-B1M"], ["--long"]])
def test_what_the_zstd_command_writes_is_walked(options):
    """Frames of a foreign writer, from standard input, so without a content size."""
    content = b"".join(b"%d some text\n" % n for n in range(200_000))
    command = [shutil.which("zstd"), "-q", "-c", *options]
    data = subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout

    found, walk = walk_all(data)

    assert walk.end == len(data)
    assert all(header.checksum for header in found)
