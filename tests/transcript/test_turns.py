"""Previews of turns, and text to search: what people see, safe to show, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histbench.transcript import merge_fragments
from histbench.transcript.text import cut, excerpt, one_line, searchable_text
from histbench.transcript.turns import preview_turn
from strategies import json_values
from transcript_records import line_of, record

any_text = st.text(st.sampled_from("abß İé\n\t \x00\x1b\u202e\u200b\u2028\U000e0041😀\ud83d"))

# One record of each kind whose secrets no preview may hold.
SECRETS = [
    record("a", None, "assistant")
    | {
        "message": {
            "parts": [
                {"text": "SECRET", "thought": True},
                {"functionCall": {"name": "sh", "args": {"cmd": "SECRET"}}},
                {"text": "shown"},
            ]
        }
    },
    record("a", None, "tool_result", toolCallResult={"callId": "c", "resultDisplay": "SECRET"})
    | {"message": {"parts": [{"functionResponse": {"response": {"output": "SECRET"}}}]}},
    {
        "uuid": "a",
        "parentUuid": None,
        "type": "assistant",
        "message": {
            "content": [
                {"type": "thinking", "thinking": "SECRET", "text": "SECRET"},
                {"type": "tool_use", "name": "sh", "input": {"cmd": ["SECRET"]}},
                {"type": "text", "text": "shown"},
            ]
        },
    },
    {
        "uuid": "a",
        "parentUuid": None,
        "type": "user",
        "message": {"content": [{"type": "tool_result", "content": "SECRET"}]},
    },
    {
        "uuid": "a",
        "parentUuid": None,
        "type": "user",
        "isMeta": True,
        "message": {"content": "SECRET"},
    },
    record("a", None, "system", text="SECRET", systemPayload={"displayText": "SECRET"}),
    record("a", None, "user", text="SECRET", systemPayload={"displayText": "shown"}),
]


def whole(value):
    """The record of a value."""
    return merge_fragments([line_of(value)])


def preview(text=None, **fields):
    """The preview of a prompt."""
    return preview_turn(whole(record("a", None, text=text, **fields)), ordinal=3, kind="prompt")


@pytest.mark.parametrize("value", SECRETS)
def test_nothing_hidden_is_shown_or_found(value):
    """No thought, no argument, no result, nothing told to the model alone."""
    shown = preview_turn(whole(value), ordinal=0, kind="prompt")

    assert "SECRET" not in shown.label + shown.detail
    assert "SECRET" not in searchable_text(whole(value))


def test_tools_are_searched_when_that_is_asked_for():
    """Arguments and results; thoughts never."""
    found = [searchable_text(whole(value), tools=True) for value in SECRETS]

    assert found == [
        *("shown sh SECRET", "SECRET SECRET", "shown sh SECRET", "SECRET"),
        *("", "", "shown"),
    ]


def test_a_preview_is_what_was_asked():
    """In one line, cut where it is long, and going on in the detail."""
    short = preview(" do\n it ", promptId="p1")
    long = preview("x" * 159 + " " + "y" * 500)

    assert (short.ordinal, short.turn_id, short.prompt_id) == (3, "a", "p1")
    assert (short.label, short.detail) == ("do it", "")
    assert short.timestamp == "2026-07-17T09:00:00.000Z"
    assert long.label == "x" * 159 + "…"
    assert long.detail == "y" * 239 + "…"
    assert preview(promptId=5).prompt_id is None


def test_a_prompt_of_pictures_has_a_label():
    """Somebody may want to go there."""
    picture = {"message": {"parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}}

    assert preview(**picture).label == "[attachment]"
    assert preview().label == ""


@given(any_text)
def test_previews_are_short_and_safe(text):
    """Whatever was pasted; label and detail hold all of it that there is room for."""
    made = preview(text * 40)
    line = one_line(text * 40)

    assert len(made.label) <= 160
    assert len(made.detail) <= 240
    assert not {*made.label, *made.detail} & set("\n\t\x00\x1b\u202e\u200b\u2028\U000e0041\ud83d")
    if len(line) <= 380:
        assert (made.label.removesuffix("…") + made.detail).replace(" ", "") == line.replace(
            " ", ""
        )


@given(any_text, any_text)
def test_one_line_of_one_line_is_itself(left, right):
    """And of two lines, the two with a space between."""
    assert one_line(one_line(left)) == one_line(left)
    assert one_line(left + "\n" + right) == " ".join(
        [*one_line(left).split(), *one_line(right).split()]
    )


@given(any_text.map(one_line), st.text("abßİ ", min_size=1, max_size=4), st.integers(8, 40))
def test_an_excerpt_shows_what_was_found(text, wanted, characters):
    """In any case, as far as it fits."""
    text = one_line(text * 20 + " " + wanted)
    found = excerpt(text, wanted.swapcase(), characters)

    assert len(found) <= max(characters, 0)
    assert found.strip("…") in text
    assert one_line(wanted).casefold() in found.casefold()


def test_an_excerpt_of_something_else_is_the_beginning():
    """There is always something to show."""
    assert excerpt("abcdef", "zzz", 4) == "abc…"
    assert excerpt("abc", "zzz", 4) == "abc"
    assert cut("ab", 2) == "ab"


@given(
    st.dictionaries(st.sampled_from(["message", "systemPayload", "toolCallResult"]), json_values)
)
def test_no_payload_crashes(fields):
    """What is not as it should be shows nothing."""
    value = record("a", None) | fields

    assert isinstance(searchable_text(whole(value), tools=True), str)
    assert isinstance(preview(**fields).label, str)
