"""The notebook viewer: what it answers, what it shows without a widget, what it is made of."""

import re
from html.parser import HTMLParser

import nbformat
import pytest

import histbench
from daemon import running_daemon
from histbench import EventLog
from histbench.errors import UsageError
from histbench.jsontext import decode
from histbench.widget import StaticView, viewer
from histbench.widget.bundle import bundle
from histbench.widget.source import DaemonSource, MemorySource
from histbench.widget.static import static_html
from store_logs import conversation, user_message
from transcript_files import SESSION, chain_lines, write_lines

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def log_of(text="hello", turns=30):
    """A log of a conversation, its first message saying this."""
    events = conversation(turns)
    for event in events:
        if event["type"] == "user/message":
            event["data"]["content"] = [{"type": "text", "text": text}]
            break
    header = {"type": "session", "version": 0, "id": "s", "createdAt": 5, "delegationDepth": 0}
    return EventLog.from_events(events, header=header)


class Tags(HTMLParser):
    """The elements and attributes of a text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.names = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """One element."""
        self.tags.add(tag)
        self.names.update(name for name, _ in attrs)


def answer(source, path, query="", body=None):
    """A 200's JSON."""
    status, text = source.ask("GET" if body is None else "POST", path, query, body)
    assert status == 200, text
    return decode(text.encode())


def pages(source):
    """The record ids of all pages, newest first, through cursors."""
    loaded = answer(source, f"/session/{source.session_id}/load", "", {"historyPageSize": 5})
    before = loaded["historyAnchorRecordId"]
    found, query = [], f"beforeRecordId={before}&limit=5"
    while query:
        page = answer(source, f"/session/{source.session_id}/transcript", query)
        found.append(page.get("firstRecordId"))
        cursor = page.get("nextCursor")
        query = f"cursor={cursor}&limit=5" if cursor else ""
    return found


@pytest.mark.parametrize("part", [slice(None), slice(7, None)])
def test_a_log_in_memory_answers_like_a_daemon(part):
    """A load, pages back to the first record, turns, search; refusals too."""
    source = MemorySource(log_of()[part])
    found = pages(source)

    assert found[-1] in {"seq:0", "seq:1"}  # a first event may be in no record
    assert len(set(found)) == len(found) > 3
    assert answer(source, "/session/s/turn-index", "limit=3")["turns"]
    assert source.ask("GET", "/session/other/turn-index", "", None)[0] == 404
    assert source.ask("GET", "/session/s/events", "", None)[0] == 404
    assert source.ask("GET", "/session/s/transcript", "limit=0", None)[0] == 400


def test_the_folder_of_a_log_goes_with_its_source():
    """Nothing is left behind."""
    source = MemorySource(log_of())
    root = source._api.desk.settings.root
    existed = root.exists()
    source._close()

    assert existed
    assert not root.exists()


@pytest.mark.slow
def test_a_daemons_session_is_asked_for_by_the_kernel(tmp_path):
    """Named by the shell's address, by its id, or the newest."""
    folder = tmp_path / "project" / "chats"
    folder.mkdir(parents=True)
    write_lines(folder / f"{SESSION}.jsonl", chain_lines(20))
    with running_daemon(tmp_path) as daemon:
        for source in (
            DaemonSource(f"{daemon.url}/#/session/{SESSION}", None, None),
            DaemonSource(daemon.url, SESSION, None),
            DaemonSource(daemon.url, None, None),
        ):
            assert source.session_id == SESSION
            assert pages(source)[-1] == "r0"
        assert source.ask("GET", "/session/x/transcript", "", None)[0] == 404
        assert source.follow("/session/x/events", "", {})[0] == 404
        shown = viewer(daemon.url, static=True).html
        live = pytest.importorskip("histbench.widget.live")
        with pytest.raises(UsageError) as refused:
            live.Widget(source, height=300, page_size=5).append([])
    assert refused.value.code == "not_in_memory"
    assert source.follow("/session/x/events", "", {})[0] == 503
    assert source.ask("GET", "/sessions", "", None)[0] == 503
    assert "hello 18" in shown


def test_the_package_offers_it_by_its_name():
    """Whatever of it was imported before."""
    assert histbench.viewer is viewer


@pytest.mark.parametrize("url", ["", "nowhere", "file:///etc/passwd", "ftp://x"])
def test_an_address_that_is_none_is_refused(url):
    """Before anything is asked."""
    with pytest.raises(UsageError) as refused:
        viewer(url)

    assert refused.value.code == "bad_address"


@pytest.mark.parametrize("height", [0, 199, 5001])
def test_a_height_that_is_none_is_refused(height):
    """And nothing is made."""
    with pytest.raises(UsageError) as refused:
        viewer(log_of(), height=height)

    assert refused.value.code == "bad_height"


def test_html_without_a_widget_needs_nothing_and_runs_nothing():
    """No script, no address, no handler; every text is escaped."""
    text = f"{MARKUP} half \ud83d " + "x" * 100_000
    shown = viewer(log_of(text, turns=2), static=True)
    tags = Tags(shown.html)

    assert isinstance(shown, StaticView)
    assert tags.tags <= {"section", "style", "p", "bdi", "article", "details", "summary", "pre"}
    assert tags.names <= {"class", "aria-label", "dir"}
    assert "&lt;script&gt;" in shown.html
    assert len(shown.html) < 60_000
    assert shown.html.encode()
    assert "more characters" in shown.html


@pytest.mark.parametrize("answer", [{}, {"compactedReplay": 3}, {"compactedReplay": [None, 1]}])
def test_an_answer_that_is_none_is_an_empty_page(answer):
    """Not an error in the middle of a notebook."""
    assert "<section" in static_html(answer)


def test_a_bundle_is_one_module_of_all_that_the_entry_needs():
    """In the order of their imports, each once, nothing left to import."""
    made = bundle(
        {
            "a.js": 'import { b } from "./x/b.js";\nimport { c } from "./c.js";\n'
            "export default { b, c };",
            "x/b.js": 'import { c } from "../c.js";\nexport const b = c + 1;',
            "c.js": "export const c = 1;",
            "d.js": "export const d = 1;",
        },
        "a.js",
    )

    assert not re.search(r"^(import|export (?!default module_a_js))", made, re.MULTILINE)
    assert made.count("const c = 1") == 1
    assert made.index("module_c_js =") < made.index("module_x_b_js =") < made.index("module_a_js =")
    assert "module_d_js" not in made


def test_a_module_that_is_not_there_is_told():
    """By its path."""
    with pytest.raises(UsageError) as refused:
        bundle({"a.js": 'import { b } from "./b.js";\n'}, "a.js")

    assert (refused.value.code, refused.value.found) == ("missing_module", "b.js")


def test_a_widget_is_also_html():
    """A frontend takes what it can show."""
    pytest.importorskip("anywidget")
    widget = viewer(log_of())
    data, _ = widget._repr_mimebundle_()

    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/html"].startswith("<section")
    assert not re.search(r"^import ", widget._esm, re.MULTILINE)
    assert ":root" not in widget.sheet
    widget.append([user_message(0, "appended")])
    assert "appended" in widget._repr_mimebundle_()[0]["text/html"]


@pytest.mark.slow
@pytest.mark.parametrize("stored", [True, False])
def test_an_exported_notebook_shows_the_session(stored):
    """Run without a frontend and exported: the text is there, whether or not widgets were kept."""
    nbclient = pytest.importorskip("nbclient")
    nbconvert = pytest.importorskip("nbconvert")
    code = (
        "import histbench\nfrom histbench import EventLog\n"
        "event = {'type': 'user/message', 'seq': 0, 'time': 5, 'data': {'content': "
        "[{'type': 'text', 'text': 'in the exported page'}], 'source': {'kind': 'user'}}}\n"
        "histbench.viewer(EventLog.from_events([event]))"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=120, store_widget_state=stored).execute()
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)

    assert '<p dir="auto">in the exported page</p>' in page
