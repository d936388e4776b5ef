"""Appending: what is on disk when, in which layout, and who may write."""

import errno
import io
import json
import os
import shutil
import stat
import subprocess
import sys
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.codec import pack_chunk_runs
from histbench.errors import InvalidEvent, InvalidJson, InvalidLog, StorageError, UsageError
from histbench.store import LogWriter, find_session, read_log
from histbench.store.frames import FrameWalk
from histbench.store.page_index import index_path
from store_logs import conversation, delta, event_logs, frame, line, note, plain_log, refusal, write

MODES = [(compression, pack) for compression in ("zstd", "none") for pack in (True, False)]


def create(root, **options) -> LogWriter:
    """A writer for session `s`."""
    return LogWriter.create(root, session_id="s", created_at=5, **options)


def files(root) -> list[str]:
    """Every file and folder under a root."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.mark.parametrize(("compression", "pack"), MODES)
@settings(max_examples=25)
@given(events=event_logs(), data=st.data())
def test_what_is_appended_is_read_back_in_every_mode(
    tmp_path_factory, compression, pack, events, data
):
    """Any events in any batches, over several writers, and the mode of one does not bind the next."""
    root = tmp_path_factory.mktemp("root")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))
    batches = [events[a:b] for a, b in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    writer = create(root, compression=compression, pack_chunks=pack, sync=False)
    path = writer.path
    for batch in batches:
        writer.append(batch)
        if data.draw(st.booleans()):
            writer.close()
            if not path.exists():
                writer = create(root, compression=compression, pack_chunks=pack, sync=False)
            else:
                writer = LogWriter.open(path, pack_chunks=data.draw(st.booleans()), sync=False)
    writer.close()

    if events:
        log = read_log(path, strict=True)
        assert list(log) == events
        assert log.diagnostics == ()
    else:
        assert files(root) == []


def test_nothing_is_on_disk_before_the_first_batch(tmp_path):
    """A session that was created and never appended to leaves nothing, folders included."""
    with create(tmp_path / "root") as writer:
        writer.append([])
        assert not (tmp_path / "root").exists()
    assert files(tmp_path) == []


def test_the_default_layout_is_a_header_frame_and_one_frame_a_batch(tmp_path):
    """Each with a checksum; the first is exactly the header line; runs are packed per batch."""
    events = [note(0), *(delta(seq) for seq in range(1, 9))]
    with create(tmp_path, cwd="/w/p") as writer:
        for batch in (events[:5], events[5:]):
            writer.append(batch)
    data = writer.path.read_bytes()
    header = {
        "type": "session",
        "version": 0,
        "id": "s",
        "createdAt": 5,
        "cwd": "/w/p",
        "delegationDepth": 0,
    }
    contents = [
        line(header),
        *(b"".join(map(line, pack_chunk_runs(batch))) for batch in (events[:5], events[5:])),
    ]

    assert writer.path == tmp_path / "--w-p--" / "s" / "session.jsonl.zstd"
    assert stat.S_IMODE(writer.path.stat().st_mode) == 0o600
    at = 0
    for content in contents:
        walk = FrameWalk(io.BytesIO(data[at:]).read)
        found = walk.next_frame()
        assert found.checksum
        (piece,) = walk.pieces()
        assert frame(content) == piece
        at += len(piece)
    assert at == len(data)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the zstd command")
def test_the_zstd_command_accepts_what_is_written(tmp_path):
    """It walks the frames, checks them, and gives the lines."""
    events = conversation(30)
    with create(tmp_path) as writer:
        for at in range(0, len(events), 50):
            writer.append(events[at : at + 50])
    zstd = shutil.which("zstd")
    subprocess.run([zstd, "-q", "-t", writer.path], check=True)
    listed = subprocess.run([zstd, "-l", writer.path], capture_output=True, check=True, text=True)
    text = subprocess.run([zstd, "-q", "-dc", writer.path], capture_output=True, check=True).stdout

    count, skips = listed.stdout.splitlines()[1].split()[:2]
    assert (int(count), int(skips)) == (1 + -(-len(events) // 50), 0)
    plain = write(tmp_path / "plain.jsonl", text)
    assert list(read_log(plain, strict=True)) == events


def test_plain_unpacked_mode_is_one_event_a_line(tmp_path):
    """For looking at with other tools."""
    events = conversation(2)
    with create(tmp_path, compression="none", pack_chunks=False) as writer:
        writer.append(events)
    lines = writer.path.read_bytes().splitlines()

    assert writer.path.name == "session.jsonl"
    assert [json.loads(text) for text in lines[1:]] == events


@pytest.mark.parametrize(
    ("batch", "kind", "code"),
    [
        ([note(3)], InvalidEvent, "append_seq"),
        ([note(1)], InvalidEvent, "append_seq"),
        ([note(2), note(2)], InvalidEvent, "append_seq"),
        ([{**note(2), "seq": True}], InvalidEvent, "append_seq"),
        ([{**note(2), "time": None}], InvalidEvent, "append_event"),
        ([{**note(2), "type": 5}], InvalidEvent, "append_event"),
        ([{**note(2), "type": "text-chunks"}], InvalidEvent, "append_event"),
        (["x"], InvalidEvent, "append_event"),
        ([note(2, bad=float("nan"))], InvalidJson, "not_json"),
        ([note(2, bad=object())], InvalidJson, "not_json"),
        ([note(2, bad=b"bytes")], InvalidJson, "not_json"),
        ([note(2, bad={1})], InvalidJson, "not_json"),
        ([note(2, bad=date(2026, 1, 1))], InvalidJson, "not_json"),
    ],
)
def test_a_batch_that_cannot_be_read_back_is_refused_whole(tmp_path, batch, kind, code):
    """Nothing of it is stored, and the writer goes on."""
    with create(tmp_path) as writer:
        writer.append([note(0), note(1)])
        before = writer.path.read_bytes()
        error = refusal(writer.append, batch)
        assert isinstance(error, kind)
        assert error.code == code
        assert writer.path.read_bytes() == before
        writer.append([note(2)])
    assert len(read_log(writer.path, strict=True)) == 3


def test_an_existing_session_is_never_overwritten(tmp_path):
    """Not in its folder, not in another project, not under the other suffix."""
    with create(tmp_path, cwd="/a") as writer:
        writer.append([note(0)])
    for options in ({"cwd": "/a"}, {"cwd": "/b"}, {}, {"cwd": "/a", "compression": "none"}):
        assert refusal(create, tmp_path, **options).code == "session_exists"
    late = LogWriter.create(tmp_path / "other", session_id="s", created_at=5)
    other = LogWriter.create(tmp_path / "other", session_id="s", created_at=5)
    with late, other:
        late.append([note(0)])
        assert refusal(other.append, [note(0)]).code == "already_exists"
    assert list(read_log(late.path)) == [note(0)]


def test_one_writer_at_a_time(tmp_path):
    """A second one is told, in the same process too; afterwards it goes on where the first ended."""
    with create(tmp_path) as writer:
        writer.append([note(0)])
        error = refusal(LogWriter.open, writer.path)
        assert isinstance(error, StorageError)
        assert error.code == "log_locked"
        writer.append([note(1)])
    with LogWriter.open(writer.path) as second:
        assert second.next_seq == 2
        second.append([note(2)])
    assert len(read_log(writer.path, strict=True)) == 3


MEDDLING = {
    "append": lambda path: path.write_bytes(path.read_bytes() + frame(line(note(1)))),
    "truncate": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "change": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\0"),
    "remove": lambda path: path.unlink(),
    "rename": lambda path: path.replace(path.with_name("elsewhere")),
}


@pytest.mark.parametrize("meddle", MEDDLING.values(), ids=MEDDLING)
def test_a_writer_that_knows_no_lock_is_detected(tmp_path, meddle):
    """The file is not as this writer left it: nothing is appended, and it refuses to go on."""
    with create(tmp_path) as writer:
        writer.append([note(0)])
        meddle(writer.path)
        after = writer.path.read_bytes() if writer.path.exists() else None
        assert refusal(writer.append, [note(1)]).code == "log_changed"
        assert (writer.path.read_bytes() if writer.path.exists() else None) == after
        error = refusal(writer.append, [note(1)])
        assert isinstance(error, UsageError)
        assert error.code == "writer_failed"


def test_a_torn_log_must_be_repaired_before_appending(tmp_path):
    """Opening it for appending says so, and changes nothing."""
    path = write(tmp_path / "a.jsonl", plain_log([note(0)]) + b'{"type"')
    error = refusal(LogWriter.open, path)

    assert isinstance(error, InvalidLog)
    assert (error.code, error.where.line) == ("torn_tail", 3)


def test_a_log_with_a_gap_is_not_appended_to(tmp_path):
    """Nobody knows what seq comes next."""
    path = write(tmp_path / "a.jsonl", plain_log([note(0), note(2)]))

    assert refusal(LogWriter.open, path).code == "seq_gap"


def test_a_closed_writer_says_so(tmp_path):
    """Closing twice is fine, appending afterwards is not."""
    writer = create(tmp_path)
    writer.append([note(0)])
    writer.close()
    writer.close()

    assert refusal(writer.append, [note(1)]).code == "writer_closed"


def test_bad_arguments_are_the_caller_s_fault(tmp_path):
    """Usage errors, before anything is touched."""
    assert refusal(create, tmp_path, compression="gzip").code == "compression"
    assert refusal(LogWriter.create, tmp_path, session_id="", created_at=5).code == "session_id"
    error = refusal(LogWriter.create, tmp_path, session_id="s", created_at=-1)
    assert isinstance(error, UsageError)
    assert error.code == "header_shape"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EFBIG])
@pytest.mark.parametrize("where", ["write", "fsync"])
def test_a_failed_append_is_rolled_back(tmp_path, monkeypatch, code, where):
    """The operating system refuses in the middle: the log is as before, and the writer goes on."""
    with create(tmp_path, sync=where == "fsync") as writer:
        writer.append([note(0)])
        before = writer.path.read_bytes()
        real = getattr(os, where)
        calls = []

        def refuse_once(*args):
            calls.append(args)
            if len(calls) == 1:
                if where == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                raise OSError(code, os.strerror(code))
            return real(*args)

        monkeypatch.setattr(os, where, refuse_once)
        error = refusal(writer.append, [note(1)])
        monkeypatch.undo()
        assert error.code == {errno.EIO: "io_error"}.get(code, "disk_full")
        assert writer.path.read_bytes() == before
        writer.append([note(1)])
    assert len(read_log(writer.path, strict=True)) == 2


@pytest.mark.parametrize("failing", range(4))
def test_a_failed_first_batch_leaves_nothing(tmp_path, monkeypatch, failing):
    """Whichever sync fails, of the folders or the file: no temporary file, no session."""
    real = os.fsync
    calls = []

    def refuse_one(descriptor):
        calls.append(descriptor)
        if len(calls) == failing + 1:
            raise OSError(errno.ENOSPC, "no space")
        real(descriptor)

    # Syncs: the root, the project's folder, the session's folder, the file, the name.
    (tmp_path / "root").mkdir()
    with create(tmp_path / "root") as writer:
        monkeypatch.setattr(os, "fsync", refuse_one)
        assert refusal(writer.append, [note(0)]).code == "disk_full"
        monkeypatch.undo()
        assert not list(tmp_path.rglob("*session*"))
        writer.append([note(0)])
    assert find_session(tmp_path / "root", "s").path == writer.path


def test_what_goes_wrong_with_the_index_never_fails_an_append(tmp_path, monkeypatch):
    """The batch is stored, and the next one continues it."""

    def refuse(*args):
        raise StorageError("no", code="io_error")

    monkeypatch.setattr("histbench.store.index_keeper.digest_of", refuse)
    with create(tmp_path, sync=False) as writer:
        writer.append([note(0, text="x" * 300_000)])
        writer.append([note(1)])
    assert len(read_log(writer.path, strict=True)) == 2


def test_the_index_is_kept_beside_the_log_and_missed_by_nobody(tmp_path):
    """Without write permission for it, or with rubbish in its place, appending goes on."""
    with create(tmp_path, sync=False) as writer:
        writer.append([note(0, text="x" * 300_000)])
        index = index_path(writer.path)
        assert index.stat().st_size == 128
        index.write_bytes(b"rubbish")
        writer.append([note(1, text="x" * 300_000)])
        assert index.read_bytes() == b"rubbish"
    with LogWriter.open(writer.path, sync=False) as second:
        assert index.stat().st_size == 3 * 64
        second.append([note(2)])
    assert len(read_log(writer.path, strict=True)) == 3


def test_ctrl_c_between_two_writes_leaves_no_torn_tail(tmp_path, monkeypatch):
    """An interrupt is rolled back like a failure."""
    with create(tmp_path, sync=False) as writer:
        writer.append([note(0)])
        before = writer.path.read_bytes()
        real = os.write

        def interrupt(descriptor, data):
            real(descriptor, bytes(data)[:10])
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.append([note(1)])
        monkeypatch.undo()
        assert writer.path.read_bytes() == before


def test_the_writer_needs_no_more_than_the_standard_interpreter(tmp_path):
    """A process that only appends does not load the measuring half of the library."""
    code = "import histbench.store, sys; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert done.stdout.strip() == "False"
