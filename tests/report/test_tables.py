"""A table says what the results say, to the last digit, and says where they say nothing."""

import pytest
from hypothesis import given

from histbench.report.cells import table
from histbench.report.measured import gather
from histbench.report.provenance import environment_table, inputs_table
from histbench.report.tables import (
    beside_table,
    counts_table,
    peaks_table,
    stages_table,
    wire_table,
)
from histbench.results import NOT_MEASURED
from report_results import full_results, without
from results_strategies import any_results

TABLES = (wire_table, counts_table, stages_table, peaks_table)


def rows_of(shown):
    """Each row as a dict of its column titles to cells."""
    titles = [column.title for column in shown.columns]
    return [dict(zip(titles, row, strict=True)) for row in shown.rows]


@pytest.fixture
def measured():
    """One input with everything measured."""
    return gather([("", full_results())])[0]


def test_wire_table_holds_every_size(measured):
    """Each wire series is one row with its own bytes, encode and decode milliseconds."""
    rows = rows_of(wire_table(measured))
    sizes = {
        key: series for key, series in measured.results.series().items() if key.stage == "wire"
    }

    assert len(rows) == len(sizes)
    for row in rows:
        form, encoding = row["form"].text, row["encoding"].text
        size = measured.median("wire", form, encoding)
        assert row["bytes"].value == size
        assert row["bytes"].text == (NOT_MEASURED if size is None else f"{size:,}")
        seconds = measured.median("host.encode", form, encoding)
        assert row["encode ms"].value == (None if seconds is None else seconds * 1000)


def test_change_is_to_raw_under_the_same_encoding(measured):
    """`to raw` never compares a compressed page with a plain one."""
    for row in rows_of(wire_table(measured)):
        form, encoding = row["form"].text, row["encoding"].text
        raw, size = (measured.median("wire", each, encoding) for each in ("raw", form))
        if form == "raw" or raw is None or size is None:
            assert row["to raw"].value is None
        else:
            assert row["to raw"].value == pytest.approx(100 * (size - raw) / raw)


def test_published_figures_stand_beside_their_profiles_only():
    """A private log is not held against somebody else's."""
    ours, private = gather([("", full_results(names=("published", "mine.jsonl")))])

    assert "published bytes" in [column.title for column in wire_table(ours).columns]
    assert "published bytes" not in [column.title for column in wire_table(private).columns]


def test_stages_table_holds_every_median_and_spread(measured):
    """Median, MAD, minimum and runs are those of the series, in milliseconds."""
    series = measured.results.series()
    rows = rows_of(stages_table(measured))
    timed = [
        key
        for key in series
        if key.metric == "seconds" and key.stage not in {"host.encode", "client.decode"}
    ]

    assert len(rows) == len(timed)
    for row in rows:
        summary = measured.summary(row["stage"].text, row["form"].text)
        assert row["median ms"].value == summary.median * 1e3
        assert row["MAD ms"].value == summary.mad * 1e3
        assert row["min ms"].value == summary.minimum * 1e3
        assert row["runs"].value == summary.runs
        assert row["of json.loads(raw)"].value == summary.median / measured.baseline_seconds


def test_spread_above_a_tenth_is_marked(measured):
    """A figure that may not be leant on says so."""
    marks = {
        (row["stage"].text, row["form"].text): row["median ms"].mark
        for row in rows_of(stages_table(measured))
    }

    assert marks["client.total", "joined"] == "unstable"
    assert marks["client.total", "packed"] == ""


def test_peaks_table_keeps_the_kinds_apart(measured):
    """Traced, native and resident peaks are three columns; a hole is written out."""
    rows = {
        (row["work"].text, row["form"].text, row["encoding"].text): row
        for row in rows_of(peaks_table(measured))
    }
    client = rows["client", "packed", "–"]

    assert client["traced MB"].value == measured.median("memory.client.traced", "packed") / 1e6
    assert client["resident MB"].value == measured.median("memory.client.rss", "packed") / 1e6
    assert client["native MB"].text == NOT_MEASURED


def test_holes_are_told_with_their_reasons(measured):
    """What was left out stands in the notes, once."""
    assert wire_table(measured).notes == ("not measured: br-11 takes minutes",)


def test_beside_table_has_one_row_per_input_and_file():
    """Inputs of one name in two files stand beside each other."""
    found = gather([("a", full_results(names=("x", "y"))), ("b", full_results(names=("x", "y")))])

    assert [row[0].text for row in beside_table(found).rows] == ["x (a)", "x (b)", "y (a)", "y (b)"]


def test_an_input_names_its_file_only_where_its_own_name_does_not_tell():
    """One of two inputs of a name needs it; one that is alone does not."""
    found = gather([("a", full_results(names=("x", "y"))), ("b", full_results(names=("x",)))])

    assert [measured.name for measured in found] == ["x (a)", "x (b)", "y"]


def test_environment_shows_differences_first():
    """The first rows are those whose values are not the same in all files."""
    other = full_results(environment={"python_version": "3.13.0"})
    rows = environment_table([("a", full_results()), ("b", other)]).rows

    assert [cell.text for cell in rows[0]] == ["python_version", "3.11.7", "3.13.0"]


@given(results=any_results())
def test_every_table_can_be_made_of_any_results(results):
    """Unknown stages, holes and odd maps are shown or left out, never an error."""
    for measured in gather([("", results)]):
        for make in TABLES:
            make(measured)
        inputs_table([measured])
    environment_table([("", results)])


def test_missing_metrics_leave_tables_without_rows():
    """A run without memory has no memory table, and the others as before."""
    measured = gather([("", without("peak_bytes", full_results()))])[0]

    assert peaks_table(measured).rows == ()
    assert stages_table(measured).rows


def test_frames_show_whole_numbers_grouped_and_holes_in_words():
    """What a notebook shows of a frame is fixed text and fixed HTML."""
    pd = pytest.importorskip("pandas")
    shown = table(pd.DataFrame({"form": ["a<b"], "bytes": [1234567], "share": [float("nan")]}))

    assert shown.texts() == [["a<b", "1,234,567", "not measured"]]
    assert "a&lt;b" in shown._repr_html_()
    assert repr(shown).splitlines()[1] == "a<b   1,234,567  not measured"
