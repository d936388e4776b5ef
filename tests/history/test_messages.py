"""Messages and their cuts, on what foreign writers put into `sourceEventSeqs`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.history.messages import is_message, message_cut
from histbench.jsontext import encode
from histbench.log import EventLog
from histbench.records import Plain


def record(sources: object, operation: object = "append", **fields: object) -> Plain:
    """A message with seq 50."""
    event = {
        "type": "assistant/message",
        "seq": 50,
        "time": 0,
        "data": {},
        "sourceEventSeqs": sources,
        "surfaceOp": operation,
        **fields,
    }
    return Plain(type=str(event["type"]), seq=50, time=0, raw=encode(event))


@pytest.mark.parametrize(
    ("sources", "cut"),
    [
        ([], 50),
        ([7, 3, 9], 3),
        ([60], 50),
        ([-1, 20], 20),
        ([1.0, 20], 1),
        ([True, "3", None, 30], 30),
        ([2.5], 50),
        ([2**60], 50),
        ("3", 50),
        (None, 50),
        ({"3": 3}, 50),
    ],
)
def test_the_cut_is_the_least_seq_among_the_sources(sources: object, cut: int) -> None:
    """What is no seq changes nothing."""
    assert message_cut(record(sources)) == cut


@pytest.mark.parametrize("operation", [{"op": "replace", "start": 0, "end": 1}, None, "replace", 1])
def test_only_appended_messages_count(operation: object) -> None:
    """Copies that replace a part of the conversation are none."""
    assert message_cut(record([3], operation)) is None
    assert message_cut(record(["slow way"], operation)) is None


@pytest.mark.parametrize("kind", ["tool/result", "assistant/chunk", "user/messages", ""])
def test_other_events_are_no_messages(kind: str) -> None:
    """Not even with the fields of one."""
    assert message_cut(record([3], type=kind)) is None


def test_a_row_is_no_message() -> None:
    """It is not looked into."""
    chunk = {"type": "text-delta", "index": 0, "text": "x"}
    data = {"turn": 1, "step": 1, "chunk": chunk}
    events = [{"type": "assistant/chunk", "seq": k, "time": 0, "data": data} for k in range(3)]
    (row,) = EventLog.from_events(events).records()

    assert message_cut(row) is None


@given(st.lists(st.integers(-5, 100) | st.floats(-5, 60) | st.none() | st.text(max_size=2)))
def test_the_fast_and_the_slow_way_agree(sources) -> None:
    """A message that only the slow way can read has the same cut."""
    plain = record(sources)
    slow = Plain(
        type=plain.type, seq=50, time=0, raw=plain.raw.replace(b'"data":{}', b'"data":"\\ud800"')
    )

    assert message_cut(plain) == message_cut(slow)


@given(st.sampled_from(["append", "replace", None, 1, {"op": "append"}, "\ud800"]), st.booleans())
def test_what_has_a_cut_is_a_message(operation, whole) -> None:
    """And nothing else is."""
    plain = record([3] if whole else ["slow way"], operation)

    assert is_message(plain) == (message_cut(plain) is not None)
