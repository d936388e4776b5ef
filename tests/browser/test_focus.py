"""Whoever goes by keys keeps their place, whatever is drawn anew under them."""

from browser_pages import LONG, OTHER
from growing_transcript import append, begin, wait_until_live
from transcript_files import record_line

FOCUSED = "document.activeElement"


def test_a_list_of_sessions_drawn_anew_keeps_its_focus(shell):
    """A window that is come back to lists them again; Enter opens what was chosen before."""
    shell.page.goto(shell.url)
    link = shell.page.locator(f"#session-list a[data-session='{OTHER}']")
    link.wait_for()
    link.focus()
    shell.page.evaluate(f"{FOCUSED}.dataset.old = 'yes'; window.dispatchEvent(new Event('focus'))")
    shell.wait_until("document.querySelector('[data-old]') === null")
    assert shell.page.evaluate(f"{FOCUSED}.dataset.session") == OTHER
    shell.page.keyboard.press("Enter")
    shell.wait_for_record("r39")


def test_a_session_that_is_gone_gives_the_focus_to_the_filter(shell):
    """From there the others are one key away."""
    shell.page.goto(shell.url)
    link = shell.page.locator(f"#session-list a[data-session='{OTHER}']")
    link.wait_for()
    shell.page.locator("#filter").evaluate("each => { each.value = 'no such session'; }")
    link.focus()
    shell.page.evaluate("window.dispatchEvent(new Event('focus'))")
    shell.page.get_by_text("No session matches.").wait_for()

    assert shell.page.evaluate(f"{FOCUSED}.id") == "filter"


def test_a_turn_keeps_the_focus_while_others_come(root, shell):
    """The rail is drawn anew for each turn that begins."""
    session = begin(root, "bbbbbbbb-0000-4000-8000-000000000005")
    shell.open(session)
    wait_until_live(shell)
    turn = shell.page.locator("button.turn").first
    turn.wait_for()
    first = turn.get_attribute("data-turn")
    turn.focus()
    append(root, session, record_line("n0", "r29", text="one more turn"))
    shell.page.locator("button.turn", has_text="one more turn").wait_for()

    assert shell.page.evaluate(f"{FOCUSED}.dataset.turn") == first
    in_sight = "each => each.getBoundingClientRect().top >= 0"
    assert shell.page.locator("button.turn").first.evaluate(in_sight)


def test_a_button_for_more_turns_leaves_the_focus_among_them(shell):
    """While there are more it stays; with the last of them it goes to the turn at that end."""
    shell.open(LONG)
    earlier = shell.page.get_by_role("button", name="Earlier", exact=True)
    count = shell.page.locator("button.turn").count
    earlier.focus()
    shell.page.keyboard.press("Enter")
    shell.wait_for(lambda: count() == 200)
    assert shell.page.evaluate(f"{FOCUSED}.textContent") == "Earlier"
    first = shell.page.get_by_role("button", name="First", exact=True)
    first.focus()
    shell.page.keyboard.press("Enter")
    shell.wait_until("document.querySelector('button.turn .ordinal').textContent === '1'")
    assert shell.page.evaluate(f"{FOCUSED}.querySelector('.ordinal').textContent") == "1"


def test_more_results_go_on_at_the_first_of_them(shell):
    """The button is gone; who has pressed it reads on where it was."""
    shell.open(LONG)
    shell.page.get_by_label("Search this session").fill("line of its own")
    more = shell.page.get_by_role("button", name="More results")
    more.focus()
    shell.page.keyboard.press("Enter")
    shell.wait_until("document.querySelectorAll('button.hit').length === 40")

    hits = f"[...document.querySelectorAll('button.hit')].indexOf({FOCUSED})"
    assert shell.page.evaluate(hits) == 20
