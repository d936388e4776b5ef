"""Selecting pages: the library against the naive oracle, and pages that chain."""

import json
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_pages
from histbench.errors import InvalidLog, UsageError
from histbench.history import HistoryPage, encode_page, select_page
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.rows import Row
from histbench.store import read_log
from history_logs import event_logs, layouts
from synthetic import generate

LIMITS = st.fixed_dictionaries(
    {"max_messages": st.sampled_from([1, 1, 2, 3, 50])},
    optional={
        "max_events": st.integers(1, 30),
        "max_bytes": st.integers(1, 250) | st.integers(250, 3000),
    },
)


def check_same_page(page: HistoryPage, wanted: oracle_pages.Page) -> None:
    """The page is the oracle's, event by event and byte by byte."""
    assert page.events() == wanted.events
    assert (page.has_more, page.from_seq, page.to_seq, page.cut) == wanted[1:]
    assert encode_page(page) == oracle_pages.encode(wanted)


def chained(log: EventLog, **limits: int) -> list[HistoryPage]:
    """All pages of a log, newest first."""
    pages = [select_page(log, **limits)]
    while pages[-1].has_more:
        pages.append(select_page(log, before_seq=pages[-1].from_seq, **limits))
    return pages


@given(events=event_logs(), limits=LIMITS)
def test_every_page_of_every_layout_is_the_oracles(events, limits) -> None:
    """Whatever a log is stored as and wherever a page ends, it holds what docs/history.md says."""
    logs = list(layouts(events))
    start = events[0]["seq"] if events else 0
    for before_seq in [None, 0, *range(max(0, start - 1), start + len(events) + 2)]:
        wanted = oracle_pages.select(events, before_seq=before_seq, **limits)
        pages = [select_page(log, before_seq=before_seq, **limits) for log in logs]

        check_same_page(pages[0], wanted)
        assert all(encode_page(page) == encode_page(pages[0]) for page in pages)


@given(events=event_logs(), limits=LIMITS)
def test_concatenated_pages_are_the_log(events, limits) -> None:
    """Pages chain by `before_seq` without gap or overlap, whatever ended them."""
    log = EventLog.from_events(events)
    pages = chained(log, **limits)

    assert list(chain.from_iterable(page.events() for page in reversed(pages))) == events
    assert all(older.to_seq == newer.from_seq for newer, older in pairwise(pages))
    assert pages[-1].from_seq == log.from_seq


@given(events=event_logs().filter(bool), max_bytes=st.integers(1, 2000))
def test_a_budget_is_kept_or_one_event_is_larger(events, max_bytes) -> None:
    """No page is a dead end: what fits in no budget is served alone, and says so."""
    for page in chained(EventLog.from_events(events), max_bytes=max_bytes):
        fits = len(encode_page(page)) <= max_bytes

        assert fits or (page.cut == "oversize" and page.to_seq - page.from_seq == 1)
        assert page.to_seq > page.from_seq


def test_pages_of_generated_sessions_are_the_oracles() -> None:
    """The same on a session with turns, tools and interruptions, at every tenth seq."""
    events = list(generate("quick", 3))
    log = EventLog.from_events(events)
    for before_seq in range(0, len(events) + 10, 10):
        wanted = oracle_pages.select(events, before_seq=before_seq, max_messages=4)
        page = select_page(log, before_seq=before_seq, max_messages=4)

        assert page.from_seq == wanted.from_seq
        assert page.has_more == wanted.has_more
        if before_seq % 500 == 0:
            check_same_page(page, wanted)


@pytest.mark.slow
def test_every_seq_of_a_generated_session_begins_the_oracles_page() -> None:
    """Every `before_seq`, cuts inside rows included; the oracle's walk is shared between them."""
    events = list(generate("quick", 5))
    log = EventLog.from_events(events)
    cuts = [(e["seq"], cut) for e in events if (cut := oracle_pages.cut_of(e)) is not None]
    for before_seq in range(len(events) + 1):
        counted = [cut for seq, cut in cuts if seq < before_seq][-7:]
        start = counted[0] if len(counted) == 7 else 0
        page = select_page(log, before_seq=before_seq, max_messages=7)

        assert (page.from_seq, page.to_seq) == (start if before_seq else 0, before_seq)
        assert page.has_more == (start > 0 and before_seq > 0)


@pytest.mark.slow
def test_pages_of_corpus_logs_are_the_oracles(corpus: Path) -> None:
    """Logs that real programs wrote page as the oracle says."""
    paths = sorted(chain(corpus.rglob("*.jsonl"), corpus.rglob("*.jsonl.zst*")))
    compared = 0
    for path in paths:
        try:
            log = read_log(path)
        except InvalidLog:
            continue
        if not log.dense or not 0 < len(log) < 2_000:
            continue
        events = [json.loads(encode(event)) for event in log]
        for before_seq in range(log.from_seq, log.to_seq + 1, max(1, len(log) // 60)):
            wanted = oracle_pages.select(events, before_seq=before_seq, max_messages=3)
            page = select_page(log, before_seq=before_seq, max_messages=3)
            compared += 1

            assert page.events() == wanted.events
            assert (page.has_more, page.from_seq, page.to_seq, page.cut) == wanted[1:]
    assert compared


def run_of(count: int, text: str = "word") -> list[dict]:
    """One run of deltas from seq 0."""
    return [
        {
            "type": "assistant/chunk",
            "seq": seq,
            "time": 1_000 + seq,
            "data": {
                "turn": 1,
                "step": 1,
                "chunk": {"type": "text-delta", "index": 0, "text": text},
            },
        }
        for seq in range(count)
    ]


def test_a_cut_inside_a_row_leaves_a_row() -> None:
    """The newest members of a row are a row of their own, with their own first time."""
    page = select_page(EventLog.from_events(run_of(1000)), before_seq=990, max_events=100)

    (row,) = page.records
    assert isinstance(row, Row)
    assert (row.seq0, row.count, row.time0, page.cut) == (890, 100, 1890, "events")


@pytest.mark.parametrize("text", ["", "w", 'ein "Wort"', "\\", ","])
def test_budgets_cut_long_rows_as_the_oracle_does(text: str) -> None:
    """From less than one event to all of them, members that need escapes included."""
    events = run_of(60, text)
    log = EventLog.from_events(events)
    for max_bytes in [*range(110, 420, 31), *range(420, 1700, 160)]:
        for before_seq in (None, 47):
            wanted = oracle_pages.select(events, before_seq=before_seq, max_bytes=max_bytes)

            check_same_page(select_page(log, before_seq=before_seq, max_bytes=max_bytes), wanted)


def test_what_a_cut_leaves_of_a_row_may_be_too_short_for_one() -> None:
    """Two members left are two events, as they would be in a log."""
    page = select_page(EventLog.from_events(run_of(10)), max_events=2)

    assert [record.seq for record in page.records] == [8, 9]


def test_an_event_larger_than_the_budget_is_served_alone() -> None:
    """A page is never a dead end; the next one goes on behind it."""
    log = EventLog.from_events(run_of(2, "x" * 500))
    newest = select_page(log, max_bytes=100)
    older = select_page(log, before_seq=newest.from_seq, max_bytes=100)

    assert (newest.from_seq, newest.to_seq, newest.cut, newest.has_more) == (1, 2, "oversize", True)
    assert (older.from_seq, older.to_seq, older.cut, older.has_more) == (0, 1, "oversize", False)


def test_a_page_begins_at_its_messages_first_source() -> None:
    """The chunks that a message was made from belong to its page, however many there are."""
    message = {
        "type": "assistant/message",
        "seq": 900,
        "time": 0,
        "data": {},
        "sourceEventSeqs": list(range(100, 900)),
        "surfaceOp": "append",
    }
    page = select_page(EventLog.from_events([*run_of(900), message]), max_messages=1)

    assert (page.from_seq, page.to_seq, page.has_more) == (100, 901, True)
    assert [record.count for record in page.records] == [800, 1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("before_seq", -1),
        ("before_seq", 1.0),
        ("before_seq", True),
        ("before_seq", 2**53),
        ("max_messages", 0),
        ("max_messages", None),
        ("max_messages", "50"),
        ("max_events", 0),
        ("max_bytes", -5),
    ],
)
def test_a_limit_that_is_none_is_refused_by_name(name: str, value: object) -> None:
    """Each parameter has a code of its own."""
    with pytest.raises(UsageError) as caught:
        select_page(EventLog.from_events([]), **{name: value})

    assert caught.value.code == f"bad_{name}"


def test_a_log_with_a_gap_has_no_pages() -> None:
    """An interval of seqs means nothing where seqs are missing; the gap is named."""
    events = run_of(5)
    with pytest.raises(InvalidLog) as caught:
        select_page(EventLog.from_events(events[:2] + events[3:]))

    assert (caught.value.code, caught.value.where.seq) == ("seq_gap", 3)
