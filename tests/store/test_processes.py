"""Real processes on real files: killed while they append, two at once, a disk that is full."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from histbench.store import LogWriter, find_session, read_log, repair_log
from store_logs import conversation, exhaustive, note

HERE = Path(__file__).parent


def start(*arguments, **options) -> subprocess.Popen[str]:
    """A live writer."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    command = [sys.executable, str(HERE / "live_writer.py"), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, **options)


def killed_after(root, compression, delay: float) -> int:
    """Kill a writer some seconds after its first append; the seq that its last append promised."""
    with start("forever", root, compression) as process:
        promised = int(process.stdout.readline())
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split("\n")
    # The last line may be cut by the kill, but never too large.
    return max([promised, *(int(text) for text in rest[:-1])])


def check_killed(root, compression, delay):
    """Every completed append is there after a repair, nothing else but closers, and it goes on."""
    promised = killed_after(root, compression, delay)
    events = conversation(2000, deltas=7)
    path = find_session(root, "s").path
    repair = repair_log(path)
    log = list(read_log(path, strict=True))
    kept = len(log) - len(repair.closers)

    assert kept >= promised
    assert log[:kept] == events[:kept]
    assert not repair_log(path).changed
    with LogWriter.open(path) as writer:
        writer.append([note(len(log))])
    assert len(read_log(path, strict=True)) == len(log) + 1


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_killed_writer_loses_nothing_that_it_promised(tmp_path, compression):
    """SIGKILL at some moment."""
    check_killed(tmp_path, compression, 0.05)


@exhaustive
@pytest.mark.parametrize("compression", ["zstd", "none"])
@pytest.mark.parametrize("seed", range(10))
def test_writers_killed_at_random_moments_lose_nothing(tmp_path, compression, seed):
    """SIGKILL at many moments."""
    check_killed(tmp_path, compression, random.Random(seed).random() * 0.3)


def test_a_writer_killed_before_its_first_batch_leaves_no_session(tmp_path):
    """There was nothing to keep."""
    with start("forever", tmp_path, "zstd") as process:
        process.kill()

    for path in tmp_path.rglob("session*"):
        assert path.name == "session.jsonl.zstd"
        read_log(path, strict=True)


def test_of_two_processes_one_appends_and_the_other_is_told(tmp_path):
    """The log stays valid, and holds what exactly one of them appended."""
    with LogWriter.create(tmp_path, session_id="s", created_at=5) as writer:
        writer.append(conversation(1))
        held = writer.path
        with start("once", held) as refused:
            assert refused.stdout.read() == "log_locked\n"
    before = len(read_log(held, strict=True))
    first, second = start("once", held), start("once", held)
    with first, second:
        said = sorted([first.stdout.read(), second.stdout.read()])
    after = len(read_log(held, strict=True))

    # They may also have come one after the other.
    winners = sum(text == "open\ndone\n" for text in said)
    assert winners >= 1
    assert all(text in {"open\ndone\n", "log_locked\n"} for text in said)
    assert after == before + 100 * winners


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_file_that_may_not_grow_is_rolled_back(tmp_path, compression):
    """RLIMIT_FSIZE is a full disk that anybody can have: the write is cut short, then refused."""
    with start("limited", tmp_path, compression) as process:
        stored, code, size = process.stdout.read().split()
    path = find_session(tmp_path, "s").path
    log = read_log(path, strict=True)

    assert code == "disk_full"
    assert path.stat().st_size == int(size) <= 4096
    assert log.diagnostics == ()
    assert list(log) == conversation(500)[: int(stored)]
    with LogWriter.open(path) as writer:
        writer.append([note(len(log))])


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_full_disk_is_rolled_back_and_goes_on_once_there_is_room(tmp_path, compression):
    """A file system of 64 KiB: what was promised is there, what was refused is not."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        filler = disk / "filler"
        filler.write_bytes(bytes(40 << 10))
        with start("until_full", disk, compression) as process:
            stored, code, size = process.stdout.read().split()
        path = find_session(disk, "s").path
        log = read_log(path, strict=True)
        left = sorted(each.suffix for each in path.parent.iterdir())

        assert code == "disk_full"
        assert int(stored) > 0
        assert path.stat().st_size == int(size)
        assert list(log) == conversation(500)[: int(stored)]
        assert ".tmp" not in left
        filler.unlink()
        with LogWriter.open(path) as writer:
            writer.append([note(len(log))])
        assert len(read_log(path, strict=True)) == len(log) + 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_without_permission_a_writer_is_told_so_and_changes_nothing():
    """A user who may read: no new session, no further batch, no byte changed."""
    # Not in pytest's folders: only their owner may go through those.
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        with LogWriter.create(root, session_id="held", created_at=5) as writer:
            writer.append(conversation(1))
        before = writer.path.read_bytes()
        folders = [Path(folder), *(each for each in Path(folder).rglob("*") if each.is_dir())]
        writer.path.chmod(0o444)
        for each in folders:
            each.chmod(0o555)
        try:
            with start("unprivileged", root, writer.path) as process:
                told = process.stdout.read().split()
        finally:
            for each in folders:
                each.chmod(0o700)

        assert told == ["permission_denied", "permission_denied"]
        assert writer.path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_refused_in_our_words():
    """What cannot be written is said to be a full disk."""
    from histbench.errors import StorageError  # noqa: PLC0415
    from histbench.store.durable import append_at  # noqa: PLC0415

    descriptor = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(StorageError) as caught:
            append_at(descriptor, b"x", length=0, path=Path("/dev/full"), sync=False)
    finally:
        os.close(descriptor)
    # A device cannot be truncated either, so the rollback is what is reported.
    assert caught.value.code in {"disk_full", "rollback_failed"}
