"""Live events in the shell: what is appended is shown, whatever happens to the stream."""

from browser_pages import opened
from daemon import running_daemon
from growing_transcript import append, begin, wait_until_live
from histbench.store import LogWriter
from transcript_files import record_line

STEP = {"turn": 1, "step": 0}


def test_a_stream_goes_on_where_it_was_cut(browser, tmp_path):
    """The daemon ends and comes back: nothing is missing, twice, or loaded anew."""
    session = begin(tmp_path, "bbbbbbbb-0000-4000-8000-000000000001")
    with running_daemon(tmp_path) as daemon, opened(browser, daemon) as shell:
        shell.open(session)
        wait_until_live(shell)
        append(tmp_path, session, record_line("n0", "r29", text="while it is open"))
        shell.wait_for_record("n0")
        at_end = "t => t.scrollHeight - t.scrollTop - t.clientHeight <= 1"
        assert shell.page.locator("#transcript").evaluate(at_end)
        shell.failures_are_expected = True
        daemon.kill()
        shell.page.get_by_text("Offline — trying again").wait_for()
        append(tmp_path, session, record_line("n1", "n0", kind="assistant", text="meanwhile"))
        daemon.start()
        shell.wait_for_record("n1")

        assert shell.records().count("n0") == 1
        assert sum(each.endswith("/load") for each in shell.requests) == 1


def test_a_scroll_is_heard_though_the_stream_opens_meanwhile(shell):
    """Each opening draws several times; whoever is up and away by then is not taken back."""
    for _ in range(8):
        shell.open()
        asked = shell.pages_asked()
        shell.scroll_to(0)
        shell.wait_for(lambda asked=asked: shell.pages_asked() > asked)
        shell.page.goto("about:blank")


def test_a_reader_further_up_is_left_where_he_is(root, shell):
    """The new records are there when he comes down."""
    session = begin(root, "bbbbbbbb-0000-4000-8000-000000000002")
    shell.page.set_viewport_size({"width": 1280, "height": 420})
    shell.open(session)
    wait_until_live(shell)
    shell.scroll_to(300)
    shell.page.wait_for_timeout(60)
    append(root, session, record_line("n0", "r29", text="more"))
    shell.wait_for_record("n0")

    assert shell.page.locator("#transcript").evaluate("t => t.scrollTop") == 300
    shell.page.get_by_role("button", name="Return to latest").click()
    assert shell.page.locator("article[data-record='n0']").is_visible()


def test_a_conversation_that_went_back_is_loaded_anew(root, shell):
    """What was abandoned is not shown any more."""
    session = begin(root, "bbbbbbbb-0000-4000-8000-000000000003")
    shell.open(session)
    wait_until_live(shell)
    append(root, session, record_line("n0", "r9", text="on from here"))
    shell.wait_for_record("n0")
    shell.page.locator("button.turn", has_text="on from here").wait_for()

    assert "r29" not in shell.records()
    assert "r8" in shell.records()


def test_turns_that_cannot_be_listed_are_told_once_and_in_sight(root, shell):
    """However many come meanwhile; asked for again, all of them are there."""
    session = begin(root, "bbbbbbbb-0000-4000-8000-000000000004")
    shell.page.set_viewport_size({"width": 1280, "height": 420})
    shell.open(session)
    wait_until_live(shell)
    shell.page.locator("button.turn").first.wait_for()
    shell.failures_are_expected = True
    refusal = '{"error":"not now","code":"storage_failed"}'
    shell.page.route(
        "**/turn-index?**",
        lambda route: route.fulfill(status=503, content_type="application/json", body=refusal),
    )
    failure = shell.page.locator("#turns .failure")
    for at in range(3):
        append(
            root, session, record_line(f"n{at}", f"n{at - 1}" if at else "r29", text=f"new {at}")
        )
        shell.wait_for_record(f"n{at}")
        failure.wait_for()

    assert failure.count() == 1
    assert 52 <= failure.bounding_box()["y"] < 420 - failure.bounding_box()["height"]
    shell.page.unroute("**/turn-index?**")
    failure.get_by_role("button", name="Try again").click()
    shell.page.locator("button.turn", has_text="new 2").wait_for()
    assert failure.count() == 0


def test_a_session_log_streams_its_deltas(root, shell):
    """Text appears as it is written, once, and the message that follows adds nothing."""
    with LogWriter.create(root, session_id="live", created_at=5, cwd="/x") as writer:
        writer.append([_event("user/message", 0, _user("first"))])
        writer.flush()
        shell.open("live")
        wait_until_live(shell)
        deltas = [_delta(seq, f"w{seq} ") for seq in range(2, 8)]
        writer.append([_event("step/start", 1, STEP), *deltas])
        writer.flush()
        shell.page.get_by_text("w2 w3 w4 w5 w6 w7").wait_for()
        text = "".join(f"w{seq} " for seq in range(2, 8))
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        writer.append([_event("assistant/message", 8, {**STEP, "message": message})])
        writer.append([_event("user/message", 9, _user("second"))])
        writer.flush()
        shell.page.locator("#blocks").get_by_text("second", exact=True).wait_for()

        assert shell.page.locator("#blocks").inner_text().count("w2 w3") == 1


def _event(kind, seq, data):
    return {"type": kind, "seq": seq, "time": 1_700_000_000_000 + seq, "data": data}


def _delta(seq, text):
    chunk = {"type": "text-delta", "index": 0, "text": text}
    return _event("assistant/chunk", seq, {**STEP, "chunk": chunk})


def _user(text):
    return {"content": [{"type": "text", "text": text}], "source": {"kind": "user"}}
