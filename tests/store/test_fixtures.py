"""Fixtures: one canonical form, stamped or projected, for a whole repository at once."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.codec import decode_storage_record, pack_chunk_runs
from histbench.errors import InvalidData, StorageError
from histbench.jsontext import decode
from histbench.store import check_fixtures, migrate_fixtures, render_fixture, verify_log
from histbench.store.fixture_repository import find_fixtures
from store_logs import (
    HEADER,
    HEADER_LINE,
    conversation,
    delta,
    event_logs,
    line,
    note,
    plain_log,
    refusal,
    write,
)

REPOSITORY = Path(__file__).parents[2]
STAMPS = ("seq", "time", "seq0", "time0")


def without_stamps(record):
    """A projected record."""
    return {key: value for key, value in record.items() if key not in STAMPS}


def repository(root, files):
    """A git working tree with these files, tracked."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


CANONICAL = plain_log(pack_chunk_runs(conversation(2)))
UNPACKED = plain_log(conversation(2))


@given(event_logs(), st.booleans(), st.booleans())
def test_rendering_packs_everything_and_keeps_the_form(events, projected, packed):
    """The header is byte-identical, the events are the same, the text is what packing gives."""
    header = b'{ "id":"s", "type":"session" }\n'
    records = pack_chunk_runs(events) if packed else events
    expected = pack_chunk_runs(events)
    if projected:
        # Without times, every gap between single deltas is 0.
        if not packed:
            expected = pack_chunk_runs([{**event, "time": 0} for event in events])
        records, expected = map(without_stamps, records), map(without_stamps, expected)
    fixture = render_fixture(plain_log(records, header=header))

    assert fixture.text == plain_log(expected, header=header)
    assert fixture.form == ("projected" if projected and events else "stamped")
    assert fixture.events == len(events)
    assert render_fixture(fixture.text).text == fixture.text


def test_what_people_leave_in_fixtures_is_read_and_tidied():
    """Blank lines, a missing last newline, spaces, mixed layouts, gaps in the seqs."""
    events = [note(3), *(delta(seq) for seq in range(9, 15)), note(1)]
    text = (
        b"\n"
        + HEADER_LINE
        + b"\n"
        + line(events[0])
        + b'{"type" : "text-chunks", "seq0": 9, "time0": 7, "data":'
        + b'{"turn":1,"step":1,"index":0,"dt":[0,0],"texts":["ab","ab","ab"]}}\n'
        + b"".join(map(line, events[4:]))
        + b"  \n"
        + b'{"type":"x","seq":1,"time":1e0}'
    )

    fixture = render_fixture(text)
    assert fixture.text == plain_log([*pack_chunk_runs(events), {"type": "x", "seq": 1, "time": 1}])


@pytest.mark.parametrize(
    ("content", "code", "at"),
    [
        (b"", "not_a_log", 1),
        (b"rubbish\n", "not_a_log", 1),
        (plain_log([note(0)]) + b"rubbish\n", "invalid_json", 3),
        (plain_log([note(0), {"type": "x"}]), "event_seq", 3),
        (plain_log([{"type": "x"}, note(0)]), "mixed_stamps", 3),
        (plain_log([5]), "event_shape", 2),
        (plain_log([{"type": "text-chunks", "data": {}}]), "row_data_keys", 2),
    ],
)
def test_a_fixture_that_cannot_be_read_is_refused_with_its_line(content, code, at):
    """Nothing is ever guessed into a fixture."""
    error = refusal(render_fixture, content)

    assert isinstance(error, InvalidData)
    assert (error.code, error.where.line) == (code, at)


def test_fixtures_are_found_not_listed(tmp_path):
    """Tracked and new files, anywhere; not ignored, deleted, linked ones, and no other JSON lines."""
    root = repository(
        tmp_path,
        {
            "a.jsonl": CANONICAL,
            "deep/er/b.jsonl": b"\n" + CANONICAL,
            "gone.jsonl": CANONICAL,
            "other.jsonl": b'{"type":"message"}\n',
            "rubbish.jsonl": b"\xff\n",
            "empty.jsonl": b"",
            "c.json": CANONICAL,
            ".gitignore": b"ignored*\n",
        },
    )
    (root / "gone.jsonl").unlink()
    (root / "ignored.jsonl").write_bytes(CANONICAL)
    (root / "new ü.jsonl").write_bytes(CANONICAL)
    (root / "link.jsonl").symlink_to(root / "a.jsonl")

    names = [str(path.relative_to(root)) for path in find_fixtures(root)]
    assert names == ["a.jsonl", "deep/er/b.jsonl", "new ü.jsonl"]
    assert find_fixtures(root / "deep") == [root / "deep" / "er" / "b.jsonl"]


def test_checking_tells_canonical_from_not_and_from_faulty(tmp_path):
    """With the first line that differs, and the reason."""
    root = repository(
        tmp_path,
        {"a.jsonl": CANONICAL, "b.jsonl": UNPACKED, "c.jsonl": CANONICAL + b"rubbish\n"},
    )
    good, unpacked, faulty = check_fixtures(root)

    assert good.canonical
    assert (unpacked.canonical, unpacked.error, unpacked.line) == (False, None, 5)
    assert faulty.error.code == "invalid_json"
    assert faulty.error.where.file == str(root / "c.jsonl")


def test_migrating_rewrites_what_is_not_canonical_and_nothing_else(tmp_path):
    """Modes stay; a second migration has nothing to do."""
    root = repository(tmp_path, {"a.jsonl": CANONICAL, "b.jsonl": UNPACKED, "c.jsonl": UNPACKED})
    (root / "b.jsonl").chmod(0o640)
    untouched = (root / "a.jsonl").stat().st_mtime_ns
    _, planned = migrate_fixtures(root, dry_run=True)
    assert planned == []
    assert (root / "b.jsonl").read_bytes() == UNPACKED

    _, changed = migrate_fixtures(root)

    assert changed == [root / "b.jsonl", root / "c.jsonl"]
    assert (root / "b.jsonl").read_bytes() == CANONICAL
    assert (root / "b.jsonl").stat().st_mode & 0o777 == 0o640
    assert (root / "a.jsonl").stat().st_mtime_ns == untouched
    assert all(report.canonical for report in check_fixtures(root))
    assert migrate_fixtures(root)[1] == []


def test_one_faulty_fixture_keeps_all_as_they_are(tmp_path):
    """Never half a repository."""
    root = repository(tmp_path, {"a.jsonl": UNPACKED, "b.jsonl": CANONICAL + b"rubbish\n"})
    reports, changed = migrate_fixtures(root)

    assert changed == []
    assert [report.error is None for report in reports] == [True, False]
    assert (root / "a.jsonl").read_bytes() == UNPACKED


def test_a_disk_that_refuses_in_between_is_told_with_what_was_done(tmp_path, monkeypatch):
    """And running it again goes on."""
    root = repository(tmp_path, {f"{n}.jsonl": UNPACKED for n in range(3)})
    real = os.fchmod
    calls = []

    def refuse_second(descriptor, mode):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(28, "no space")
        real(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", refuse_second)
    error = refusal(migrate_fixtures, root)
    monkeypatch.undo()

    assert error.code == "disk_full"
    assert "1 fixtures were migrated before it, 2 were not" in error.message
    assert "0.jsonl" in str(error.found)
    contents = [(root / f"{n}.jsonl").read_bytes() for n in range(3)]
    assert contents == [CANONICAL, UNPACKED, UNPACKED]
    assert len(migrate_fixtures(root)[1]) == 2


def test_a_folder_that_is_no_repository_is_refused(tmp_path):
    """Without git there is no telling what is tracked."""
    for root, code in [(tmp_path, "not_a_repository"), (tmp_path / "no", "file_not_found")]:
        error = refusal(check_fixtures, root)

        assert isinstance(error, StorageError)
        assert error.code == code


def test_this_repository_s_own_fixtures_are_canonical():
    """The gate itself."""
    try:
        reports = check_fixtures(REPOSITORY)
    except StorageError:
        pytest.skip("not a git checkout")

    assert [str(report.path) for report in reports if not report.canonical] == []
    assert {report.fixture.form for report in reports} == {"stamped", "projected"}


def test_every_file_of_a_real_corpus_is_canonical_in_its_form(corpus, tmp_path):
    """Stamped and projected recordings of the original: decoded and packed to their own bytes."""
    sessions = {
        f"{path.parent.name}/{path.name}": path
        for path in sorted(corpus.rglob("*.jsonl"))
        if path.read_bytes().startswith(b'{"type":"session"')
    }
    assert sessions
    for path in sessions.values():
        verify_log(path, canonical=True)
    root = repository(tmp_path, {name: path.read_bytes() for name, path in sessions.items()})

    assert all(report.canonical for report in check_fixtures(root))


def test_verifying_canonical_form_names_the_first_line_that_differs(tmp_path):
    """The same question for one file, compressed or not."""
    good = write(tmp_path / "good.jsonl", CANONICAL)
    bad = write(tmp_path / "bad.jsonl", UNPACKED)

    assert verify_log(good, canonical=True).events == len(conversation(2))
    error = refusal(verify_log, bad, canonical=True)
    assert (error.code, error.where.line) == ("not_canonical", 5)
    assert refusal(verify_log, write(good, CANONICAL[:-1]), canonical=True).code == "not_canonical"


def test_the_canonical_text_decodes_to_the_same_events_value_by_value():
    """Checked with the codec alone."""
    lines = render_fixture(UNPACKED).text.splitlines()
    events = [event for text in lines[1:] for event in decode_storage_record(decode(text))]

    assert decode(lines[0]) == HEADER
    assert events == conversation(2)
