"""Search and turns of a transcript on disk: what is shown is found, and leads to its record."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import InvalidCursor
from histbench.transcript.text import one_line, searchable_text
from histbench.transcript_file import TranscriptReader
from transcript_files import chain_lines, record_line, write_lines

KEY = bytes(range(32))


def ids(page):
    """The ids of a page's records."""
    return [each.record_id for each in page.records]


TEXTS = [
    "Straße",
    "STRASSE",
    "a\u200bbc",
    "abc",
    "x\u212a",
    "\ud83d\ude00 smile",
    "tab\tbed",
    "kelvin",
]


@settings(max_examples=30)
@given(
    texts=st.lists(st.sampled_from(TEXTS) | st.text(max_size=6), min_size=1, max_size=12),
    wanted=st.sampled_from(["strasse", "ABC", "xk", "smile", "tab bed", "k", "\U0001f600"]),
    escaped=st.booleans(),
)
def test_a_search_finds_what_is_shown_and_nothing_else(texts, wanted, escaped, tmp_path_factory):
    """However it is escaped in the file, whatever its case, page by page."""
    lines = []
    for at, text in enumerate(texts):
        kind = "assistant" if at % 2 else "user"
        line = record_line(f"r{at}", f"r{at - 1}" if at else None, kind=kind, text=text)
        lines.append(json.dumps(json.loads(line)).encode() if escaped else line)
    path = write_lines(tmp_path_factory.mktemp("search") / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY) as reader:
        expected = [
            record.record_id
            for record in reversed(reader.page(500).records)
            if one_line(wanted).casefold() in searchable_text(record).casefold()
        ]
        found = []
        page = reader.search(wanted, 2)
        while True:
            found += [hit.record_id for hit in page.hits]
            if page.next_before is None:
                break
            page = reader.search(wanted, 2, page.next_before)

    assert found == expected


def test_a_long_search_is_cut_into_requests(tmp_path, monkeypatch):
    """Each looks through so many bytes, and says where to go on."""
    monkeypatch.setattr("histbench.transcript_file.searching._BYTES_AT_ONCE", 2000)
    path = write_lines(tmp_path / "t.jsonl", chain_lines(60))
    with TranscriptReader(path) as reader:
        pages = [reader.search("hello 0")]
        while pages[-1].next_before is not None:
            pages.append(reader.search("hello 0", before_record_id=pages[-1].next_before))

    assert len(pages) > 3
    assert [hit.record_id for page in pages for hit in page.hits] == ["r0"]


def test_turns_of_a_snapshot_stay_and_lead_to_their_records(tmp_path):
    """Ordinals hold in their snapshot; what came since is in the next one."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(40))
    with TranscriptReader(path, key=KEY) as reader:
        newest = reader.turns(limit=3)
        with path.open("ab") as file:
            file.write(record_line("r40", "r39") + b"\n")
        older = reader.turns(0, 4, newest.snapshot)
        page = reader.page(5, at_record_id="r8", snapshot=newest.snapshot)

        assert [turn.turn_id for turn in newest.turns] == ["r28", "r32", "r36"]
        assert (newest.start, newest.total_turns) == (7, 10)
        assert [turn.turn_id for turn in older.turns] == ["r0", "r4", "r8", "r12"]
        assert [turn.ordinal for turn in older.turns] == [0, 1, 2, 3]
        assert page.target_record_id == "r8"
        assert "r8" in ids(page)
        assert page.has_older
        assert reader.turns().total_turns == 11
        for asked in ({"start": 2}, {"start": -1}, {"snapshot": newest.snapshot[:-3]}):
            with pytest.raises(InvalidCursor):
                reader.turns(**asked)
