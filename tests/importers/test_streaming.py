"""Recordings that are cut, huge, wrapped or hostile."""

import gzip
import io
import json
from itertools import islice

import pytest
import zstandard
from msgspec import structs

from histbench.errors import HistbenchError, InvalidJson, InvalidStream, LimitExceeded, UsageError
from histbench.importers import import_events, import_session, sniff
from histbench.importers.content import IMPORT_LIMITS
from histbench.importers.envelopes import SEGMENT_MEMBERS
from histbench.importers.steps import ASSEMBLED_CHARACTERS
from histbench.store import Limits
from importer_samples import SAMPLES, as_array, as_lines, as_sse

STREAMED = [name for name, sample in SAMPLES.items() if sample.blocks]


def events_of(data, format_name=None, **options):
    """All events of a recording."""
    return list(import_events(io.BytesIO(data), format_name, **options))


def before_the_end(data, format_name):
    """The events that reading `data` gives before the recording is known to be over."""
    source = import_events(io.BytesIO(data), format_name)
    original = source.format.family
    given = []

    class Watching:
        def __init__(self, out):
            self.family = original(out)
            self.out = out

        def feed(self, item):
            self.family.feed(item)

        def finish(self):
            given.append(self.out.seq)
            self.family.finish()

    source.format = structs.replace(source.format, family=Watching)
    events = list(source)
    return events[: given[0]]


@pytest.mark.parametrize("name", STREAMED)
def test_a_prefix_imports_as_a_prefix(name):
    """Whatever was read so far stands: more of the recording adds events and changes none.

    Except for the envelope of the deltas that were still coming in: it is written early.
    """
    sample = SAMPLES[name]
    whole = events_of(as_sse(sample.values, sample.events), sample.format)
    for count in range(1, len(sample.values)):
        names = sample.events and sample.events[:count]
        data = as_sse(sample.values[:count], names, done=False)
        part = before_the_end(data, sample.format)
        while part and part[-1]["type"] == "source/envelope":
            part.pop()

        assert part == whole[: len(part)]


@pytest.mark.parametrize("name", STREAMED)
def test_any_cut_is_read(name):
    """A recording that ends inside a value, a character or an escape gives all that came before."""
    sample = SAMPLES[name]
    data = as_sse(sample.values, sample.events).replace(b"\\u0141", "Ł".encode())
    deltas = 0
    for end in range(1, len(data), max(1, len(data) // 60)):
        events = events_of(data[:end], sample.format)

        assert events[-1]["data"]["deltas"] >= deltas
        deltas = events[-1]["data"]["deltas"]


@pytest.mark.parametrize("end", [1, 2, 3])
def test_a_character_that_is_cut_off_is_told(end):
    """Bytes that begin a character can be no text; they are named instead."""
    lines = as_lines(SAMPLES["chat"].values)
    source = import_events(io.BytesIO(lines + "\U0001f350".encode()[:end]))
    events = list(source)
    (note,) = [each for each in source.diagnostics if each.code == "torn_tail"]

    assert "f09f8d"[: 2 * end] in note.message
    assert events[-1]["data"]["items"] == len(SAMPLES["chat"].values)


@pytest.mark.parametrize("wrap", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("name", ["chat", "ag-ui", "claude-code"])
def test_wrapped_recordings_are_the_same(name, wrap):
    """Compression is told by the bytes; several members and frames are one recording."""
    values = SAMPLES[name].values
    data = as_lines(values)
    cut = data.index(b"\n", len(data) // 2) + 1
    expected = events_of(data)

    assert events_of(wrap(data)) == expected
    assert events_of(wrap(data[:cut]) + wrap(data[cut:])) == expected
    assert sniff(wrap(data)).name == SAMPLES[name].format


@pytest.mark.parametrize("wrap", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_torn_wrapper_gives_what_it_holds(wrap):
    """What can be expanded is read, and the place of the torn member is told."""
    lines = as_lines(SAMPLES["chat"].values)
    source = import_events(io.BytesIO(wrap(lines) + wrap(lines)[:-9]))
    events = list(source)

    assert [each.code for each in source.diagnostics].count("torn_tail") == 1
    assert events[-1]["data"]["items"] >= len(SAMPLES["chat"].values)


def test_a_bomb_is_refused():
    """A small file that expands without end is stopped by the bounds of session files."""
    data = gzip.compress(b" " * 1_000_000)
    limits = Limits(free_bytes=1000, ratio=100)
    with pytest.raises(LimitExceeded) as caught:
        events_of(data, "openai-chat", limits=limits)

    assert caught.value.code == "expands_too_far"


def test_damage_in_gzip_has_a_place():
    """A member that does not expand is named by its first byte."""
    good = gzip.compress(as_lines(SAMPLES["chat"].values))
    bad = bytearray(gzip.compress(b"x" * 100))
    bad[-6] ^= 1
    with pytest.raises(InvalidStream) as caught:
        events_of(good + bytes(bad))

    assert caught.value.code == "damaged_gzip"
    assert caught.value.where.byte == len(good)


@pytest.mark.parametrize("carry", [as_lines, as_array, as_sse])
def test_a_long_value_is_read_up_to_the_limit(carry):
    """Ten megabytes in one text are fine; past the limit line and byte are told."""
    value = json.loads(json.dumps(SAMPLES["chat"].values[1]))
    value["choices"][0]["delta"]["content"] = "ab\\" * 3_500_000
    data = carry([SAMPLES["chat"].values[1], value, SAMPLES["chat"].values[2]])
    events = events_of(data)
    with pytest.raises(LimitExceeded) as caught:
        events_of(data, limits=Limits(line_bytes=1_000_000))

    assert events[-1]["data"]["deltas"] == 3
    assert caught.value.code == "line_too_long"
    assert caught.value.where.line is not None
    assert 0 < caught.value.where.byte < 2000


@pytest.mark.parametrize(
    ("middle", "code"),
    [
        (b'{"a": "\xff"}', "invalid_utf8"),
        (b"\x00\xff\xfe\x01 binary", "invalid_utf8"),
        ('{"a": "é"}'.encode("latin-1"), "invalid_utf8"),
        (b"[" * 100_000 + b"]" * 100_000, "too_deep"),
        (b'{"a":' * 990 + b"1" + b"}" * 990, "too_deep"),
    ],
    ids=["byte", "binary", "latin-1", "brackets", "braces"],
)
def test_what_cannot_be_kept_has_a_place(middle, code):
    """Bytes that are no text, and values too deep to be followed, are refused by line and byte."""
    lines = as_lines(SAMPLES["chat"].values)
    first = lines.index(b"\n") + 1
    with pytest.raises(InvalidJson) as caught:
        events_of(lines[:first] + middle + b"\n" + lines[first:])

    assert caught.value.code == code
    assert caught.value.where.line == 2
    assert caught.value.where.byte == first


def test_utf_16_is_named():
    """The commonest wrong encoding is told as what it is."""
    data = as_lines(SAMPLES["chat"].values).decode().encode("utf-16")
    with pytest.raises(InvalidStream) as caught:
        events_of(data, "openai-chat")

    assert caught.value.code == "wrong_encoding"


def test_damage_within_an_array_costs_one_element():
    """An element that is no JSON is kept as text, and the next one is read."""
    values = SAMPLES["chat"].values
    data = as_array(values).replace(b'"chat-1"', b"chat-1", 1)
    source = import_events(io.BytesIO(data))
    events = list(source)

    assert source.items == len(values)
    assert sum(event["type"] == "source/text" for event in events) == 1


def long_answer(count):
    """Server-sent events of one answer that has no end, as an unseekable stream."""
    head = SAMPLES["chat"].values[1]
    line = f"data: {json.dumps(head)}\n\n".encode()

    class Endless(io.RawIOBase):
        left = count

        def read(self, size=-1):
            lines = min(self.left, max(1, size // len(line)))
            self.left -= lines
            return line * lines

    return Endless()


def test_segments_are_bounded():
    """An answer without end gives an envelope, and so a row's end, every so many deltas."""
    source = import_events(long_answer(5 * SEGMENT_MEMBERS))
    counts = [event["data"]["count"] for event in source if event["type"] == "source/envelope"]

    assert counts == [SEGMENT_MEMBERS] * 5


def test_events_come_while_the_recording_is_read():
    """The first events are there long before the end."""
    stream = long_answer(10**9)
    first = list(islice(import_events(stream), 3000))

    assert len(first) == 3000
    assert stream.left > 10**9 - 10_000


@pytest.mark.slow
def test_an_answer_without_end_is_not_put_together():
    """Deltas past the bound are all there; the copies that would grow with them are not."""
    words = "x" * 100_000
    values = [
        {"id": "c", "choices": [{"index": 0, "delta": {"content": words}}]}
        for _ in range(ASSEMBLED_CHARACTERS // len(words) + 2)
    ]
    source = import_events(io.BytesIO(as_lines(values)))
    events = list(source)

    assert source.deltas == len(values)
    assert "not_assembled" in {each.code for each in source.diagnostics}
    assert not any(event["type"] == "assistant/message" for event in events)


def test_a_stream_that_fails_names_its_file(tmp_path):
    """Errors from deep inside carry the file, whoever asked."""
    path = tmp_path / "recording"
    path.write_bytes(as_lines(SAMPLES["chat"].values) + b'{"a": "\xff"}\n')
    with pytest.raises(HistbenchError) as caught:
        import_session(path)

    assert caught.value.where.file == str(path)
    assert caught.value.where.line == len(SAMPLES["chat"].values) + 1


def test_an_import_is_one_pass(tmp_path):
    """Who iterates twice is told, instead of being given an empty recording; the file is closed."""
    path = tmp_path / "recording"
    path.write_bytes(as_lines(SAMPLES["chat"].values))
    source = import_events(path)
    list(source)
    with pytest.raises(UsageError) as caught:
        list(source)

    assert caught.value.code == "already_read"
    assert source._source.descriptor is None


def test_the_limits_leave_room_for_a_value():
    """One value, as text and as objects, fits in the memory that an import may take."""
    assert IMPORT_LIMITS.line_bytes <= 32 * 1024 * 1024
