"""The committed sample is what `python -m synthetic quick --seed 1` writes."""

from pathlib import Path

import zstandard

from synthetic.writing import log_chunks

SAMPLE = Path(__file__).parents[2] / "samples" / "quick.jsonl.zstd"


def test_sample_holds_what_the_generator_gives():
    """The decompressed bytes are equal; the compressed ones depend on the zstd library."""
    with SAMPLE.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        content = reader.read()

    assert content == b"".join(log_chunks("quick", 1, compression="none"))


def test_sample_is_small():
    """Below 100 kB, since it lies in the repository."""
    assert SAMPLE.stat().st_size < 100_000
