"""Halves of surrogate pairs hidden from a parser that refuses them, and shown again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.history import HistoryPage, decode_page, encode_page
from histbench.history.halves import hide_halves, show_halves
from histbench.records import event_of_json
from strategies import json_texts

HALF = b'{"type":"note","seq":0,"time":0,"data":"\\ud83d"}'
ODD = b'{ "time":1.0, "type":"note","seq":1,"data":["\\u0041","\\\\ud83d", "\\uD83D\\uDe00"]}'


@given(st.lists(json_texts), st.booleans())
def test_what_is_hidden_can_be_parsed_and_shown(texts, spaced):
    """Escaped backslashes before a `ud83d` hide nothing."""
    raw = json.dumps(texts, separators=(" , ", ":") if spaced else (",", ":")).encode()
    hidden = hide_halves(raw)

    assert show_halves(hidden) == raw
    assert len(json.loads(hidden)) == len(texts)
    assert not any("\ud800" <= char <= "\udfff" for text in json.loads(hidden) for char in text)


@pytest.mark.parametrize("raw", ['"\ufdd0"'.encode(), b'"\x00"'])
def test_what_could_not_be_told_apart_is_not_hidden(raw):
    """The sign itself, and what no JSON text holds."""
    assert hide_halves(raw) is None


@pytest.mark.parametrize("form", ["packed", "joined", "lean"])
@pytest.mark.parametrize("view", [None, b'{ "a":"\\ud83d"}'])
def test_half_a_pair_somewhere_leaves_every_event_as_it_was_sent(form, view):
    """Its own spelling and its neighbours'."""
    records = (event_of_json(HALF, view), event_of_json(ODD))
    page = HistoryPage(records=records, has_more=False, from_seq=0, to_seq=2)

    assert decode_page(encode_page(page, form), form) == page
