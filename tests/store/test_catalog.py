"""Sessions under a root: found, listed from their headers, or refused by name."""

import os

import pytest

from histbench.store import LogWriter, find_session, list_sessions, read_header
from histbench.store.layout import encode_id
from store_logs import HEADER, frame, line, note, refusal


def put(root, session_id="s", *, cwd=None, compression="zstd"):
    """A stored session."""
    writer = LogWriter.create(
        root, session_id=session_id, created_at=5, cwd=cwd, compression=compression
    )
    with writer:
        writer.append([note(0)])
    return writer.path


def fault_codes(root) -> list[str]:
    """The codes of everything that does not belong under a root."""
    return sorted(fault.code for fault in list_sessions(root).faults)


def test_sessions_are_listed_with_their_headers(tmp_path):
    """Any id, any working folder, either compression; the index beside a log is no artefact."""
    ids = ["plain", "a/b", "..", "😀", "~"]
    paths = {
        session_id: put(tmp_path, session_id, cwd=cwd, compression=compression)
        for session_id, cwd, compression in zip(
            ids, [None, "/w", "/w", "/", "C:\\x"], ["zstd", "none"] * 3, strict=False
        )
    }
    listing = list_sessions(tmp_path)

    assert {entry.session_id: entry.path for entry in listing.sessions} == paths
    assert listing.faults == ()
    for session_id, path in paths.items():
        entry = find_session(tmp_path, session_id)
        assert entry.path == path
        assert entry.header == read_header(path)
        assert entry.file_bytes == path.stat().st_size


def test_listing_reads_headers_only(tmp_path):
    """Damage behind the header line costs nothing here; a later format version is listed."""
    path = put(tmp_path, "a")
    path.write_bytes(path.read_bytes() + b"rubbish")
    later = tmp_path / "_no-cwd" / "b"
    later.mkdir()
    (later / "session.jsonl").write_bytes(line({"type": "session", "version": 3, "id": "b"}))

    assert [entry.session_id for entry in list_sessions(tmp_path).sessions] == ["a", "b"]


def test_an_unknown_session_is_not_found(tmp_path):
    """And an id that is none is the caller's fault."""
    assert refusal(find_session, tmp_path, "s").code == "session_not_found"
    assert refusal(find_session, tmp_path, "").code == "session_id"
    assert refusal(list_sessions, tmp_path / "missing").code == "file_not_found"


def test_a_folder_named_after_another_session_is_refused(tmp_path):
    """Somebody copied or renamed it."""
    path = put(tmp_path)
    path.parent.rename(path.parent.with_name("t"))

    assert fault_codes(tmp_path) == ["identity_id"]
    assert refusal(find_session, tmp_path, "t").code == "identity_id"


def test_a_log_in_another_project_s_folder_is_refused(tmp_path):
    """The header says where it belongs."""
    path = put(tmp_path, cwd="/a")
    (tmp_path / "--b--").mkdir()
    path.parent.rename(tmp_path / "--b--" / "s")

    assert fault_codes(tmp_path) == ["identity_path"]
    assert refusal(find_session, tmp_path, "s").code == "identity_path"


def test_a_session_under_two_projects_is_refused(tmp_path):
    """Two logs claim to be the same session, each at its right place."""
    put(tmp_path / "x", cwd="/a")
    other = put(tmp_path / "y", cwd="/b")
    (tmp_path / "x" / "--b--").mkdir()
    other.parent.rename(tmp_path / "x" / "--b--" / "s")
    listing = list_sessions(tmp_path / "x")

    assert [fault.code for fault in listing.faults] == ["duplicate_session"] * 2
    assert listing.sessions == ()
    assert refusal(find_session, tmp_path / "x", "s").code == "duplicate_session"


def test_two_logs_of_either_suffix_are_refused(tmp_path):
    """Nobody knows which of them is the session."""
    path = put(tmp_path)
    path.with_name("session.jsonl").write_bytes(line(HEADER))

    assert fault_codes(tmp_path) == ["opposite_suffix"]
    assert refusal(find_session, tmp_path, "s").code == "opposite_suffix"


def test_a_log_in_the_project_folder_itself_is_named(tmp_path):
    """Other tools leave them there."""
    put(tmp_path, cwd="/a")
    (tmp_path / "--a--" / "t.jsonl.zstd").write_bytes(frame(line(HEADER)))
    (tmp_path / "--a--" / "notes.txt").write_bytes(b"fine")

    assert fault_codes(tmp_path) == ["flat_artefact"]


def test_a_link_out_of_the_root_is_refused(tmp_path):
    """A session folder must not lead elsewhere."""
    path = put(tmp_path / "outside")
    root = tmp_path / "root"
    (root / "_no-cwd").mkdir(parents=True)
    (root / "_no-cwd" / "s").symlink_to(path.parent, target_is_directory=True)

    assert fault_codes(root) == ["outside_root"]
    assert refusal(find_session, root, "s").code == "outside_root"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_log"),
        (b"rubbish\n", "not_a_log"),
        (line(HEADER)[:-1], "no_header"),
        (frame(line(HEADER))[:-1] + b"\0", "zstd_frame"),
        (line({**HEADER, "id": 5}), "header_shape"),
    ],
)
def test_a_header_that_cannot_be_read_is_named(tmp_path, content, code):
    """Listing goes on with the other sessions."""
    put(tmp_path, "good")
    folder = tmp_path / "_no-cwd" / encode_id("s")
    folder.mkdir()
    (folder / "session.jsonl").write_bytes(content)

    listing = list_sessions(tmp_path)
    assert [entry.session_id for entry in listing.sessions] == ["good"]
    assert [fault.code for fault in listing.faults] == [code]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are a thing of POSIX")
def test_a_pipe_in_a_log_s_place_is_a_fault_and_nobody_waits_for_it(tmp_path):
    """To open it would hang until somebody writes."""
    with LogWriter.create(tmp_path, session_id="s", created_at=5) as writer:
        writer.append([note(0)])
    pipe = writer.path.parent.parent / "other"
    pipe.mkdir()
    os.mkfifo(pipe / writer.path.name)
    listing = list_sessions(tmp_path)

    assert [each.session_id for each in listing.sessions] == ["s"]
    assert [each.code for each in listing.faults] == ["not_a_file"]
