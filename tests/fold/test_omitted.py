"""What the lossy projection left out, as spans."""

from itertools import pairwise

from hypothesis import given

from histbench.fold import omitted_spans
from histbench.fold.projection import project_records
from histbench.log import EventLog
from histbench.records import record_events
from history_logs import event_logs


@given(event_logs(max_parts=20))
def test_kept_events_and_omitted_spans_are_the_interval(events) -> None:
    """Every seq is either there or told to be missing, and spans are as long as they can be."""
    log = EventLog.from_events(events)
    kept = list(project_records(log.records()))
    spans = omitted_spans(kept, log.from_seq, log.to_seq)
    missing = [seq for first, last in spans for seq in range(first, last + 1)]
    seqs = [event["seq"] for record in kept for event in record_events(record)]

    assert sorted(seqs + missing) == list(range(log.from_seq, log.to_seq))
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(spans))


def test_nothing_kept_is_one_span() -> None:
    """An empty interval has none."""
    assert omitted_spans([], 3, 9) == [(3, 8)]
    assert omitted_spans([], 3, 3) == []
