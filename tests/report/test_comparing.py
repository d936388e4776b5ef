"""Two results files as tables: differences first, figures as they are, the verdict counted."""

import json

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.report.comparing import change_tables, difference_tables, limits_table
from histbench.results import compare_results, find_breaches, parse_limit, save_results
from report_results import HOSTILE, full_results
from results_strategies import small_results


def grown():
    """Results, and others of another gc policy whose packed page is larger by two per cent."""
    before = small_results(raw_bytes=5000, packed_bytes=1000, raw_seconds=0.5)
    after = small_results(
        raw_bytes=5000, packed_bytes=1020, raw_seconds=0.6, environment={"gc": "off"}
    )
    return before, after


@pytest.fixture
def files(tmp_path):
    """Both in files."""
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for path, results in zip(paths, grown(), strict=True):
        save_results(results, path)
    return paths


def call(*arguments):
    """What the command did."""
    return CliRunner().invoke(main, ["compare", *arguments])


def test_tables_show_what_differs_and_count_what_does_not():
    """The figures are the medians; the cells hold them as numbers."""
    comparison = compare_results(*grown())
    (environment,) = difference_tables(comparison)
    sizes, times = change_tables(comparison)

    assert environment.texts() == [["gc", "on", "off"]]
    assert [(row[2].text, row[4].value, row[5].value) for row in sizes.rows] == [
        ("packed", 1000, 1020)
    ]
    assert sizes.rows[0][6].value == pytest.approx(2)
    assert sizes.notes == ("1 more are the same in both",)
    unchanged, *_ = change_tables(compare_results(grown()[0], grown()[0]))
    assert unchanged.notes == ("all 2 are the same in both",)
    assert times.rows[0][4].value == 500


def test_all_shows_what_did_not_change():
    """Every series has its row, and no note is needed."""
    sizes, _ = change_tables(compare_results(*grown()), every=True)

    assert [row[2].text for row in sizes.rows] == ["raw", "packed"]
    assert sizes.notes == ()


def test_times_within_the_spread_are_marked():
    """Where three runs each lie over each other."""
    results = full_results()
    rows = {
        (row[1].text, row[2].text): row[-1].text
        for table in change_tables(compare_results(results, results), every=True)
        if table.title.startswith("Milliseconds")
        for row in table.rows
    }

    assert rows["client.total", "packed"] == "within the spread"


def test_verdict_counts_figures_and_names_those_past_a_limit():
    """A limit that holds nothing would look like one that is held."""
    comparison = compare_results(*grown())
    limits = [parse_limit("bytes>1%"), parse_limit("bytes[raw]>0%")]
    verdict = limits_table(comparison, limits, find_breaches(comparison, limits))

    assert verdict.texts() == [["bytes>1%", "2", "1"], ["bytes[raw]>0%", "1", "0"]]
    assert verdict.notes == (
        "bytes>1% exceeded: log.jsonl packed gzip-6 wire +2.0 % (1,000 to 1,020)",
    )


def test_markdown_begins_with_the_verdict(files):
    """Then the environment, then the numbers; the exit code tells the same."""
    done = call(*files, "--format", "md", "--fail-on", "bytes>1%")
    headings = [line for line in done.stdout.splitlines() if line.startswith("#")]

    assert done.exit_code == 1
    assert headings[0] == "## Compared: A is a.json, B is b.json"
    assert headings[1:4] == ["### Limits", "### Environment", "### Bytes"]
    assert "| `bytes>1%` | 2 | 1 |" in done.stdout
    assert call(*files, "--format", "md", "--fail-on", "bytes>2%").exit_code == 0


def test_markdown_believes_no_name(tmp_path):
    """Names that others chose stand in code spans."""
    results = full_results(names=(HOSTILE.replace("\n", ""),), environment={HOSTILE: HOSTILE})
    for name, each in (("a.json", results), ("b.json", full_results())):
        save_results(each, tmp_path / name)
    text = call(str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--format", "md").stdout

    rows = [line for line in text.splitlines() if "<script>" in line]
    assert rows
    assert all("`` <script>" in line for line in rows)
    assert "\u202e" not in text


def test_both_spellings_of_json_say_the_same(files):
    """`--json`, as everywhere, and `--format json`."""
    told = json.loads(call(*files, "--json", "--fail-on", "bytes[packed]>3%").stdout)

    assert call(*files, "--format", "json").stdout == call(*files, "--json").stdout
    assert [each["name"] for each in told["environment"]] == ["gc"]
    assert told["limits"] == ["bytes[packed]>3%"]
    assert told["breaches"] == []


def test_limit_on_nothing_is_a_wrong_call(files):
    """Exit code 2, one line, no tables."""
    done = call(*files, "--fail-on", "bytes[pakced]>1%")

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_limit_across_environments_is_refused(files):
    """Exit code 1 unless both files agree in what seconds need, or --mixed is given."""
    refused = call(*files, "--fail-on", "seconds>1%")

    assert refused.exit_code == 1
    assert "gc" in refused.stderr
    assert "exceeded" in call(*files, "--fail-on", "seconds>1%", "--mixed").stderr
