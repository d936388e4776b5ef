"""Pages of a real file: complete, stable, frozen by their cursors, and refused by name."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import (
    InvalidCursor,
    LimitExceeded,
    SnapshotUnavailable,
    StorageError,
    UsageError,
)
from histbench.transcript_file import CursorKeys, TranscriptReader
from histbench.transcript_file.index import index_path
from transcript_files import chain_lines, chain_of, forests, record_line, write_lines

KEY = bytes(range(32))


def ids(page):
    """The ids of a page's records."""
    return [each.record_id for each in page.records]


def walk(reader, limit, **first):
    """All pages, by cursor."""
    page = reader.page(limit, **first)
    pages = [page]
    while page.has_more:
        page = reader.page(limit, cursor=page.next_cursor)
        pages.append(page)
    return pages


def whole_chain(path):
    """The reference's chain."""
    chain = chain_of(path.read_bytes())
    return [each.record_id for each in chain.entries(0, len(chain))]


# Each example makes files, and syncs them.
@settings(max_examples=30)
@given(data=st.data(), lines=forests(), limit=st.integers(1, 12), soft=st.integers(1, 3000))
def test_pages_of_either_direction_put_together_are_the_chain(
    data, lines, limit, soft, tmp_path_factory
):
    """Backward from the end or forward from the beginning, with any limit and budget."""
    path = write_lines(tmp_path_factory.mktemp("pages") / "t.jsonl", lines)
    budget = data.draw(st.sampled_from([None, soft]))
    with TranscriptReader(path, key=KEY, soft_bytes=budget) as reader:
        chain = whole_chain(path)
        back = [ids(page) for page in walk(reader, limit)]
        forward = [ids(page) for page in walk(reader, limit, direction="forward")]

        assert [each for page in reversed(back) for each in page] == chain
        assert [each for page in forward for each in page] == chain
        assert all(len(page) <= 3 * limit for page in back)
        assert not chain or all(back)


# Each example makes files, and syncs them.
@settings(max_examples=30)
@given(lines=forests(), limit=st.integers(1, 6))
def test_a_record_id_is_as_good_as_a_cursor(lines, limit, tmp_path_factory):
    """Before a page's first record, after its last: the page that its cursor leads to."""
    path = write_lines(tmp_path_factory.mktemp("ids") / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY) as reader:
        for page in walk(reader, limit):
            if page.records:
                before = reader.page(limit, before_record_id=page.records[0].record_id)
                by_cursor = reader.page(limit, cursor=page.next_cursor) if page.has_more else None
                assert ids(before) == ([] if by_cursor is None else ids(by_cursor))
        for page in walk(reader, limit, direction="forward"):
            if page.has_more:
                after = reader.page(limit, after_record_id=page.records[-1].record_id)
                assert ids(after) == ids(reader.page(limit, cursor=page.next_cursor))


def test_appends_change_no_page_of_a_cursor(tmp_path):
    """What was frozen stays: more turns, a rewind that abandons some are not in it."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(40))
    with TranscriptReader(path, key=KEY) as reader:
        before = [ids(page) for page in walk(reader, 7)]
        first = reader.page(7)
        with path.open("ab") as file:
            file.write(record_line("new", "r39") + b"\n" + record_line("rewound", "r3") + b"\n")
        rest = [ids(first)]
        page = first
        while page.has_more:
            page = reader.page(7, cursor=page.next_cursor)
            rest.append(ids(page))

        assert rest == before
        assert ids(reader.page(7))[-1] == "rewound"
        assert reader.length == 5


def test_a_restarted_reader_with_the_same_keys_goes_on(tmp_path):
    """Cursors live in the key file, not in a process; a rotated key still verifies."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(40))
    keys = CursorKeys(tmp_path / "keys")
    with TranscriptReader(path, key=keys.load()) as reader:
        cursor = reader.page(7).next_cursor
        expected = ids(reader.page(7, cursor=cursor))
    keys.rotate()
    with TranscriptReader(path, key=keys.load()) as reader:
        assert ids(reader.page(7, cursor=cursor)) == expected
    with TranscriptReader(path) as stranger, pytest.raises(InvalidCursor) as caught:
        stranger.page(7, cursor=cursor)
    assert caught.value.code == "invalid_transcript_cursor"


def replaced(path):
    """The same records in another file."""
    other = write_lines(path.with_name("other"), chain_lines(40))
    other.replace(path)


def deleted(path):
    """No file any more."""
    path.unlink()


def archived(path):
    """Elsewhere."""
    path.rename(path.with_name("archived"))


def shortened(path):
    """Half of it."""
    os.truncate(path, path.stat().st_size // 2)


def rewritten(path):
    """Other records in the same file."""
    write_lines(path, chain_lines(80, text="something else"))


@pytest.mark.parametrize(
    "change", [replaced, deleted, archived, shortened, rewritten], ids=lambda each: each.__name__
)
def test_what_is_not_there_any_more_is_unavailable_and_nothing_else(tmp_path, change):
    """A cursor never shows another file's page, and its record id goes on where there is one."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(40))
    with TranscriptReader(path, key=KEY) as reader:
        page = reader.page(7)
        change(path)
        with pytest.raises(SnapshotUnavailable) as caught:
            reader.page(7, cursor=page.next_cursor)

        assert caught.value.code == "transcript_snapshot_unavailable"
        if path.exists() and change is not shortened:
            assert reader.page(7, before_record_id=page.records[0].record_id).records
        elif not path.exists():
            with pytest.raises(StorageError):
                reader.page(7)


def test_a_rewind_s_dead_branch_is_no_anchor(tmp_path):
    """A record that is not on the active chain any more is refused, not guessed around."""
    lines = [*chain_lines(8), record_line("again", "r3")]
    path = write_lines(tmp_path / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY) as reader:
        assert ids(reader.page()) == ["r0", "r1", "r2", "r3", "again"]
        with pytest.raises(InvalidCursor):
            reader.page(before_record_id="r6")


@pytest.mark.parametrize("limit", [0, -1, 501, 10**9])
def test_limits_are_1_to_500(tmp_path, limit):
    """Whatever else is asked."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(4))
    with TranscriptReader(path) as reader, pytest.raises(UsageError) as caught:
        reader.page(limit)
    assert caught.value.code == "invalid_transcript_limit"


@pytest.mark.parametrize(
    "asked",
    [
        {"cursor": "x", "direction": "backward"},
        {"cursor": "x", "before_record_id": "r1"},
        {"direction": "forward", "after_record_id": "r1"},
        {"at_record_id": "r0", "before_record_id": "r1"},
        {"before_record_id": "r1", "after_record_id": "r1"},
        {"snapshot": "x"},
        {"before_record_id": ""},
        {"before_record_id": "x" * 201},
        {"after_record_id": "nobody"},
        {"at_record_id": "r1"},
        {"cursor": "x"},
        {"cursor": "x" * 100_000},
        {"snapshot": "x", "at_record_id": "r0"},
        {"direction": "sideways"},
    ],
)
def test_requests_that_say_too_much_or_nonsense_are_refused(tmp_path, asked):
    """One beginning at most, and one that there is."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(8))
    with TranscriptReader(path) as reader, pytest.raises(InvalidCursor):
        reader.page(**asked)


def test_a_cursor_of_another_session_is_refused_as_such(tmp_path):
    """Not as one whose file has changed."""
    mine = write_lines(tmp_path / "mine", chain_lines(40))
    lines = [line.replace(b"5c0375b4", b"00000000") for line in chain_lines(40)]
    other = write_lines(tmp_path / "other", lines)
    with TranscriptReader(other, key=KEY) as reader:
        cursor = reader.page(5).next_cursor
    with TranscriptReader(mine, key=KEY) as reader, pytest.raises(InvalidCursor):
        reader.page(5, cursor=cursor)


def test_a_page_past_the_hard_limit_names_where_to_go_on(tmp_path):
    """One record of 50 KB is past 10 KB; what comes before it is reached by its id."""
    lines = chain_lines(8)
    lines[5] = record_line("r5", "r4", kind="assistant", text="x" * 50_000)
    path = write_lines(tmp_path / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY, soft_bytes=1000, hard_bytes=10_000) as reader:
        assert ids(reader.page(2)) == ["r6", "r7"]
        with pytest.raises(LimitExceeded) as caught:
            reader.page(2, before_record_id="r6")
        assert ids(reader.page(2, before_record_id=caught.value.where.record)) == ["r4"]
        with pytest.raises(LimitExceeded) as forward:
            reader.page(2, after_record_id="r4")
        assert ids(reader.page(2, after_record_id=forward.value.where.record)) == ["r6", "r7"]
        assert caught.value.code == "transcript_page_too_large"
        assert caught.value.where.record == forward.value.where.record == "r5"
        assert caught.value.found == reader.record("r5").source_bytes > 50_000


# Each example makes files, and syncs them.
@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=30),
    limit=st.integers(1, 8),
    hard=st.integers(700, 2000),
)
def test_no_page_is_past_the_hard_limit_and_nothing_is_lost(sizes, limit, hard, tmp_path_factory):
    """While each record fits, pages together are the chain, from either end."""
    kinds = ["user", "assistant", "tool_result"]
    lines = [
        record_line(f"r{at}", f"r{at - 1}" if at else None, kind=kinds[size % 3], text="x" * size)
        for at, size in enumerate(sizes)
    ]
    path = write_lines(tmp_path_factory.mktemp("hard") / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY, soft_bytes=900, hard_bytes=hard) as reader:
        for pages in (walk(reader, limit)[::-1], walk(reader, limit, direction="forward")):
            assert [each for page in pages for each in ids(page)] == whole_chain(path)
            assert all(sum(each.source_bytes for each in page.records) <= hard for page in pages)


def test_records_of_two_sessions_are_refused_and_earlier_snapshots_are_not(tmp_path):
    """The file cannot be shown as one conversation; what a cursor froze before still can."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(20))
    with TranscriptReader(path, key=KEY) as reader:
        frozen = reader.page(4).next_cursor
        with path.open("ab") as file:
            file.write(record_line("alien", "r19", session_id="0" * 32) + b"\n")
        with pytest.raises(SnapshotUnavailable) as caught:
            reader.page(4)

        assert caught.value.code == "mixed_session_ids"
        assert ids(reader.page(4, cursor=frozen)) == ["r12", "r13", "r14", "r15"]


def test_a_gap_is_told_and_never_bridged(tmp_path):
    """The chain begins at the child of what is lost, and says so."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(12)[5:])
    with TranscriptReader(path) as reader:
        page = reader.page(3)
        while page.has_more:
            assert page.gap is None
            page = reader.page(3, cursor=page.next_cursor)

        assert (page.gap.child_id, page.gap.missing_parent_id) == ("r5", "r4")
        assert reader.gap == page.gap


@pytest.mark.parametrize("content", [b"", b"\n\n", b"no json\n", b"{}\n", b"\0" * 100])
def test_a_file_without_a_conversation_has_an_empty_page_and_tells_why(tmp_path, content):
    """Nothing to show is no error; what is there instead is in the diagnostics."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with TranscriptReader(path) as reader:
        page = reader.page()

        assert page.records == ()
        assert not page.has_more
        assert reader.leaf_id is None
        assert bool(reader.diagnostics) == bool(content)


def test_an_index_that_points_elsewhere_is_made_anew(tmp_path):
    """Records are proved to be those that the index names."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(60))
    with TranscriptReader(path) as reader:
        expected = ids(reader.page(9))
    import sqlite3  # noqa: PLC0415

    database = sqlite3.connect(index_path(path))
    database.execute("UPDATE entry SET first = first + 1 WHERE number > 50")
    database.execute("UPDATE entry SET record_id = X'00' WHERE number = 59")
    database.commit()
    database.close()
    with TranscriptReader(path) as reader:
        assert ids(reader.page(9)) == expected


def test_what_was_appended_is_read_from_any_place_in_pieces(tmp_path):
    """In the order of the file, abandoned branches included; the place is where to go on."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(10))
    with TranscriptReader(path) as reader:
        place = reader.end
        with path.open("ab") as file:
            file.write(record_line("x", "r2") + b"\n" + record_line("y", "r9") + b"\n")
        found = reader.appended(place, limit=1)
        rest = reader.appended(found.place)

        assert [each.record.record_id for each in found.records] == ["x"]
        assert found.has_more
        assert [each.record.record_id for each in rest.records] == ["y"]
        assert rest.place == reader.end
        assert not reader.appended(rest.place).records
        assert len(reader.appended(0).records) == 12
        with pytest.raises(SnapshotUnavailable):
            reader.appended(reader.end + 1)
