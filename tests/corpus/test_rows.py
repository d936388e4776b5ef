"""One log, one row: what is counted, what a row never holds, and what the table looks like."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from histbench.codec import pack_chunk_runs
from histbench.corpus import DEFAULT_ENCODINGS, DEFAULT_FORMS, measure_corpus
from histbench.corpus.measurement import plan_of
from histbench.encodings import ENCODINGS
from histbench.errors import UsageError
from histbench.history import encode_page, whole_page
from histbench.log import EventLog
from histbench.measure.runs import run_lengths
from histbench.store import read_log
from measure_session import small_events, write_session
from strategies import logs

CANARY = "canary-7f3a"


@pytest.fixture
def folder(tmp_path):
    """A good log, one with a fault in its third line, and an empty file."""
    write_session(tmp_path / "a.jsonl", small_events())
    broken = write_session(tmp_path / "b.jsonl", small_events(3))
    lines = broken.read_text().splitlines(keepends=True)
    lines[2] = f'{{"type": "{CANARY}", "seq": "{CANARY}"}}\n'
    broken.write_text("".join(lines))
    (tmp_path / "c.jsonl").write_bytes(b"")
    return tmp_path


def test_a_row_holds_what_the_pages_say(folder):
    """Sizes are those of the pages that hold the whole log, plain and encoded."""
    (row,) = measure_corpus([folder / "a.jsonl"], workers=0).rows
    page = whole_page(read_log(folder / "a.jsonl"))

    assert (row.events, row.rows, row.deltas) == (len(small_events()), 2, 82)
    assert (row.runs, row.run_p50, row.run_p90, row.run_max) == (3, 40, 40, 40)
    for form in DEFAULT_FORMS:
        data = encode_page(page, form)
        assert row.sizes[form] == {
            "identity": len(data),
            **{name: len(ENCODINGS[name].encode(data)) for name in DEFAULT_ENCODINGS},
        }
    assert row.packing_pays
    assert row.ratio() == row.sizes["packed"]["identity"] / row.sizes["raw"]["identity"]


@settings(max_examples=50)
@given(logs())
def test_runs_are_what_one_row_could_hold(events):
    """Runs too short for a row count too, and all deltas are in exactly one run."""
    log = EventLog.from_events(events)
    runs = list(run_lengths(log.records()))
    rows = [r for r in pack_chunk_runs(list(log)) if r["type"].endswith("-chunks") and "seq0" in r]

    assert [run for run in runs if run >= 3] == [len(_texts(row)) for row in rows]
    assert 0 not in runs


def _texts(row):
    return row["data"].get("texts") or row["data"]["args"]


def test_a_failed_log_is_a_row_with_its_error_and_none_of_its_text(folder, tmp_path):
    """Code, message and place; what was found in the log is in no table."""
    results = measure_corpus([folder], workers=0, output=tmp_path / "out.parquet")
    good, broken, empty = results.rows

    assert (good.error_code, broken.error_code, empty.error_code) == (
        None,
        "event_seq",
        "empty_stream",
    )
    assert broken.error_place is not None
    assert "line 3" in broken.error_place
    assert broken.sha256 is not None
    assert results.summary().failures == {"empty_stream": 1, "event_seq": 1}
    for path in tmp_path.glob("out*"):
        assert CANARY.encode() not in path.read_bytes()
        assert b"secret-project" not in path.read_bytes()


def test_the_table_is_sorted_typed_and_the_same_twice(folder, tmp_path):
    """Equal logs give equal Parquet, in the order of paths, whatever order they were named in."""
    names = [folder / "c.jsonl", folder / "a.jsonl", folder / "b.jsonl", folder / "a.jsonl"]
    one = measure_corpus(names, workers=0, output=tmp_path / "one.parquet")
    measure_corpus([str(folder / "*.jsonl")], workers=0, output=tmp_path / "two.parquet")
    table = pq.read_table(tmp_path / "one.parquet")

    assert table.equals(pq.read_table(tmp_path / "two.parquet"))
    assert table["path"].to_pylist() == sorted(str(name) for name in names[:3])
    assert table.schema.field("packed_br-5_bytes").type == "int64"
    frame = one.frame()
    assert list(frame.columns) == table.column_names
    assert frame["events"].isna().tolist() == [False, True, True]


def test_seconds_are_taken_on_request_only(folder):
    """Without `timings` the table has no column of seconds; with it, one for each form and side."""
    plain = measure_corpus([folder / "a.jsonl"], workers=0).frame()
    timed = measure_corpus(
        [folder / "a.jsonl"], workers=0, timings=True, forms=["packed"], encodings=[]
    ).frame()

    assert not any("seconds" in name for name in plain.columns)
    assert (timed[["host_seconds_packed", "client_seconds_packed"]] > 0).all(axis=None)


def test_secrets_are_counted_by_kind(folder):
    """The row names kinds; the table never holds one."""
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8J9k0" * 2
    event = {"type": "note", "seq": 0, "time": 0, "data": {"env": token[:40]}}
    write_session(folder / "d.jsonl", [event])
    results = measure_corpus([folder / "d.jsonl"], workers=0)

    assert results.rows[0].secrets == {"GitHub token": 1}
    assert results.frame()["secrets"].tolist() == ["GitHub token: 1 from seq 0"]
    assert token not in json.dumps(results.frame().astype(str).to_dict())


def test_names_are_checked_before_anything_is_read():
    """An unknown form or encoding ends the call at once."""
    with pytest.raises(UsageError) as form:
        plan_of(["cooked"], [])
    with pytest.raises(UsageError) as encoding:
        plan_of(["raw"], ["br-4"])

    assert (form.value.code, encoding.value.code) == ("unknown_form", "unknown_encoding")


def test_without_the_extra_one_process_measures_and_the_rest_names_it(folder):
    """Neither Dask nor Arrow is needed to look at a few logs; what needs them says what to install."""
    code = (
        "import sys\n"
        "for name in ('dask', 'distributed', 'fsspec', 'pyarrow'): sys.modules[name] = None\n"
        "from histbench.corpus import measure_corpus\n"
        "from histbench.errors import UsageError\n"
        f"path = {str(folder / 'a.jsonl')!r}\n"
        "print(measure_corpus([path], workers=0, timings=True).rows[0].error_code)\n"
        "for call in (lambda: measure_corpus([path]), lambda: measure_corpus(['file://' + path])):\n"
        "    try: call()\n"
        "    except UsageError as error: print(error.code, error.expected)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == [
        "None",
        *2 * ["missing_extra pip install 'histbench[corpus]'"],
    ]
