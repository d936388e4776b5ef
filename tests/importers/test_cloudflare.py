"""Rows of buffered chunks: the same stream as without the rows, and the rows' own clock."""

import io
import json

from histbench.importers import import_events, restore_values
from histbench.jsontext import same
from importer_samples import SAMPLES, as_array, as_lines

CHUNKS = SAMPLES["vercel"].values


def rows(size):
    """The table: one chunk in a row, or an array of `size` chunks as texts."""
    table = []
    for number, start in enumerate(range(0, len(CHUNKS), size)):
        texts = [json.dumps(chunk) for chunk in CHUNKS[start : start + size]]
        body = texts[0] if size == 1 else json.dumps(texts)
        row = {"id": f"r{number}", "stream_id": "s", "body": body, "chunk_index": number}
        table.append({**row, "created_at": 1700000000000 + 10 * number})
    return table


def test_rows_hold_the_stream():
    """Packed ten to a row or alone, the chunks are those of the stream, in order."""
    for size in (1, 3, 10):
        for data in (as_lines(rows(size)), as_array(rows(size))):
            source = import_events(io.BytesIO(data))
            events = list(source)
            back = [each["value"] for each in restore_values(events)]

            assert source.format.name == "cloudflare-rows"
            assert source.clock == "capture"
            assert same(back, CHUNKS)


def test_what_rows_say_is_kept():
    """Everything but the body, with how many chunks that held."""
    events = list(import_events(io.BytesIO(as_lines(rows(4)))))
    kept = [row for e in events if e["type"] == "source/rows" for row in e["data"]["rows"]]

    assert [{**row, "body": None} for row in kept] == [{**row, "body": None} for row in rows(4)]
    assert sum(row["body"]["chunks"] for row in kept) == len(CHUNKS)
    assert all(row["body"]["array"] for row in kept)


def test_rows_of_another_shape_stay_whole():
    """A body that holds no chunks is no reason to lose the row."""
    odd = {"id": "x", "body": "not JSON", "chunk_index": 3}
    events = list(import_events(io.BytesIO(as_lines([*rows(2), odd]))))

    assert odd in [event["data"].get("value") for event in events]
