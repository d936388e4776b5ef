"""The published JSON Schema: up to date, true of every page, and strict where a schema can be."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.history import HistoryPage, Projections, encode_page, select_page
from histbench.history.schema import page_schema, schema_text
from histbench.log import EventLog
from history_logs import event_logs
from synthetic import generate

jsonschema = pytest.importorskip("jsonschema")

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas" / "history-page.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(page_schema())

ROW = {
    "type": "text-chunks",
    "seq0": 0,
    "time0": 0,
    "data": {"turn": 1, "step": 1, "index": 0, "dt": [0, 0], "texts": ["a", "b", "c"]},
}
CALL = {
    "type": "tool-call-joined",
    "seq0": 0,
    "time0": 0,
    "data": {"turn": 1, "step": 1, "index": 0, "dt": "1(62)", "id": "x", "text": "a\x7fb\x7fc"},
}


def test_the_published_schema_is_the_one_of_the_types() -> None:
    """Whoever changes a type publishes the schema again: write `schema_text()` to the file."""
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_a_schema() -> None:
    """By its own meta-schema."""
    jsonschema.Draft202012Validator.check_schema(page_schema())


@given(
    events=event_logs(),
    form=st.sampled_from(["packed", "joined", "lean"]),
    max_bytes=st.none() | st.integers(1, 2000),
)
def test_every_page_satisfies_the_schema(events, form, max_bytes) -> None:
    """Whatever is selected, in every form that has it."""
    page = select_page(EventLog.from_events(events), max_messages=2, max_bytes=max_bytes)

    assert list(VALIDATOR.iter_errors(json.loads(encode_page(page, form)))) == []


def test_pages_of_generated_sessions_satisfy_the_schema() -> None:
    """A whole session, with projections."""
    page = select_page(EventLog.from_events(generate("quick", 1)))
    derived = Projections(as_of_seq=page.to_seq - 1, values=b'{"title":"x"}')
    whole = HistoryPage(
        records=page.records,
        has_more=page.has_more,
        from_seq=page.from_seq,
        to_seq=page.to_seq,
        projections=derived,
    )

    assert list(VALIDATOR.iter_errors(json.loads(encode_page(whole)))) == []


def page_of(record: Any, **fields: Any) -> dict[str, Any]:
    """A page of one record."""
    return {"records": [record], "hasMore": False, "fromSeq": 0, "toSeq": 3, **fields}


def changed(row: dict[str, Any], data: dict[str, Any] | None = None, **fields: Any) -> Any:
    """A row with something else in it."""
    return {**row, "data": {**row["data"], **(data or {})}, **fields}


def lean_event(data: Any) -> dict[str, Any]:
    """An event as a lean page has it."""
    return {"type": "note", "seq": 0, "time": 0, "data": data}


@pytest.mark.parametrize(
    "page",
    [
        page_of({"chunks": ROW}),
        page_of({"chunks": changed(ROW, type="reasoning-chunks")}),
        page_of({"joined": CALL}),
        page_of({"joined": changed(CALL, {"name": "read"})}),
        page_of({"event": {"type": "x", "seq": 0, "time": 0.5, "unheard": [1]}, "view": None}),
        page_of({"lean": lean_event({"a": {"": 0}, "b": [{"": [0, 5]}, {"": "3-9"}]}), "view": 1}),
        page_of({"chunks": ROW}, projections={"asOfSeq": -1, "values": None}, cut="oversize"),
    ],
)
def test_what_a_page_may_hold_is_allowed(page: Any) -> None:
    """Every spelling of a record."""
    assert VALIDATOR.is_valid(page)


@pytest.mark.parametrize(
    "page",
    [
        page_of({}),
        page_of({"chunks": ROW}, more=1),
        page_of({"chunks": ROW}, cut="messages"),
        page_of({"chunks": ROW}, projections={"asOfSeq": -2, "values": 1}),
        page_of({"chunks": ROW}, fromSeq=-1),
        page_of({"chunks": ROW, "view": {}}),
        page_of({"chunks": ROW, "joined": CALL}),
        page_of({"event": ROW}),
        page_of({"lean": ROW}),
        page_of({"lean": lean_event({"": 0, "a": 1})}),
        page_of({"lean": lean_event({"": [0]})}),
        page_of({"lean": lean_event([{"": "1"}])}),
        page_of({"lean": lean_event({"a": {"": None}}), "event": {}}),
        page_of({"event": {"type": "text-chunks", "seq": 0, "time": 0}}),
        page_of({"chunks": changed(ROW, {"texts": []})}),
        page_of({"chunks": changed(ROW, {"texts": ["a", 1]})}),
        page_of({"chunks": changed(ROW, {"dt": [0.5, 1]})}),
        page_of({"chunks": changed(ROW, {"args": ["a"]})}),
        page_of({"chunks": changed(ROW, {"id": "x"})}),
        page_of({"chunks": changed(ROW, type="tool-call-chunks")}),
        page_of({"chunks": changed(ROW, type="text-joined")}),
        page_of({"chunks": changed(ROW, seq0=-1)}),
        page_of({"joined": changed(CALL, {"dt": "1 2"})}),
        page_of({"joined": changed(CALL, type="text-joined")}),
    ],
)
def test_what_a_page_may_not_hold_is_refused(page: Any) -> None:
    """As a reader refuses it, as far as a schema can tell."""
    assert not VALIDATOR.is_valid(page)
