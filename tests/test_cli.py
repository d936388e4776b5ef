"""The command line from outside: real processes, their exit codes and their two streams."""

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click
import pytest

from histbench import cli
from histbench.cli import main
from histbench.cli.commands import one_line
from histbench.encodings import ENCODINGS
from histbench.history import FORMS, encode_page
from histbench.measure.stages import load_page
from histbench.results import load_results, save_results
from measure_session import small_events, write_session
from results_strategies import small_results

QUICKLY = ["--quick", "--forms", "raw,packed", "--encodings", "gzip-6"]


@pytest.fixture
def histbench(tmp_path):
    """Runs the command in an empty folder; temporary files of it go to a folder of their own."""
    (tmp_path / "tmp").mkdir()
    folder = tmp_path / "here"
    folder.mkdir()

    def call(*arguments, **options):
        options.setdefault("env", {})
        environment = {"TMPDIR": str(tmp_path / "tmp"), "COLUMNS": "60", **options.pop("env")}
        return subprocess.run(
            [sys.executable, "-m", "histbench", *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            check=False,
            env=absolute_path_environment() | environment,
            **options,
        )

    yield call
    assert list((tmp_path / "tmp").iterdir()) == [], "temporary files stayed behind"


def absolute_path_environment():
    """The caller's environment; a relative PYTHONPATH would mean another folder elsewhere."""
    path = os.environ.get("PYTHONPATH", "")
    named = os.pathsep.join(str(Path(part).resolve()) for part in path.split(os.pathsep) if part)
    return os.environ | ({"PYTHONPATH": named} if named else {})


@pytest.fixture
def session(tmp_path):
    """A small session file."""
    return write_session(tmp_path / "session.jsonl", small_events())


def assert_one_line(done, code):
    """One line `error: ...` on standard error, nothing on standard output, no traceback."""
    lines = [line for line in done.stderr.decode().splitlines() if " %  " not in line]

    assert done.returncode == code
    assert done.stdout == b""
    assert len(lines) == 1
    assert lines[0].startswith("error: ")


def test_run_prints_exact_wire_bytes_and_saves_every_sample(histbench, session):
    """Tables on standard output, progress on standard error, all samples in the file."""
    done = histbench("run", session, *QUICKLY, "-o", "results.json")
    saved = load_results(session.parent / "here" / "results.json")
    out = done.stdout.decode()

    assert done.returncode == 0
    for form in ("raw", "packed"):
        page = encode_page(load_page(session), form)
        for name in ("identity", "gzip-6"):
            row = next(line for line in out.splitlines() if line.split()[:2] == [name, form])

            assert row.split()[2] == f"{len(ENCODINGS[name].encode(page)):,}"
    assert saved.inputs[0].name == "session.jsonl"
    assert "100 %" not in out
    assert b"  0 %" in done.stderr


def test_json_output_is_the_results_file(histbench, session):
    """`--json` prints what `-o` saves, and nothing else."""
    done = histbench("run", session, *QUICKLY, "--json", "-o", "results.json")

    assert done.stdout == (session.parent / "here" / "results.json").read_bytes()


def test_results_name_no_folder(histbench, session):
    """A file input is its base name, in the tables' data as in the command."""
    done = histbench("run", session, *QUICKLY, "--json")

    assert str(session.parent) not in done.stdout.decode()
    assert json.loads(done.stdout)["command"].endswith(" session.jsonl")


def test_standard_input_is_a_file_too(histbench, session):
    """`-` is measured like the file it came from."""
    piped = json.loads(histbench("run", "-", *QUICKLY, "--json", input=session.read_bytes()).stdout)
    named = json.loads(histbench("run", session, *QUICKLY, "--json").stdout)

    assert piped["inputs"][0] | {"name": ""} == named["inputs"][0] | {"name": ""}
    assert piped["inputs"][0]["name"] == "stdin"


@pytest.mark.slow
def test_transport_profile_has_the_published_row_beside_it(histbench):
    """The fixture's byte count, exact, and what the notes measured."""
    done = histbench(
        "run", "--profile", "transport", "--forms", "packed", "--encodings", "identity",
        "--stats-only",
    )  # fmt: skip
    rows = [line.split() for line in done.stdout.decode().splitlines()]

    assert done.returncode == 0
    assert any(
        row[:3] == ["identity", "packed", "2,999,967"] and "6,362,724" in row for row in rows
    )


HEAD = b'{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}\n'
ROW = b'{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":%b,"texts":["a","b","c"]}}\n'

# Files that no log is in, by what is wrong with them; made when their turn comes.
BAD_INPUTS = {
    "empty": lambda: b"",
    "prose": lambda: b"hello\n",
    "a picture": lambda: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "dt one too long": lambda: HEAD + ROW % b"[1,1,1]",
    "truncated zstd": lambda: ENCODINGS["zstd-3"].encode(HEAD + ROW % b"[1,1]")[:-9],
    "a bomb": lambda: ENCODINGS["zstd-3"].encode(HEAD + bytes(2**27)),
}


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_a_file_that_is_no_log_is_one_line_and_exit_1(histbench, tmp_path, name):
    """What was found, where, in one line; never a traceback, never an endless read."""
    path = tmp_path / "bad.jsonl"
    path.write_bytes(BAD_INPUTS[name]())
    done = histbench("run", path, *QUICKLY)

    assert_one_line(done, 1)
    assert b"bad.jsonl" in done.stderr


def test_missing_files_and_folders_are_refused_before_anything_is_measured(histbench, session):
    """Not after the first input, minutes later."""
    for name in ("absent.jsonl", "."):
        done = histbench("run", session, name, *QUICKLY)

        assert_one_line(done, 1)
        assert b" %  " not in done.stderr


@pytest.mark.parametrize("output", ["absent/results.json", "."])
def test_an_output_that_cannot_be_written_is_refused_at_once(histbench, session, output):
    """Before the first minute, not after the last."""
    assert_one_line(histbench("run", session, *QUICKLY, "-o", output), 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "--forms", "zip", "x"],
        ["run", "--encodings", "gzip", "x"],
        ["run", "--encodings", ",", "x"],
        ["run", "-", "-"],
        ["run", "--profile", "no-such-profile"],
        ["compare", "a", "b", "--fail-on", "size>1"],
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(histbench, arguments):
    """A typo in a name is told with the names there are."""
    assert_one_line(histbench(*arguments), 2)


@pytest.mark.parametrize("arguments", [["run", "--runs", "0", "x"], ["run", "--nope"], ["nope"]])
def test_what_click_refuses_is_exit_2_as_well(histbench, arguments):
    """Usage and reason, on standard error."""
    done = histbench(*arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Error: " in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(
    ("sent", "code", "last"), [("SIGINT", 130, ["error: interrupted"]), ("SIGTERM", 143, [])]
)
def test_a_stopped_run_leaves_nothing_behind(tmp_path, session, sent, code, last):
    """No results file, no temporary file, no process, no traceback."""
    (tmp_path / "tmp").mkdir()
    with (
        session.open("rb") as stdin,
        subprocess.Popen(
            [sys.executable, "-m", "histbench", "run", "-", "--runs", "99999", "-o", "out.json"],
            cwd=tmp_path,
            stdin=stdin,
            env=absolute_path_environment() | {"TMPDIR": str(tmp_path / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        first = process.stderr.readline()
        process.send_signal(getattr(signal, sent))
        out, err = process.communicate(timeout=120)

    assert b"reading" in first
    assert process.returncode == code
    assert out == b""
    assert [line for line in err.decode().splitlines() if " %  " not in line] == last
    assert b"Traceback" not in err
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "out.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_leaves_early_is_no_traceback(tmp_path, session):
    """`histbench profiles | true` ends quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "histbench", "profiles"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        cwd=tmp_path,
        env=absolute_path_environment(),
    )
    os.close(writer)

    assert b"Traceback" not in done.stderr


@pytest.fixture
def two_results(tmp_path):
    """Two results files; in the second, packed is larger by two per cent."""
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, packed in zip(paths, (1000, 1020), strict=True):
        save_results(small_results(raw_bytes=5000, packed_bytes=packed, raw_seconds=0.5), path)
    return paths


@pytest.mark.parametrize(("limit", "code"), [("bytes>1%", 1), ("bytes>2%", 0), ("seconds>0%", 0)])
def test_compare_fails_exactly_where_a_limit_is_passed(histbench, two_results, limit, code):
    """Exit 1 and the figure's name on standard error; the tables come all the same."""
    done = histbench("compare", *two_results, "--fail-on", limit)

    assert done.returncode == code
    assert b"+2.0 %" in done.stdout
    assert (b"wire" in done.stderr) == bool(code)


def test_compare_tells_differences_of_environment_first(histbench, two_results):
    """Before any number that they may explain."""
    save_results(small_results(raw_bytes=1, environment={"gc": "off"}), two_results[1])
    out = histbench("compare", *two_results).stdout.decode()

    assert out.startswith("Environment\n")
    assert out.index("gc") < out.index("\nBytes")


def test_compare_prints_one_json_object(histbench, two_results):
    """For machines, breaches included."""
    done = histbench("compare", *two_results, "--json", "--fail-on", "bytes>1%")
    told = json.loads(done.stdout)

    assert [breach["form"] for breach in told["breaches"]] == ["packed"]
    assert {change["form"] for change in told["changes"]} == {"raw", "packed"}


@pytest.mark.parametrize("text", ["", "[]", '{"schema":"histbench-results","version":99}', "{"])
def test_compare_refuses_what_is_no_results_file(histbench, two_results, text):
    """Also a newer one: one line with the file's name."""
    two_results[1].write_text(text)
    done = histbench("compare", *two_results)

    assert_one_line(done, 1)
    assert b"b.json" in done.stderr


def test_profiles_are_listed_with_what_they_show(histbench):
    """For people and for machines."""
    table = histbench("profiles").stdout.decode()
    summaries = json.loads(histbench("profiles", "--json").stdout)

    assert {"transport", "published", "quick"} <= summaries.keys()
    assert all(name in table and summary in table for name, summary in summaries.items())


def test_a_missing_generator_is_told_as_such(histbench, tmp_path):
    """The library runs without `synthetic`; profiles do not, and say why."""
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "synthetic.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'synthetic'\")\n"
    )
    path = os.pathsep.join([str(shadow), absolute_path_environment().get("PYTHONPATH", "")])
    done = histbench("profiles", env={"PYTHONPATH": path})

    assert_one_line(done, 1)
    assert b"not installed" in done.stderr


def test_version_and_help_are_answers():
    """Standard output, exit 0."""
    for option in ("--version", "--help", "-h"):
        done = subprocess.run(
            [sys.executable, "-m", "histbench", option], capture_output=True, check=False
        )

        assert done.returncode == 0
        assert b"histbench" in done.stdout


def test_the_list_of_commands_imports_none_and_leaves_none_out():
    """What is asked for first is there at once, also where a shell completes a name."""
    code = """
import sys
from histbench.cli import main
main(["--help"], standalone_mode=False)
print(sorted(name for name in sys.modules if name.startswith("histbench.cli.")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    *shown, imported = done.stdout.splitlines()
    listed = {line.split()[0] for line in shown if line.startswith("  ")}
    modules = {module.name for module in iter_modules(cli.__path__)}
    commands = {
        name
        for name in modules
        if isinstance(getattr(import_module(f"histbench.cli.{name}"), name, None), click.Command)
    }

    assert imported == "['histbench.cli.commands']"
    assert set(main.list_commands(click.Context(main))) == commands <= listed


def test_a_shell_completes_commands_with_what_they_do():
    """Names that begin so, in the order of the list."""
    found = main.shell_complete(click.Context(main), "co")

    assert [item.value for item in found] == ["convert", "compare", "corpus"]
    assert all(item.help for item in found)


def test_a_misspelled_command_is_told_its_name(histbench):
    """The nearest ones, if any is near."""
    assert b"Did you mean inspect?" in histbench("inspct").stderr
    assert b"Did you mean" not in histbench("zzz").stderr
    assert histbench("zzz").returncode == 2


def test_a_command_waits_for_nothing_that_it_does_not_need(session):
    """Arrays, tables and servers take longer to import than a log takes to be read."""
    code = """
import sys
from histbench.cli import main
main(["verify", sys.argv[1]], standalone_mode=False)
print(sorted({"numpy", "rich", "dask", "starlette", "matplotlib"} & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(session)], capture_output=True, check=True
    )

    assert done.stdout.splitlines()[-1] == b"[]"


def test_every_form_is_measured_by_default(histbench, session):
    """A new form needs no new option."""
    done = histbench("run", session, "--runs", 1, "--encodings", "zstd-3", "--no-memory", "--json")

    assert json.loads(done.stdout)["settings"]["forms"] == list(FORMS)


def test_one_line_keeps_what_a_terminal_would_act_on_out():
    """A file may be called anything."""
    assert one_line("a\nb\t\x1b[31mc\u202ed") == "a b ?[31mc?d"
