"""The benchmark gives every sample it was asked for, or says why it has none."""

import json
from datetime import UTC, datetime

import pytest

from histbench.encodings import ENCODINGS
from histbench.errors import InvalidData, UsageError
from histbench.history import FORMS, encode_page
from histbench.measure import Plan, Source, plan, run_benchmark, run_sources
from histbench.measure.stages import load_page
from histbench.measure.subject import Proof, Subject
from histbench.results import STAGES
from measure_session import HEADER, small_events, write_session

FAST = ["gzip-6", "zstd-3"]
# Pages are served in two forms; what is no page is listed under the default one.
FORMS_OF_STAGE = {
    **{
        f"page.{each}": {"packed", "joined", "lean"}
        for each in ("select", "serialise", "serve", "validate")
    },
    **{f"page.{each}": {"packed"} for each in ("expand", "stitch_1", "stitch_10", "stitch_100")},
}
MEMORY_SIDES = ("memory.host", "memory.client", "memory.encode")


@pytest.fixture(scope="module")
def results(session_file):
    """The small session in all forms, without peaks of memory."""
    return run_benchmark(session_file, encodings=FAST, runs=2, memory_samples=0)


def series_of(results, stage):
    """The series of one stage by form and encoding."""
    return {
        (key.form, key.encoding): series
        for key, series in results.series().items()
        if key.stage == stage
    }


def test_wire_bytes_are_those_of_the_encoded_page(results, session_file):
    """Every form under every encoding, one number each."""
    page = load_page(session_file)
    wire = series_of(results, "wire")

    assert wire.keys() == {(form, name) for form in FORMS for name in ["identity", *FAST]}
    for (form, name), series in wire.items():
        assert series.values == (len(ENCODINGS[name].encode(encode_page(page, form))),)


def test_every_stage_has_one_sample_a_run(results):
    """Nothing is averaged and nothing is dropped."""
    for stage in STAGES.values():
        # The other clients' are not asked for here.
        if stage.metric != "seconds" or stage.name.startswith(("node.", "chromium.")):
            continue
        found = series_of(results, stage.name)

        assert {form for form, _ in found} == FORMS_OF_STAGE.get(stage.name, set(FORMS))
        assert all(len(series.values) == 2 for series in found.values())


def test_a_total_is_no_less_than_its_stages(results):
    """The total is its own reading around them."""
    for side, parts in {
        "host": ("pack", "serialise"),
        "client": ("parse", "validate", "prepare", "fold"),
    }.items():
        totals = series_of(results, f"{side}.total")
        for (form, _), series in totals.items():
            for run, total in enumerate(series.values):
                stages = (series_of(results, f"{side}.{part}")[form, ""] for part in parts)

                assert total >= sum(stage.values[run] for stage in stages)


def test_records_are_the_events_of_raw_and_the_records_of_packed(results, session_file):
    """What a parser meets at the top of a page."""
    records = series_of(results, "records")

    assert records["raw", ""].values == (len(small_events()),)
    assert records["packed", ""].values == (len(load_page(session_file).records),)


def test_structural_figures_are_the_same_in_every_measurement(results, session_file):
    """Sizes and counts are properties of the file."""
    again = run_benchmark(session_file, encodings=FAST, runs=1, memory_samples=0)

    for stage in ("wire", "records", "values"):
        assert series_of(again, stage) == series_of(results, stage)


def test_results_hold_no_text_and_no_folder_of_the_session(session_file):
    """What was said, and where, stays with whose it is."""
    results = run_sources([Source.of_file(session_file)], plan_of(), command="histbench run")
    text = json.dumps(results.frame().to_dict()) + str(results)

    assert "secret" not in text
    assert HEADER["cwd"] not in text
    assert str(session_file.parent) not in text


def plan_of(**options):
    """The quickest plan there is."""
    options = {
        "forms": ["packed"],
        "encodings": ["gzip-6"],
        "runs": 1,
        "memory_samples": 0,
    } | options
    return Plan.of_names(**options)


def test_the_baseline_of_raw_is_measured_whatever_the_forms(session_file):
    """Every ratio is to json.loads of the raw page."""
    results = run_sources([Source.of_file(session_file)], plan_of())

    assert ("raw", "") in series_of(results, "baseline.json_loads")
    assert {form for form, _ in series_of(results, "wire")} == {"packed"}


def test_what_is_too_slow_is_left_out_with_the_reason(session_file, monkeypatch):
    """A hole in the table is never a silent one."""
    monkeypatch.setattr(plan, "SLOW_PAGE_BYTES", 10)
    results = run_sources([Source.of_file(session_file)], plan_of(encodings=["br-11"]))

    for stage in ("wire", "host.encode", "client.decode"):
        series = series_of(results, stage)["packed", "br-11"]

        assert series.values == ()
        assert series.note.startswith("not measured: br-11")


def test_full_leaves_nothing_out_and_slow_encodings_run_once(session_file, monkeypatch):
    """Minutes are spent once, and only when asked for."""
    monkeypatch.setattr(plan, "SLOW_PAGE_BYTES", 10)
    wanted = plan_of(encodings=["br-11", "gzip-6"], full=True, runs=2)
    results = run_sources([Source.of_file(session_file)], wanted)
    encoded = series_of(results, "host.encode")

    assert len(encoded["packed", "br-11"].values) == 1
    assert len(encoded["packed", "gzip-6"].values) == 2


def test_warm_up_runs_leave_no_sample(session_file):
    """They only warm."""
    results = run_sources([Source.of_file(session_file)], plan_of(warm_up=2))

    assert {sample.run for sample in results.samples} == {0}


@pytest.fixture(scope="module")
def told_and_peaks(session_file):
    """What progress was told, and the series of peaks, of one measurement with memory."""
    told = []
    results = run_sources(
        [Source.of_file(session_file)],
        plan_of(memory_samples=3),
        progress=lambda *step: told.append(step),
    )
    series = results.series().items()
    return told, {key.stage: each for key, each in series if key.metric == "peak_bytes"}


def test_peaks_are_taken_or_explained(told_and_peaks):
    """Host and client traced and resident; native where memray is, a reason where it is not."""
    _, peaks = told_and_peaks

    assert len(peaks["memory.client.traced"].values) == 3
    assert len(peaks["memory.host.rss"].values) == 1
    assert all(series.values or series.note for series in peaks.values())
    assert {f"{side}.native" for side in MEMORY_SIDES} <= peaks.keys()


def test_progress_starts_at_nothing_and_never_passes_the_total(told_and_peaks):
    """A bar that fills once."""
    told, _ = told_and_peaks

    assert [done for done, _, _ in told] == list(range(len(told)))
    assert {total for _, total, _ in told} == {len(told)}


def test_inputs_of_one_name_are_told_apart(tmp_path):
    """Stores call every log session.jsonl."""
    sources = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = write_session(tmp_path / folder / "session.jsonl", small_events(3))
        sources.append(Source.of_file(path))
    results = run_sources(sources, plan_of())

    assert [each.name for each in results.inputs] == ["session.jsonl", "session.jsonl#2"]


def test_time_of_creation_is_the_caller_s(session_file):
    """The library reads no clock where a caller has one; UTC to the second."""
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    results = run_sources([Source.of_file(session_file)], plan_of(), created_at=moment)

    assert results.created_at == "2026-01-02T03:04:05Z"


def test_an_error_names_the_file_it_is_about(session_file, tmp_path):
    """Of several inputs, the one that cannot be read."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("not a log\n")

    with pytest.raises(InvalidData) as caught:
        run_sources([Source.of_file(session_file), Source.of_file(bad)], plan_of())

    assert caught.value.where.file == str(bad)


def test_a_form_that_is_not_lossless_on_a_log_is_no_number(session_file, monkeypatch):
    """The proof comes before the first sample."""
    honest = Subject.read(Source.of_file(session_file))
    monkeypatch.setattr(Subject, "read", lambda _source, **_: honest)
    shorter = honest.log[:-3]
    monkeypatch.setattr("histbench.measure.run.Proof", lambda _log: Proof(shorter))

    with pytest.raises(InvalidData) as caught:
        run_sources([Source.of_file(session_file)], plan_of())

    assert caught.value.code == "not_lossless"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"forms": ["zip"]}, "unknown_form"),
        ({"encodings": ["gzip"]}, "unknown_encoding"),
        ({"runs": 0}, "bad_runs"),
    ],
)
def test_a_wrong_call_is_a_usage_error(options, code):
    """Nothing is measured for a typo."""
    with pytest.raises(UsageError) as caught:
        plan_of(**options)

    assert caught.value.code == code


def test_no_input_is_a_usage_error():
    """Results of nothing are none."""
    with pytest.raises(UsageError):
        run_sources([], plan_of())
