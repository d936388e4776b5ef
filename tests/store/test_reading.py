"""Reading whole logs: any layout gives the same events, and every fault has a code and a place."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.codec import pack_chunk_runs
from histbench.errors import InvalidData, LimitExceeded, StorageError
from histbench.store import Limits, read_log
from store_logs import (
    HEADER,
    HEADER_LINE,
    conversation,
    delta,
    event_logs,
    frame,
    framed_log,
    line,
    note,
    plain_log,
    refusal,
    write,
)


def read(data: bytes, **options):
    """The log in these bytes."""
    return read_log(io.BytesIO(data), **options)


def codes(log) -> list[str]:
    """What was noticed."""
    return [diagnostic.code for diagnostic in log.diagnostics]


@given(event_logs(), st.data())
def test_every_layout_reads_as_the_same_events(events, data):
    """Packed, unpacked and mixed lines; text, one frame, a frame a batch, frames cut anywhere."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))
    batches = [events[a:b] for a, b in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    packed = [record for batch in batches for record in pack_chunk_runs(batch)]
    mixed = [
        record
        for n, batch in enumerate(batches)
        for record in (pack_chunk_runs(batch) if n % 2 else batch)
    ]
    text = plain_log(packed)
    middle = data.draw(st.integers(1, len(text)))
    layouts = [
        plain_log(events),
        text,
        plain_log(mixed),
        framed_log(batches),
        frame(text),
        frame(text[:middle]) + frame(text[middle:]),
        b"".join(frame(text[at : at + 97]) for at in range(0, len(text), 97)),
    ]

    for layout in layouts:
        log = read(layout)

        assert list(log) == events
        assert log.header == HEADER
        assert log.diagnostics == ()


def test_a_path_a_string_and_a_stream_are_sources(tmp_path):
    """Either suffix, and content decides where the name lies."""
    events = conversation(3)
    for name, data, noted in [
        ("a.jsonl", plain_log(events), []),
        ("a.jsonl.zst", framed_log([events]), []),
        ("a.jsonl.zstd", framed_log([events]), []),
        ("b.jsonl", framed_log([events]), ["name_mismatch"]),
        ("b.jsonl.zstd", plain_log(events), ["name_mismatch"]),
        ("c.backup", framed_log([events]), []),
    ]:
        path = write(tmp_path / name, data)

        assert list(read_log(path)) == list(read_log(str(path))) == events
        assert codes(read_log(path)) == noted


def test_a_torn_line_is_reported_and_the_rest_kept():
    """A writer of plain lines was stopped anywhere in the last one."""
    events = conversation(1)
    whole = plain_log(events)
    start = len(plain_log(events[:-1]))
    for end in range(start + 1, len(whole)):
        log = read(whole[:end])

        assert list(log) == events[:-1]
        (torn,) = log.diagnostics
        assert (torn.code, torn.byte, torn.line) == ("torn_tail", start, len(events) + 1)


def test_a_torn_frame_is_reported_and_its_whole_records_kept():
    """Blocks of the last frame that are whole still hold records."""
    first = [note(0)]
    last = [note(seq, text="x" * 900 + str(seq)) for seq in range(1, 400)]
    body = b"".join(map(line, last))
    start = len(framed_log([first]))
    data = framed_log([first]) + frame(body)
    for end in range(start + 1, len(data), 7):
        log = read(data[:end])

        assert list(log) == (first + last)[: len(log)]
        assert len(log) >= 1
        assert codes(log) == ["torn_tail"]
        assert log.diagnostics[0].byte == start
    assert len(read(data[:-1])) == 400


def test_a_tail_of_nul_bytes_is_torn():
    """A power cut may leave a file longer than its data; the data is all there."""
    events = conversation(1)
    for data in (plain_log(events), framed_log([events])):
        log = read(data + bytes(5000))

        assert list(log) == events
        assert codes(log) == ["torn_tail"]


def projected(events, *, packed=True):
    """The events as a projected fixture."""
    stamps = ("seq", "time", "seq0", "time0")
    records = pack_chunk_runs(events) if packed else events
    return plain_log([{k: v for k, v in r.items() if k not in stamps} for r in records])


@given(event_logs(), st.booleans())
def test_projected_fixtures_get_running_seqs_and_time_0(events, packed):
    """Everything but the stamps is as it was, and the reader is told."""
    log = read(projected(events, packed=packed))

    assert [event["seq"] for event in log] == list(range(len(events)))
    assert [{**event, "time": 0} for event in events if event["type"] != "assistant/chunk"] == [
        event for event in log if event["type"] != "assistant/chunk"
    ]
    assert [event["data"] for event in log] == [event["data"] for event in events]
    assert codes(log) == (["synthesised_seq", "synthesised_clock"] if events else [])


def test_only_a_consistent_absence_of_stamps_is_a_projection():
    """One record without a seq, or one with, is damage."""
    bare = {"type": "note", "data": {}}
    for records, at in [([note(0), bare], 3), ([bare, note(1)], 3), ([note(0), bare, note(2)], 3)]:
        error = refusal(read, plain_log(records))

        assert isinstance(error, InvalidData)
        assert error.where.line == at
    assert refusal(read, plain_log([bare]), strict=True).code == "event_seq"


def test_a_gap_is_reported_and_refused_when_strict():
    """Authored fixtures have gaps; logs of a store have none."""
    data = plain_log([note(0), note(2), note(9)])
    log = read(data)
    error = refusal(read, data, strict=True)

    assert [event["seq"] for event in log] == [0, 2, 9]
    assert [(d.code, d.line, d.seq) for d in log.diagnostics] == [("seq_gap", 3, 2)]
    assert (error.code, error.where.line, error.where.seq, error.found) == ("seq_gap", 3, 2, 2)
    assert error.where.byte == len(plain_log([note(0)]))
    assert "seq 1" in str(error)


LONG_DT = {
    "type": "text-chunks",
    "seq0": 1,
    "time0": 7,
    "data": {"turn": 1, "step": 1, "index": 0, "dt": [1, 1, 1], "texts": ["a", "b", "c"]},
}


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (line(LONG_DT), "row_dt_length"),
        (b'{"type":"no\n', "invalid_json"),
        (b"\0\0\0" + line(note(1)), "invalid_json"),
        (line(note(1))[:-1] + line(note(2)), "invalid_json"),
        (b'{"type":"note","seq":1,"time":1,"data":"\xff"}\n', "invalid_utf8"),
        (b"null\n", "event_shape"),
        (b'{"type":"note","seq":-1,"time":1}\n', "event_seq"),
        (b'{"type":"note","seq":true,"time":1}\n', "event_seq"),
        (b'{"type":"note","seq":1,"time":"1"}\n', "event_time"),
        (HEADER_LINE, "second_header"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_whole_line_that_is_no_record_is_refused_with_its_place(bad, code, strict):
    """Glued, padded, foreign and malformed lines are never skipped, wherever they stand."""
    before = plain_log([note(0)])
    for after in (b"", line(note(1))):
        error = refusal(read, before + bad + after, strict=strict)

        assert (error.code, error.where.line) == (code, 3)
        assert len(before) <= error.where.byte < len(before) + len(bad)
    framed = frame(before) + frame(bad)
    error = refusal(read, framed, strict=strict)
    assert (error.code, error.where.line, error.where.byte) == (code, 3, len(frame(before)))


def test_blank_lines_are_passed_over_and_reported_unless_strict():
    """Hand-made fixtures have them; stores do not."""
    data = HEADER_LINE + b"\n" + line(note(0)) + b" \t\r\n" + line(note(1))

    assert list(read(data)) == [note(0), note(1)]
    assert codes(read(data)) == ["blank_line"]
    assert refusal(read, data, strict=True).code == "blank_line"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_log"),
        (b"hello\nworld\n", "not_a_log"),
        (b'{"a":1}\n', "not_a_log"),
        (line(note(0)), "not_a_log"),
        (b"\xef\xbb\xbf" + HEADER_LINE, "not_a_log"),
        (HEADER_LINE.decode().encode("utf-16"), "not_a_log"),
        (b"\x1f\x8b\x08\x00", "not_a_log"),
        (HEADER_LINE[:-1], "no_header"),
        (frame(HEADER_LINE)[:-1][:12], "no_header"),
        (b"\x28\xb5", "not_a_log"),
        (line({**HEADER, "version": 2}), "log_version"),
        (frame(b""), "no_header"),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_one_error(data, code):
    """Whatever people hand in by mistake."""
    assert refusal(read, data).code == code


def test_the_file_system_answers_in_our_words(tmp_path):
    """A missing file, a folder, a name that is none."""
    for path, code in [
        (tmp_path / "missing", "file_not_found"),
        (tmp_path, "is_a_directory"),
        (tmp_path / ("x" * 300), "name_too_long"),
    ]:
        error = refusal(read_log, path)

        assert isinstance(error, StorageError)
        assert (error.code, error.where.file) == (code, str(path))


def test_strict_reading_wants_a_store_s_header():
    """Authored fixtures leave fields out."""
    bare = line({"type": "session", "id": "s"})

    assert read(bare).header == {"type": "session", "id": "s"}
    assert refusal(read, bare, strict=True).code == "header_shape"
    retired = line({**HEADER, "sandboxMode": "x"})
    assert refusal(read, retired, strict=True).code == "header_retired"


def test_strict_reading_wants_frames_that_end_with_a_record():
    """A compressed copy of a torn text log is torn; in a store's frame it is damage."""
    data = frame(plain_log([note(0), note(1)])[:-3])

    assert codes(read(data)) == ["torn_tail"]
    assert refusal(read, data, strict=True).code == "frame_torn_record"


def test_a_line_past_its_bound_is_refused_before_it_is_held():
    """The bound is on the line, not on the log."""
    data = plain_log([note(0, text="x" * 5000), note(1)])

    assert len(read(data, limits=Limits(line_bytes=6000))) == 2
    error = refusal(read, data, limits=Limits(line_bytes=5000))
    assert isinstance(error, LimitExceeded)
    assert (error.code, error.where.line) == ("line_too_long", 2)


def test_a_log_past_the_total_bound_is_refused():
    """What is kept in memory has a bound of its own."""
    data = plain_log([delta(0)] * 1)

    error = refusal(read, data, limits=Limits(total_bytes=10))
    assert error.code == "log_too_large"


def test_javascript_s_numbers_and_half_characters_are_read():
    """`1.0` and `-0` are integers there, and half a surrogate pair is text."""
    data = HEADER_LINE + b'{"type":"note","seq":0.0,"time":-0,"data":{"s":"\\ud83d"}}\n'
    data += b'{"type":"note","seq":1e0,"time":1.5,"data":{}}\r\n'

    log = read(data, strict=True)

    assert [event["seq"] for event in log] == [0, 1]
    assert log[0]["data"] == {"s": "\ud83d"}
    json.dumps(list(log))
