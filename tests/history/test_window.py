"""HistoryWindow by example: stitching, gaps, faults, retention, and dishonest hosts."""

import pytest
from msgspec import structs

from histbench.errors import InvalidEvent, UsageError
from histbench.fold import fold_assistant
from histbench.history import HistoryPage, HistoryWindow, PageRequest, Projections, select_page
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.rows import RowHead
from history_host import answer, delta, events_of, message, opened, read_to_the_start, serve


def only(window: HistoryWindow) -> PageRequest:
    """The one request that the window wants sent."""
    (request,) = window.take_requests()
    return request


def test_a_window_opens_with_the_newest_page_and_grows_to_the_log() -> None:
    """Older pages stitch by watermark until there is no more."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)

    assert (window.from_seq, window.to_seq, window.has_more) == (49, 60, True)
    read_to_the_start(window, log)
    assert (window.events(), window.has_more, window.epoch) == (list(log), False, 2)


def test_live_events_during_opening_are_appended_once() -> None:
    """Frames that the newest page holds already are dropped, later ones follow it."""
    events = events_of(20)
    window = HistoryWindow("s")
    window.open()
    request = only(window)
    for event in events[10:]:
        assert not window.receive_event(event, generation=window.generation)
    window.receive(request, answer(EventLog.from_events(events[:15]), request))

    assert window.events() == events
    assert window.take_requests() == []


def test_a_newest_page_that_is_too_old_is_asked_for_once_more() -> None:
    """The host's word on its end, or a frame further on, makes the window ask again."""
    events = events_of(20)
    window = HistoryWindow("s")
    window.open()
    request = only(window)
    window.log_ends_at(20, generation=window.generation)
    window.receive(request, answer(EventLog.from_events(events[:12]), request))
    again = only(window)
    assert (again.kind, again.before_seq, window.has_newer) == ("newest", None, True)
    window.receive(again, answer(EventLog.from_events(events), again))

    assert window.events() == events
    assert not window.has_newer


def test_a_host_that_lags_is_a_fault_and_no_loop() -> None:
    """If the newest page does not close the gap, that is shown; the next frame asks again."""
    events = events_of(20)
    old = EventLog.from_events(events[:12])
    window = opened(old)
    window.receive_event(events[15], generation=window.generation)
    request = only(window)
    window.receive(request, answer(old, request))

    assert window.faults["newest"].code == "gap_unrepaired"
    assert window.take_requests() == []
    window.receive_event(events[16], generation=window.generation)
    serve(window, EventLog.from_events(events))
    assert (window.events(), dict(window.faults)) == (events, {})


def test_frames_out_of_order_close_their_own_gap() -> None:
    """A frame that was early waits; once the missing one is there, nothing is missing."""
    events = events_of(10)
    window = opened(EventLog.from_events(events[:6]))
    generation = window.generation

    assert [window.receive_event(events[k], generation=generation) for k in (8, 7, 9, 6)] == [
        False,
        False,
        False,
        True,
    ]
    assert window.events() == events
    assert not window.has_newer


def test_known_events_are_dropped() -> None:
    """Deduplication goes by seq."""
    events = events_of(10)
    window = opened(EventLog.from_events(events))

    assert not any(window.receive_event(e, generation=window.generation) for e in events)
    assert window.events() == events


def test_a_gap_that_a_page_overlaps_keeps_what_was_loaded() -> None:
    """Repair grows the window; its older part stays."""
    events = events_of(60)
    window = opened(EventLog.from_events(events[:40]), max_messages=2)
    from_seq = window.from_seq
    window.receive_event(events[45], generation=window.generation)
    serve(window, EventLog.from_events(events[:46]))

    assert (window.from_seq, window.to_seq, window.epoch) == (from_seq, 46, 2)
    assert window.events() == events[from_seq:46]


def test_a_gap_wider_than_a_page_begins_the_window_anew() -> None:
    """A reader at the live end is taken there; what is older can be asked for again."""
    events = events_of(200)
    window = opened(EventLog.from_events(events[:40]), max_messages=2)
    window.receive_event(events[199], generation=window.generation)
    serve(window, EventLog.from_events(events))

    assert (window.to_seq, window.has_more, window.epoch) == (200, True, 3)
    assert window.events() == events[window.from_seq :]


def test_a_wide_gap_does_not_take_a_readers_older_pages() -> None:
    """Who reads older pages keeps them, is told of newer events, and follows when they want."""
    events = events_of(200)
    log = EventLog.from_events(events)
    window = opened(EventLog.from_events(events[:40]), max_messages=2)
    window.load_older()
    serve(window, log)
    held = (window.from_seq, window.to_seq)
    window.receive_event(events[199], generation=window.generation)
    serve(window, log)

    assert (window.from_seq, window.to_seq, window.has_newer) == (*held, True)
    window.follow()
    serve(window, log)
    assert (window.to_seq, window.has_newer) == (200, False)


def test_a_discontinuous_page_is_a_fault_and_not_the_end() -> None:
    """The page is dropped, `has_more` stays, and a retry asks for the right one again."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)
    window.load_older()
    request = only(window)
    taken = window.receive(request, select_page(log, before_seq=30, max_messages=2))

    assert not taken
    assert window.faults["older"].code == "page_discontinuous"
    assert (window.has_more, window.from_seq) == (True, 49)
    window.retry()
    serve(window, log)
    assert (dict(window.faults), window.from_seq) == ({}, 35)


def test_an_empty_page_before_which_there_is_more_is_a_fault() -> None:
    """A host that says so would be asked forever."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)
    window.load_older()
    empty = HistoryPage(records=(), has_more=True, from_seq=49, to_seq=49)

    assert not window.receive(only(window), empty)
    assert (window.faults["older"].code, window.has_more) == ("page_empty", True)


def test_an_empty_last_page_only_ends_the_log() -> None:
    """Nothing before the window: no more, and no fault."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)
    window.load_older()
    empty = HistoryPage(records=(), has_more=False, from_seq=49, to_seq=49)

    assert window.receive(only(window), empty)
    assert (dict(window.faults), window.has_more, window.from_seq) == ({}, False, 49)


def test_a_failed_request_is_shown_until_it_is_retried() -> None:
    """No reply is no answer."""
    log = EventLog.from_events(events_of(60))
    window = HistoryWindow("s")
    window.open()
    assert window.fail(only(window), "connection reset")
    assert (window.state, window.faults["newest"].message) == ("opening", "connection reset")
    window.retry()
    serve(window, log)

    assert (window.state, dict(window.faults), window.to_seq) == ("open", {}, 60)


def test_a_reply_counts_only_once_and_only_for_its_request() -> None:
    """A second copy, an earlier generation and another session change nothing."""
    log = EventLog.from_events(events_of(60))
    other = HistoryWindow("other", max_messages=2)
    other.open()
    window = opened(log, max_messages=2)
    window.load_older()
    request = only(window)
    page = answer(log, request)
    foreign = only(other)

    assert not window.receive(foreign, answer(log, foreign))
    assert not window.fail(foreign)
    assert window.receive(request, page)
    assert not window.receive(request, page)
    assert (window.from_seq, window.events()) == (35, list(log)[35:])
    window.load_older()
    stale = only(window)
    window.open()
    assert not window.receive(stale, answer(log, stale))
    assert not window.receive_event(events_of(61)[60], generation=stale.generation)


def test_one_page_of_a_kind_is_under_way_at_a_time() -> None:
    """Asking twice asks once; asking for what is not there does not ask."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)
    window.load_older()
    window.load_older()

    assert len(window.take_requests()) == 1
    window.load_newer()
    assert window.take_requests() == []


def test_a_closed_window_hears_nothing() -> None:
    """Replies and frames still under way are ignored."""
    log = EventLog.from_events(events_of(60))
    window = opened(log, max_messages=2)
    window.load_older()
    request = only(window)
    window.close()
    window.load_older()
    window.log_ends_at(100, generation=window.generation)

    assert not window.receive(request, answer(log, request))
    assert not window.receive_event(message(63), generation=window.generation)
    assert (window.state, window.records(), window.waiting) == ("closed", (), ())


def test_trimming_takes_the_oldest_under_a_reader_who_follows() -> None:
    """A long live stream stays near the limit, and what was trimmed can be had again."""
    events = events_of(3_000)
    window = opened(EventLog.from_events(events[:60]), max_messages=2, retain_events=50)
    for event in events[60:]:
        window.receive_event(event, generation=window.generation)

    assert window.to_seq - window.from_seq <= 50 + 11 + 7
    assert (window.to_seq, window.has_more, window.has_newer) == (3_000, True, False)
    assert window.events() == events[window.from_seq :]


def test_trimming_never_takes_the_page_just_loaded() -> None:
    """Under a reader of older pages the live end is let go instead, and shown."""
    events = events_of(400)
    log = EventLog.from_events(events[:200])
    window = opened(log, max_messages=2, retain_events=10)
    for _ in range(3):
        window.load_older()
        asked = only(window)
        page = answer(log, asked)
        window.receive(asked, page)
        assert window.from_seq == page.from_seq
        assert window.to_seq >= page.to_seq
    for event in events[200:]:
        window.receive_event(event, generation=window.generation)

    assert (window.from_seq, window.has_newer) == (page.from_seq, True)
    assert window.to_seq - window.from_seq <= 10 + 14 + 7
    assert window.events() == events[window.from_seq : window.to_seq]


def test_what_was_let_go_is_read_forwards_without_a_gap() -> None:
    """`load_newer` begins where the window ends, whatever the limits of a page are."""
    events = events_of(300)
    log = EventLog.from_events(events)
    window = opened(log, max_messages=3, max_bytes=700, retain_events=20)
    while window.has_more:
        window.load_older()
        serve(window, log)
    assert window.from_seq == 0
    while window.has_newer:
        before = window.to_seq
        window.load_newer()
        serve(window, log)
        assert window.to_seq > before
        assert window.events() == events[window.from_seq : window.to_seq]

    assert window.to_seq == 300
    assert not window.receive_event(events[299], generation=window.generation)
    assert window.receive_event(message(300), generation=window.generation)


def test_a_newer_page_that_does_not_touch_is_a_fault() -> None:
    """A host that serves another interval than the one asked for is not believed."""
    log = EventLog.from_events(events_of(300))
    window = opened(log, max_messages=2, max_events=1, retain_events=5)
    for _ in range(12):
        window.load_older()
        serve(window, log)
    window.load_newer()
    request = only(window)

    assert not window.receive(request, select_page(log, before_seq=request.before_seq - 1))
    assert window.receive(request, answer(log, request)) is False
    assert window.faults["newer"].code == "page_discontinuous"
    window.retry()
    assert serve(window, log) == 1


def test_a_host_that_tells_other_events_is_believed_and_shown() -> None:
    """A log that was rewritten: the window takes the host's page, and says what happened."""
    events = events_of(30)
    window = opened(EventLog.from_events(events[:20]))
    rewritten = EventLog.from_events([*events[:10], *[delta(k, "new") for k in range(10, 30)]])
    window.receive_event(events[25], generation=window.generation)
    serve(window, rewritten)

    assert window.faults["newest"].code == "history_rewritten"
    assert window.events() == list(rewritten)
    window.receive_event(delta(30), generation=window.generation)
    assert window.faults["newest"].code == "history_rewritten"
    window.retry()
    assert dict(window.faults) == {}


def test_rows_stay_rows_and_live_deltas_become_rows() -> None:
    """The window never holds an object for each token of a stream."""
    events = [message(0), *[delta(k) for k in range(1, 5_000)]]
    window = opened(EventLog.from_events(events[:1_000]))
    for event in events[1_000:]:
        window.receive_event(encode(event), generation=window.generation)

    records = window.records()
    assert len(records) < 15
    assert sum(isinstance(record, RowHead) for record in records) == len(records) - 1
    assert window.events() == events


def test_compact_inputs_make_no_false_gap() -> None:
    """Their seqs have gaps; stitching, repair and deduplication do not look at them."""
    events = [message(0), *[delta(k, " " if k < 50 else "x") for k in range(1, 100)], message(100)]
    log = EventLog.from_events(events)
    window = opened(log, max_messages=1)
    read_to_the_start(window, log)
    inputs = window.inputs()

    assert [getattr(each, "seq", None) for each in inputs] == [0, 1, 50, 100]
    assert (window.from_seq, window.to_seq) == (0, 101)
    assert not window.receive_event(events[60], generation=window.generation)
    assert window.receive_event(message(101), generation=window.generation)
    assert fold_assistant(inputs) == fold_assistant(events)


def test_projections_come_with_the_newest_page() -> None:
    """They stay while older pages, which have none, arrive."""
    log = EventLog.from_events(events_of(60))
    derived = Projections(as_of_seq=59, values=b"{}")
    window = HistoryWindow("s", max_messages=2)
    window.open()
    request = only(window)
    window.receive(request, structs.replace(answer(log, request), projections=derived))
    read_to_the_start(window, log)

    assert window.projections == derived


def test_frames_that_hold_no_single_event_are_refused() -> None:
    """A row is no live frame; the window is as it was."""
    window = opened(EventLog.from_events(events_of(10)))
    row = {
        "type": "text-chunks",
        "seq0": 10,
        "time0": 0,
        "data": {"turn": 1, "step": 1, "index": 0, "dt": [0, 0], "texts": ["a", "b", "c"]},
    }
    for frame in (row, encode(row), {"type": "x"}):
        with pytest.raises(InvalidEvent):
            window.receive_event(frame, generation=window.generation)

    assert window.to_seq == 10


def test_a_lossy_page_and_a_negative_retention_are_refused() -> None:
    """Mistakes of the caller, by code."""
    log = EventLog.from_events(events_of(10))
    window = HistoryWindow("s")
    window.open()
    request = only(window)
    with pytest.raises(UsageError) as lossy:
        window.receive(request, structs.replace(answer(log, request), covered=False))
    with pytest.raises(UsageError) as negative:
        HistoryWindow("s", retain_events=-1)

    assert (lossy.value.code, negative.value.code) == ("lossy_page", "bad_retain_events")


def test_a_request_says_what_goes_over_the_wire() -> None:
    """Parameters that are not set are left out."""
    window = HistoryWindow("s", max_events=9)
    window.open()

    assert only(window).parameters() == {"maxMessages": 50, "maxEvents": 9}
    assert window.session_id == "s"
