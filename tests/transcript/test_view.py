"""TranscriptView: each thing that went wrong for somebody, once."""

import pytest

from histbench.errors import UsageError
from histbench.transcript.view import MAX_AUTOMATIC, TranscriptView
from view_host import SESSION, Host

TALK = "uatsa" * 20


def opened(kinds=TALK, **options):
    """A host, and a view that shows its newest page."""
    host, view = Host(kinds), TranscriptView(SESSION, **{"page_size": 5, **options})
    view.open()
    answer(host, view)
    return host, view


def answer(host, view, **changes):
    """Answer what the view asks for; the request."""
    [request] = view.take_requests()
    view.receive(request, host.answer(request) | changes)
    return request


def shown(view):
    """The records on show, in order, each once."""
    return list(dict.fromkeys(each for block in view.blocks for each in block.record_ids))


def with_updates(host, start, stop):
    """The records that are shown as something."""
    return [f"r{place}" for place in range(start, stop) if host.updates_of(place)]


def page_through(host, view):
    """Load older pages until there are none."""
    while view.load_older():
        answer(host, view)


def test_pages_are_put_before_what_is_shown_until_the_first_record():
    """And nothing of the session is missing then, or there twice."""
    host, view = opened()
    page_through(host, view)

    assert shown(view) == with_updates(host, 0, len(TALK))
    assert (view.has_older, view.boundary, view.failure) == (False, "r0", None)
    assert len({block.ordinal for block in view.blocks}) == len(view.blocks)


def test_a_load_is_one_reset_with_its_watermark():
    """What is shown stays until the answer is there."""
    host, view = opened()
    before = view.blocks
    host.kinds += "ua"
    view.open()
    while_loading = view.blocks
    answer(host, view)

    assert while_loading == before
    assert (view.last_event_id, view.epoch) == (102, "e")
    assert shown(view)[-1] == "r101"


@pytest.mark.parametrize("late", ["closed", "reopened", "failed", "twice"])
def test_a_late_answer_is_ignored(late):
    """To an earlier generation, to one that was given up, or a second time."""
    host, view = opened()
    view.load_older()
    [request] = view.take_requests()
    if late == "closed":
        view.close()
    elif late == "reopened":
        view.open()
    elif late == "failed":
        view.fail(request)
    else:
        view.receive(request, host.answer(request))
    before = view.blocks

    assert not view.receive(request, host.answer(request))
    assert not view.fail(request)
    assert view.blocks == before


def test_one_request_is_under_way():
    """Two scrolls do not prepend twice, and each request is handed out once."""
    _, view = opened()

    assert view.load_older()
    assert not view.load_older()
    assert len(view.take_requests()) == 1
    assert view.take_requests() == []
    assert view.loading == "older"


def test_a_refused_cursor_is_replaced_by_the_boundary():
    """Its key is gone: paging goes on from the same place, and starts nothing over."""
    host, view = opened()
    view.load_older()
    answer(host, view)
    view.load_older()
    [request] = view.take_requests()
    boundary = view.boundary
    assert request.parameters() == {"cursor": request.cursor, "limit": 5}
    assert request.cursor is not None
    view.fail(request, "invalid_transcript_cursor", status=400)
    [again] = view.take_requests()

    assert (again.cursor, again.before_record_id) == (None, boundary)
    assert again.parameters() == {"beforeRecordId": boundary, "limit": 5}
    view.fail(again, "invalid_transcript_cursor", status=400)
    assert view.take_requests() == []
    assert not view.can_load_older


@pytest.mark.parametrize(("status", "retryable"), [(None, True), (500, True), (429, True)])
def test_a_passing_failure_can_be_asked_over(status, retryable):
    """By the reader; not by whatever fills the window."""
    _, view = opened()
    view.load_older()
    view.fail(view.take_requests()[0], "busy", status=status)

    assert view.failure.retryable is retryable
    assert view.has_older
    assert not view.load_older(automatic=True)
    assert view.load_older()


@pytest.mark.parametrize("status", [400, 401, 404, 409, 410, 413])
def test_a_lasting_failure_stays_until_it_is_retried(status):
    """What is shown stays as it was; the retry asks for the same page."""
    host, view = opened()
    before, boundary = view.blocks, view.boundary
    view.load_older()
    view.fail(view.take_requests()[0], "transcript_snapshot_unavailable", status=status)

    assert not view.load_older()
    assert view.blocks == before
    assert view.has_older
    view.retry()
    assert view.failure is None
    assert answer(host, view).before_record_id == boundary
    assert len(view.blocks) > len(before)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"partial": True}, "page_partial"),
        ({"replayError": "broken"}, "page_partial"),
        ({"sessionId": "another"}, "page_foreign"),
        ({"events": [], "firstRecordId": None, "nextCursor": None}, "page_stalled"),
        ({"firstRecordId": "r95", "nextCursor": None}, "page_stalled"),
    ],
)
def test_a_page_that_is_not_whole_changes_nothing(changes, code):
    """An empty page is no end, and a part of one is no page."""
    host, view = opened()
    before, boundary = view.blocks, view.boundary
    assert boundary == "r95"
    view.load_older()
    answer(host, view, **changes)

    assert view.failure.code == code
    assert not view.failure.retryable
    assert (view.blocks, view.boundary, view.has_older) == (before, boundary, True)


@pytest.mark.parametrize("value", [None, [], "x", {"events": 5}, {"events": [5, {"type": 5}]}])
def test_no_answer_crashes(value):
    """Whatever a daemon sends."""
    _, view = opened()
    view.load_older()
    view.receive(view.take_requests()[0], value)

    assert shown(view)


def test_a_page_without_anything_to_show_is_passed():
    """A hundred records of bookkeeping are a page too."""
    host, view = opened("u" + "s" * 40 + "ua")
    page_through(host, view)

    assert shown(view) == ["r0", "r41", "r42"]
    assert view.failure is None


def test_malformed_events_are_skipped_and_told():
    """One bad event does not cost the page."""
    host, view = opened()
    view.load_older()
    [request] = view.take_requests()
    page = host.answer(request)
    page["events"] += [{"type": "session_update", "data": 5}, {"type": "session_update"}]
    view.receive(request, page)
    view.receive_updates(
        [{"sessionUpdate": 5}, 5, {"sessionUpdate": "plan", "n": float("nan")}],
        generation=view.generation,
    )

    assert view.notices == {"malformed_event": 5}
    assert view.failure is None


def test_what_is_shown_is_not_shown_twice():
    """A boundary that lies too late brings records again; they are left out and told."""
    host, view = opened()
    view.load_older()
    [request] = view.take_requests()
    page = host.answer(request)
    page["events"] += host.events(95, 100)
    view.receive(request, page)

    assert shown(view) == with_updates(host, 90, 100)
    assert view.notices == {"already_shown": len(host.updates(95, 100))}


def test_a_page_that_does_not_fit_is_not_shown_at_all():
    """And the view says why there are no more."""
    host, view = opened(max_blocks=12)
    view.load_older()
    answer(host, view)
    before = view.blocks
    while view.load_older():
        answer(host, view)

    assert view.capacity_reached
    assert view.has_older
    assert len(view.blocks) <= 12
    assert view.blocks[-len(before) :] == before
    assert not view.can_load_older


def test_a_first_page_is_shown_whole():
    """However small the bound; then nothing is put before it."""
    host, view = opened(max_bytes=1)

    assert shown(view) == with_updates(host, 95, 100)
    assert view.capacity_reached
    assert not view.load_older()


def test_live_updates_push_out_the_oldest_records():
    """Whole ones; the boundary moves with them, and paging goes on from there."""
    host, view = opened(max_blocks=20)
    page_through(host, view)
    view.follow()
    view.load_older(automatic=True)
    for _ in range(30):
        host.kinds += "uat"
        grown = host.updates(len(host.kinds) - 3, len(host.kinds))
        view.receive_updates(grown, last_event_id=len(host.kinds), generation=view.generation)
    first = int(view.boundary[1:])

    assert len(view.blocks) <= 20
    assert view.has_older
    assert shown(view) == with_updates(host, first, len(host.kinds))
    assert sorted(u["_meta"]["qwen.session.recordId"] for b in view.blocks for u in b.updates) == (
        sorted(u["_meta"]["qwen.session.recordId"] for u in host.updates(first, len(host.kinds)))
    )


def test_a_request_that_would_end_before_what_was_dropped_is_given_up():
    """Its page would leave a hole."""
    host, view = opened(max_blocks=12)
    view.load_older(automatic=True)
    [request] = view.take_requests()
    for _ in range(9):
        host.kinds += "u"
        view.receive_updates(
            host.updates(len(host.kinds) - 1, len(host.kinds)), generation=view.generation
        )

    assert view.loading is None
    assert not view.receive(request, host.answer(request))


def test_a_reader_at_the_older_end_keeps_what_was_loaded():
    """The newer end is let go, and comes back when the reader does."""
    host, view = opened(max_blocks=18)
    view.load_older()
    answer(host, view)
    loaded = shown(view)[:6]
    for _ in range(9):
        host.kinds += "ua"
        grown = host.updates(len(host.kinds) - 2, len(host.kinds))
        view.receive_updates(grown, last_event_id=len(host.kinds), generation=view.generation)

    assert shown(view)[:6] == loaded
    assert len(view.blocks) <= 18
    assert view.has_newer
    view.follow()
    answer(host, view)
    assert not view.has_newer
    assert shown(view)[-1] == f"r{len(host.kinds) - 1}"


def test_a_watermark_is_not_passed_twice():
    """A stream that begins again sends what is known; so does one of another generation."""
    host, view = opened()
    updates = host.events(98, 100)
    before = view.blocks

    assert not view.receive_updates(updates, last_event_id=100, generation=view.generation)
    assert not view.receive_updates(updates, last_event_id=101, generation=view.generation - 1)
    assert view.blocks == before
    assert view.receive_updates(updates, last_event_id=101, generation=view.generation)


def test_a_call_and_its_result_are_one_block_although_a_page_was_cut_between():
    """The block that is shown gets the call; live updates still find it."""
    host, view = opened("ua" + "tttttttttt", page_size=1)
    alone = view.blocks[-1]
    page_through(host, view)
    view.receive_updates(
        [{"sessionUpdate": "tool_call_update", "toolCallId": "c1"}], generation=view.generation
    )

    tools = [block for block in view.blocks if block.kind == "tool"]
    assert tools == [alone]
    assert alone.updates[0]["sessionUpdate"] == "tool_call"
    assert len(alone.updates) == 12


def test_chunks_of_one_segment_are_one_block():
    """Live chunks too, which name no record."""
    _, view = opened()
    count = len(view.blocks)
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
    named = chunk | {"_meta": {"qwenTranscript": {"segmentId": "s:0"}}}
    view.receive_updates([chunk, chunk, named, named, chunk], generation=view.generation)
    view.receive_updates([{"sessionUpdate": "plan"}, {"sessionUpdate": "plan"}], generation=1)

    assert [len(block.updates) for block in view.blocks[count:]] == [2, 2, 1, 1, 1]


def test_a_view_that_nothing_names_says_so():
    """Live updates without records push everything else out; there is no place to go on from."""
    _, view = opened(max_blocks=5)
    for _ in range(9):
        view.receive_updates([{"sessionUpdate": "plan"}], generation=view.generation)

    assert len(view.blocks) <= 5
    assert not view.load_older()
    assert view.failure.code == "no_anchor"


def test_a_window_is_not_filled_for_ever():
    """What nobody asked for ends; whoever asks may go on."""
    host, view = opened("u" * 500, page_size=1)
    pages = 0
    while view.load_older(automatic=True):
        answer(host, view)
        pages += 1

    assert pages == MAX_AUTOMATIC
    assert view.load_older()
    answer(host, view)
    assert view.load_older(automatic=True)


def test_a_record_that_no_page_can_hold_is_passed_over():
    """It is shown as missing, and what lies before it is not lost."""
    host, view = opened()
    view.load_older()
    view.fail(view.take_requests()[0], "transcript_page_too_large", status=413, beyond="r94")
    view.pass_over()
    request = answer(host, view)

    assert request.before_record_id == "r94"
    assert [block.record_ids for block in view.blocks if block.kind == "unavailable"] == [["r94"]]
    assert shown(view)[-4:] == with_updates(host, 94, 100)[-4:]


def test_where_a_load_was_cut_is_where_older_pages_end():
    """The first event's record; without one the marker's, and then the anchor."""
    _, view = opened()
    marker = {"type": "history_truncated", "data": {"recordId": "r50"}}
    boundaries = []
    for events in ([marker, *Host(TALK).events(60, 61)], [marker], []):
        view.open()
        [request] = view.take_requests()
        loaded = {"compactedReplay": events, "historyHasMore": False}
        view.receive(request, loaded | {"historyAnchorRecordId": "r40"})
        boundaries.append((view.boundary, view.has_older))

    assert boundaries == [("r60", True), ("r50", True), ("r40", False)]


def test_a_failed_load_can_be_retried():
    """It leaves what was shown."""
    host, view = opened()
    before = view.blocks
    view.open()
    view.fail(view.take_requests()[0], status=503)

    assert (view.state, view.blocks) == ("opening", before)
    view.retry()
    assert answer(host, view).parameters() == {"historyPageSize": 5}
    assert view.state == "open"


def test_a_closed_view_is_empty():
    """And asks for nothing."""
    _, view = opened()
    view.load_older()
    view.close()
    view.retry()
    view.pass_over()
    view.follow()

    assert (view.blocks, view.byte_size, view.state) == ((), 0, "closed")
    assert view.take_requests() == []
    assert not view.receive_updates([{"sessionUpdate": "plan"}], generation=view.generation)


@pytest.mark.parametrize("options", [{"page_size": 0}, {"page_size": 501}])
def test_a_page_size_is_one_that_daemons_take(options):
    """Clamped at neither end: refused at this one too."""
    with pytest.raises(UsageError) as caught:
        TranscriptView(SESSION, **options)

    assert caught.value.code == "invalid_transcript_limit"


@pytest.mark.parametrize("options", [{"max_blocks": 0}, {"max_bytes": 0}])
def test_a_view_shows_something(options):
    """A bound of nothing is a mistake."""
    with pytest.raises(UsageError) as caught:
        TranscriptView(SESSION, **options)

    assert caught.value.code == "bad_view_bound"


def test_a_dropped_call_leaves_the_result_that_came_later():
    """The result's record is shown still, so what it holds is not lost with the call's."""
    host, view = opened("ua" + "u" * 8, page_size=10, max_blocks=10)
    host.kinds += "t"
    view.receive_updates(host.updates(10, 11), generation=view.generation)
    host.kinds += "u" * 4
    view.receive_updates(host.updates(11, 15), generation=view.generation)
    first = int(view.boundary[1:])

    assert first > 1
    assert shown(view) == with_updates(host, first, 15)
    [kept] = [block for block in view.blocks if block.kind == "tool"]
    assert kept.record_ids == ["r10"]
    page_through(host, view)
    assert kept in view.blocks
