"""What the shell holds of a session that is far longer than it holds."""

from browser_pages import SESSION, chats, opened
from daemon import running_daemon
from transcript_files import chain_lines, write_lines

TURNS = 20_000
TEXT = "A sentence that is long enough to be a line of its own in the column. " * 3

# To the start, page after page, as a reader scrolls; what was there at most, and the heap each time
# so many turns more were read.
_TO_START = """async (every) => {
  const scroller = document.getElementById('transcript');
  const articles = document.getElementById('blocks').children;
  const turn = () => Number(articles[0].dataset.record.slice(1)) >> 1;
  const seen = { blocks: 0, nodes: 0, drift: 0, heaps: [] };
  let next = turn();
  for (;;) {
    seen.blocks = Math.max(seen.blocks, articles.length);
    seen.nodes = Math.max(seen.nodes, document.getElementsByTagName('*').length);
    if (turn() <= next) {
      gc();
      seen.heaps.push(performance.memory.usedJSHeapSize);
      next -= every;
    }
    if (articles[0].dataset.record === 'r0') return seen;
    const first = articles[0];
    scroller.scrollTop = 137;
    const top = scroller.getBoundingClientRect().top;
    const read = [...articles].find((each) => each.getBoundingClientRect().bottom > top + 1);
    const place = read.getBoundingClientRect().top;
    while (articles[0] === first) await new Promise((done) => setTimeout(done, 4));
    seen.drift = Math.max(seen.drift, Math.abs(read.getBoundingClientRect().top - place));
  }
}"""


def test_twenty_thousand_turns_are_scrolled_within_the_same_bounds(browser, tmp_path):
    """From end to start: as many blocks, elements and bytes at the start as after the first pages.

    All of it, kept, would be 9 MB of text alone.  Nothing moves by a pixel; the end is one click
    away.
    """
    chats(tmp_path).mkdir(parents=True)
    lines = chain_lines(TURNS * 2, turn=2, text=TEXT)
    write_lines(chats(tmp_path) / f"{SESSION}.jsonl", lines)
    with running_daemon(tmp_path) as daemon, opened(browser, daemon) as shell:
        shell.open()
        seen = shell.page.evaluate(_TO_START, TURNS // 20)

        assert seen["drift"] == 0
        assert seen["blocks"] <= 1500
        assert seen["nodes"] <= 1500 * 8
        assert max(seen["heaps"]) - min(seen["heaps"]) < 4_000_000
        assert len(seen["heaps"]) == 20
        assert shell.pages_asked() == TURNS * 2 // 100 - 1
        assert shell.most_under_way == 1
        shell.page.get_by_role("button", name="Return to latest").click()
        shell.wait_for_record(f"r{TURNS * 2 - 1}")
