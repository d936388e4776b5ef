"""The key file: made once, for its owner, never guessed and never overwritten."""

import os
import stat
import subprocess
import sys

import pytest

from histbench.errors import StorageError
from histbench.transcript_file.keys import KEY_BYTES, CursorKeys

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes are a thing of POSIX")


@POSIX
def test_the_first_use_makes_a_file_that_only_its_owner_reads(tmp_path):
    """0600, in a folder with 0700; the next use finds the same key."""
    keys = CursorKeys(tmp_path / "deep" / "keys")
    made = keys.load()

    assert [len(key) for key in made] == [KEY_BYTES]
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700
    assert CursorKeys(keys.path).load() == made
    assert [each.name for each in keys.path.parent.iterdir()] == ["keys"]


def test_a_rotation_puts_a_new_key_on_top_and_lets_the_oldest_go(tmp_path):
    """The newest signs; two old ones verify; the fourth is gone."""
    keys = CursorKeys(tmp_path / "keys")
    history = [keys.load()[0]]
    for _ in range(4):
        history.insert(0, keys.rotate()[0])

    assert keys.load() == tuple(history[:3])
    assert len(set(history)) == 5


@POSIX
def test_a_file_that_others_may_read_is_refused(tmp_path):
    """Whoever reads the key can forge cursors."""
    keys = CursorKeys(tmp_path / "keys")
    keys.load()
    keys.path.chmod(0o640)

    with pytest.raises(StorageError) as caught:
        keys.load()
    assert caught.value.code == "key_file_exposed"


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"00" * 31 + b"\n", b"zz" * 32 + b"\n", b"00" * 32, (b"00" * 32 + b"\n") * 4],
)
def test_a_file_of_another_content_is_refused_and_kept(tmp_path, content):
    """It is somebody's file: nothing is written over it."""
    path = tmp_path / "keys"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(StorageError) as caught:
        CursorKeys(path).load()
    assert caught.value.code == "key_file_damaged"
    assert path.read_bytes() == content


@POSIX
def test_a_link_is_not_followed(tmp_path):
    """A link could lead to a file that somebody else chose."""
    CursorKeys(tmp_path / "real").load()
    (tmp_path / "keys").symlink_to(tmp_path / "real")

    with pytest.raises(StorageError):
        CursorKeys(tmp_path / "keys").load()


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    """Of several that make the file, one wins, and all use its key."""
    code = (
        "import sys; from histbench.transcript_file.keys import CursorKeys;"
        "sys.stdin.read(1); print(CursorKeys(sys.argv[1]).load()[0].hex())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "keys")]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)
    ]
    told = {process.communicate(b"!")[0] for process in running}

    assert len(told) == 1
    assert all(process.returncode == 0 for process in running)
