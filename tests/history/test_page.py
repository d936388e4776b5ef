"""A page's records cover its interval exactly, or it is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import check_refused, same
from histbench.errors import InvalidLog
from histbench.history import HistoryPage, check_cover, whole_page
from histbench.history.page import Projections
from histbench.log import EventLog
from histbench.records import Plain
from strategies import event_lists, logs

MAX = 2**53 - 1


def plain(seq):
    """An ordinary record."""
    return Plain(type="note", seq=seq, time=0, raw=b'{"type":"note","seq":%d,"time":0}' % seq)


@given(logs())
def test_a_whole_log_is_one_page(events):
    """Its watermarks are the log's ends, its events the log's events, new ones each time."""
    log = EventLog.from_events(events)
    page = whole_page(log)

    assert (page.from_seq, page.to_seq) == (log.from_seq, log.to_seq)
    assert not page.has_more
    assert same(page.events(), events)
    for event in page.events():
        event.clear()
    assert same(page.events(), events)
    check_cover(page.records, page.from_seq, page.to_seq)


@given(event_lists())
def test_a_log_with_a_gap_is_no_page(events):
    """A page promises an interval."""
    log = EventLog.from_events(events)
    if not log.dense:
        assert isinstance(check_refused("seq_gap", whole_page, log), InvalidLog)


@given(st.data(), logs())
def test_any_other_interval_is_not_covered(data, events):
    """Neither a wider one nor a narrower one, nor one with a record missing or doubled."""
    page = whole_page(EventLog.from_events(events))
    records, ends = page.records, (page.from_seq, page.to_seq)
    at = data.draw(st.integers(0, len(records) - 1))
    shift = st.integers(-2, 2)
    other = (ends[0] + data.draw(shift), ends[1] + data.draw(shift))
    for faulty in (records[:at] + records[at + 1 :], records[: at + 1] + records[at:]):
        error = check_refused_any(faulty, *ends)
        assert error.code in {"page_gap", "page_overlap", "page_end"}
    if other != ends:
        check_refused_any(records, *other)


def check_refused_any(records, from_seq, to_seq):
    """The error of an interval that is not covered."""
    codes = ("page_gap", "page_overlap", "page_end", "page_interval")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - looked at below
        check_cover(records, from_seq, to_seq)

    assert caught.value.code in codes
    return caught.value


@pytest.mark.parametrize(
    ("records", "interval", "code", "seq"),
    [
        ([plain(0), plain(2)], (0, 3), "page_gap", 2),
        ([plain(1)], (0, 2), "page_gap", 1),
        ([plain(0), plain(0)], (0, 2), "page_overlap", 0),
        ([plain(0)], (1, 1), "page_overlap", 0),
        ([plain(0)], (0, 2), "page_end", 1),
        ([plain(0), plain(1)], (0, 1), "page_end", 2),
        ([], (0, 1), "page_end", 0),
        ([], (1, 0), "page_interval", None),
        ([], (-1, 0), "page_interval", None),
        ([], (0, MAX + 2), "page_interval", None),
        ([], (10**30, 10**30), "page_interval", None),
    ],
)
def test_faults_of_coverage_have_their_place(records, interval, code, seq):
    """The first record that does not fit is named by its seq."""
    error = check_refused(code, check_cover, records, *interval)

    assert error.where.seq == seq


def test_pages_can_be_empty_and_can_end_at_the_last_seq():
    """One past the largest safe integer is a watermark, though no seq."""
    check_cover([], 0, 0)
    check_cover([], 7, 7)
    check_cover([plain(MAX)], MAX, MAX + 1)


def test_projections_are_passed_on_and_parsed_when_asked():
    """Their text is the host's; a value is made for whoever looks."""
    derived = Projections(as_of_seq=-1, values=b'{"title":"\\ud83d"}')
    page = HistoryPage(records=(), has_more=False, from_seq=0, to_seq=0, projections=derived)

    assert page.projections.value() == {"title": "\ud83d"}
    assert page.events() == []
