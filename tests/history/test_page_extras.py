"""What a page carries beside its records: projections, and why a budget cut it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from histbench.history import HistoryPage, Projections, decode_page, encode_page, select_page
from histbench.jsontext import encode
from histbench.log import EventLog
from history_logs import event_logs

VALUES = st.recursive(
    st.none() | st.integers(-5, 5) | st.text(max_size=3) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


@given(
    events=event_logs(),
    values=VALUES,
    as_of_seq=st.integers(-1, 50),
    form=st.sampled_from(["packed", "joined"]),
)
def test_projections_survive_the_wire(events, values, as_of_seq, form) -> None:
    """Whatever was derived, whichever way the page has to be read."""
    derived = Projections(as_of_seq=as_of_seq, values=encode(values))
    page = select_page(EventLog.from_events(events), max_messages=2)
    decoded = decode_page(encode_page(structs.replace(page, projections=derived), form), form)

    assert decoded.projections == derived
    assert decoded.projections.value() == values
    assert decoded.events() == page.events()


@pytest.mark.parametrize("cut", [None, "events", "bytes", "oversize"])
@pytest.mark.parametrize("text", ["plain", "half \ud83d"])
def test_the_reason_of_a_cut_survives_the_wire(cut, text) -> None:
    """On the fast way and on the slow one."""
    event = {"type": "x", "seq": 4, "time": 0, "data": text}
    records = EventLog.from_events([event]).records()
    page = HistoryPage(records=records, has_more=True, from_seq=4, to_seq=5, cut=cut)

    assert decode_page(encode_page(page)).cut == cut
    assert (b'"cut"' in encode_page(page)) == (cut is not None)


def test_a_page_of_one_message_says_nothing_more() -> None:
    """Without projections and budgets, the wire is that of the note."""
    page = select_page(EventLog.from_events([{"type": "x", "seq": 0, "time": 0, "data": {}}]))

    assert encode_page(page) == (
        b'{"records":[{"event":{"type":"x","seq":0,"time":0,"data":{}}}],'
        b'"hasMore":false,"fromSeq":0,"toSeq":1}'
    )
