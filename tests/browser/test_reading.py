"""Reading in the shell: hostile texts, turns, search, keys, narrow windows, accessibility."""

import pytest

from browser_pages import BIDI, HOSTILE, LONE, LONG, MARKUP, OTHER, SESSION


def test_everything_of_a_transcript_is_text(shell):
    """Markup, addresses and handlers are shown as they were written, wherever they stand."""
    shell.open_whole(HOSTILE)
    for details in shell.page.locator("#blocks details").all():
        details.locator("summary").click()
    blocks = shell.page.locator("#blocks")
    text = blocks.inner_text()

    assert blocks.locator("script, b, iframe, a, img, [onerror]").count() == 0
    assert text.count(MARKUP) >= 6
    assert shell.page.locator("#turns").inner_text().count("<script>") >= 1


def test_marks_that_turn_text_around_stay_inside_what_they_stand_in(shell):
    """Each text of somebody else's is isolated; the rest of the page reads as ever."""
    shell.open_whole(HOSTILE)
    isolation = (
        "each => each.map(e => [e.tagName, getComputedStyle(e).unicodeBidi])"
        ".filter(([, bidi]) => !bidi.includes('isolate') && bidi !== 'plaintext')"
    )
    for where in ("#blocks p", "#turns bdi", "#title bdi", ".fold-label", ".session-id"):
        assert shell.page.locator(where).evaluate_all(isolation) == []
    assert BIDI[:8] in shell.page.locator("#blocks").inner_text()


def test_half_a_surrogate_pair_is_shown_as_missing(shell):
    """And breaks nothing around it."""
    shell.open_whole(HOSTILE)
    shown = LONE.replace("\ud83d", "\ufffd").replace("\ude00", "\ufffd")

    assert shell.page.get_by_text(shown).count() == 1


def test_a_line_of_ten_megabytes_is_shown_cut(shell):
    """The page stays at hand, and the rest comes a piece at a time."""
    shell.open_whole(HOSTILE)
    block = shell.page.locator("#blocks article[data-record='r4']")
    more = block.get_by_role("button", name="more of 10,000,000 characters")
    length = "each => each.textContent.length"
    before = block.evaluate(length)
    more.click()

    assert before < 20_000
    assert 50_000 < block.evaluate(length) < 80_000
    assert more.is_visible()


def test_thoughts_and_calls_are_folded_away_and_reachable(shell):
    """By keyboard too; what is inside is made when it is opened."""
    shell.open_whole(HOSTILE)
    tool = shell.page.locator("#blocks article.tool")
    thought = shell.page.locator("#blocks article.thought")
    closed = [tool.locator("pre").count(), thought.locator("details[open]").count()]
    tool.locator("summary").focus()
    shell.page.keyboard.press("Enter")
    shell.page.wait_for_timeout(50)

    assert closed == [0, 0]
    assert "Input" in tool.inner_text()
    assert tool.locator("pre").count() >= 2


def test_a_turn_of_the_rail_is_gone_to_and_the_latest_returned_to(shell):
    """Far out of what is loaded; pages go on from there both ways, and nothing is there twice."""
    shell.open(LONG)
    shell.page.get_by_role("button", name="First", exact=True).click()
    shell.page.locator("button.turn", has_text="1").first.wait_for()
    shell.wait_until("document.querySelector('button.turn .ordinal').textContent === '1'")
    shell.page.locator("button.turn").nth(50).click()
    shell.wait_for_record("r100")
    top = "each => each.getBoundingClientRect().top"
    place = shell.page.locator("article[data-record='r100']").evaluate(top)
    assert 52 <= place <= 90
    shell.scroll_up_until(lambda: shell.records()[0] == "r0")
    shell.page.evaluate(
        "document.getElementById('transcript').scrollTop ="
        " document.getElementById('transcript').scrollHeight"
    )
    shell.wait_for_record("r250")
    numbers = [int(each[1:]) for each in shell.records()]
    assert numbers == sorted(set(numbers))
    shell.page.get_by_role("button", name="Return to latest").click()
    shell.wait_for_record("r3999")
    assert shell.most_under_way == 1


def test_a_turn_is_gone_to_though_its_snapshot_is_gone(shell):
    """The rail's snapshot is refused; the record is still there."""
    shell.failures_are_expected = True
    refusal = '{"error":"replaced","code":"transcript_snapshot_unavailable"}'
    shell.page.route(
        "**/transcript?*snapshot=*",
        lambda route: route.fulfill(status=409, content_type="application/json", body=refusal),
    )
    shell.open()
    shell.page.locator("button.turn").first.click()
    record = shell.page.locator("button.turn").first.get_attribute("data-turn")
    shell.wait_for_record(record)

    assert shell.page.get_by_role("alert").count() == 0


def test_a_page_that_is_not_waited_for_any_more_is_given_up(shell):
    """A jump while a page is under way: that request ends, and one is under way."""
    shell.open(LONG)
    ended = []
    shell.page.on("requestfailed", lambda request: ended.append(request.url))
    held = shell.hold_page()
    shell.scroll_to(0)
    shell.wait_for(lambda: len(held) == 1)
    shell.page.locator("button.turn").first.click()
    shell.wait_for_record(shell.page.locator("button.turn").first.get_attribute("data-turn"))

    assert sum("/transcript?" in each for each in ended) == 1
    assert shell.page.get_by_role("alert").count() == 0


def test_a_text_is_found_and_gone_to(shell):
    """With the keyboard alone: slash, the words, the result, Escape."""
    shell.open()
    shell.page.locator("#transcript").focus()
    shell.page.keyboard.press("/")
    shell.page.keyboard.type("its own in the column.  17")
    shell.page.keyboard.press("Control+a")
    shell.page.keyboard.type("column. 17")
    hit = shell.page.locator("button.hit").last
    hit.wait_for()
    shell.wait_until("document.querySelectorAll('button.hit').length > 1")
    hit.focus()
    shell.page.keyboard.press("Enter")
    shell.wait_until("document.activeElement.classList.contains('found')")
    found = shell.page.locator("article.found")
    assert " 17" in found.inner_text()
    shell.page.keyboard.press("Escape")
    assert shell.page.evaluate("document.activeElement.id") == "transcript"


def test_nothing_found_is_said(shell):
    """On the screen and to a screen reader."""
    shell.open(OTHER)
    shell.page.get_by_label("Search this session").fill("nowhere at all")
    shell.page.locator("#hits").get_by_text("Nothing found.").wait_for()

    assert shell.page.get_by_role("status").inner_text() == "Nothing found."


def test_j_and_k_go_from_turn_to_turn(shell):
    """Back past the oldest that is loaded: the page before is then asked for."""
    shell.open()
    shell.page.locator("#transcript").focus()
    turn = "document.activeElement.dataset.record"
    seen = []
    for _ in range(30):
        shell.page.keyboard.press("k")
        shell.page.wait_for_timeout(20)
        seen.append(shell.page.evaluate(turn))
    shell.wait_until("document.activeElement.dataset.record !== undefined")
    back = shell.page.evaluate(turn)
    shell.page.keyboard.press("j")

    numbers = [int(each[1:]) for each in seen if each]
    assert numbers == sorted(numbers, reverse=True)
    assert min(numbers) < 500
    assert int(shell.page.evaluate(turn)[1:]) == int(back[1:]) + 4


def test_light_dark_and_as_the_system_says(shell):
    """The button changes it and it is kept."""
    shell.open(OTHER)
    colour = "getComputedStyle(document.body).backgroundColor"
    button = shell.page.locator("#theme")
    shell.page.emulate_media(color_scheme="dark")
    automatic = shell.page.evaluate(colour)
    button.click()
    light = shell.page.evaluate(colour)
    button.click()
    dark = shell.page.evaluate(colour)
    shell.page.emulate_media(color_scheme="light")
    shell.page.reload()

    assert light != dark == automatic
    assert shell.page.evaluate(colour) == dark


def test_a_narrow_window_shows_one_thing_at_a_time(narrow):
    """At 360 pixels: the list, then a session, its turns on demand; nothing is wider."""
    narrow.page.goto(narrow.url)
    narrow.page.locator(f"a[data-session='{OTHER}']").click()
    narrow.wait_for_record("r39")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not narrow.page.locator("#sessions").is_visible()
    assert not narrow.page.evaluate(wide)
    narrow.page.get_by_role("button", name="Turns").click()
    newest = narrow.page.locator("button.turn").last
    assert newest.evaluate("turn => turn.getBoundingClientRect().bottom <= innerHeight")
    narrow.page.locator("button.turn").first.click()
    assert not narrow.page.locator("#rail").is_visible()
    narrow.open(HOSTILE)
    assert not narrow.page.evaluate(wide)
    assert narrow.page.locator("#transcript").evaluate("t => t.scrollWidth <= t.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(shell, scheme):
    """On the list, and on a session with everything open."""
    shell.page.emulate_media(color_scheme=scheme)
    shell.page.goto(shell.url)
    shell.page.locator("#session-list a").first.wait_for()
    listed = shell.accessibility_faults()
    shell.open_whole(HOSTILE)
    for details in shell.page.locator("#blocks details").all():
        details.locator("summary").click()

    assert listed == []
    assert shell.accessibility_faults() == []


def test_axe_finds_nothing_in_a_narrow_window(narrow):
    """On the list, with the turns and results over the text, and on a session that is not there."""
    narrow.failures_are_expected = True
    narrow.page.goto(narrow.url)
    narrow.page.locator("#session-list a").first.wait_for()
    found = narrow.accessibility_faults()
    narrow.open(OTHER)
    narrow.page.get_by_role("button", name="Turns").click()
    narrow.page.get_by_label("Search this session").fill("session 3")
    narrow.page.locator("button.hit").first.wait_for()
    found += narrow.accessibility_faults()
    narrow.open("nowhere", ready=False)
    narrow.page.get_by_role("alert").first.wait_for()

    assert found + narrow.accessibility_faults() == []


def test_arrows_go_through_lists_from_where_words_are_typed(shell):
    """From the filter into the sessions, and from the search into its results and back."""
    shell.page.goto(shell.url)
    shell.page.locator("#session-list a").first.wait_for()
    focus = "document.activeElement"
    shell.page.keyboard.press("/")
    shell.page.keyboard.type(OTHER)
    shell.page.keyboard.press("ArrowDown")
    shell.page.keyboard.press("Enter")
    shell.wait_for_record("r39")
    shell.page.keyboard.press("/")
    shell.page.keyboard.type("session 3")
    shell.page.locator("button.hit").nth(1).wait_for()
    places = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
        shell.page.keyboard.press(key)
        hits = f"[...document.querySelectorAll('button.hit')].indexOf({focus})"
        places.append(shell.page.evaluate(hits))

    assert places == [0, 1, 0, -1]
    assert shell.page.evaluate(f"{focus}.id") == "search"


def test_landmarks_and_order_of_focus(shell):
    """Skip link, bar, sessions, transcript, turns; each landmark has a name."""
    shell.open(SESSION)
    for name in ("Sessions", "Turns and search"):
        role = "navigation" if name == "Sessions" else "complementary"
        assert shell.page.get_by_role(role, name=name).count() == 1
    shell.page.locator("#skip").focus()
    order = []
    for _ in range(30):
        shell.page.keyboard.press("Tab")
        order.append(shell.page.evaluate("document.activeElement.id"))
    places = [order.index(each) for each in ("theme", "filter", "transcript")]

    assert places == sorted(places)
