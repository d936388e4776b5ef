"""`histbench run`: what its options may be together, and the rivals on request."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.dictionaries import Dictionary, dcz_encoding, read_dictionary, write_dictionary
from histbench.measure import Plan
from histbench.measure.peaks import count_peaks
from histbench.measure.rivals import ALL_FORMS
from measure_session import small_events, write_session


def run(*arguments):
    """The command, in this process."""
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


@pytest.fixture
def log(tmp_path):
    """The small session."""
    return write_session(tmp_path / "log.jsonl", small_events())


def test_sizes_and_counts_are_no_client_s(log):
    """What --client would add is seconds; asking for both is a mistake, and nothing is measured."""
    done = run(log, "--stats-only", "--client", "node")

    assert done.exit_code == 2
    assert "stats_only_client" in done.stderr or "every client" in done.stderr
    assert done.stdout == ""
    assert run(log, "--stats-only", "--client", "python", "--forms", "packed").exit_code == 0


def test_all_forms_are_measured_on_request(log):
    """Rivals too, in sizes, counts and seconds."""
    for option in ("--stats-only", "--no-memory"):
        done = run(log, option, "--forms", "all", "--encodings", "zstd-3", "--runs", 1, "--json")

        assert json.loads(done.stdout)["settings"]["forms"] == list(ALL_FORMS)


def test_a_form_that_cannot_be_made_is_named(log, monkeypatch):
    """With the extra that it lacks; the others are measured."""
    monkeypatch.setattr("histbench.measure.rivals.find_spec", lambda _: None)
    done = run(log, "--stats-only", "--forms", "packed,parquet", "--encodings", "zstd-3")

    assert done.exit_code == 0
    assert "note: parquet is left out: pyarrow, of the extra `corpus`" in done.stderr
    assert "not measured" in done.stdout


def test_a_dictionary_is_one_more_encoding(log, tmp_path):
    """Its hash stands in the results, and it is timed as the others are."""
    path = tmp_path / "pages.dictionary"
    write_dictionary(Dictionary.of(bytes(range(256)) * 4), path)
    options = ("--dictionary", path, "--encodings", "zstd-3", "--forms", "packed", "--json")
    for more in (("--stats-only",), ("--runs", 1, "--no-memory")):
        done = run(log, *options, *more)
        found = json.loads(done.stdout)
        wire = {
            each["encoding"]: each["value"] for each in found["samples"] if each["stage"] == "wire"
        }

        assert set(wire) == {"identity", "zstd-3", "dcz-6"}
        assert found["settings"]["encodings"] == ["identity", "zstd-3", "dcz-6"]
    timed = {each["stage"] for each in found["samples"] if each["encoding"] == "dcz-6"}
    assert {"host.encode", "client.decode"} <= timed
    assert found["settings"]["dictionary.dcz-6"] == read_dictionary(path).name
    assert "--dictionary FILE" in found["command"]


def test_no_peak_is_taken_with_a_dictionary():
    """The process that would take it knows encodings by their names."""
    plan = Plan.of_names(forms=["packed"], encodings=["zstd-3"])
    with_it = dcz_encoding(Dictionary.of(bytes(300)))
    more = msgspec.structs.replace(plan, encodings=(*plan.encodings, with_it))

    assert count_peaks(more) == count_peaks(plan)


def test_a_file_that_is_no_dictionary_is_refused(log, tmp_path):
    """Before anything is measured."""
    path = tmp_path / "short"
    path.write_bytes(b"short")
    done = run(log, "--dictionary", path)

    assert done.exit_code == 1
    assert "dictionary" in done.stderr
