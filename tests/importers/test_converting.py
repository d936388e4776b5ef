"""A recording written as a session log."""

import io

import pytest

from histbench.errors import InvalidStream, StorageError
from histbench.importers import convert_recording, import_events, import_session
from histbench.importers.converting import write_events
from histbench.store import LogWriter, inspect_log, read_log, verify_log
from importer_samples import SAMPLES, as_lines, as_sse


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.zstd"])
def test_the_log_holds_the_import(tmp_path, sample, name):
    """Read back, the new log has the events, and the header that a store wants."""
    data = as_sse(sample.values, sample.events)
    done = convert_recording(io.BytesIO(data), tmp_path / name)
    log = read_log(tmp_path / name, strict=True)

    assert log == import_session(io.BytesIO(data))
    assert done.imported.events == len(log)
    assert done.to_bytes == (tmp_path / name).stat().st_size
    assert verify_log(tmp_path / name, strict=True).events == len(log)


def test_rows_are_counted(tmp_path):
    """The runs that are told are the rows of the file; unpacked there are none."""
    data = as_lines(SAMPLES["chat-reasoning"].values)
    packed = convert_recording(io.BytesIO(data), tmp_path / "a.jsonl")
    plain = convert_recording(io.BytesIO(data), tmp_path / "b.jsonl", pack_chunks=False)

    assert packed.rows == sum(inspect_log(tmp_path / "a.jsonl").rows.values()) > 0
    assert plain.rows == sum(inspect_log(tmp_path / "b.jsonl").rows.values()) == 0
    assert read_log(tmp_path / "a.jsonl") == read_log(tmp_path / "b.jsonl")


def test_a_converted_log_still_tells_its_clock(tmp_path):
    """Imported again it is a session log, whose last event says where its times come from."""
    convert_recording(io.BytesIO(as_lines(SAMPLES["grok"].values)), tmp_path / "log.jsonl")
    (*_, last) = read_log(tmp_path / "log.jsonl")

    assert last["type"] == "source/import"
    assert last["data"]["format"] == "grok"
    assert last["data"]["clock"] == "source"


def test_a_failure_changes_nothing(tmp_path):
    """What lay at the target is there as before, and nothing else."""
    target = tmp_path / "log.jsonl"
    target.write_bytes(b"precious")
    values = SAMPLES["opencode"].values[:2]
    shorter = {
        "type": "message.part.updated",
        "properties": {"part": dict(values[1]["properties"]["part"])},
    }
    shorter["properties"]["part"]["text"] = "no"
    with pytest.raises(InvalidStream):
        convert_recording(io.BytesIO(as_lines([*values, shorter])), target)

    assert target.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [target]


def test_an_open_log_is_not_replaced(tmp_path):
    """A log that a writer has open stays the writer's."""
    with LogWriter.create(tmp_path, session_id="s", created_at=1, compression="none") as writer:
        writer.append([{"type": "turn/start", "seq": 0, "time": 0, "data": {"turn": 1}}])
        with pytest.raises(StorageError) as caught:
            convert_recording(io.BytesIO(as_lines(SAMPLES["chat"].values)), writer.path)

    assert caught.value.code == "log_locked"


def test_the_proof_reads_what_was_written(tmp_path):
    """Events that JSON does not give back are found before the file takes its name."""
    header = dict(import_events(io.BytesIO(as_lines(SAMPLES["chat"].values))).header)
    events = [{"type": "text-chunks", "seq": 0, "time": 0, "data": {}}]
    with pytest.raises(Exception, match="malformed"):
        write_events(events, header, tmp_path / "log.jsonl", compressed=False)

    assert list(tmp_path.iterdir()) == []
