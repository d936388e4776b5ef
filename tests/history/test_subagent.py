"""Who may read a subagent's history."""

from typing import Any

import pytest

from histbench.errors import InvalidLog, UsageError
from histbench.history import authorise_subagent, find_descriptor
from histbench.history.subagent import WIRE_CODES
from histbench.log import EventLog

HEADER = {"type": "session", "id": "child", "origin": "subagent", "parentSession": "parent"}
DESCRIPTOR = {"version": 2, "mode": "one-shot", "provider": "p"}


def ask(**changes: Any) -> None:
    """The parent's request for its child, with something changed."""
    request: dict[str, Any] = {
        "parent_id": "parent",
        "child_id": "child",
        "mode": "one-shot",
        "header": HEADER,
        "descriptor": DESCRIPTOR,
    }
    authorise_subagent(**{**request, **changes})


def test_a_parent_may_read_its_child() -> None:
    """Under the mode that it started it in."""
    ask()
    ask(mode="continuable", descriptor={**DESCRIPTOR, "mode": "continuable"})


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("bad_request", {"mode": "any"}),
        ("subagent_not_found", {"header": None}),
        ("subagent_not_found", {"header": {**HEADER, "id": "other"}}),
        ("subagent_not_found", {"header": {"type": "session", "id": "child"}}),
        ("subagent_unauthorized", {"parent_id": "stranger"}),
        ("subagent_unauthorized", {"mode": "continuable"}),
    ],
)
def test_others_may_not(code: str, changes: dict[str, Any]) -> None:
    """Each refusal has its code, and its name on the wire."""
    with pytest.raises(UsageError) as caught:
        ask(**changes)

    assert caught.value.code == code
    assert WIRE_CODES[code] == code.replace("_", "-")


@pytest.mark.parametrize("descriptor", [None, {}, {**DESCRIPTOR, "version": 3}, {"version": 2}])
def test_a_child_without_a_readable_descriptor_is_a_diagnostic(descriptor: Any) -> None:
    """The data is wrong, not the request."""
    with pytest.raises(InvalidLog) as caught:
        ask(descriptor=descriptor)

    assert caught.value.code == "subagent_catalog_diagnostic"


def test_a_stranger_learns_nothing_of_a_damaged_child() -> None:
    """Whose child it is comes before what is wrong with it."""
    with pytest.raises(UsageError) as caught:
        ask(parent_id="stranger", descriptor=None)

    assert caught.value.code == "subagent_unauthorized"


def test_the_descriptor_is_an_event_of_the_childs_log() -> None:
    """The first one; a damaged one is found and is empty."""

    def log(*datas: Any) -> EventLog:
        return EventLog.from_events(
            {"type": kind, "seq": seq, "time": 0, "data": data}
            for seq, (kind, data) in enumerate(datas)
        )

    named = "subagent/descriptor"
    assert find_descriptor(log(("turn/start", {}), (named, DESCRIPTOR), (named, {}))) == DESCRIPTOR
    assert find_descriptor(log((named, None))) == {}
    assert find_descriptor(log(("turn/start", {}))) is None
