"""The notebook viewer's module in a browser, its messages answered as a kernel answers them."""

import pytest

from browser_pages import LOG, Shell
from histbench import read_log
from histbench.widget.source import MemorySource

live = pytest.importorskip("histbench.widget.live", reason="anywidget is not installed")

# What anywidget gives a module: state, messages, and an element.
_HARNESS = """async ([module, state]) => {
  const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
  const { default: widget } = await import(url);
  const listeners = new Set();
  const model = {
    get: (name) => state[name],
    on: (event, listener) => listeners.add(listener),
    off: (event, listener) => listeners.delete(listener),
    send: async (message) => {
      const answer = await window.kernel(message);
      for (const each of listeners) each(answer);
    },
  };
  const el = document.createElement('div');
  document.body.append(el);
  window.leave = widget.render({ model, el });
  window.listeners = listeners;
}"""


@pytest.fixture
def viewed(browser, root):
    """A page with a viewer of the root's session log."""
    logs = map(read_log, root.glob("*/*/session.jsonl.zstd"))
    source = MemorySource(next(log for log in logs if log.header["id"] == LOG))
    page = browser.new_page(viewport={"width": 1100, "height": 700})
    shell = Shell(page, "about:blank")

    def kernel(message):
        parts = (message["method"], message["path"], message["query"], message["body"])
        status, text = source.ask(*parts)
        return {"id": message["id"], "status": status, "text": text}

    page.expose_function("kernel", kernel)
    page.goto("about:blank")
    widget = live.Widget(source, height=480, html="")
    state = {"session_id": source.session_id, "height": 480, "style": widget.style}
    page.evaluate(_HARNESS, [widget._esm, state])
    page.locator("article").first.wait_for(state="attached")
    yield shell
    shell.check_no_faults()
    page.close()


def test_a_log_in_memory_is_read_from_end_to_start(viewed):
    """The newest page first; earlier ones come as one scrolls; then the latest again."""
    page = viewed.page
    last = page.locator("article").last.get_attribute("data-record")
    for _ in range(40):
        page.locator(".transcript").evaluate("t => { t.scrollTop = 0 }")
        page.wait_for_timeout(40)
        if page.get_by_text("Beginning of the session").count():
            break

    assert page.get_by_text("Beginning of the session").count() == 1
    page.get_by_role("button", name="Return to latest").click()
    assert page.locator(f"article[data-record='{last}']").last.is_visible()
    assert page.locator(".viewer").evaluate("v => v.offsetHeight") == 480


def test_turns_are_gone_to_and_the_channel_is_left(viewed):
    """A turn of the rail comes into sight; a view that is removed listens no more."""
    page = viewed.page
    turn = page.locator("button.turn").first
    turn.click()
    record = turn.get_attribute("data-turn")
    page.locator(f"article[data-record='{record}']").wait_for()
    page.evaluate("window.leave()")

    assert page.evaluate("window.listeners.size") == 0
