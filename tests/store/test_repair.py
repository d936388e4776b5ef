"""The crash matrix: whatever a stopped writer left, a repair keeps every whole record."""

import os
import random

import pytest

from histbench.errors import InvalidData
from histbench.store import LogWriter, inspect_log, read_log, repair_log
from histbench.store.page_index import index_path
from store_logs import (
    conversation,
    delta,
    exhaustive,
    frame,
    framed_log,
    line,
    note,
    plain_log,
    refusal,
    write,
)

MODES = [(compression, pack) for compression in ("zstd", "none") for pack in (True, False)]


def stored(root, events, sizes, *, compression="zstd", pack=True):
    """A log with batches of these sizes, and the file's length after each batch."""
    writer = LogWriter.create(
        root, session_id="s", created_at=5, compression=compression, pack_chunks=pack, sync=False
    )
    lengths = []
    at = 0
    with writer:
        for size in sizes:
            writer.append(events[at : at + size])
            at += size
            lengths.append(writer.path.stat().st_size)
    return writer.path, lengths


def outcome(function, *args):
    """(error of ours, None) or (None, result) of a call."""
    try:
        return None, function(*args)
    except InvalidData as error:
        return error, None


def check_repaired(path, events, committed, *, whole):
    """After a repair: at least the committed events, then nothing but closers; appending goes on."""
    repair = repair_log(path)
    log = list(read_log(path, strict=True))
    kept = len(log) - len(repair.closers)

    assert committed <= kept <= whole
    assert log[:kept] == events[:kept]
    assert log[kept:] == list(repair.closers)
    assert {closer["type"] for closer in repair.closers} <= {"step/end", "turn/end"}
    assert repair.next_seq == len(log)
    again = repair_log(path)
    assert not again.changed
    with LogWriter.open(path) as writer:
        writer.append([note(len(log))])
    assert list(read_log(path, strict=True)) == [*log, note(len(log))]
    assert inspect_log(path).closers == ()
    return kept


def check_every_cut(root, compression, pack, *, step):
    """Cut a log of three batches anywhere in the last two, every `step` bytes and around lines."""
    events = conversation(3, deltas=4)[:25]
    path, lengths = stored(root, events, [12, 7, 6], compression=compression, pack=pack)
    data = path.read_bytes()
    near_lines = [at for at in range(len(data)) if b"\n" in data[max(0, at - 2) : at + 1]]
    cuts = {*range(lengths[0], len(data), step), *near_lines, *lengths[:2], lengths[1] - 1}
    for cut in sorted(cut for cut in cuts if cut >= lengths[0]):
        write(path, data[:cut])
        committed = 12 if cut < lengths[1] else 19
        whole = 19 if cut < lengths[1] else 25

        check_repaired(path, events, committed, whole=whole)


@pytest.mark.parametrize(("compression", "pack"), MODES)
def test_a_file_cut_in_its_last_two_batches_is_repaired(quick_path, compression, pack):
    """What a completed append stored is there; of the torn batch, whole records at most."""
    check_every_cut(quick_path, compression, pack, step=7)


@exhaustive
@pytest.mark.parametrize(("compression", "pack"), MODES)
def test_a_file_cut_at_every_byte_of_its_last_two_batches_is_repaired(
    quick_path, compression, pack
):
    """The same at every byte."""
    check_every_cut(quick_path, compression, pack, step=1)


def test_whole_records_of_a_torn_frame_are_kept(tmp_path):
    """Blocks that are there still give their lines; they become a frame of their own."""
    events = [note(seq, text=f"{seq} " * 700) for seq in range(400)]
    path, lengths = stored(tmp_path, events, [10, 390])
    data = path.read_bytes()
    kept = set()
    for cut in range(lengths[0] + 1, len(data), (len(data) - lengths[0]) // 12):
        write(path, data[:cut])
        kept.add(check_repaired(path, events, 10, whole=400))
    write(path, data[:-1])
    kept.add(check_repaired(path, events, 10, whole=400))

    assert 400 in kept
    assert len(kept) > 2


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_tail_of_nul_bytes_is_dropped(tmp_path, compression):
    """The length reached the disk, the data did not."""
    events = conversation(2)
    path, _ = stored(tmp_path, events, [9, len(events) - 9], compression=compression)
    write(path, path.read_bytes() + bytes(777))

    assert check_repaired(path, events, len(events), whole=len(events)) == len(events)


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_balanced_log_is_not_touched(tmp_path, compression):
    """Not even its times."""
    events = conversation(2)
    path, _ = stored(tmp_path, events, [len(events)], compression=compression)
    before = (path.read_bytes(), path.stat())

    assert not repair_log(path).changed
    assert (path.read_bytes(), path.stat()) == before


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_an_open_turn_is_closed_by_one_batch(tmp_path, compression):
    """Behind everything that was there, which stays as it is."""
    events = conversation(2)[:-3]
    path, _ = stored(tmp_path, events, [len(events)], compression=compression)
    before = path.read_bytes()
    promised = inspect_log(path).closers
    repair = repair_log(path)
    after = path.read_bytes()

    assert promised == repair.closers
    assert after.startswith(before)
    assert [closer["type"] for closer in repair.closers] == ["step/end", "turn/end"]
    assert {closer["time"] for closer in repair.closers} == {events[-1]["time"]}
    if compression == "zstd":
        lines = b"".join(map(line, repair.closers))
        assert after[len(before) :] == frame(lines)


def test_inspecting_changes_nothing(tmp_path):
    """Whatever the file is like."""
    for name, data in {
        "torn": framed_log([conversation(1)])[:-3],
        "open": plain_log(conversation(1)[:4]),
        "gaps": plain_log([note(0), note(5)]),
    }.items():
        path = write(tmp_path / name, data)
        before = path.stat()
        inspect_log(path)

        assert path.read_bytes() == data
        assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gaps", "open", "torn"]


def test_damage_that_is_no_torn_tail_is_refused_and_left(tmp_path):
    """A repair never guesses."""
    events = conversation(2)
    whole = framed_log([events[:5], events[5:]])
    header = len(framed_log([]))
    flipped = bytearray(whole)
    flipped[header + 20] ^= 0x10
    for data in (
        bytes(flipped),
        plain_log(events[:5]) + b"rubbish\n" + plain_log(events[5:], header=b""),
        plain_log([note(0), note(2)]),
        plain_log([note(0)]) + plain_log([note(1)]),
        whole + b"rubbish",
        b"",
        framed_log([])[:10],
    ):
        path = write(tmp_path / "log", data)

        assert isinstance(refusal(repair_log, path), InvalidData)
        assert path.read_bytes() == data
    assert refusal(repair_log, tmp_path / "missing").code == "file_not_found"


def test_a_log_that_a_writer_has_open_is_not_repaired(tmp_path):
    """A half-written batch of a living writer is not torn."""
    with LogWriter.create(tmp_path, session_id="s", created_at=5) as writer:
        writer.append([note(0)])
        assert refusal(repair_log, writer.path).code == "log_locked"


@pytest.mark.parametrize("together", [True, False])
def test_a_foreign_torn_file_is_repaired(tmp_path, together):
    """One frame for all of it, or frames cut anywhere: what is whole is kept, header included."""
    events = [note(seq, text="x" * 2000 + str(seq)) for seq in range(300)]
    text = plain_log(events)
    data = (
        frame(text)
        if together
        else b"".join(frame(text[at : at + 100_001]) for at in range(0, len(text), 100_001))
    )
    path = write(tmp_path / "session.jsonl.zst", data[:-100])

    kept = check_repaired(path, events, 100, whole=300)
    assert 100 <= kept < 300


def test_a_repair_makes_the_index_anew(tmp_path):
    """It described the torn file."""
    events = [note(seq, text=os.urandom(3000).hex()) for seq in range(200)]
    path, _ = stored(tmp_path, events, [50, 50, 50, 50])
    assert index_path(path).exists()
    write(path, path.read_bytes()[:-5])
    repair_log(path)

    assert not index_path(path).exists()
    with LogWriter.open(path):
        assert index_path(path).stat().st_size > 128


def test_a_failed_repair_leaves_the_torn_file(tmp_path, monkeypatch):
    """The disk is full: the log is as it was, and can be repaired later."""
    path, _ = stored(tmp_path, conversation(2), [12, 8])
    torn = path.read_bytes()[:-5]
    write(path, torn)

    def refuse(*args):
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", refuse)
    error = refusal(repair_log, path)
    monkeypatch.undo()

    assert error.code == "disk_full"
    assert path.read_bytes() == torn
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".tmp"] == []
    assert repair_log(path).changed


def test_bit_flips_are_refused_or_change_nothing(tmp_path):
    """In a compressed log no flipped bit goes unnoticed; a flipped tail may look torn, and says so."""
    events = [*conversation(4, deltas=6), delta(0)][:-1]
    path, _ = stored(tmp_path, events, [10, 10, len(events) - 20])
    data = path.read_bytes()
    draw = random.Random(20240)
    places = [draw.randrange(len(data) * 8) for _ in range(300)]
    refused = 0
    for place in [*range(27 * 8), *places]:
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        write(path, bytes(flipped))
        error, log = outcome(read_log, path)
        if error is not None:
            refused += 1
            assert error.where.byte is not None or error.where.line is not None
            continue
        noted = {diagnostic.code for diagnostic in log.diagnostics}
        if "torn_tail" in noted:
            assert list(log) == events[: len(log)]
        else:
            assert list(log) == events
            assert noted == set()
    assert refused > 300
