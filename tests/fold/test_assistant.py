"""The Assistant fold: three versions that agree, with each other and with a naive one."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle_assistant
from histbench.fold import AssistantState, Block, compact_inputs, fold_assistant
from histbench.history import select_page
from histbench.log import EventLog
from history_logs import event_logs, layouts
from synthetic import generate

Event = dict[str, Any]


def check_same_fold(events: list[Event], state: AssistantState) -> None:
    """The state is the naive fold's of these events."""
    assert msgspec.to_builtins(state) == oracle_assistant.fold(events)


@given(event_logs(max_parts=20))
def test_scalar_row_aware_and_compact_folds_agree_with_the_naive_one(events) -> None:
    """Whatever the reader has, events, rows or compact inputs, it shows the same."""
    check_same_fold(events, fold_assistant(events))
    for log in layouts(events):
        check_same_fold(events, fold_assistant(log.records()))
        check_same_fold(events, fold_assistant(compact_inputs(log.records())))


@settings(max_examples=50)
@given(event_logs(max_parts=20), st.integers(1, 20))
def test_folds_of_a_page_that_begins_inside_a_step_agree(events, max_events) -> None:
    """Without its `step/start`, a step is built from what there is."""
    page = select_page(EventLog.from_events(events), max_events=max_events)

    check_same_fold(page.events(), fold_assistant(page.records))
    check_same_fold(page.events(), fold_assistant(compact_inputs(page.records)))


@settings(max_examples=50)
@given(event_logs(max_parts=12), st.data())
def test_inputs_may_be_mixed(events, data) -> None:
    """A window holds rows of pages beside live events."""
    half = data.draw(st.integers(0, len(events)))
    rows = EventLog.from_events(events[:half]).records()

    check_same_fold(events, fold_assistant([*compact_inputs(rows), *events[half:]]))
    check_same_fold(events, fold_assistant([*rows, *events[half:]]))


def test_folds_of_generated_sessions_agree() -> None:
    """The same on a whole session: turns, tools, retries, interruptions."""
    events = list(generate("quick", 2))[:2_000]
    records = EventLog.from_events(events).records()

    check_same_fold(events, fold_assistant(events))
    check_same_fold(events, fold_assistant(records))
    check_same_fold(events, fold_assistant(compact_inputs(records)))


class Script:
    """Events of turn 1, step 1, one after the other, ten milliseconds apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: str, data: dict[str, Any] | None = None, **fields: Any) -> "Script":
        """Append one event."""
        seq = len(self.events)
        body = {"turn": 1, "step": 1, **(data or {})}
        self.events.append({"type": kind, "seq": seq, "time": 10 * seq, "data": body, **fields})
        return self

    def chunk(self, kind: str, **fields: Any) -> "Script":
        """Append one chunk."""
        return self.add("assistant/chunk", {"chunk": {"type": kind, **fields}})

    def text(self, text: str, index: int = 0) -> "Script":
        """Append one text delta."""
        return self.chunk("text-delta", index=index, text=text)

    def message(self, *content: Any, **data: Any) -> "Script":
        """Append an append message."""
        body = {"message": {"role": "assistant", "content": list(content)}, **data}
        return self.add("assistant/message", body, surfaceOp="append")

    def node(self) -> Any:
        """The chat's one node; all versions have agreed on it."""
        state = fold_assistant(self.events)
        check_same_fold(self.events, state)
        records = EventLog.from_events(self.events).records()
        assert fold_assistant(compact_inputs(records)) == fold_assistant(records) == state
        (node,) = state.chat
        return node


def test_a_delta_of_another_kind_begins_its_block_anew() -> None:
    """What stood under the index is gone."""
    script = Script().add("step/start").text("first")
    script.chunk("reasoning-delta", index=0, text="second")

    assert script.node().blocks == (Block(kind="reasoning", text="second"),)


def test_a_call_takes_the_first_id_and_the_last_name() -> None:
    """Fragments of arguments are joined; a call is never visible."""
    script = Script()
    for call_id, extra in (("", {}), ("a", {"name": "x"}), ("b", {}), ("c", {"name": "y"})):
        script.chunk("tool-call-delta", index=1, id=call_id, argumentsDelta="{", **extra)
    node = script.node()

    assert node.blocks == (Block(kind="tool-call", text="{{{{", call_id="a", name="y"),)
    assert (node.visible, node.first_token_time, node.first_visible_seq) == (False, 0, None)


def test_first_visible_is_the_first_event_after_which_something_is() -> None:
    """Blank text is not seen; the token before it counts."""
    node = Script().add("step/start").text("").text(" ").text("x").text("y").node()

    assert (node.first_token_time, node.first_visible_seq, node.first_visible_time) == (20, 3, 30)


def test_a_block_of_an_unknown_kind_is_visible() -> None:
    """Who does not know what it is cannot say that there is nothing to see."""
    image = {"type": "image", "source": "x"}
    node = Script().chunk("block-end", index=0, block=image).node()

    assert (node.visible, node.first_visible_seq, node.blocks) == (
        True,
        0,
        (Block(kind="image", value=image),),
    )


def test_a_retry_forgets_all_but_the_first_token() -> None:
    """The chat forgets the attempt's usage, the trajectory adds it up."""
    script = Script().add("step/start").text("lost").chunk("usage", usage={"outputTokens": 2})
    script.add("llm/retry")
    hidden = script.node()
    assert (hidden.visible, hidden.blocks, hidden.usage, hidden.first_visible_seq) == (
        False,
        (),
        None,
        None,
    )
    script.text("kept").chunk("usage", usage={"outputTokens": 5})
    node = script.node()

    assert (node.first_token_time, node.first_visible_seq) == (10, 4)
    assert node.usage == {"outputTokens": 5}
    assert fold_assistant(script.events).trajectory[0].usage == {"outputTokens": 7}


def test_a_message_settles_a_step() -> None:
    """Its content replaces all blocks, and its seq is where the node stands."""
    script = Script().add("step/start").text("dr").text("aft", index=3)
    node = script.message({"type": "text", "text": "final"}).add("step/end").node()

    assert node.blocks == (Block(kind="text", text="final"),)
    assert (node.status, node.anchor_seq, node.completed_time) == ("settled", 3, 30)


def test_a_message_may_say_that_it_was_interrupted() -> None:
    """Then the node stands at the message all the same."""
    node = Script().add("step/start").text("dr").message(interrupted=True).node()

    assert (node.status, node.anchor_seq) == ("interrupted", 2)


@pytest.mark.parametrize("end", ["step/end", "turn/end"])
def test_an_end_without_a_message_interrupts_a_step(end: str) -> None:
    """The node stands just before what ended it."""
    node = Script().add("step/start").text("dr").add(end).add("turn/end").node()

    assert (node.status, node.anchor_seq, node.completed_time) == ("interrupted", 1.1, 20)
    assert node.blocks == (Block(kind="text", text="dr"),)


def test_a_step_without_its_start_stands_at_its_first_token() -> None:
    """A page may begin inside a step."""
    node = Script().text("").text("x").node()

    assert (node.status, node.anchor_seq, node.step_start_time) == ("running", 1, None)


def test_a_replacing_message_settles_nothing() -> None:
    """Copies made by a compaction belong to the conversation, not to a step."""
    script = Script().add("step/start").text("x")
    body = {"message": {"content": [{"type": "text", "text": "copy"}]}}
    script.add("assistant/message", body, surfaceOp={"op": "replace", "start": 0, "end": 1})

    assert (script.node().status, script.node().blocks) == (
        "running",
        (Block(kind="text", text="x"),),
    )


def test_a_delta_with_a_field_more_is_folded_all_the_same() -> None:
    """It cannot stand in a row, but it says what it says."""
    script = Script().text("a").text("b")
    script.events[1]["ignorable"] = True

    assert script.node().blocks == (Block(kind="text", text="ab"),)


def test_halves_of_a_character_meet() -> None:
    """A surrogate pair that was split between two deltas is one character, whoever joins it."""
    node = Script().text("\ud83d").text("\ude00").text("!").node()

    assert node.blocks == (Block(kind="text", text="\U0001f600!"),)


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "assistant/chunk", "data": None},
        {"type": "assistant/chunk", "data": {"turn": 1, "step": 1, "chunk": 7}},
        {"type": "assistant/chunk", "data": {"turn": "1", "step": 1, "chunk": {"type": "usage"}}},
        {"type": "assistant/message", "data": {"turn": 1, "step": 1}, "surfaceOp": "append"},
        {"type": "step/start", "data": {}},
        {"type": "step/end"},
        {"type": "turn/end", "data": {"turn": None}},
        {"type": "llm/retry", "data": {"turn": 9, "step": 9}},
    ],
)
def test_events_of_another_shape_say_nothing(broken: Event) -> None:
    """A fold shows what it understands; refusing a log is for its reader."""
    event = {"seq": 0, "time": 0, **broken}

    assert fold_assistant([event]).chat == ()
    assert fold_assistant(EventLog.from_events([event]).records()).chat == ()


def test_parts_of_another_shape_leave_the_step_empty() -> None:
    """The step is there, what cannot be read is not."""
    script = Script().chunk("text-delta", index=0, text=5).chunk("usage", usage=None)
    script.chunk("block-start", index="0").chunk("text-delta", index=None, text="x")
    state = fold_assistant(script.events)

    assert (len(state.chat), state.chat[0].blocks, state.chat[0].usage) == (1, (), None)


def test_a_long_blank_prefix_has_its_own_boundary() -> None:
    """The token comes with the first blank, the sight with the first letter."""
    script = Script()
    for _ in range(3_000):
        script.text(" ")
    script.text("x")
    records = EventLog.from_events(script.events).records()

    for inputs in (script.events, records, compact_inputs(records)):
        (node,) = fold_assistant(inputs).chat
        assert (node.first_token_time, node.first_visible_seq) == (0, 3_000)


def test_a_retry_after_the_end_of_its_turn_can_be_ended_again():
    """The end that came before the retry was that of the attempt that was given up."""
    place = {"turn": 1, "step": 1}
    chunk = {"type": "text-delta", "index": 0, "text": "x"}
    kinds = ["assistant/chunk", "turn/end", "llm/retry", "assistant/chunk", "turn/end"]
    events = [
        {
            "type": kind,
            "seq": seq,
            "time": 0,
            "data": {**place, "chunk": chunk} if kind == "assistant/chunk" else place,
        }
        for seq, kind in enumerate(kinds)
    ]
    check_same_fold(events, fold_assistant(events))
    check_same_fold(events[:-1], fold_assistant(events[:-1]))

    assert fold_assistant(events).chat[0].status == "interrupted"
    assert fold_assistant(events[:-1]).chat[0].status == "running"
