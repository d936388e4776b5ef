"""What Chromium does with the daemon's dictionaries, over plain HTTP on this machine, unasked.

It takes part without a flag or a certificate where the address is 127.0.0.1 or localhost.  It looks
for a dictionary at the links of documents, and not at those of what scripts fetch; a dictionary that
a script fetches itself is as good, which is the way where a token is needed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser_pages import LOG, Shell, opened
from daemon import RunningDaemon, get, running_daemon
from histbench.dictionaries import Dictionary, sample_pages, train_dictionary, write_dictionary
from histbench.log import EventLog
from histbench.store import LogWriter
from store_logs import conversation

PAGE = "/session/a%20log%2F1/history?maxMessages=30&beforeSeq=300&form=lean"
NEWEST = "/session/a%20log%2F1/history?maxMessages=30"
TOKEN = "0123456789abcdef-token"

# A body as the page's own scripts see it, and how it came.
FETCH = """async ([path, headers]) => {
  const answer = await fetch(path, { headers });
  return [answer.status, answer.headers.get("content-encoding"), await answer.text()];
}"""

TRAINED = train_dictionary(
    [
        page
        for turns in range(60, 70)
        for page in sample_pages(EventLog.from_events(conversation(turns)), most=9)
    ],
    size=2048,
)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with one log."""
    folder = tmp_path_factory.mktemp("root")
    with LogWriter.create(folder, session_id=LOG, created_at=5, cwd="/x") as writer:
        writer.append(conversation(40))
    return folder


def option(folder: Path, dictionary: Dictionary) -> list[str]:
    """The option that offers it."""
    write_dictionary(dictionary, folder / "pages.dictionary")
    return ["--dictionary", str(folder / "pages.dictionary")]


@pytest.fixture
def offering(sessions: Path, tmp_path: Path) -> Iterator[RunningDaemon]:
    """A daemon with a dictionary."""
    with running_daemon(sessions, *option(tmp_path, TRAINED)) as running:
        yield running


def fetch(shell: Shell, path: str, **headers: str) -> list[Any]:
    """Status, coding and text of what a script of the page fetches."""
    found: list[Any] = shell.page.evaluate(FETCH, [path, headers])
    return found


def coding_after(shell: Shell, path: str, **headers: str) -> str | None:
    """How a page comes in the end; the browser takes a dictionary in whenever it has time."""
    coding: str | None = None
    for _ in range(100):
        coding = fetch(shell, path, **headers)[1]
        if coding == "dcz":
            break
        shell.page.wait_for_timeout(50)
    return coding


def test_pages_come_as_dcz_to_chromium(browser: Any, offering: RunningDaemon) -> None:
    """The shell's own document offers the dictionary; pages say the same as to anybody else."""
    with opened(browser, offering) as shell:
        shell.page.goto(offering.url)
        secure = shell.page.evaluate("isSecureContext")
        coding = coding_after(shell, PAGE)
        texts = {path: fetch(shell, path) for path in (PAGE, NEWEST)}
        other = fetch(shell, "/sessions")

    assert secure
    assert coding == "dcz"
    for path, (status, came, text) in texts.items():
        assert (status, came) == (200, "dcz")
        assert text == get(offering, path).text
    assert other[1] != "dcz"


def test_what_goes_over_the_wire_is_the_daemon_s_dcz(browser: Any, offering: RunningDaemon) -> None:
    """By the browser's own count, a page has as many bytes as the daemon sends whoever has it."""
    received: dict[str, int] = {}
    with opened(browser, offering) as shell:
        shell.page.goto(offering.url)
        coding = coding_after(shell, PAGE)
        wire = shell.page.context.new_cdp_session(shell.page)
        wire.on(
            "Network.dataReceived",
            lambda each: received.update(
                {
                    each["requestId"]: received.get(each["requestId"], 0)
                    + int(each["encodedDataLength"])
                }
            ),
        )
        wire.send("Network.enable")
        fetch(shell, NEWEST)
        shell.wait_for(lambda: bool(sum(received.values())), "bytes that came")
    fields = {"accept-encoding": "dcz", "available-dictionary": TRAINED.field}
    due = get(offering, NEWEST, headers=fields)

    assert coding == due.headers["content-encoding"] == "dcz"
    assert list(received.values()) == [int(due.headers["content-length"])]


def test_a_kept_page_is_read_right_by_whoever_gets_a_dictionary_later(
    browser: Any, offering: RunningDaemon
) -> None:
    """What the browser keeps of a page, before and after, is never mixed up."""
    due = get(offering, PAGE).text
    with opened(browser, offering) as shell:
        shell.page.goto(offering.url)
        texts = [fetch(shell, PAGE)[2] for _ in range(3)]
        coding = coding_after(shell, PAGE)
        texts += [fetch(shell, PAGE)[2] for _ in range(3)]

    assert coding == "dcz"
    assert texts == [due] * 6


def test_where_a_token_is_needed_a_script_fetches_the_dictionary(
    browser: Any, sessions: Path, tmp_path: Path
) -> None:
    """The browser would ask for it without the token, so no document offers it; nothing else does."""
    secret = tmp_path / "token"
    secret.write_text(TOKEN)
    secret.chmod(0o600)
    options = [*option(tmp_path, TRAINED), "--token-file", str(secret)]
    bearer = {"authorization": f"Bearer {TOKEN}"}
    with running_daemon(sessions, *options) as daemon, opened(browser, daemon) as shell:
        shell.failures_are_expected = True
        shell.page.goto(daemon.url)
        for _ in range(3):
            # Each of these pages has the link, and is no document.
            before = fetch(shell, PAGE, **bearer)
            shell.page.wait_for_timeout(100)
        fetched = fetch(shell, f"/dictionary/{TRAINED.name}", **bearer)
        after = coding_after(shell, PAGE, **bearer)

    assert before[:2] == [200, "br"]
    assert fetched[0] == 200
    assert after == "dcz"


def test_a_daemon_with_another_dictionary_is_understood(
    browser: Any, sessions: Path, offering: RunningDaemon, tmp_path: Path
) -> None:
    """A browser goes on telling of a dictionary that is gone, and gets pages without one."""
    with opened(browser, offering) as shell:
        shell.page.goto(offering.url)
        coding = coding_after(shell, PAGE)
        offering.stop()
        (tmp_path / "other").mkdir()
        other = Dictionary.of(TRAINED.content[:-300])
        again = RunningDaemon(sessions, option(tmp_path / "other", other))
        again.port = offering.port
        again.start()
        try:
            status, without, text = fetch(shell, NEWEST)
            due = get(again, NEWEST).text
        finally:
            again.stop()

    assert coding == "dcz"
    assert (status, without) == (200, "br")
    assert text == due
