"""Sentences and the other editions say what the tables say."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.report.cells import Cell, Column, Table
from histbench.report.document import compose, to_json
from histbench.report.markdown import render_markdown, render_table
from histbench.report.measured import gather
from histbench.report.sentences import summary
from report_results import HOSTILE, full_results, without


def test_summary_tells_bytes_time_and_memory_in_a_sentence_each():
    """What packing does under every encoding, to the time to first use, and to the peak."""
    measured = gather([("", full_results())])[0]
    bytes_saved, smallest, published, time, peak = summary(measured)

    assert "66.7 % less than raw: 333,341 bytes instead of 1,000,008" in bytes_saved
    assert "under gzip-6" in bytes_saved
    assert "(br-11: not measured for both)" in bytes_saved
    assert "lean plain (200,008 bytes, 40.0 % less than packed)" in smallest
    assert "90.8 % less plain" in published
    assert "3.0 times as fast" in time
    assert "lean takes" in time
    assert "unstable" in time
    assert "MB packed" in peak


@pytest.mark.parametrize("metric", ["bytes", "seconds", "peak_bytes"])
def test_summary_keeps_quiet_about_what_is_missing(metric):
    """No sentence is made of nothing, and none breaks for it."""
    measured = gather([("", without(metric, full_results(names=("mine.jsonl",))))])[0]

    assert len(summary(measured)) == (2 if metric == "bytes" else 3)


def test_json_edition_has_numbers_for_numbers():
    """Each number column of the JSON edition holds the table's values."""
    report = compose([("", full_results())])
    decoded = json.loads(to_json(report))
    wire = report.sections[0].figures[0].table

    assert decoded["schema"] == "histbench-report"
    for shown, row in zip(decoded["sections"][0]["tables"][0]["rows"], wire.rows, strict=True):
        assert shown[2] == row[2].value
        assert shown[1] == row[1].text


def test_markdown_edition_holds_every_cell():
    """Nothing is lost between the tables and their Markdown."""
    report = compose([("", full_results())])
    text = render_markdown(report)

    for figure in report.sections[0].figures:
        assert render_table(figure.table) in text


@pytest.mark.parametrize("name", [HOSTILE.replace("\n", ""), "a`b``c", "``", "|"])
def test_hostile_names_are_code_in_markdown(name):
    """Neither markup nor a mention nor another column comes of a name."""
    text = render_table(
        Table(
            title="t",
            columns=(Column("input", "label"), Column("n")),
            rows=((Cell(name), Cell("1")),),
        )
    )
    line = text.splitlines()[2]
    cells = re.split(r"(?<!\\)\|", line)
    fence = re.match(r" (`+)", cells[1])[1]

    assert len(cells) == 4
    assert cells[1].strip().startswith(fence)
    assert cells[1].strip().endswith(fence)
    assert len(fence) > max(map(len, re.findall("`+", name)), default=0)


@given(texts=st.lists(st.text(max_size=9), min_size=1, max_size=3))
def test_markdown_tables_keep_their_columns(texts):
    """Whatever a cell holds, the row has as many cells as the table has columns."""
    columns = tuple(Column(f"c{n}", "label") for n in range(len(texts)))
    shown = Table(title="", columns=columns, rows=(tuple(map(Cell, texts)),))
    lines = render_table(shown).split("\n")

    assert len(lines) == 3
    assert len(re.split(r"(?<!\\)\|", lines[2])) == len(texts) + 2
