"""One table of forms: each says of itself what holds for it."""

import pytest
from hypothesis import given

import oracle
from checks import check_refused, refusal, same
from histbench.errors import LimitExceeded, UsageError
from histbench.history import FORMS, decode_page, encode_page, whole_page
from histbench.log import EventLog
from strategies import logs

LOSSLESS = [form.name for form in FORMS.values() if form.lossless]


@given(logs())
def test_all_lossless_forms_hold_the_same_events(events):
    """Encoded and decoded, each gives back what the log holds, in order."""
    page = whole_page(EventLog.from_events(events))
    for form in LOSSLESS:
        read = decode_page(encode_page(page, form), form)
        assert same(read.events(), events)
        assert (read.from_seq, read.to_seq, read.has_more) == (
            page.from_seq,
            page.to_seq,
            page.has_more,
        )
        assert read.covered
        assert EventLog.from_records(read.records) == EventLog.from_events(events)


@given(logs())
def test_the_lossy_form_holds_what_the_projection_keeps(events):
    """Under their own seqs, and says that it is not all."""
    page = whole_page(EventLog.from_events(events))
    read = decode_page(encode_page(page, "projection"), "projection")

    assert same(read.events(), oracle.project(events))
    assert not read.covered


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_known_by_its_name_and_describes_itself(name):
    """One line, for a table or a help text."""
    form = FORMS[name]

    assert form.name == name
    assert form.description
    assert "\n" not in form.description


@pytest.mark.parametrize("function", [encode_page, decode_page])
def test_an_unknown_form_is_a_wrong_call(function):
    """And the error lists the known ones."""
    error = refusal(function, whole_page(EventLog.from_events([])), "zip")

    assert isinstance(error, UsageError)
    assert error.code == "unknown_form"
    assert all(name in str(error) for name in FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_a_page_past_the_limit_is_not_looked_at(form):
    """It may be anything."""
    error = check_refused("page_too_large", decode_page, b"\xff" * 11, form, max_bytes=10)

    assert isinstance(error, LimitExceeded)
    check_refused("invalid_json", decode_page, b"{" * 11, form, max_bytes=None)


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_page_has_every_form(form):
    """Nothing, shipped."""
    page = decode_page(encode_page(whole_page(EventLog.from_events([])), form), form)

    assert (page.records, page.has_more, page.from_seq, page.to_seq) == ((), False, 0, 0)
