"""A session log pages like any transcript: complete, live, and with its unfinished end shown."""

import shutil

import pytest

from histbench.errors import InvalidLog
from histbench.store import LogWriter, open_log, read_log
from histbench.transcript.session_log import records_of_log
from histbench.transcript_file import TranscriptReader
from store_logs import conversation
from synthetic import generate, session_header
from transcript_files import SESSION


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The quick profile as a log on disk."""
    header = session_header("quick", 1)
    with LogWriter.create(
        tmp_path_factory.mktemp("logs"),
        session_id=SESSION,
        created_at=header["createdAt"],
        sync=False,
    ) as writer:
        writer.append(list(generate("quick", 1)))
    return writer.path


def values(pages):
    """The records of pages as values."""
    return [record.value for page in pages for record in page.records]


def walk(reader, limit, **first):
    """All pages, by cursor."""
    pages = [reader.page(limit, **first)]
    while pages[-1].has_more:
        pages.append(reader.page(limit, cursor=pages[-1].next_cursor))
    return pages


@pytest.mark.parametrize("limit", [9, 500])
def test_pages_of_a_log_are_its_records(quick, tmp_path, limit):
    """From either end, by an index that is read again."""
    path = shutil.copy(quick, tmp_path)
    expected = [record.value for record in records_of_log(read_log(path))]
    for _ in range(2):
        with TranscriptReader(path) as reader:
            assert values(walk(reader, limit)[::-1]) == expected
            assert values(walk(reader, limit, direction="forward")) == expected
            assert reader.session_id == SESSION
            assert reader.length == len(expected)


def test_a_log_that_grows_is_followed_and_cursors_stay(tmp_path):
    """Batch by batch, with unfinished steps at the end of many of them."""
    events = conversation(12, deltas=7)
    with LogWriter.create(tmp_path, session_id=SESSION, created_at=5, sync=False) as writer:
        writer.append(events[:3])
        with TranscriptReader(writer.path) as reader:
            for at in range(3, len(events), 17):
                writer.append(events[at : at + 17])
                frozen = reader.page(2, direction="forward")
                log = read_log(writer.path)
                expected = [record.value for record in records_of_log(log)]

                assert values(walk(reader, 5)[::-1]) == expected
                assert frozen.records[0].value == expected[0]


def test_turns_of_a_log_are_its_prompts(quick, tmp_path):
    """Each leads to its record."""
    path = shutil.copy(quick, tmp_path)
    with TranscriptReader(path) as reader:
        turns = reader.turns(limit=500)
        assert turns.total_turns == len(turns.turns) > 0
        for turn in turns.turns:
            page = reader.page(3, at_record_id=turn.turn_id, snapshot=turns.snapshot)
            assert turn.turn_id in [record.record_id for record in page.records]


def test_a_log_with_gaps_is_refused_by_name(tmp_path):
    """Its records cannot be told apart by seq; nothing is guessed."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        b'{"type":"session","version":0,"id":"s","createdAt":0}\n'
        b'{"type":"note","seq":0,"time":0,"data":{}}\n'
        b'{"type":"note","seq":5,"time":0,"data":{}}\n'
    )
    with TranscriptReader(path) as reader, pytest.raises(InvalidLog) as caught:
        reader.page()
    assert caught.value.code == "seq_gap"
    with open_log(path) as log:
        assert log.header["id"] == "s"


def test_an_unfinished_end_is_read_again_only_when_the_log_has_changed(tmp_path):
    """However many states are looked at: a step that streams for long is most of a log."""
    events = conversation(2, deltas=7)
    cut = next(at for at, event in enumerate(events) if event["type"] == "assistant/message")
    with LogWriter.create(tmp_path, session_id=SESSION, created_at=5, sync=False) as writer:
        writer.append(events[: cut - 1])
        with TranscriptReader(writer.path) as reader:
            before = reader.page().records[-1]
            again = reader.page().records[-1]
            writer.append(events[cut - 1 : cut])
            after = reader.page().records[-1]

    assert again is before
    assert after is not before
    assert after.record_id == before.record_id
