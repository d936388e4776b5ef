"""What an error of ours says, and that its tree and its codes are what its module promises."""

import inspect
import re

import pytest

from histbench import errors
from histbench.errors import HistbenchError, InvalidData, InvalidRow, Place, UsageError, short

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, HistbenchError)
]


def test_the_tree_in_the_docstring_is_the_tree():
    """Who reads the module's head knows every class and what it stands under."""
    drawn = re.findall(r"[├└]─ (\w+) ", errors.__doc__)

    assert sorted(drawn) == sorted(each.__name__ for each in CLASSES if each is not HistbenchError)
    assert all(each.__mro__[1] in {HistbenchError, InvalidData} for each in CLASSES[1:])


@pytest.mark.parametrize("each", CLASSES)
def test_each_class_has_a_code_of_its_own(each):
    """An error raised without a code still has one that says what kind it is."""
    error = each("bad")

    assert re.fullmatch("[a-z][a-z0-9_]*", error.code)
    assert [other.default_code for other in CLASSES].count(error.code) == 1
    assert inspect.getdoc(each)


def test_the_message_tells_place_found_and_expected():
    """One line, in this order: where, what, what was there and what was due."""
    error = InvalidRow(
        "bad seq0",
        code="row_seq0",
        where=Place(file="a.jsonl", line=3, byte=7, seq=9, record="r1"),
        found=-1,
        expected="a seq",
    )

    assert str(error) == (
        "a.jsonl, line 3, byte 7, seq 9, record r1: bad seq0 (found -1, expected a seq)"
    )


def test_found_none_is_shown_and_nothing_found_is_not():
    """JSON's null is a value; that nothing was found is none."""
    assert str(UsageError("bad", found=None)) == "bad (found None)"
    assert str(UsageError("bad", expected="x")) == "bad (expected x)"
    assert str(UsageError("bad")) == "bad"


def test_a_layer_adds_what_it_knows_and_overwrites_nothing():
    """The place nearest the fault is right about it."""
    error = InvalidRow("bad", where=Place(line=3))

    assert error.at(line=1, file="a") is error
    assert error.where == Place(line=3, file="a")
    assert error.at(seq=0).where == Place(line=3, file="a", seq=0)


def test_places_are_values():
    """Equal places are equal, in a set too, and look like their call."""
    assert len({Place(line=1), Place(line=1), Place(byte=1)}) == 2
    assert Place(line=1) != "line 1"
    assert repr(Place(file="a", seq=0)) == "Place(file='a', seq=0)"
    assert str(Place()) == ""


@pytest.mark.parametrize(
    "value",
    ["x" * 1000, b"x" * 1000, bytearray(1000), ["x" * 1000] * 9, {"a": 1}, "\u202e\x1b[31m\ud83d"],
)
def test_what_was_found_never_floods_or_commands_a_terminal(value):
    """Short, one line, ASCII."""
    text = short(value)

    assert len(text) <= 61
    assert text.isprintable()
    assert text.removesuffix("…").isascii()
