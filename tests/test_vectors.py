"""Frozen vectors stay readable; recorded sessions, where there are some, come back byte for byte."""

import json
from pathlib import Path

import pytest

from checks import check_refused, same
from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import InvalidRow
from histbench.events import KIND_BY_TAG
from histbench.history import FORMS, decode_page, encode_page, whole_page
from histbench.jsontext import decode, encode
from histbench.log import EventLog, LogBuilder
from histbench.records import read_line, read_value, record_json

VECTORS = Path(__file__).parent / "vectors"
FILES = {
    *("events.jsonl", "rows.jsonl", "stored.jsonl", "refused.jsonl"),
    *(f"{form.name}.json" for form in FORMS.values() if form.lossless),
    *("other-joined.json", "other-lean.json"),
}


def folders(*names):
    """The vectors that have all these files."""
    return sorted(
        folder.name
        for folder in VECTORS.iterdir()
        if folder.is_dir() and all((folder / name).is_file() for name in names)
    )


def read(name, file):
    """The lines of one vector's file."""
    return (VECTORS / name / file).read_bytes().removesuffix(b"\n").split(b"\n")


def log_of(stored):
    """The log of stored lines."""
    builder = LogBuilder()
    for line in stored:
        builder.add_line(line)
    return builder.build()


def test_no_vector_is_left_out():
    """Every file has a name that some test reads; every folder has one that says what is right."""
    found = {path.name for path in VECTORS.glob("*/*")}

    assert found <= FILES
    assert set(folders()) == {*folders("events.jsonl"), *folders("refused.jsonl")}


@pytest.mark.parametrize("name", folders("events.jsonl", "rows.jsonl"))
def test_packing_gives_the_frozen_rows(name):
    """Byte for byte, from values and from lines; and back."""
    events, rows = read(name, "events.jsonl"), read(name, "rows.jsonl")
    values = [decode(line) for line in events]

    assert [encode(value) for value in values] == events
    assert [encode(record) for record in pack_chunk_runs(values)] == rows
    assert [record_json(record) for record in log_of(events).records()] == rows
    assert [encode(e) for row in rows for e in decode_storage_record(decode(row))] == events
    assert [encode(event) for event in log_of(rows)] == events


@pytest.mark.parametrize("name", folders("events.jsonl", "stored.jsonl"))
def test_other_spellings_hold_the_same_events(name):
    """As single values and as a log."""
    events, stored = read(name, "events.jsonl"), read(name, "stored.jsonl")
    log = log_of(stored)

    assert [encode(e) for line in stored for e in decode_storage_record(decode(line))] == events
    assert [encode(event) for event in log] == events
    assert log == log_of(events)


@pytest.mark.parametrize("form", [form for form in FORMS if FORMS[form].lossless])
def test_pages_hold_the_frozen_events(form):
    """Reading gives the events, reading and writing the same bytes, and so does writing anew."""
    for name in folders("events.jsonl", f"{form}.json"):
        (data,) = read(name, f"{form}.json")
        events = read(name, "events.jsonl")
        page = decode_page(data, form)

        assert [encode(event) for event in page.events()] == events
        assert encode_page(page, form) == data
        assert encode_page(whole_page(log_of(events)), form) == data.replace(
            b'"hasMore":true', b'"hasMore":false'
        )


@pytest.mark.parametrize("form", ["joined", "lean"])
def test_pages_spelled_otherwise_hold_the_frozen_events(form):
    """What no writer writes, or none any more, is read, and passed on as it is."""
    names = folders("events.jsonl", f"other-{form}.json")
    for name in names:
        (data,) = read(name, f"other-{form}.json")
        page = decode_page(data, form)

        assert [encode(event) for event in page.events()] == read(name, "events.jsonl")
        assert encode_page(page, form) == data
        assert [data] != read(name, f"{form}.json")
    assert names


@pytest.mark.parametrize("name", folders("refused.jsonl"))
def test_frozen_faults_stay_refused(name):
    """Each with the code that it was refused with first."""
    for line in read(name, "refused.jsonl"):
        case = json.loads(line)
        if "line" in case:
            check_refused(case["code"], read_line, case["line"].encode())
        else:
            check_refused(case["code"], decode_page, case["page"].encode(), case["form"])


def test_every_rule_of_the_grammar_has_a_frozen_fault():
    """All twelve, and the tag that is none."""
    codes = {
        json.loads(line)["code"]
        for name in folders("refused.jsonl")
        for line in read(name, "refused.jsonl")
    }

    assert len({code for code in codes if code.startswith("row_")}) == 13


# --- recorded sessions, named by HISTBENCH_CORPUS ----------------------------------------------


@pytest.fixture(scope="module")
def codec_vectors(corpus):
    """Inputs of the original codec with its outputs and refusals, which lie beside the corpus."""
    path = corpus.parent / "vectors" / "codec-vectors.json"
    if not path.is_file():
        pytest.skip("no codec vectors beside the corpus")
    return json.loads(path.read_text())


# What the original says of each rule, by the words that tell it from the others.
RULES = {
    "envelope must be": "row_envelope",
    "seq0 must be": "row_seq0",
    "time0 must be": "row_time0",
    "data must be an object": "row_data",
    "data must be exactly": "row_data_keys",
    "id (and name": "row_call_strings",
    "must be numbers": "row_numbers",
    "non-empty string array": "row_texts",
    "array of safe integers": "row_dt",
    "does not match": "row_dt_length",
    "member seqs": "row_seq_range",
    "member times": "row_time_range",
}


def test_reading_agrees_with_the_original(codec_vectors):
    """The same events, byte for byte, or a refusal for the same rule."""
    judged = 0
    for case in codec_vectors["decode"]:
        value = decode(case["input"])
        if "error" in case:
            (code,) = {code for words, code in RULES.items() if words in case["error"]}
            check_refused(code, decode_storage_record, value)
            check_refused(code, read_line, case["input"].encode())
        elif "9007199254740992" in case["output"]:
            # The original lets one member past the last safe seq.
            error = check_refused("row_seq_range", decode_storage_record, value)
            assert isinstance(error, InvalidRow)
        else:
            assert encode(decode_storage_record(value)) == case["output"].encode()
        judged += 1

    assert judged == len(codec_vectors["decode"]) > 20


def test_packing_agrees_with_the_original(codec_vectors):
    """By value and by byte."""
    for case in codec_vectors["pack"]:
        assert same(pack_chunk_runs(case["events"]), case["packed"])
        assert encode(pack_chunk_runs(case["events"])) == encode(case["packed"])


def test_recorded_sessions_come_back_byte_for_byte(corpus):
    """Each stored line, through a log and out of it, and through all its events."""
    paths = sorted((corpus / "dsh-stamped").glob("*.jsonl"))
    for path in paths:
        stored = path.read_bytes().removesuffix(b"\n").split(b"\n")[1:]
        log = log_of(stored)

        assert [record_json(record) for record in log.records()] == stored, path.name
        again = EventLog.from_events(list(log))
        assert [record_json(record) for record in again.records()] == stored, path.name
    assert paths


STAMPS = {"seq", "time", "seq0", "time0"}


def test_projected_sessions_come_back_byte_for_byte(corpus):
    """The same, where seq and time were taken out: given anew for reading, taken out again."""
    paths = sorted((corpus / "dsh-projected").glob("*.jsonl"))
    for path in paths:
        stored = [line for line in path.read_bytes().split(b"\n") if line][1:]
        builder = LogBuilder()
        for line in stored:
            value = decode(line)
            stamp = ("seq0", "time0") if value["type"] in KIND_BY_TAG else ("seq", "time")
            builder.add_record(read_value({**value, stamp[0]: builder.next_seq or 0, stamp[1]: 0}))
        written = []
        for record in builder.build().records():
            value = decode(record_json(record))
            written.append(encode({k: v for k, v in value.items() if k not in STAMPS}))

        assert written == stored, path.name
    assert paths
