"""An input is a file that stays what it is, and every form gives it back before it is timed."""

import hashlib

import msgspec
import pytest
import zstandard

from histbench.errors import InvalidData, InvalidLog, InvalidPage, StorageError
from histbench.measure.rivals import ALL_FORMS
from histbench.measure.subject import Proof, Source, Subject
from measure_session import small_events, write_session

LOSSLESS = [name for name, form in ALL_FORMS.items() if form.lossless]


@pytest.fixture
def subject(session_file):
    """The small session, read."""
    return Subject.read(Source.of_file(session_file))


def test_input_is_described_by_its_bytes_and_its_events(subject, session_file):
    """Digest and length of the file, counts of the log."""
    content = session_file.read_bytes()
    described = subject.described

    assert described.sha256 == hashlib.sha256(content).hexdigest()
    assert described.bytes == len(content)
    assert described.events == len(small_events())
    assert (described.ordinary, described.rows) == (6, 2)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/me/logs/a.jsonl", "a.jsonl"),
        (r"D:\logs\me\a.jsonl", "a.jsonl"),
        ("logs/", "logs"),
        ("a\x1b[2J.jsonl", "a?[2J.jsonl"),
        ("a\udcff.jsonl", "a?.jsonl"),
        ("/", "input"),
    ],
)
def test_a_file_is_named_by_its_last_component_only(path, name):
    """No folder, no control character and nothing that UTF-8 cannot carry gets into results."""
    assert Source.of_file(path).name == name


@pytest.mark.parametrize("name", LOSSLESS)
def test_lossless_forms_are_proved(subject, name):
    """Every form that calls itself lossless is."""
    Proof(subject.log).check(ALL_FORMS[name], ALL_FORMS[name].encode(subject.page))


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize("damage", ["text", "time", "last"])
def test_a_form_that_loses_anything_is_refused(subject, tmp_path, name, damage):
    """A changed text, a changed time, a missing event: each is an error and no number."""
    events = small_events()
    if damage == "text":
        events[10]["data"]["chunk"]["text"] += "!"
    elif damage == "time":
        events[10]["time"] += 1
    else:
        del events[-1]
    other = Subject.read(Source.of_file(write_session(tmp_path / "other.jsonl", events)))

    with pytest.raises(InvalidPage) as caught:
        Proof(subject.log).check(ALL_FORMS[name], ALL_FORMS[name].encode(other.page))

    assert caught.value.code == "not_lossless"


def test_a_file_that_changed_is_refused(tmp_path):
    """Numbers of half one file and half another are nobody's."""
    path = write_session(tmp_path / "growing.jsonl", small_events())
    subject = Subject.read(Source.of_file(path))
    subject.check_unchanged()
    path.write_bytes(path.read_bytes() + b'{"type":"x","seq":86,"time":0,"data":{}}\n')

    with pytest.raises(InvalidData) as caught:
        subject.check_unchanged()

    assert caught.value.code == "input_changed"


def test_a_log_with_gaps_is_measured_renumbered_and_says_so(tmp_path):
    """Authored logs skip seqs; their form is still worth measuring."""
    events = [event for event in small_events() if event["seq"] != 50]
    path = write_session(tmp_path / "gaps.jsonl", events)
    subject = Subject.read(Source.of_file(path))

    assert subject.log.dense
    assert subject.described.events == len(events)
    assert {"seq_gap", "renumbered"} <= subject.described.diagnostics.keys()


def test_a_file_that_cannot_be_read_is_a_storage_error(tmp_path):
    """Missing files and folders are told by the errors of reading."""
    for path in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(StorageError):
            Subject.read(Source.of_file(path))


def test_a_log_without_events_is_proved_too(tmp_path):
    """An empty session is a session."""
    subject = Subject.read(Source.of_file(write_session(tmp_path / "empty.jsonl", [])))
    for name in LOSSLESS:
        Proof(subject.log).check(ALL_FORMS[name], ALL_FORMS[name].encode(subject.page))

    assert msgspec.structs.asdict(subject.described)["events"] == 0


def test_a_cut_off_compressed_file_is_measured_only_on_request(tmp_path):
    """A frame that is not whole is refused; `allow_torn` takes what is before it."""
    compress = zstandard.ZstdCompressor(write_checksum=True).compress
    written = write_session(tmp_path / "whole.jsonl", small_events()).read_bytes()
    header, *lines = written.splitlines(keepends=True)
    path = tmp_path / "cut.jsonl.zstd"
    path.write_bytes(compress(header) + compress(b"".join(lines[:-1])) + compress(lines[-1])[:-5])

    with pytest.raises(InvalidLog) as caught:
        Subject.read(Source.of_file(path))

    assert caught.value.code == "torn_tail"
    whole = Subject.read(Source.of_file(path), allow_torn=True)
    assert whole.described.diagnostics["torn_tail"] == 1
