"""A side task shows what was said in it, and never what it was begun with."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import InvalidCursor
from histbench.transcript_file import TranscriptReader
from oracle_transcript import active_chain, shown_chain
from transcript_files import INHERITED, SIDE_TASK, chain_of, forests, record_line, write_lines

KEY = bytes(range(32))


def ids(page):
    """The ids of a page's records."""
    return [each.record_id for each in page.records]


def all_pages(reader, limit, direction):
    """All pages of a direction, by cursor."""
    pages = [reader.page(limit, direction)]
    while pages[-1].has_more:
        pages.append(reader.page(limit, cursor=pages[-1].next_cursor))
    return pages


def side_task_lines(own=6):
    """Two turns of another session, what begins the side task, two more, and turns of its own."""
    before = [
        record_line("p0", None, text="secret 0"),
        record_line("p1", "p0", kind="assistant", text="secret 1"),
    ]
    begins = record_line("begins", "p1", kind="system", text="", **SIDE_TASK)
    inherited = [
        record_line("i0", "begins", text="secret 2", **INHERITED),
        record_line("i1", "i0", kind="assistant", text="secret 3", **INHERITED),
    ]
    kinds = ["user", "assistant"]
    said = [
        record_line(f"o{at}", f"o{at - 1}" if at else "i1", kind=kinds[at % 2], text=f"own {at}")
        for at in range(own)
    ]
    return [*before, begins, *inherited, *said]


@pytest.fixture
def reader(tmp_path):
    """A reader of a side task."""
    with TranscriptReader(write_lines(tmp_path / "t.jsonl", side_task_lines()), key=KEY) as opened:
        yield opened


def test_pages_of_either_direction_begin_with_what_begins_the_side_task(reader):
    """There is nothing more before it, no gap, and one record less than anybody could count."""
    shown = ["begins", "o0", "o1", "o2", "o3", "o4", "o5"]
    back = all_pages(reader, 2, "backward")
    forward = all_pages(reader, 2, "forward")

    assert [each for page in reversed(back) for each in ids(page)] == shown
    assert [each for page in forward for each in ids(page)] == shown
    assert [page.gap for page in (*back, *forward)] == [None] * len([*back, *forward])
    assert (reader.side_task, reader.length, reader.leaf_id) == (True, 7, "o5")


def test_turns_and_search_know_its_own_only(reader):
    """Ordinals count from its first turn; a text of the other session is found nowhere."""
    turns = reader.turns()
    anchored = reader.page(at_record_id="o0", snapshot=turns.snapshot)
    found = [hit.record_id for hit in reader.search("own").hits]

    assert [(each.ordinal, each.turn_id) for each in turns.turns] == [
        (0, "o0"),
        (1, "o2"),
        (2, "o4"),
    ]
    assert ids(anchored)[0] == "o0"
    assert found == ["o5", "o4", "o3", "o2", "o1", "o0"]
    assert reader.search("secret").hits == ()
    assert reader.search("secret").next_before is None


@pytest.mark.parametrize("hidden", ["p0", "p1", "i0", "i1"])
def test_what_is_hidden_is_no_anchor(reader, hidden):
    """It is refused like a record of an abandoned branch, and cannot be fetched."""
    for ask in (
        lambda: reader.page(before_record_id=hidden),
        lambda: reader.page(after_record_id=hidden),
        lambda: reader.page(at_record_id=hidden),
        lambda: reader.search("own", before_record_id=hidden),
        lambda: reader.record(hidden),
    ):
        with pytest.raises(InvalidCursor):
            ask()


def test_a_side_task_in_which_nothing_was_said_has_an_empty_beginning(tmp_path):
    """Its last record may be a hidden one: what follows it is shown."""
    path = write_lines(tmp_path / "t.jsonl", side_task_lines(own=0))
    with TranscriptReader(path, key=KEY) as reader:
        assert ids(reader.page()) == ["begins"]
        assert reader.leaf_id == "i1"
        with path.open("ab") as file:
            file.write(record_line("said", "i1") + b"\n")
        assert ids(reader.page()) == ["begins", "said"]
        assert [each.turn_id for each in reader.turns().turns] == ["said"]


def test_nothing_is_shown_of_a_side_task_that_is_itself_inherited(tmp_path):
    """Neither its beginning, nor before: an empty page, which is the last."""
    begins = record_line("b", "a", kind="system", **SIDE_TASK, **INHERITED)
    path = write_lines(tmp_path / "t.jsonl", [record_line("a", None), begins])
    with TranscriptReader(path, key=KEY) as reader:
        page = reader.page()

        assert (page.records, page.has_more, page.gap) == ((), False, None)
        assert reader.turns().total_turns == 0
        with path.open("ab") as file:
            file.write(record_line("c", "b") + b"\n")
        assert ids(reader.page()) == ["c"]


def test_a_fork_that_is_no_side_task_shows_all_that_it_has_copied(tmp_path):
    """So does a session that was begun for something else."""
    lines = [
        record_line("a", None, **INHERITED),
        record_line(
            "b",
            "a",
            kind="system",
            subtype="session_source",
            systemPayload={"sourceType": "default"},
        ),
        record_line("c", "b", **INHERITED),
        record_line("d", "c"),
    ]
    with TranscriptReader(write_lines(tmp_path / "t.jsonl", lines)) as reader:
        assert ids(reader.page()) == ["a", "b", "c", "d"]
        assert not reader.side_task


def test_what_was_frozen_before_a_side_task_began_stays(tmp_path):
    """A cursor is of its snapshot; a rewind to before the side task shows what was there again."""
    lines = [record_line(f"r{at}", f"r{at - 1}" if at else None) for at in range(8)]
    path = write_lines(tmp_path / "t.jsonl", lines)
    with TranscriptReader(path, key=KEY) as reader:
        cursor = reader.page(3).next_cursor
        with path.open("ab") as file:
            file.write(record_line("s", "r7", kind="system", **SIDE_TASK) + b"\n")
        assert ids(reader.page(3)) == ["s"]
        assert ids(reader.page(3, cursor=cursor)) == ["r2", "r3", "r4"]
        with path.open("ab") as file:
            file.write(record_line("back", "r1") + b"\n")
        assert ids(reader.page()) == ["r0", "r1", "back"]


def test_what_was_appended_is_marked_where_it_is_hidden(tmp_path):
    """All is told, so that whoever follows the file knows what follows what."""
    path = write_lines(tmp_path / "t.jsonl", side_task_lines(own=1))
    with path.open("ab") as file:
        file.write(record_line("i1", "i0", text="a further piece") + b"\n")
    with TranscriptReader(path, key=KEY) as reader:
        told = [(each.record.record_id, each.hidden) for each in reader.appended(0).records]

        assert [each for each, hidden in told if not hidden] == ["begins", "o0"]
        assert [each for each, hidden in told if hidden] == ["p0", "p1", "i0", "i1", "i1"]


# Each example makes files, and syncs them.
@settings(max_examples=30)
@given(lines=forests(), limit=st.integers(1, 5))
def test_whatever_the_chain_hides_is_in_no_page_and_no_anchor(lines, limit, tmp_path_factory):
    """The reference and the index agree with the plain reading of the records."""
    records = [json.loads(line) for line in lines]
    shown, gap = shown_chain(records)
    hidden = set(active_chain(records)[0]) - set(shown)
    path = write_lines(tmp_path_factory.mktemp("side") / "t.jsonl", lines)
    reference = chain_of(path.read_bytes())
    with TranscriptReader(path, key=KEY) as reader:
        forward = all_pages(reader, limit, "forward")
        told = forward[0].gap

        assert [each.record_id for each in reference.entries(0, len(reference))] == shown
        assert [each for page in forward for each in ids(page)] == shown
        assert (None if told is None else (told.child_id, told.missing_parent_id)) == gap
        assert not forward[-1].has_more
        assert {each.turn_id for each in reader.turns().turns} <= set(shown)
        for each in hidden:
            with pytest.raises(InvalidCursor):
                reader.record(each)
