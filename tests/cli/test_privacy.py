"""No payload text leaves through any door; redaction and figures alone from outside."""

import json

import pytest
from click.testing import CliRunner

from histbench.cli import main
from histbench.importers import import_session
from histbench.results import load_results
from histbench.store import read_log
from measure_session import small_events, write_session

CANARY = "zanzibar"
# In names and not in text: what `inspect` is there to show.
NAMED = "madagascar"
TOKEN = "gh" + "p_" + "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"


@pytest.fixture
def session(tmp_path):
    """A session with a marked word in its header, deltas, arguments, keys and types, and a token."""
    events = small_events(12)
    for event in events:
        chunk = event["data"].get("chunk", {})
        if "text" in chunk:
            chunk["text"] += f" {CANARY} "
    data = {CANARY: {"path": f"/{CANARY}/x"}, "arguments": json.dumps({CANARY: [CANARY, TOKEN]})}
    events.append({"type": f"x/{NAMED}", "seq": len(events), "time": 9, "data": data})
    path = write_session(tmp_path / "session.jsonl", events)
    path.write_text(path.read_text().replace("secret-project", NAMED))
    return path


def call(*arguments, code=0, **options):
    """What the command writes, both streams."""
    done = CliRunner().invoke(main, list(map(str, arguments)), **options)
    assert done.exit_code == code, done.output
    return done


def test_no_payload_text_is_in_results_reports_tables_or_inspection(session, tmp_path):
    """A marked word goes in everywhere and comes out nowhere, on no stream and in no file."""
    results, pages = tmp_path / "results.json", [tmp_path / "page.html", tmp_path / "page.md"]
    call("run", session, "--quick", "--forms", "raw", "--redact", "-o", results)
    assert "--redact" in load_results(results).command
    run = call("run", session, "--quick", "--forms", "raw,packed", "-o", results)
    said = [run.output, results.read_text()]
    said.append(call("run", session, "--stats-only", "--json").output)
    said.append(call("report", results, "-o", pages[0]).output)
    said.append(call("report", results, "--format", "md", "-o", pages[1]).output)
    said.append(call("report", results, "--format", "json").output)
    said += [page.read_text() for page in pages]
    said.append(call("corpus", session, "--workers", "0", "-o", tmp_path / "c.parquet").output)
    said.append((tmp_path / "c.parquet").read_bytes().decode("latin-1"))

    for text in said:
        assert NAMED not in text
    for text in (*said, call("inspect", session).output, call("inspect", session, "--json").output):
        assert CANARY not in text
        assert TOKEN not in text


def test_secrets_are_named_in_a_warning(session, tmp_path):
    """Kind, count and seq on standard error, from each command that reads logs."""
    warning = f"seq {len(small_events(12))}: once what looks like: GitHub token [secret_found]"
    for arguments in (
        ("convert", session, tmp_path / "out.jsonl"),
        ("convert", session, tmp_path / "out.jsonl", "--redact"),
        ("convert", session, tmp_path / "out.json", "--stats-only"),
        ("run", session, "--stats-only"),
        ("run", session, "--stats-only", "--redact"),
    ):
        assert warning in call(*arguments).stderr
    seen = call("corpus", session, "--workers", "0", "-o", tmp_path / "c.parquet")
    assert "what looks like: GitHub token; 1 in all, the first in" in seen.stderr


def test_a_redacted_log_has_the_shape_of_its_source(session, tmp_path):
    """The same rows and lengths; the same words under the same key, others without one."""
    key = tmp_path / "key"
    key.write_bytes(b"sixteen bytes and more")
    names = [tmp_path / f"{n}.jsonl" for n in range(3)]
    for name in names[:2]:
        call("convert", session, name, "--redact", "--redact-key", key)
    call("convert", session, names[2], "--redact")
    source, one, two, other = map(read_log, (session, *names))

    assert one == two
    assert one != other
    assert list(map(len, map(str, one))) == list(map(len, map(str, source)))
    assert [type(record) for record in one.records()] == [type(r) for r in source.records()]
    for name in names:
        assert CANARY not in name.read_text()
        assert NAMED not in name.read_text()


def test_a_recording_is_imported_redacted(tmp_path):
    """Other people's formats go through the same door, without a log in between."""
    lines = [
        json.dumps(
            {
                "object": "chat.completion.chunk",
                "id": "c",
                "choices": [{"index": 0, "delta": {"content": f"{CANARY} {number} "}}],
            }
        )
        for number in range(6)
    ]
    path = tmp_path / "stream.sse"
    path.write_text("".join(f"data: {line}\n\n" for line in lines) + "data: [DONE]\n\n")
    target = tmp_path / "out.jsonl"
    call("convert", path, target, "--redact")
    source, redacted = import_session(path), read_log(target)

    assert CANARY not in target.read_text()
    assert [event["type"] for event in redacted] == [event["type"] for event in source]
    assert len(redacted.records()) == len(source.records())


def test_figures_alone_hold_no_clock_and_no_name(session, tmp_path):
    """Sizes as in the benchmark, counts of runs, the beginning of a digest for a name."""
    target = tmp_path / "stats.json"
    call("convert", session, target, "--stats-only")
    results = load_results(target)
    measured = call("run", session, "--quick", "--json", "--forms", "raw,packed").stdout
    wire = {
        (each["form"], each["encoding"]): each["value"]
        for each in json.loads(measured)["samples"]
        if each["stage"] == "wire"
    }
    taken = {
        (each.form, each.encoding): each.value for each in results.samples if each.stage == "wire"
    }

    assert results.inputs[0].name == f"log-{results.inputs[0].sha256[:12]}"
    assert {each.metric for each in results.samples} == {"bytes", "count"}
    assert {key: taken[key] for key in wire} == wire
    counts = {each.stage: each.value for each in results.samples if each.form == ""}
    assert counts["structure.deltas"] == 26
    assert counts["structure.run_max"] == 12


def test_wrong_keys_are_refused(session, tmp_path):
    """A key that is too short, missing, or meant for nothing."""
    short = tmp_path / "short"
    short.write_bytes(b"abc")

    assert (
        "short" in call("convert", session, "-", "--redact", "--redact-key", short, code=2).output
    )
    call("convert", session, "-", "--redact-key", short, code=2)
    call("run", session, "--redact", "--redact-key", tmp_path / "absent", code=1)
