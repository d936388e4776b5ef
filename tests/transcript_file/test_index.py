"""The index says what the reference says of the same bytes, however it came about."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.errors import StorageError
from histbench.transcript_file.chains import WalkedChain, chain_before
from histbench.transcript_file.index import RecordIndex, index_path
from histbench.transcript_file.line_source import LineSource
from transcript_files import chain_lines, chain_of, forests, record_line, write_lines


@contextmanager
def indexed(path, step=None):
    """An index of the file as it is now, made in steps of so many bytes."""
    with closing(LineSource(path)) as source:
        if step is not None:
            source.step = step
        with closing(RecordIndex(source)) as index:
            index.refresh()
            yield index


def stored_chain(index, end=None):
    """The chain of the snapshot that ends there."""
    end = index.covered if end is None else end
    return chain_before(index.entries, end, tangled_from=index.entries.about().get("tangled_from"))


def check_same(index, data):
    """The index's chain of these first bytes is the reference's."""
    expected = chain_of(data)
    found = stored_chain(index, len(data))
    if found is None:
        assert len(expected) == 0
        return
    entries = list(expected.entries(0, len(expected)))
    turns = [place for place, each in enumerate(entries) if each.navigation]

    assert found.entries(0, len(found)) == entries
    assert [found.position(each.record_id) for each in entries] == list(range(len(entries)))
    assert [found.turn(ordinal) for ordinal in range(found.turns)] == turns
    assert found.position("never") is None


# Each example makes files, and syncs them.
@settings(max_examples=30)
@given(data=st.data(), lines=forests())
def test_every_snapshot_of_a_growing_file_has_the_chain_of_its_bytes(data, lines, tmp_path_factory):
    """Appended to, opened again, scanned in small steps: earlier snapshots stay what they were."""
    path = tmp_path_factory.mktemp("grown") / "t.jsonl"
    ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b""])
    cuts = data.draw(st.sets(st.integers(1, len(lines)), max_size=3)) | {len(lines)}
    text = b""
    snapshots = []
    at = 0
    for cut in sorted(cuts):
        text += b"".join(line + data.draw(ends) for line in lines[at:cut])
        with path.open("ab") as file:
            file.write(text[path.stat().st_size :])
        at = cut
        with indexed(path, data.draw(st.sampled_from([64, 1000, None]))) as index:
            snapshots.append(index.covered)
    with indexed(path) as index:
        for end in snapshots:
            check_same(index, text[:end])


def test_a_page_of_a_long_chain_asks_for_few_entries(tmp_path):
    """What is looked up for 20 records does not grow with the 20,000 before them."""
    looked_up = {}
    for count in (200, 20_000):
        path = write_lines(tmp_path / f"{count}.jsonl", chain_lines(count))
        with indexed(path):
            pass
        with indexed(path) as index:
            statements = []
            index.entries._database.set_trace_callback(statements.append)
            stored_chain(index).entries(count // 2, count // 2 + 20)
            looked_up[count] = len(statements)

    assert looked_up[20_000] < looked_up[200] + 40


@pytest.mark.parametrize("piece", ["half", "junk", "nul"])
def test_a_torn_last_line_waits_until_it_is_whole(tmp_path, piece):
    """Its whole records count; what is torn is told, and read again when more has come."""
    first, second = chain_lines(2)
    torn = {"half": second[:20], "junk": b"?!", "nul": b"\0" * 8}[piece]
    path = tmp_path / "t.jsonl"
    path.write_bytes(first + torn)
    with indexed(path) as index:
        assert index.covered == len(first)
        assert index.torn.code == "torn_tail"
        assert index.torn.first == len(first)
        rest = second[20:] if piece == "half" else b"\n" + second
        with path.open("ab") as file:
            file.write(rest + b"\n")
        index.refresh()

        assert len(stored_chain(index)) == 2
        assert index.torn is None


def test_a_parent_that_comes_after_its_child_is_found_and_earlier_snapshots_stay(tmp_path):
    """Walked by id from then on; what a cursor froze before is read by links as it was."""
    child, parent = record_line("b", "a"), record_line("a", None)
    path = write_lines(tmp_path / "t.jsonl", [child])
    with indexed(path) as index:
        before = index.covered
        with path.open("ab") as file:
            file.write(parent + b"\n" + record_line("c", "b") + b"\n")
        index.refresh()
        chain = stored_chain(index)

        assert isinstance(chain, WalkedChain)
        assert [each.record_id for each in chain.entries(0, 3)] == ["a", "b", "c"]
        assert [each.record_id for each in stored_chain(index, before).entries(0, 3)] == ["b"]


def damages():
    """Ways in which a sidecar can be wrong."""

    def garbage(path):
        path.write_bytes(b"no database" * 100)

    def cut(path):
        path.write_bytes(path.read_bytes()[:5000])

    def empty(path):
        path.write_bytes(b"")

    def other_tables(path):
        path.unlink()
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE about(x)")
            database.commit()

    def lost_entries(path):
        with closing(sqlite3.connect(path)) as database:
            database.execute("DELETE FROM entry WHERE number < 5")
            database.commit()

    def zeros(path):
        data = bytearray(path.read_bytes())
        data[4096:] = bytes(len(data) - 4096)
        path.write_bytes(data)

    return [garbage, cut, empty, other_tables, lost_entries, zeros]


@pytest.mark.parametrize("damage", damages(), ids=lambda each: each.__name__)
def test_a_damaged_sidecar_costs_time_and_nothing_else(tmp_path, damage):
    """It is made anew, once something in it does not hold."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(200))
    with indexed(path):
        pass
    damage(index_path(path))
    data = path.read_bytes()
    with closing(LineSource(path)) as source, closing(RecordIndex(source)) as index:
        try:
            index.refresh()
            check_same(index, data)
        except (LookupError, sqlite3.Error):
            # Found while it was used: the reader has it forgotten, and asks again.
            index.forget()
            index.refresh()
            check_same(index, data)
        assert not index.private


def test_an_index_of_another_file_is_not_believed(tmp_path):
    """Replaced, rewritten in place, cut: the identity, an end or the size tells."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(50))
    with indexed(path):
        pass
    other = write_lines(tmp_path / "other", chain_lines(60, text="other"))
    other.replace(path)
    with indexed(path) as index:
        check_same(index, path.read_bytes())
    write_lines(path, chain_lines(70, text="third"))
    with indexed(path) as index:
        check_same(index, path.read_bytes())
    write_lines(path, chain_lines(5))
    with indexed(path) as index:
        check_same(index, path.read_bytes())


def test_where_no_sidecar_can_be_kept_the_index_is_the_process_s_own(tmp_path):
    """A folder in the sidecar's place stands for any that cannot be opened."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(50))
    index_path(path).mkdir()
    with indexed(path) as index:
        assert index.private
        check_same(index, path.read_bytes())
        with path.open("ab") as file:
            file.write(record_line("last", "r49") + b"\n")
        index.refresh()
        check_same(index, path.read_bytes())
    assert index_path(path).is_dir()


def test_a_writer_s_half_done_addition_is_not_seen(tmp_path):
    """A process killed while it added leaves the index as it was before."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(2000))
    with indexed(path):
        pass
    with path.open("ab") as file:
        file.writelines(line + b"\n" for line in [record_line("x", "r1999")] * 1)
    code = """
import os, sys
from pathlib import Path
from histbench.transcript_file import index, line_source
source = line_source.LineSource(Path(sys.argv[1]))
source.digest = lambda covered: os._exit(9)
found = index.RecordIndex(source)
found._proved = True
found.refresh()
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    with indexed(path) as found:
        assert done.returncode == 9
        check_same(found, path.read_bytes())


def test_processes_that_index_together_agree(tmp_path):
    """Four at once on a file without an index: each has the whole chain in the end."""
    path = write_lines(tmp_path / "t.jsonl", chain_lines(3000))
    code = """
import sys
from pathlib import Path
from histbench.transcript_file import chains, index, line_source
source = line_source.LineSource(Path(sys.argv[1]))
source.step = 20_000
sys.stdin.read(1)
found = index.RecordIndex(source)
found.refresh()
print(len(chains.chain_before(found.entries, found.covered, tangled_from=None)), found.private)
"""
    command = [sys.executable, "-c", code, str(path)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    told = [process.communicate(b"!")[0].decode().split() for process in running]

    assert told == [["3000", "False"]] * 4
    with indexed(path) as index:
        check_same(index, path.read_bytes())


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path):
    """With the codes of every other file."""
    with pytest.raises(StorageError) as missing:
        LineSource(tmp_path / "none")
    with pytest.raises(StorageError) as folder:
        LineSource(tmp_path)

    assert missing.value.code == "file_not_found"
    assert folder.value.code == "is_a_directory"
    assert str(tmp_path) in str(folder.value)


def test_a_line_past_the_limit_is_passed_over_and_told(tmp_path, monkeypatch):
    """It takes neither memory nor what stands behind it."""
    monkeypatch.setattr("histbench.transcript_file.line_source.RECORD_BYTES", 5_000)
    monkeypatch.setattr("histbench.transcript_file.line_source._READ_BYTES", 700)
    lines = [record_line("a", None), record_line("big", "a", text="x" * 9000), b""]
    lines[2] = record_line("b", "a")
    path = write_lines(tmp_path / "t.jsonl", lines)
    with indexed(path) as index:
        chain = stored_chain(index)

        assert [each.record_id for each in chain.entries(0, 2)] == ["a", "b"]
        assert [each.code for each in index.entries.oddities()] == ["record_too_large"]
        assert index.entries.oddities()[0].first == len(lines[0]) + 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_paged_all_the_same(tmp_path):
    """An archive on a read-only disk has no room for sidecars."""
    folder = tmp_path / "archive"
    folder.mkdir()
    path = write_lines(folder / "t.jsonl", chain_lines(50))
    folder.chmod(0o500)
    try:
        with indexed(path) as index:
            assert index.private
            check_same(index, path.read_bytes())
    finally:
        folder.chmod(0o700)
