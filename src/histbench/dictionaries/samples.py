"""The pages that a dictionary is trained on: 512 events each, spread evenly over each log.

Forms differ in what they repeat, and one dictionary serves all that a reader may ask for: half of
the samples are packed, half lean.  A dictionary trained on one form alone gains 1 to 3 % more on it
and loses 8 % on the other (docs: decision 008).

What is taken depends on the logs and their order alone.
"""

from collections.abc import Iterator

from histbench.history import encode_page, select_page
from histbench.log import EventLog

__all__ = ["MAX_SAMPLES", "PAGE_EVENTS", "SAMPLE_FORMS", "sample_pages", "share_samples"]

SAMPLE_FORMS = ("packed", "lean")
PAGE_EVENTS = 512

# Of some 15 kB each: a hundred times a dictionary of 64 KiB, which is what trainers ask for.
MAX_SAMPLES = 512
# A page with one huge event must not push out the others.
_SAMPLE_BYTES = 128 * 1024


def share_samples(logs: int) -> tuple[list[int], int]:
    """Which of so many logs to take samples of, and how many pages of each.

    >>> share_samples(3)
    ([0, 1, 2], 85)
    """
    pages = MAX_SAMPLES // len(SAMPLE_FORMS)
    taken = min(logs, pages)
    return [number * logs // taken for number in range(taken)], pages // max(1, taken)


def sample_pages(log: EventLog, *, most: int) -> Iterator[bytes]:
    """At most `most` pages of a dense log, in each of the two forms, the newest first.

    Raises:
        InvalidLog: the log is not dense (`seq_gap`).
    """
    pages = -(-len(log) // PAGE_EVENTS)
    for number in range(min(pages, most)):
        skipped = number * pages // min(pages, most)
        page = select_page(
            log,
            before_seq=log.to_seq - skipped * PAGE_EVENTS,
            # As many messages as events: only the number of events cuts.
            max_messages=PAGE_EVENTS,
            max_events=PAGE_EVENTS,
        )
        for form in SAMPLE_FORMS:
            yield encode_page(page, form)[:_SAMPLE_BYTES]
