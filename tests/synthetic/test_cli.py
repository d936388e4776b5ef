"""`python -m synthetic` writes logs that read back, and fails cleanly."""

import pytest
import zstandard
from click.testing import CliRunner

from histbench.codec import decode_storage_record
from histbench.jsontext import decode
from synthetic import generate, session_header
from synthetic.__main__ import main


def run(*arguments):
    """The command with these arguments, in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def frames(data):
    """The content of each zstd frame; a frame without a checksum fails."""
    contents = []
    while data:
        assert zstandard.get_frame_parameters(data).has_checksum
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        contents.append(decompressor.decompress(data))
        data = decompressor.unused_data
    return contents


def read_lines(lines):
    """The header and the events of a log's lines."""
    header, *records = map(decode, lines.decode().splitlines())
    return header, [event for record in records for event in decode_storage_record(record)]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zst", ".jsonl.zstd"])
def test_the_suffix_decides_and_the_log_reads_back(tmp_path, suffix):
    """Header and events in the file are the generated ones; the first frame is the header line."""
    path = tmp_path / f"log{suffix}"
    done = run("quick", "--seed", 3, "-o", path)
    parts = [path.read_bytes()] if suffix == ".jsonl" else frames(path.read_bytes())
    header, events = read_lines(b"".join(parts))

    assert done.exit_code == 0
    assert done.output == ""
    assert header == session_header("quick", 3)
    assert events == list(generate("quick", 3))
    assert suffix == ".jsonl" or parts[0].count(b"\n") == 1
    assert all(part.endswith(b"\n") for part in parts)


def test_unpacked_lines_are_one_per_event(tmp_path):
    """`--no-pack` stores every event as it is, and the option beats the suffix."""
    path = tmp_path / "log.data"
    done = run("quick", "-o", path, "--no-pack", "--compression", "none")
    lines = path.read_bytes().splitlines()

    assert done.exit_code == 0
    assert [decode(line) for line in lines[1:]] == list(generate("quick", 1))


def test_no_run_is_split_between_batches(tmp_path):
    """A run longer than a batch stays one row in one frame."""
    path = tmp_path / "log.jsonl.zst"
    run("whitespace-prefix", "-o", path)
    lines = b"".join(frames(path.read_bytes())).splitlines()

    assert len(lines) == 1 + 3 + 1


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("nothing", "-o", "log.jsonl"), 2, "unknown profile"),
        (("quick", "-o", "log.txt"), 2, "compression"),
        (("quick",), 2, "--output"),
        (("quick", "-o", "log.jsonl", "--seed", "x"), 2, "--seed"),
        (("quick", "-o", "log.jsonl", "--compression", "gzip"), 2, "--compression"),
        (("missing.toml", "-o", "log.jsonl"), 1, "missing.toml"),
        (("quick", "-o", "no/such/folder/log.jsonl"), 1, "log.jsonl"),
    ],
)
def test_errors_are_one_message_and_an_exit_code(tmp_path, monkeypatch, arguments, code, told):
    """2 for a wrong call, 1 for a file that cannot be used; nothing is written, no traceback."""
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)

    assert done.exit_code == code
    assert told in done.output
    assert isinstance(done.exception, SystemExit)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_run_leaves_the_old_file(tmp_path):
    """A profile whose counts do not fit fails while the file is being written."""
    profile = tmp_path / "own.toml"
    log = tmp_path / "log.jsonl"
    run("quick", "-o", log)
    before = log.read_bytes()
    profile.write_text(
        'model = "published"\nsummary = ""\nevents = 100\nordinary = 99\nruns = 2\n'
        "kept_by_projection = 50\ncompleted_turns = 1\ncompleted_steps = 1\ncompleted_runs = 1\n"
        "abandoned_turns = 1\nabandoned_reuse = 0\nabandoned_memory = 1\n"
        "abandoned_call_every = 1\nwhole = 5\npiece = 3\n"
        "languages = { english = 1 }\nreuse = 0\nmemory = 1\n"
    )
    done = run(profile, "-o", log)

    assert done.exit_code == 2
    assert log.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [log, profile]
