"""Pages of a cold log: the right events whatever the index says, and no more of the file than that."""

import os
import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import InvalidData, UsageError
from histbench.history.select import select_page
from histbench.log import EventLog
from histbench.store import LogWriter, open_log, read_log
from histbench.store import page_index as page_index_module
from histbench.store.page_index import index_path
from store_logs import (
    assistant_message,
    conversation,
    delta,
    frame,
    framed_log,
    line,
    note,
    plain_log,
    refusal,
    user_message,
    write,
)


def oracle(events, before_seq, max_messages):
    """The page's events and whether there are older ones, in twelve naive lines."""
    window = [event for event in events if before_seq is None or event["seq"] < before_seq]
    count = 0
    for event in reversed(window):
        if event["type"] not in {"user/message", "assistant/message"}:
            continue
        if event.get("surfaceOp") != "append":
            continue
        count += 1
        if count == max_messages:
            cut = min([event["seq"], *event.get("sourceEventSeqs", [])])
            return window[cut:], cut > 0
    return window, False


@st.composite
def transcripts(draw):
    """Dense logs with messages whose sources lie near or far."""
    events = []
    for shape in draw(st.lists(st.integers(0, 5), max_size=60)):
        seq = len(events)
        if shape <= 2:
            events.append(delta(seq, "x" * draw(st.integers(0, 3))))
        elif shape == 3:
            events.append(user_message(seq))
        elif shape == 4:
            sources = draw(st.lists(st.integers(0, max(0, seq - 1)), max_size=3)) if seq else []
            events.append(assistant_message(seq, sources))
        else:
            copy = {"surfaceOp": {"op": "replace", "start": 0, "end": seq}}
            events.append(assistant_message(seq, [0], **copy))
    return events


@settings(max_examples=25)
@given(events=transcripts(), data=st.data())
@pytest.mark.parametrize("layout", ["batches", "one frame", "text"])
def test_every_page_is_the_page_of_the_whole_log(tmp_path_factory, layout, events, data):
    """Tiny segments, every layout, any request: as selected from the log in memory."""
    folder = tmp_path_factory.mktemp("log")
    size = data.draw(st.integers(1, 9))
    batches = [events[at : at + size] for at in range(0, len(events), size)]
    contents = {
        "batches": framed_log(batches),
        "one frame": frame(plain_log(events)),
        "text": plain_log(events),
    }
    path = write(folder / "log", contents[layout])
    log = EventLog.from_events(events)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("histbench.store.segmenter.SEGMENT_BYTES", 300)
        patch.setattr("histbench.store.segments._REST_BYTES", 100)
        patch.setattr(
            "histbench.store.page_walk._KEPT_BYTES", data.draw(st.sampled_from([0, 10**9]))
        )
        with open_log(path) as stored:
            for _ in range(6):
                before = data.draw(st.none() | st.integers(0, len(events) + 3))
                wanted = data.draw(st.integers(1, 12))
                page = stored.page(before_seq=before, max_messages=wanted)
                expected, more = oracle(events, before, wanted)

                assert page.events() == expected
                assert page.has_more == more
                assert list(stored.tail(before, min_messages=wanted)) == expected
                budget = {
                    "max_events": data.draw(st.none() | st.integers(1, 40)),
                    "max_bytes": data.draw(st.none() | st.integers(1, 4000)),
                }
                request = {"before_seq": before, "max_messages": wanted, **budget}
                assert stored.page(**request) == select_page(log, **request)
                start = data.draw(st.integers(0, len(events)))
                stop = data.draw(st.integers(start, len(events) + 3))
                assert list(stored.interval(start, stop)) == events[start:stop]


def test_an_interval_of_nothing_is_empty_wherever_it_lies(tmp_path, monkeypatch):
    """At a segment's end, where the records that it begins with are the next one's."""
    monkeypatch.setattr("histbench.store.segmenter.SEGMENT_BYTES", 300)
    events = conversation(12)
    batches = [events[at : at + 3] for at in range(0, len(events), 3)]
    path = write(tmp_path / "log", framed_log(batches))
    with open_log(path) as stored:
        for seq in range(len(events) + 3):
            assert list(stored.interval(seq, seq)) == []


def big_log(root, *, turns=700, compression="zstd", batch=37):
    """A log of several segments, incompressible by half, and its events."""
    events = conversation(turns, deltas=12)
    draw = random.Random(turns)
    for event in events:
        if event["type"] == "user/message":
            event["data"]["noise"] = draw.randbytes(400).hex()
    writer = LogWriter.create(
        root, session_id="s", created_at=5, compression=compression, sync=False
    )
    with writer:
        for at in range(0, len(events), batch):
            writer.append(events[at : at + batch])
    return writer.path, events


def tail(path, **options):
    """The newest page of a log, opened for it."""
    with open_log(path) as log:
        return list(log.tail(**options))


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_the_newest_page_reads_only_the_end_of_the_file(tmp_path, monkeypatch, compression):
    """With the index that the writer kept, and with the one that a reader made."""
    path, events = big_log(tmp_path, compression=compression)
    expected, _ = oracle(events, None, 50)
    read = []
    real = os.pread

    def counting(descriptor, size, offset):
        data = real(descriptor, size, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counting)
    for index in ("kept", "made"):
        if index == "made":
            index_path(path).unlink()
            assert tail(path) == expected
        read.clear()
        assert tail(path) == expected
        # Twice (hash and content) one or two segments, and the first block for the header.
        assert sum(read) < path.stat().st_size * 0.8
    assert index_path(path).stat().st_size >= 3 * 64


def test_a_log_that_grows_is_seen_to_grow(tmp_path):
    """An open reader sees every append, and a repair that replaces the file."""
    path, events = big_log(tmp_path, turns=300)
    with open_log(path) as log, LogWriter.open(path) as writer:
        for _ in range(3):
            assert log.tail(min_messages=1)[-1] == events[-1]
            events.append(user_message(len(events)))
            writer.append([events[-1]])
            assert list(log.tail(min_messages=1)) == [events[-1]]
        copy = write(path.with_name("copy"), path.read_bytes())
        copy.replace(path)
        assert list(log.tail(min_messages=1)) == [events[-1]]


def test_a_torn_tail_is_reported_with_the_newest_page(tmp_path):
    """As by the reader of whole logs."""
    path, _ = big_log(tmp_path, turns=300)
    write(path, path.read_bytes()[:-3])
    with open_log(path) as log:
        page = log.tail(min_messages=3)
        whole = read_log(path)

        assert page[-1] == whole[-1]
        assert [noted.code for noted in page.diagnostics] == ["torn_tail"]
        assert list(page) == oracle(list(whole), None, 3)[0]


def test_logs_that_cannot_be_indexed_are_read_whole(tmp_path):
    """Projected fixtures, authored gaps, short headers: no index is left beside them."""
    bare = line({"type": "session", "id": "s"})
    projected = [{"type": "note", "data": {"n": n}} for n in range(3)]
    for name, data, length in [
        ("projected", plain_log(projected), 3),
        ("gaps", plain_log([note(0), note(5)]), 2),
        ("header", plain_log([note(0)], header=bare), 1),
        ("blank", plain_log([note(0)]) + b"\n", 1),
    ]:
        path = write(tmp_path / name, data)

        assert len(tail(path)) == length
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "blank",
        "gaps",
        "header",
        "projected",
    ]


def test_damage_in_the_page_is_refused_with_its_place(tmp_path):
    """And damage elsewhere is nobody's concern until somebody reads it."""
    path, events = big_log(tmp_path)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(bytes(data))
    expected, _ = oracle(events, None, 50)

    assert tail(path) == expected
    error = refusal(tail, path, before_seq=len(events), min_messages=10**6)
    assert isinstance(error, InvalidData)
    assert error.where.byte is not None
    assert refusal(read_log, path).code == error.code


def hostile_indexes(data: bytes, draw: random.Random):
    """An index cut, flipped, shuffled, resealed with lies, and replaced by rubbish."""
    yield b""
    yield data[:64]
    yield data[: draw.randrange(len(data))]
    yield draw.randbytes(len(data))
    for _ in range(15):
        flipped = bytearray(data)
        flipped[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)
    head, records = data[:64], [data[at : at + 64] for at in range(64, len(data), 64)]
    yield head + b"".join(records[1:])
    yield head + b"".join(records[:-1])
    yield head + b"".join(reversed(records))
    yield head + b"".join(records[:1] + records[2:])
    yield head + records[-1]
    for position in sorted({0, len(records) // 2, len(records) - 1}):
        entry = page_index_module.IndexEntry.unpack(records[position])
        for name in ("start", "end", "from_seq", "to_seq", "content_kib"):
            for change in (-64, 1):
                values = {field: getattr(entry, field) for field in entry.__struct_fields__}
                values[name] = max(0, values[name] + change)
                lie = page_index_module.IndexEntry(**values).pack()
                yield head + b"".join(
                    lie if number == position else record for number, record in enumerate(records)
                )


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_hostile_index_costs_time_never_correctness(quick_path, compression):
    """Whatever stands in the sidecar, the pages are the same, and in the end the index is too."""
    path, events = big_log(quick_path, turns=500, compression=compression, batch=200)
    draw = random.Random(7)
    good = index_path(path).read_bytes()
    for index in hostile_indexes(good, draw):
        index_path(path).write_bytes(index)
        before = draw.choice([None, None, *range(1, len(events), 977)])
        wanted = draw.choice([1, 20, 300])

        assert (
            tail(path, before_seq=before, min_messages=wanted) == oracle(events, before, wanted)[0]
        )
    with LogWriter.open(path) as writer:
        assert writer.next_seq == len(events)


def test_a_sidecar_that_is_no_file_is_ignored(tmp_path):
    """A link is not followed, a pipe does not hang, a folder is in the way of nobody."""
    path, events = big_log(tmp_path, turns=300)
    expected, _ = oracle(events, None, 50)
    index = index_path(path)
    for put in (
        lambda: index.symlink_to(path),
        lambda: os.mkfifo(index),
        index.mkdir,
    ):
        index.rmdir() if index.is_dir() else index.unlink()
        put()
        assert tail(path) == expected


def test_an_index_of_another_log_is_stale(tmp_path):
    """Identity, size and hashes: copied, replaced and rewritten logs are all noticed."""
    path, events = big_log(tmp_path / "a", turns=300)
    other, others = big_log(tmp_path / "b", turns=200)
    index_path(path).write_bytes(index_path(other).read_bytes())
    assert tail(path) == oracle(events, None, 50)[0]

    other.write_bytes(path.read_bytes())
    assert tail(other) == oracle(events, None, 50)[0]
    assert tail(other, before_seq=900) == oracle(events, 900, 50)[0]
    assert len(others) < len(events)


def test_a_huge_foreign_frame_needs_memory_for_its_page_only(tmp_path):
    """One frame of some 25 MB of lines: decompressed in a stream, twice, and mostly forgotten."""
    filler = [note(seq, text=f"{seq:07d}" * 600) for seq in range(6_000)]
    events = [*filler, user_message(6_000), *(delta(seq) for seq in range(6_001, 6_005))]
    path = write(tmp_path / "one.jsonl.zst", frame(plain_log(events), level=1))
    expected, _ = oracle(events, None, 1)
    assert tail(path, min_messages=1) == expected
    tracemalloc.start()

    found = tail(path, min_messages=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found == expected
    assert peak < 12 * 2**20


def test_a_request_that_makes_no_sense_is_the_caller_s_fault(tmp_path):
    """And a closed log file says so."""
    path = write(tmp_path / "log", plain_log([note(0)]))
    with open_log(path) as log:
        for call in (
            lambda: log.tail(-1),
            lambda: log.tail(min_messages=0),
            lambda: log.interval(2, 1),
            lambda: log.page(max_events=0),
        ):
            assert isinstance(refusal(call), UsageError)
        assert list(log.tail(0)) == []
        assert log.page(before_seq=0).has_more is False
    assert refusal(log.tail).code == "log_closed"
    for bad, code in [(tmp_path, "is_a_directory"), (tmp_path / "no", "file_not_found")]:
        assert refusal(open_log, bad).code == code
