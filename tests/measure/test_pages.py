"""What the page stages time is what a host and a client do."""

from histbench.history import select_page
from histbench.measure.pages import pages_to_stitch, run_expand, run_page, run_stitch
from histbench.measure.timing import Stopwatch
from histbench.store import read_log


def test_pages_to_stitch_are_the_log_in_so_many_pages(session_file):
    """Whatever its messages; fewer only where there are fewer events."""
    log = read_log(session_file)
    for number in (1, 10, 100):
        pages = pages_to_stitch(log, number)

        assert len(pages) <= number
        assert sum(page.to_seq - page.from_seq for page in pages) == len(log)
    assert len(pages_to_stitch(log, 1)) == 1


def test_stitching_gives_the_whole_log(session_file):
    """The window holds what was cut into pages, and every page was asked for."""
    log = read_log(session_file)
    watch = Stopwatch()
    window = run_stitch(pages_to_stitch(log, 10), 10, watch)

    assert window.events() == list(log)
    assert (window.has_more, window.waiting, dict(window.faults)) == (False, (), {})
    assert list(watch.seconds) == ["page.stitch_10"]


def test_a_served_page_is_the_selected_one(session_file):
    """Serving is selecting and serialising; validating gives the page back."""
    log = read_log(session_file)
    watch = Stopwatch()
    for form in ("packed", "joined"):
        assert run_page(log, form, watch).events() == select_page(log).events()
    run_expand(log, watch)

    assert set(watch.seconds) == {
        "page.select",
        "page.serialise",
        "page.serve",
        "page.validate",
        "page.expand",
    }
    assert watch.seconds["page.serve"] >= watch.seconds["page.select"]
