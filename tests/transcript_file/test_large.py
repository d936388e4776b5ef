"""Large turns, large records, and real files: complete from either end."""

import os
from pathlib import Path

import pytest

from histbench.errors import LimitExceeded
from histbench.transcript_file import TranscriptReader
from transcript_files import chain_of, record_line, write_lines

KEY = bytes(range(32))
CORPUS = os.environ.get("HISTBENCH_CORPUS")


def walk(reader, limit, **first):
    """The ids of all pages, page by page, by cursor."""
    pages = [reader.page(limit, **first)]
    while pages[-1].has_more:
        pages.append(reader.page(limit, cursor=pages[-1].next_cursor))
    return [[record.record_id for record in page.records] for page in pages]


def test_a_turn_of_20_000_records_is_paged_to_its_beginning(tmp_path):
    """In pages of a bounded size, although no turn starts within any of them but the last.

    (A turn of 100,000 is paged in memory, where records need not be read.)
    """
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.write(record_line("r0", None) + b"\n")
        for at in range(1, 20_001):
            kind = "assistant" if at % 2 else "tool_result"
            file.write(record_line(f"r{at}", f"r{at - 1}", kind=kind) + b"\n")
    with TranscriptReader(path, key=KEY) as reader:
        pages = walk(reader, 500)

    assert [each for page in reversed(pages) for each in page] == [f"r{at}" for at in range(20_001)]
    assert max(map(len, pages)) <= 1500


def test_a_record_of_50_mb_is_no_dead_end(tmp_path):
    """It comes alone, or is refused by name where it may not; all others are reached."""
    lines = [record_line(f"r{at}", f"r{at - 1}" if at else None) for at in range(9)]
    lines[4] = record_line("r4", "r3", kind="assistant", text="x" * 50_000_000)
    path = write_lines(tmp_path / "t.jsonl", lines)
    chain = [f"r{at}" for at in range(9)]
    with TranscriptReader(path, key=KEY) as reader:
        assert [each for page in reversed(walk(reader, 3)) for each in page] == chain
        assert [each for page in walk(reader, 3, direction="forward") for each in page] == chain
    with TranscriptReader(path, key=KEY, hard_bytes=1 << 20) as reader:
        with pytest.raises(LimitExceeded) as caught:
            reader.page(1, before_record_id="r5")
        assert caught.value.where.record == "r4"
        assert len(reader.page(9, before_record_id="r4").records) == 4


@pytest.mark.slow
@pytest.mark.skipif(CORPUS is None, reason="HISTBENCH_CORPUS is not set")
@pytest.mark.parametrize("limit", [*range(1, 60), 100, 499, 500])
def test_pages_of_a_real_session_are_its_chain(tmp_path, limit):
    """A file as a program wrote it."""
    source = Path(CORPUS or "") / "transcripts" / "claude-code.session-53-records.jsonl"
    path = tmp_path / "t.jsonl"
    path.write_bytes(source.read_bytes())
    reference = chain_of(path.read_bytes())
    chain = [each.record_id for each in reference.entries(0, len(reference))]
    with TranscriptReader(path, key=KEY) as reader:
        assert [each for page in reversed(walk(reader, limit)) for each in page] == chain
        assert [each for page in walk(reader, limit, direction="forward") for each in page] == chain
