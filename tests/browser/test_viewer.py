"""The notebook viewer's module in a browser, its messages answered as a kernel answers them."""

from contextlib import contextmanager
from queue import Empty, SimpleQueue

import pytest

from browser_pages import LOG, SESSION, Shell, chats
from daemon import running_daemon
from histbench import EventLog, read_log
from histbench.widget.source import DaemonSource, MemorySource
from store_logs import conversation
from transcript_files import chain_lines, record_line, write_lines

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
    send: (message) => { window.kernel(message) },
  };
  const el = document.createElement('div');
  document.body.append(el);
  window.widget = widget;
  window.model = model;
  window.leave = widget.render({ model, el });
  window.listeners = listeners;
  window.tell = (message) => { for (const each of listeners) each(message) };
}"""


class Kernel:
    """A widget in this process, whose messages a page sends and gets; `pump` hands them on.

    Playwright lets nobody else speak to the page while something of the page's is being answered,
    and streams speak from threads of their own.
    """

    def __init__(self, page, source):
        self.page = page
        self.asked = SimpleQueue()
        self.told = SimpleQueue()
        self.widget = live.Widget(source, height=480, page_size=100)
        self.widget.send = self.told.put
        self.widget._streams._send = self.told.put
        page.expose_function("kernel", lambda message: self.asked.put(message))  # noqa: PLW0108  (playwright marks what it is given)
        page.goto("about:blank")
        # As a notebook shows the two outputs of a view, one under the other.
        page.set_content(_html(self.widget))
        names = ("session_id", "height", "sheet", "name")
        state = {name: getattr(self.widget, name) for name in names}
        page.evaluate(_HARNESS, [self.widget._esm, state])

    def pump(self, done):
        """Until something is so."""
        for _ in range(1200):
            for message in _emptied(self.asked):
                self.widget._receive(self.widget, message, [])
            for message in _emptied(self.told):
                self.page.evaluate("(message) => window.tell(message)", message)
            if done():
                return
            self.page.wait_for_timeout(15)
        raise AssertionError("it did not come")

    def pump_until_shown(self, text):
        """Until a text is there, once."""
        found = self.page.locator(".viewer article").get_by_text(text, exact=True)
        self.pump(lambda: found.count() == 1)

    def pump_until(self, state):
        """Until the view says this of its stream."""
        self.pump(lambda: self.page.locator(f".stream.{state}").count() == 1)


def _html(widget):
    data, _ = widget._repr_mimebundle_()
    return data["text/html"]


def _emptied(queue):
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return


@contextmanager
def viewing(browser, source):
    """A page with a viewer of a source, its newest page on show."""
    page = browser.new_page(viewport={"width": 1100, "height": 700})
    shell = Shell(page, "about:blank")
    kernel = Kernel(page, source)
    kernel.shell = shell
    try:
        kernel.pump(lambda: page.locator(".viewer article").count())
        yield kernel
        shell.check_no_faults()
    finally:
        kernel.widget._streams.close()
        page.close()


@pytest.fixture
def viewed(browser, root):
    """A viewer of the root's session log."""
    logs = map(read_log, root.glob("*/*/session.jsonl.zstd"))
    with viewing(
        browser, MemorySource(next(log for log in logs if log.header["id"] == LOG))
    ) as one:
        yield one


def test_a_log_in_memory_is_read_from_end_to_start(viewed):
    """The newest page first; earlier ones come as one scrolls; then the latest again."""
    page = viewed.page
    last = page.locator(".viewer article").last.get_attribute("data-record")
    beginning = page.locator(".viewer").get_by_text("Beginning of the session")

    def at_beginning():
        page.locator(".transcript").evaluate("t => { t.scrollTop = 0 }")
        return beginning.count() == 1

    viewed.pump(at_beginning)
    page.get_by_role("button", name="Return to latest").click()
    viewed.pump(page.locator(f"article[data-record='{last}']").last.is_visible)
    assert page.locator(".viewer").evaluate("v => v.offsetHeight") == 480


def test_turns_are_gone_to_and_the_channel_is_left(viewed):
    """A turn of the rail comes into sight; a view that is removed listens no more."""
    page = viewed.page
    turn = page.locator("button.turn").first
    viewed.pump(turn.count)
    turn.click()
    record = turn.get_attribute("data-turn")
    viewed.pump(page.locator(f"article[data-record='{record}']").count)
    viewed.pump_until("live")
    page.evaluate("window.leave()")
    viewed.pump(lambda: not viewed.widget._streams._open)

    assert page.evaluate("window.listeners.size") == 0


def test_the_html_beside_a_viewer_is_hidden_while_there_is_one(viewed):
    """A notebook shows both outputs; an exported page keeps the HTML alone."""
    page = viewed.page
    instead = page.locator("section.hb")
    shown = instead.is_visible()
    page.evaluate("window.leave()")
    left = instead.is_visible()
    page.evaluate(
        """() => { const script = document.createElement('script');
        script.type = 'application/vnd.jupyter.widget-state+json'; document.body.append(script); }"""
    )
    drawn = page.evaluate(
        """async () => { const el = document.createElement('div');
        const made = window.widget.render({ model: window.model, el });
        return [made ?? null, el.childElementCount, el.shadowRoot]; }"""
    )

    assert (shown, left) == (False, True)
    assert drawn == [None, 0, None]
    assert instead.is_visible()


def test_a_narrow_viewer_shows_its_turns_on_demand(viewed):
    """Over the text, until one is gone to or Escape is pressed."""
    page = viewed.page
    page.set_viewport_size({"width": 400, "height": 700})
    turns, toggle = page.locator(".viewer .turns"), page.get_by_role("button", name="Turns")
    viewed.pump(toggle.is_visible)
    hidden = turns.is_visible()
    toggle.click()
    turn = page.locator("button.turn").first
    viewed.pump(turn.is_visible)
    turn.click()
    viewed.pump(lambda: not turns.is_visible())
    toggle.click()
    page.get_by_label("Search this session").press("Escape")

    assert not hidden
    assert not turns.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1100, 400])
def test_axe_finds_nothing_in_a_viewer(viewed, width):
    """With its turns on show; what an output is put into is the notebook's."""
    page = viewed.page
    page.set_viewport_size({"width": width, "height": 700})
    page.evaluate("document.documentElement.lang = 'en'; document.title = 'a notebook'")
    viewed.pump(page.locator("button.turn").count)
    if width == 400:
        viewed.pump(page.get_by_role("button", name="Turns").is_visible)
        page.get_by_role("button", name="Turns").click()
    page.get_by_label("Search this session").fill("hi")
    viewed.pump(page.locator("button.hit").count)
    found = dict(viewed.shell.accessibility_faults())

    assert found.keys() <= {"landmark-one-main", "page-has-heading-one", "region"}, found


def test_what_is_appended_to_a_log_in_memory_is_shown(browser):
    """At once, at the end that the reader looks at, and in the rail; deltas grow in place."""
    source = MemorySource(EventLog.from_events(conversation(3)))
    with viewing(browser, source) as kernel:
        kernel.pump_until("live")
        kernel.widget.append([_user("one more")])
        kernel.pump_until_shown("one more")
        step = {"turn": 9, "step": 0}
        kernel.widget.append([{"type": "step/start", "time": 1, "data": step}])
        for word in ("it ", "grows ", "here"):
            chunk = {"type": "text-delta", "index": 0, "text": word}
            kernel.widget.append(
                [{"type": "assistant/chunk", "time": 1, "data": {**step, "chunk": chunk}}]
            )
        kernel.pump_until_shown("it grows here")
        kernel.pump(kernel.page.locator("button.turn", has_text="one more").count)

        at_end = "t => t.scrollHeight - t.scrollTop - t.clientHeight <= 1"
        assert kernel.page.locator(".transcript").evaluate(at_end)


def test_a_daemons_session_is_followed_over_its_restart(browser, tmp_path):
    """What was written while it was away comes when it is back; nothing is loaded anew."""
    chats(tmp_path).mkdir(parents=True)
    path = write_lines(chats(tmp_path) / f"{SESSION}.jsonl", chain_lines(30))

    def append(line):
        with path.open("ab") as file:
            file.write(line + b"\n")

    with (
        running_daemon(tmp_path) as daemon,
        viewing(browser, DaemonSource(daemon.url, None, None)) as kernel,
    ):
        kernel.pump_until("live")
        append(record_line("n0", "r29", text="while it is there"))
        kernel.pump_until_shown("while it is there")
        article = kernel.page.locator(".viewer article").first
        first = article.element_handle()
        daemon.kill()
        kernel.pump_until("waiting")
        assert kernel.page.get_by_text("Offline — trying again").is_visible()
        append(record_line("n1", "n0", text="while it is away"))
        daemon.start()
        kernel.pump_until_shown("while it is away")

        assert first.evaluate("each => each.isConnected")
        assert kernel.page.locator("article[data-record='n0']").count() == 1


def _user(text):
    data = {"content": [{"type": "text", "text": text}], "source": {"kind": "user"}}
    return {"type": "user/message", "time": 1, "data": data}
