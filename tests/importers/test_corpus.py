"""Real recordings, where there are some: every file imports, and its texts are its own."""

import collections

import pytest

from histbench.events import KIND_BY_DELTA
from histbench.importers import import_events, import_session, restore_values
from histbench.importers.carriers import read_items
from histbench.importers.content import Content
from histbench.jsontext import merge_surrogates, same
from histbench.store.scan import LogSource

FOLDERS = ("streams", "transcripts")


def recordings(corpus):
    """The files of both folders."""
    files = [path for name in FOLDERS for path in sorted((corpus / name).iterdir())]
    if not files:
        pytest.fail("the corpus has no recordings")
    return files


def test_every_recording_imports(corpus):
    """Told by content, without loss, as a dense log with a clock of known origin."""
    for path in recordings(corpus):
        source = import_events(path)
        events = list(source)

        assert source.events == len(events)
        assert source.clock in {"source", "capture", "synthetic"}
        assert list(import_session(path)) == events
        if source.format.name.startswith("dsh"):
            continue
        with LogSource(path) as opened:
            content = Content(opened.read)
            items = list(read_items(content, exact=content.exact))
        back = list(restore_values(events))

        assert same([each.get("value") for each in back], [item.value for item in items])


def test_deltas_come_to_the_final_texts(corpus):
    """Every text that a message or a finished block carries is what its deltas come to."""
    checked = collections.Counter()
    for path in recordings(corpus):
        texts = collections.defaultdict(list)
        for event in import_events(path):
            data = event["data"]
            if event["type"] == "assistant/chunk":
                chunk = data["chunk"]
                kind = KIND_BY_DELTA.get(chunk["type"])
                key = (data["turn"], data["step"], chunk.get("index"))
                if kind is not None:
                    texts[key].append(chunk[kind.text_key])
                elif chunk["type"] == "block-end" and key in texts:
                    block = chunk["block"]
                    whole = merge_surrogates("".join(texts[key]))

                    assert block.get("text", block.get("arguments")) == whole
                    checked[path.name] += 1
            for value in _final_texts(data.get("value")):
                assert value in {merge_surrogates("".join(parts)) for parts in texts.values()}
                checked["final"] += 1

    assert checked["final"] >= 2
    assert len(checked) > len(recordings(corpus)) // 2


def _final_texts(value):
    """The texts that a provider says its deltas came to."""
    if isinstance(value, dict) and value.get("type") in {
        "response.output_text.done",
        "response.reasoning_text.done",
    }:
        yield value["text"]
