"""Pages of a transcript in the shell: which come, when, and where the reader stays meanwhile."""

import json
import re

import pytest

from browser_pages import LOG, LONG, LONG_TURNS, OTHER, SESSION, SHORT

REFUSAL = {
    "status": 503,
    "content_type": "application/json",
    "body": '{"error":"not now","code":"storage_failed"}',
}


def test_sessions_are_listed_and_filtered(shell):
    """The newest change first; words of the id, the project and the kind narrow the list."""
    shell.page.goto(shell.url)
    links = shell.page.locator("#session-list a")
    links.first.wait_for()
    shell.page.get_by_label("Filter sessions").fill("0003 aaaaaaaa")
    shell.page.wait_for_timeout(50)

    assert links.count() == 1
    links.first.click()
    shell.wait_for_record("r0")
    assert SHORT in shell.page.title()


def test_the_newest_page_comes_first_and_alone(shell):
    """One load of a page's size; the reader is at the end and nothing older was asked for."""
    shell.open()
    shell.page.wait_for_timeout(200)

    assert shell.records()[-1] == "r599"
    assert shell.pages_asked() == 0
    assert sum(each.endswith("/load") for each in shell.requests) == 1
    at_end = "t => t.scrollHeight - t.scrollTop - t.clientHeight <= 1"
    assert shell.page.locator("#transcript").evaluate(at_end)


def test_earlier_pages_come_on_the_way_up_without_a_pixel_of_drift(shell):
    """The block that is read stays where it is, to the pixel, while a page is put before it."""
    shell.open()
    place = """() => { const t = document.getElementById('transcript');
      const top = t.getBoundingClientRect().top;
      const b = [...document.querySelectorAll('#blocks article:not([hidden])')]
        .find((each) => each.getBoundingClientRect().bottom > top + 1);
      window.read = b; window.was = b.getBoundingClientRect().top; }"""
    drifts = []
    for _ in range(4):
        before = shell.records()[0]
        shell.page.evaluate("document.getElementById('transcript').scrollTop = 137")
        shell.page.evaluate(place)
        shell.wait_until(f"document.querySelector('#blocks article').dataset.record !== '{before}'")
        drifts.append(shell.page.evaluate("window.read.getBoundingClientRect().top - window.was"))

    assert drifts == [0, 0, 0, 0]
    assert shell.most_under_way == 1
    assert len(set(shell.records())) == len(shell.records())


def test_scrolling_up_reaches_the_beginning(shell):
    """Every record is then shown, in order, once."""
    shell.open(OTHER)
    shell.scroll_up_until(lambda: shell.records()[0] == "r0")

    assert shell.page.get_by_text("Beginning of the session").is_visible()
    numbers = [int(each[1:]) for each in shell.records()]
    assert numbers == sorted(numbers)


def test_a_short_page_is_filled_until_there_is_something_to_scroll(browser, daemon, shell):
    """Without anybody asking, and no further than it must."""
    shell.page.route(
        re.compile(r"/load$"),
        lambda route: route.continue_(post_data='{"historyPageSize":1}'),
    )
    shell.page.route(
        "**/transcript?**",
        lambda route: route.continue_(url=re.sub(r"limit=\d+", "limit=4", route.request.url)),
    )
    shell.open()
    shell.wait_until(
        "(() => { const t = document.getElementById('transcript');"
        " return t.scrollHeight > t.clientHeight })()"
    )
    shell.page.wait_for_timeout(300)
    asked = shell.pages_asked()

    assert 1 <= asked <= 8
    assert shell.most_under_way == 1


def test_the_end_of_a_short_session_is_the_end(shell):
    """Nothing older is asked for where nothing is."""
    shell.open(SHORT)
    shell.page.wait_for_timeout(200)

    assert shell.pages_asked() == 0
    assert shell.page.get_by_text("Beginning of the session").is_visible()


@pytest.mark.parametrize("fault", ["refused", "cut off", "garbage"])
def test_a_failure_is_shown_and_stays_until_somebody_asks_again(shell, fault):
    """What is shown stays; scrolling does not ask; the button does, and then it goes on."""
    shell.open()
    before = shell.records()
    answers = {
        "refused": lambda route: route.fulfill(**REFUSAL),
        "cut off": lambda route: route.abort("connectionreset"),
        "garbage": lambda route: route.fulfill(status=200, body="<html>"),
    }
    shell.fail_pages(answers[fault])
    shell.scroll_to(0)
    shell.page.get_by_role("alert").wait_for()
    asked = shell.pages_asked()
    for top in (200, 0, 300, 0):
        shell.scroll_to(top)
        shell.page.wait_for_timeout(40)

    assert shell.pages_asked() == asked == 1
    assert shell.records() == before
    shell.heal_pages()
    shell.page.get_by_role("button", name="Try again").click()
    shell.wait_until(f"document.querySelector('#blocks article').dataset.record !== '{before[0]}'")
    assert shell.page.get_by_role("alert").count() == 0


def test_a_failure_is_seen_whole_by_who_looks_there(narrow):
    """Its row needs more room than the button that was there; a reader further down stays."""
    narrow.open()
    narrow.fail_pages(lambda route: route.fulfill(**REFUSAL))
    narrow.scroll_to(0)
    alert = narrow.page.get_by_role("alert")
    alert.wait_for()
    narrow.page.wait_for_timeout(50)

    assert alert.bounding_box()["y"] >= 52


def test_a_jump_that_fails_is_told_in_sight_and_can_be_given_up(shell):
    """From the end of a session: the reader stays there, and can read on upwards."""
    shell.open(LONG)
    shell.fail_pages(lambda route: route.fulfill(**REFUSAL))
    first = shell.records()[0]
    shell.page.get_by_role("button", name="First", exact=True).click()
    shell.wait_until("document.querySelector('button.turn .ordinal').textContent === '1'")
    top = shell.page.locator("#transcript").evaluate("t => t.scrollTop")
    shell.page.locator("button.turn").first.click()
    alert = shell.page.get_by_role("alert")
    alert.wait_for()
    box = alert.bounding_box()
    assert 52 <= box["y"] < 200
    assert abs(shell.page.locator("#transcript").evaluate("t => t.scrollTop") - top) < 100
    shell.heal_pages()
    alert.get_by_role("button", name="Stay here").click()
    assert alert.count() == 0
    shell.scroll_to(0)
    shell.wait_until(f"document.querySelector('#blocks article').dataset.record !== '{first}'")
    assert shell.records()[-1] == f"r{LONG_TURNS * 2 - 1}"


def test_a_load_that_fails_can_be_asked_for_again(shell):
    """The session is then there."""
    shell.failures_are_expected = True
    shell.page.route("**/load", lambda route: route.fulfill(**REFUSAL))
    shell.open(ready=False)
    shell.page.get_by_role("alert").wait_for()
    shell.page.unroute("**/load")
    shell.page.get_by_role("button", name="Try again").click()
    shell.wait_for_record("r599")


def test_one_page_is_under_way_however_slow_it_is(shell):
    """Scrolling on while it comes asks for nothing more, and it says so."""
    shell.open()
    waiting = shell.hold_page()
    for top in (0, 400, 0, 500, 10):
        shell.scroll_to(top)
        shell.page.wait_for_timeout(60)
    shell.wait_for(lambda: len(waiting) == 1)

    assert shell.most_under_way == 1
    assert shell.page.get_by_text("Loading earlier messages…").is_visible()
    assert shell.page.get_by_role("status").inner_text() == "Loading earlier messages"
    first = shell.records()[0]
    waiting[0].continue_()
    shell.wait_until(f"document.querySelector('#blocks article').dataset.record !== '{first}'")


def test_an_answer_for_a_session_that_was_left_is_dropped(shell):
    """Late, and however it comes: nothing of it is shown in the other session."""
    shell.open()
    waiting = shell.hold_page()
    shell.scroll_to(0)
    shell.wait_for(lambda: len(waiting) == 1)
    shell.page.evaluate(f"location.hash = '#/session/{OTHER}'")
    shell.wait_for_record("r39")
    late = json.dumps({"sessionId": SESSION, "events": [], "hasMore": False})
    waiting[0].fulfill(status=200, content_type="application/json", body=late)
    shell.page.wait_for_timeout(150)

    assert "r599" not in shell.records()
    assert shell.page.get_by_role("alert").count() == 0
    assert shell.page.get_by_text("the other session 37").count() == 1


def test_a_session_log_pages_like_a_transcript(shell):
    """The same routes, the same rows, the same way up."""
    shell.open(LOG)
    first = shell.records()[0]
    shell.scroll_to(0)
    shell.wait_until(
        "document.querySelector('#older').textContent.includes('Beginning') ||"
        f" document.querySelector('#blocks article').dataset.record !== '{first}'"
    )

    assert shell.records()[-1].startswith("seq:")


def test_a_daemon_without_pages_is_asked_for_everything(shell):
    """The page size is sent only where the capability is."""
    shell.page.route(
        "**/capabilities",
        lambda route: route.fulfill(
            status=200, content_type="application/json", body='{"v":1,"features":["session_load"]}'
        ),
    )
    bodies = []
    shell.page.on(
        "request",
        lambda request: bodies.append(request.post_data) if request.method == "POST" else None,
    )
    shell.open(OTHER)

    assert bodies == ["{}"]
    assert shell.records()[0] == "r0"
