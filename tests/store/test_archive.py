"""Archives: the same log in fewer bytes, read as any other, and never written to."""

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import counted_calls
from histbench.cli import main
from histbench.codec import pack_chunk_runs
from histbench.history import decode_page, select_page
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import record_json
from histbench.store import (
    LogWriter,
    archive,
    convert_log,
    inspect_log,
    open_log,
    read_header,
    read_log,
    repair_log,
    segmenter,
    segments,
    verify_log,
)
from histbench.store.header import read_header_line
from histbench.store.page_index import index_path
from store_logs import HEADER_LINE, conversation, frame, note, plain_log, refusal, write
from told_sessions import told_sessions

ARCHIVES = Path(__file__).parent / "archives"
EVENTS = conversation(40, deltas=40)
LOG = plain_log(pack_chunk_runs(EVENTS))


def archived(path, data=LOG, **options):
    """An archive of a log."""
    convert_log(io.BytesIO(data), path, archive=True, **options)
    return path


@settings(max_examples=25)
@given(told_sessions(), st.sampled_from(["zstd", "none"]), st.integers(1, 400))
def test_an_archive_gives_back_the_log_to_the_byte(tmp_path_factory, lines, compression, size):
    """Header line, and the stored text of every event, wherever pages end; seqs may have gaps."""
    folder = tmp_path_factory.mktemp("archive")
    header = b'{ "type":"session", "id":"s\\ud83d" }\n'
    data = header + b"".join(line + b"\n" for line in (*lines[:3], *lines[4:]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "_PAGE_BYTES", size)
        patch.setattr(archive, "_MOST_PAGE_BYTES", size)
        path = archived(folder / "a.lean.jsonl", data, compression=compression)
    log, expected = read_log(path), read_log(io.BytesIO(data))

    assert [*map(record_json, log.records())] == [*map(record_json, expected.records())]
    convert_log(path, folder / "back", compression="none")
    convert_log(io.BytesIO(data), folder / "expected", compression="none")
    assert (folder / "back").read_bytes() == (folder / "expected").read_bytes()


@pytest.mark.parametrize("suffix", [".lean.jsonl", ".lean.jsonl.zstd"])
def test_frozen_archives_stay_readable(tmp_path, suffix):
    """Each holds the log beside it."""
    convert_log(ARCHIVES / f"copies{suffix}", tmp_path / "back.jsonl")

    assert (tmp_path / "back.jsonl").read_bytes() == (ARCHIVES / "copies.jsonl").read_bytes()


def test_an_archive_is_read_by_everything_that_reads_logs(tmp_path):
    """As the log that it holds."""
    path = archived(tmp_path / "s.lean.jsonl.zstd")
    log = read_log(path, strict=True)

    assert list(log) == EVENTS
    assert log.header == read_header(path) == json.loads(HEADER_LINE)
    assert verify_log(path, strict=True).events == len(EVENTS)
    assert inspect_log(path).archive_form == "lean"
    assert inspect_log(path).types == inspect_log(io.BytesIO(LOG)).types
    with open_log(path) as opened:
        assert opened.page(max_messages=3) == select_page(
            EventLog.from_events(EVENTS), max_messages=3
        )
        assert list(opened.interval(5, 50)) == EVENTS[5:50]
        assert (
            list(opened.tail(min_messages=1)) == list(log)[opened.tail(min_messages=1).from_seq :]
        )


@settings(max_examples=25)
@given(st.data(), st.sampled_from(["zstd", "none"]), st.integers(1, 2000), st.integers(1, 3000))
def test_pages_of_an_archive_are_those_of_its_log(
    tmp_path_factory, data, compression, size, segment
):
    """With an index or without one, wherever its own pages and segments end."""
    folder = tmp_path_factory.mktemp("archive")
    before = data.draw(st.none() | st.integers(0, len(EVENTS) + 3))
    asked = {
        "before_seq": before,
        "max_messages": data.draw(st.integers(1, 9)),
        "max_events": data.draw(st.none() | st.integers(1, 200)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "_PAGE_BYTES", size)
        patch.setattr(archive, "_MOST_PAGE_BYTES", 4 * size)
        patch.setattr(segmenter, "SEGMENT_BYTES", segment)
        patch.setattr(segments, "_REST_BYTES", segment)
        path = archived(folder / "a.lean.jsonl", compression=compression)
        pages = []
        for _ in range(2):
            with open_log(path) as opened:
                pages.append(opened.page(**asked))

    assert pages == [select_page(EventLog.from_events(EVENTS), **asked)] * 2
    assert index_path(path).exists()


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_the_newest_page_of_an_archive_costs_that_page(tmp_path, compression):
    """Once indexed, no other page of it is looked at, however many there are."""
    events = conversation(400, deltas=400)
    path = archived(
        tmp_path / "s.lean.jsonl", plain_log(pack_chunk_runs(events)), compression=compression
    )
    counts = []
    for _ in range(2):
        with open_log(path) as opened, counted_calls(decode_page) as calls:
            page = opened.page(max_messages=3)
        counts.append(calls["decode_page"])

    assert page == select_page(EventLog.from_events(events), max_messages=3)
    assert counts[0] > 3
    assert counts[1] == 1


def test_an_archive_in_one_foreign_frame_is_read_whole(tmp_path):
    """There is no place in it where a reader may start."""
    data = archived(tmp_path / "s.lean.jsonl", compression="none").read_bytes()
    path = write(tmp_path / "t.lean.jsonl.zst", frame(data))
    with open_log(path) as opened:
        page = opened.page(max_messages=3)

    assert page == select_page(EventLog.from_events(EVENTS), max_messages=3)
    assert not index_path(path).exists()


def test_a_damaged_page_is_told_by_its_place_with_an_index_too(tmp_path):
    """The index is no reason to read on."""
    path = archived(tmp_path / "s.lean.jsonl", compression="none")
    with open_log(path) as opened:
        opened.page(max_messages=3)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"hasMore"', b'"hasMoar"'))
    with open_log(path) as opened:
        error = refusal(opened.page, max_messages=3)

    assert (error.code, error.where.line) == ("page_shape", 2)


def test_a_reader_without_archives_refuses_the_header():
    """It is no session header, and the error shows what it is."""
    header = next(archive.archive_chunks(b"{}", EventLog(()), compressed=False))
    error = refusal(read_header_line, header)

    assert error.code == "not_a_log"
    assert b"session-archive" in header
    assert "session-archive" in str(error)


def test_an_archive_in_another_form_is_refused_by_its_name(tmp_path):
    """Of a later reader, say."""
    data = archived(tmp_path / "s.lean.jsonl", compression="none").read_bytes()
    path = write(tmp_path / "t", data.replace(b'"form":"lean"', b'"form":"gaunt"'))
    for function in (read_log, verify_log, inspect_log, open_log, read_header):
        error = refusal(function, path)

        assert error.code == "archive_form"
        assert "gaunt" in str(error)


@pytest.mark.parametrize("function", [LogWriter.open, repair_log])
def test_an_archive_is_not_written_to(tmp_path, function):
    """Neither appended to nor repaired; nothing is changed."""
    path = archived(tmp_path / "s.lean.jsonl.zstd")
    before = path.read_bytes()

    assert refusal(function, path).code == "archived_log"
    assert path.read_bytes() == before


def test_a_torn_archive_keeps_its_whole_pages(tmp_path):
    """As a torn log keeps its records."""
    events = [*EVENTS, note(len(EVENTS))]
    first = archived(tmp_path / "a.lean.jsonl", compression="none").read_bytes()
    page = encode({"records": [{"event": events[-1]}], "hasMore": True, "fromSeq": len(EVENTS)})
    path = write(tmp_path / "b.lean.jsonl", first + page)
    log = read_log(path)

    assert list(log) == EVENTS
    assert [noted.code for noted in log.diagnostics] == ["torn_tail"]


@pytest.mark.parametrize("compression", ["zstd", "none"])
@pytest.mark.parametrize(
    ("code", "page"),
    [
        ("page_shape", b"{}"),
        ("page_shape", b'{"type":"note","seq":0,"time":0}'),
        ("invalid_json", b"{"),
        ("page_end", b'{"records":[],"hasMore":false,"fromSeq":0,"toSeq":1}'),
        (
            "lean_source",
            b'{"records":[{"lean":{"type":"x","seq":0,"time":0,"data":{"":0}}}],%b'
            % b'"hasMore":false,"fromSeq":0,"toSeq":1}',
        ),
    ],
)
def test_a_line_that_is_no_page_is_refused_at_its_place(tmp_path, compression, code, page):
    """A log's own line is none either."""
    whole = archived(tmp_path / "s.lean.jsonl", compression="none").read_bytes()
    start = whole.index(b"\n") + 1
    head = whole[:start]
    if compression == "zstd":
        head = frame(head)
        data, start = head + frame(page + b"\n"), len(head)
    else:
        data = head + page + b"\n"
    error = refusal(read_log, write(tmp_path / "t", data))

    assert (error.code, error.where.line, error.where.byte) == (code, 2, start)


def histbench(*arguments):
    """The command's exit code and what it says."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    return result.exit_code, result.stderr


def test_convert_makes_an_archive_and_a_log_again(tmp_path):
    """And a page, an inspection and a verdict of it."""
    source, lean, back = tmp_path / "a.jsonl", tmp_path / "a.lean.jsonl.zstd", tmp_path / "b.jsonl"
    write(source, LOG)

    assert histbench("convert", source, lean, "--lean")[0] == 0
    for command in ("verify", "inspect", "page"):
        assert histbench(command, lean) == (0, "")
    assert histbench("convert", lean, back)[0] == 0
    assert back.read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("name", "options"), [("a.jsonl.zstd", ["--lean"]), ("a.lean.jsonl.zstd", [])]
)
def test_an_archive_and_nothing_else_has_its_suffix(tmp_path, name, options):
    """So that nobody takes one for a log that others can read."""
    source = write(tmp_path / "a.jsonl", LOG)
    code, said = histbench("convert", source, tmp_path / name, *options)

    assert code == 2
    assert "archive's suffix" in said
    assert not (tmp_path / name).exists()
