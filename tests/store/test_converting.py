"""Converting: another layout, the same events, proved before anything is replaced."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histbench.codec import pack_chunk_runs
from histbench.errors import InvalidLog
from histbench.store import LogWriter, convert_log, open_log, read_log
from histbench.store.page_index import index_path
from store_logs import conversation, event_logs, frame, framed_log, note, plain_log, refusal, write


@settings(max_examples=25)
@given(event_logs(), st.sampled_from(["zstd", "none"]), st.booleans())
def test_any_layout_becomes_any_layout(tmp_path_factory, events, compression, pack):
    """The header line stays byte for byte, the events stay events."""
    folder = tmp_path_factory.mktemp("convert")
    header = b'{ "type":"session", "id":"s" }\n'
    text = plain_log(events, header=header)
    for data in (text, plain_log(pack_chunk_runs(events), header=header), frame(text)):
        target = folder / "out"
        done = convert_log(io.BytesIO(data), target, compression=compression, pack_chunks=pack)
        log = read_log(target)

        assert list(log) == events
        assert (done.from_bytes, done.to_bytes) == (len(data), target.stat().st_size)
        if compression == "none":
            expected = pack_chunk_runs(events) if pack else events
            assert target.read_bytes() == plain_log(expected, header=header)


def test_the_suffix_of_the_target_decides_unless_told(tmp_path):
    """Else the source's compression is kept."""
    source = write(tmp_path / "in.jsonl.zstd", framed_log([conversation(1)]))
    for name, compressed in [("a.jsonl", False), ("a.jsonl.zst", True), ("a.backup", True)]:
        convert_log(source, tmp_path / name)

        assert (tmp_path / name).read_bytes().startswith(b"\x28\xb5\x2f\xfd") is compressed


def test_a_log_may_be_converted_in_place(tmp_path):
    """A foreign file in one frame becomes one that pages well; its index is made anew."""
    events = conversation(900, deltas=20)
    path = write(tmp_path / "log.jsonl.zst", frame(plain_log(events)))
    with open_log(path) as log:
        before = log.tail()
    assert index_path(path).exists()
    convert_log(path, path)

    assert not index_path(path).exists()
    with open_log(path) as log:
        assert log.tail() == before
    assert list(read_log(path, strict=True)) == events


def test_what_cannot_be_read_replaces_nothing(tmp_path):
    """Nor does what fails its proof."""
    target = write(tmp_path / "out.jsonl", b"precious")
    error = refusal(convert_log, io.BytesIO(plain_log([note(0)]) + b"rubbish\n"), target)

    assert error.where.line == 3
    assert target.read_bytes() == b"precious"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_conversion_that_loses_something_is_refused(tmp_path, monkeypatch):
    """If the writing half had a defect, the proof would stop it."""
    target = write(tmp_path / "out.jsonl", b"precious")
    monkeypatch.setattr("histbench.store.converting._unpacked", lambda _: [])
    error = refusal(convert_log, io.BytesIO(plain_log([note(0)])), target, pack_chunks=False)

    assert isinstance(error, InvalidLog)
    assert error.code == "lossy_conversion"
    assert target.read_bytes() == b"precious"


def test_a_log_that_a_writer_has_open_is_not_replaced(tmp_path):
    """It would go on writing into the old file."""
    with LogWriter.create(tmp_path, session_id="s", created_at=5) as writer:
        writer.append([note(0)])
        error = refusal(convert_log, writer.path, writer.path)
        assert error.code == "log_locked"
        convert_log(writer.path, tmp_path / "copy.jsonl")


@pytest.mark.parametrize("pack", [True, False])
def test_highly_compressible_logs_convert_too(tmp_path, pack):
    """The bound on expansion is for files of others."""
    events = [note(seq, text=" " * 1000) for seq in range(2000)]
    target = tmp_path / "out.jsonl.zst"
    convert_log(io.BytesIO(plain_log(events)), target, pack_chunks=pack)

    assert len(read_log(target)) == 2000
