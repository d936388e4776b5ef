"""Logs as Parquet tables: one row for each event, lossless, in groups, refused when foreign."""

import json
import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from pyarrow import parquet

import strategies
from histbench.corpus import event_table
from histbench.corpus.event_table import EventTable, log_of_table, write_event_table
from histbench.errors import HistbenchError
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.store import read_log
from measure_session import HEADER, small_events
from store_logs import refusal


@settings(max_examples=60)
@given(strategies.event_lists())
def test_a_table_gives_every_event_back(tmp_path_factory, events):
    """As JSON text, key order included, whatever the event holds; seqs may have holes."""
    path = tmp_path_factory.mktemp("table") / "log.parquet"
    written = write_event_table(events, HEADER, path)
    table = EventTable(path)

    assert written == len(events)
    assert list(map(encode, table)) == list(map(encode, events))
    assert table.header == HEADER


def test_columns_are_what_others_query(tmp_path):
    """A delta is in columns alone; of other events they repeat what they can."""
    path = tmp_path / "log.parquet"
    events = small_events()
    write_event_table(events, HEADER, path)
    rows = parquet.read_table(path).to_pylist()
    delta, other = rows[2], rows[0]

    assert [row["seq"] for row in rows] == [event["seq"] for event in events]
    assert (delta["chunk"], delta["text"], delta["raw"]) == ("reasoning-delta", "secret 0", None)
    assert (delta["turn"], delta["step"], delta["index"]) == (1, 1, 0)
    assert (other["type"], other["turn"], other["text"]) == ("turn/start", 1, None)
    assert json.loads(other["raw"]) == events[0]


def test_rows_are_written_and_read_in_groups(tmp_path, monkeypatch):
    """A group ends by rows or by bytes, so that memory is bounded."""
    monkeypatch.setattr(event_table, "_GROUP_ROWS", 10)
    path = tmp_path / "log.parquet"
    events = small_events()
    write_event_table(iter(events), HEADER, path)

    assert parquet.ParquetFile(path).num_row_groups == -(-len(events) // 10)
    assert list(EventTable(path)) == events

    monkeypatch.setattr(event_table, "_GROUP_BYTES", 1)
    write_event_table(iter(events), HEADER, path)

    assert parquet.ParquetFile(path).num_row_groups == len(events)


def test_a_table_becomes_a_log_again(tmp_path):
    """Under the same header; the log is gone with its context."""
    path = tmp_path / "log.parquet"
    events = small_events()
    write_event_table(events, HEADER, path)
    with log_of_table(path) as log_path:
        log = read_log(log_path, strict=True)

    assert log == EventLog.from_events(events)
    assert log.header == HEADER
    assert not log_path.exists()


def test_a_table_that_loses_something_is_refused(tmp_path, monkeypatch):
    """If the writing half had a defect, the proof would stop it."""
    path = tmp_path / "log.parquet"
    path.write_bytes(b"precious")
    monkeypatch.setattr(event_table, "_event", lambda _: small_events()[0])
    error = refusal(write_event_table, small_events(), HEADER, path)

    assert error.code == "lossy_conversion"
    assert path.read_bytes() == b"precious"
    assert [each.name for each in tmp_path.iterdir()] == ["log.parquet"]


def test_foreign_and_damaged_tables_are_refused_by_name(tmp_path):
    """Another's table, another version, a cut file and no Parquet at all."""
    path = tmp_path / "log.parquet"
    write_event_table(small_events(), HEADER, path)
    data = path.read_bytes()
    table = parquet.read_table(path)
    for content in (
        b"",
        b"PAR1",
        data[:-20],
        data[: len(data) // 2],
        b"PAR1" + bytes(90) + b"PAR1",
    ):
        path.write_bytes(content)

        assert refusal(EventTable, path).code == "not_an_event_table"

    parquet.write_table(pa.table({"seq": [1]}), path)

    assert refusal(EventTable, path).code == "not_an_event_table"

    assert refusal(EventTable, tmp_path / "missing").code == "file_not_found"

    told = {**table.schema.metadata, b"histbench.events": b"9"}
    parquet.write_table(table.replace_schema_metadata(told), path)
    error = refusal(EventTable, path)

    assert error.code == "event_table_version"
    assert error.where.file == str(path)


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("raw", "{", "invalid_json"),
        ("raw", "[]", "event_shape"),
        ("raw", None, "event_table_row"),
    ],
)
def test_a_row_that_is_no_event_is_refused(tmp_path, column, value, code):
    """Somebody may have changed the table; what is left is never half an event."""
    path = tmp_path / "log.parquet"
    write_event_table(small_events()[:1], HEADER, path)
    table = parquet.read_table(path)
    place = table.column_names.index(column)
    table = table.set_column(place, column, pa.array([value], pa.string()))
    parquet.write_table(table, path)
    error = refusal(list, EventTable(path))

    assert error.code == code
    assert error.where.file == str(path)


def test_no_damage_ends_in_a_traceback(tmp_path):
    """A changed byte is refused by name, or loses no row; pages have checksums."""
    path = tmp_path / "log.parquet"
    write_event_table(small_events(), HEADER, path)
    data = path.read_bytes()
    dice = random.Random(5)
    outcomes = set()
    for _ in range(200):
        place = dice.randrange(4, len(data))
        path.write_bytes(data[:place] + bytes([dice.randrange(256)]) + data[place + 1 :])
        try:
            outcomes.add(len(list(EventTable(path))))
        except HistbenchError as error:
            outcomes.add(error.code)

    assert {each for each in outcomes if isinstance(each, int)} == {len(small_events())}
    assert "not_an_event_table" in outcomes


def test_a_text_that_is_not_utf_8_is_refused(tmp_path):
    """Other writers make no checksums, and do not look into texts."""
    path = tmp_path / "log.parquet"
    write_event_table(small_events(), HEADER, path)
    parquet.write_table(parquet.read_table(path), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"turn/start", b"turn/st\xffrt"))

    assert refusal(list, EventTable(path)).code == "not_an_event_table"


def test_groups_that_expand_too_far_are_refused(tmp_path, monkeypatch):
    """Before they are read."""
    path = tmp_path / "log.parquet"
    write_event_table(small_events(), HEADER, path)
    monkeypatch.setattr(event_table, "_MOST_GROUP_BYTES", 100)

    assert refusal(list, EventTable(path)).code == "expands_too_far"
