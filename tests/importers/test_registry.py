"""A recording is told by what it holds."""

import io
import re
from pathlib import Path

import pytest

from histbench.errors import InvalidStream, UsageError
from histbench.importers import FORMATS, find_format, import_events, sniff
from importer_samples import SAMPLES, as_lines, as_sse

PAGE = Path(__file__).parents[2] / "docs" / "importing.md"


@pytest.mark.parametrize(
    "name", ["a.jsonl", "a.sse.txt", "rollout-1.jsonl.zst", "updates", "x.har"]
)
def test_names_are_never_looked_at(tmp_path, name):
    """The same bytes are the same recording under every name."""
    for sample in SAMPLES.values():
        path = tmp_path / name
        path.write_bytes(as_sse(sample.values, sample.events))

        with import_events(path) as source:
            assert source.format.name == sample.format


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_sniffing_looks_at_the_beginning(sample):
    """The head alone decides, and decides alike each time."""
    data = as_sse(sample.values, sample.events)
    names = {sniff(data).name for _ in range(3)}

    assert names == {sample.format}
    assert sniff(data + b"data: nothing of the kind\n\n" * 100).name == sample.format


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_stream"),
        (b"\n \n", "empty_stream"),
        (b'{"hello": 1}\n', "unknown_format"),
        (b"just text\n", "unknown_format"),
        (b"[1, 2, 3]", "unknown_format"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "unknown_format"),
        (b"PK\x03\x04 zip", "unknown_format"),
        (bytes(range(256)) * 50, "unknown_format"),
    ],
)
def test_what_nobody_knows_is_refused(data, code):
    """The error lists the formats, and tells what was seen."""
    with pytest.raises(InvalidStream) as caught:
        import_events(io.BytesIO(data))

    assert caught.value.code == code
    if code == "unknown_format" and caught.value.expected is not None:
        assert all(name in caught.value.expected for name in FORMATS)


def test_the_message_tells_what_was_seen():
    """Names of fields, not values: those may be anybody's."""
    with pytest.raises(InvalidStream, match="'hello'") as caught:
        sniff(b'{"hello": "secret"}\n')

    assert "secret" not in str(caught.value)


def test_an_unknown_name_is_a_wrong_call():
    """`--from` knows the names of the registry and no others."""
    with pytest.raises(UsageError) as caught:
        find_format("openai")

    assert caught.value.code == "unknown_format_name"


def test_a_long_first_line_is_waited_for():
    """A first value longer than what sniffing reads at once is read to its end."""
    values = [{**SAMPLES["codex"].values[0], "payload": {"id": "x" * 700_000}}]
    with import_events(io.BytesIO(as_lines(values))) as source:
        assert source.format.name == "codex"


def test_stream_json_without_partial_messages_is_known():
    """The same lines without deltas: read whole, and said to hold none."""
    kinds = ["system", "user", "assistant", "result"]
    values = [{"type": kind, "session_id": "s", "message": {"content": []}} for kind in kinds]
    source = import_events(io.BytesIO(as_lines(values)))
    events = list(source)

    assert source.format.name == "claude-stream"
    assert [event["data"].get("value") for event in events[:-1]] == values
    assert "no_deltas" in {each.code for each in source.diagnostics}


def test_every_format_is_on_the_page():
    """The page's table and the registry name the same formats."""
    table = PAGE.read_text(encoding="utf-8").split("## Formats\n")[1].split("\n## ")[0]
    named = re.findall(r"^\| `([a-z-]+)`", table, re.MULTILINE)

    assert named == list(FORMATS)
