"""The shell in a browser: what a person sees of it and does to it, and sessions to show.

A `Shell` counts requests, gathers what the page complains of (errors, the console, refusals by
its Content-Security-Policy), and finds things as a person would: by role and text.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from daemon import RunningDaemon
from histbench.store import LogWriter
from store_logs import conversation
from transcript_files import SESSION, chain_lines, record_line, write_lines

__all__ = [
    "HOSTILE",
    "LOG",
    "LONG",
    "LONG_TURNS",
    "OTHER",
    "SESSION",
    "SHORT",
    "Shell",
    "chats",
    "make_root",
    "opened",
]

LONG = "aaaaaaaa-0000-4000-8000-000000000001"
HOSTILE = "aaaaaaaa-0000-4000-8000-000000000002"
SHORT = "aaaaaaaa-0000-4000-8000-000000000003"
OTHER = "aaaaaaaa-0000-4000-8000-000000000004"
LOG = "a log/1"

LONG_TURNS = 2000
_RECORDS = 600
_HUGE = 10_000_000
_TRIES, _PAUSE_MS = 800, 25
_INSTALLED = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
_AXE = Path(os.environ.get("AXE_CORE") or _INSTALLED)

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script><b>bold</b>"
BIDI = "\u202ereversed\u202d \u2067more"
LONE = "half a pair: \ud83d and \ude00 apart"


def chats(root: Path) -> Path:
    """Where transcripts lie."""
    return root / "project" / "chats"


def make_root(root: Path) -> Path:
    """A root with the sessions that the tests read."""
    folder = chats(root)
    folder.mkdir(parents=True)
    text = "A sentence that is long enough to be a line of its own in the column. " * 3
    write_lines(folder / f"{SESSION}.jsonl", chain_lines(_RECORDS, text=text))
    _write(folder, LONG, chain_lines(LONG_TURNS * 2, turn=2, text=text))
    _write(folder, OTHER, chain_lines(40, text="the other session"))
    # Records that show little, in one page: the window is not full until many are there.
    _write(folder, SHORT, [record_line("r0", None, text="only this")])
    _write(folder, HOSTILE, _hostile())
    with LogWriter.create(root, session_id=LOG, created_at=5, cwd="/x") as writer:
        writer.append(conversation(40))
    return root


def _write(folder: Path, session: str, lines: list[bytes]) -> None:
    own = [line.replace(SESSION.encode(), session.encode()) for line in lines]
    write_lines(folder / f"{session}.jsonl", own)


def _hostile() -> list[bytes]:
    call = {"id": "c", "name": MARKUP, "args": {"path": MARKUP, "text": BIDI}}
    parts = [{"text": MARKUP, "thought": True}, {"functionCall": call}, {"text": BIDI}]
    lone = json.dumps(LONE)
    return [
        record_line("r0", None, text=MARKUP),
        record_line("r1", "r0", kind="assistant", message={"role": "model", "parts": parts}),
        record_line("r2", "r1", kind="tool_result", text=MARKUP),
        record_line("r3", "r2", text="LONE").replace(b'"LONE"', lone.encode()),
        record_line("r4", "r3", kind="assistant", text="y" * _HUGE),
        record_line("r5", "r4", text=f"[x](javascript:alert(3)) {BIDI} `{MARKUP}` **{MARKUP}**"),
        record_line("r6", "r5", kind="assistant", text=f"```html\n{MARKUP}\n```\nend"),
    ]


class Shell:
    """One tab."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.url = url
        self.requests: list[str] = []
        self.under_way = 0
        self.most_under_way = 0
        self.faults: list[str] = []
        # What the browser itself prints of a request that failed, where a test lets it fail.
        self.failures_are_expected = False
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("dialog", self._dialog)
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation',"
            " (event) => console.error('CSP', event.violatedDirective, event.blockedURI))"
        )

    def _console(self, message: Any) -> None:
        expected = self.failures_are_expected and "Failed to load resource" in message.text
        if message.type in {"error", "warning"} and not expected:
            self.faults.append(f"console: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _is_page(self, request: Any) -> bool:
        path = urlsplit(request.url).path
        return bool(path.endswith(("/transcript", "/load")))

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        self.requests.append(parts.path + ("?" + parts.query if parts.query else ""))
        if self._is_page(request):
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)

    def _ended(self, request: Any) -> None:
        if self._is_page(request):
            self.under_way -= 1

    def check_no_faults(self) -> None:
        """Nothing was refused by the policy, thrown, or complained of."""
        assert self.faults == []

    def accessibility_faults(self) -> list[Any]:
        """What axe finds on what is shown now; skips where axe-core is not installed."""
        if not _AXE.is_file():
            pytest.skip("axe-core is not installed")
        # The policy of the page lets nobody add a script, but a debugger may.
        self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found: list[Any] = self.page.evaluate(
            "async () => (await axe.run()).violations.map(v =>"
            " [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])"
        )
        return found

    def pages_asked(self) -> int:
        """How many transcript pages were asked for, without loads."""
        return sum("/transcript?" in each for each in self.requests)

    def open(self, session: str = SESSION, *, ready: bool = True) -> "Shell":
        """Show a session, and wait for its newest page."""
        self.page.goto(f"{self.url}/#/session/{quote(session, safe='')}")
        if ready:
            self.page.locator("#blocks article").first.wait_for(state="attached")
        return self

    def open_whole(self, session: str) -> "Shell":
        """Show a session from its first record on."""
        self.open(session)
        self.scroll_up_until(lambda: self.records()[0] == "r0")
        return self

    def records(self) -> list[str]:
        """The records on show, in order."""
        script = "each => each.map(a => a.dataset.record)"
        found: list[str] = self.page.locator("#blocks article").evaluate_all(script)
        return found

    def wait_for_record(self, record_id: str) -> None:
        """Until a record is shown."""
        self.page.locator(f"#blocks article[data-record='{record_id}']").first.wait_for(
            state="attached"
        )

    def wait_until(self, script: str) -> None:
        """Until an expression is true in the page; its policy lets nobody evaluate texts there."""
        self.wait_for(lambda: bool(self.page.evaluate(script)), script)

    def wait_for(self, condition: Callable[[], bool], what: str = "a condition") -> None:
        """Until something is so."""
        for _ in range(_TRIES):
            if condition():
                return
            self.page.wait_for_timeout(_PAUSE_MS)
        raise AssertionError(f"this did not come true: {what}")

    def scroll_to(self, top: int) -> None:
        """As a wheel does it."""
        self.page.evaluate(
            "(top) => { document.getElementById('transcript').scrollTop = top }", top
        )

    def scroll_up_until(self, done: Callable[[], bool], *, most: int = 400) -> None:
        """Scroll to the top, again and again."""
        for _ in range(most):
            if done():
                return
            self.scroll_to(0)
            self.page.wait_for_timeout(15)
        raise AssertionError("scrolled up and up, and it did not come")

    def fail_pages(self, fulfil: Callable[[Any], None]) -> None:
        """Let transcript pages, not loads, be answered by this."""
        self.failures_are_expected = True
        self.page.route("**/transcript?**", fulfil)

    def hold_page(self) -> list[Any]:
        """Let the next transcript page wait; where it is held."""
        held: list[Any] = []
        self.page.route(
            "**/transcript?**",
            lambda route: route.continue_() if held else held.append(route),
        )
        return held

    def heal_pages(self) -> None:
        """Let them through again."""
        self.page.unroute("**/transcript?**")


@contextmanager
def opened(
    browser: Any, daemon: RunningDaemon, *, width: int = 1280, height: int = 800
) -> Iterator[Shell]:
    """A shell in a browser profile of its own; faults that the page tells of fail the test."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    context.set_default_timeout(10_000)
    shell = Shell(context.new_page(), daemon.url)
    try:
        yield shell
        shell.check_no_faults()
    finally:
        context.close()
