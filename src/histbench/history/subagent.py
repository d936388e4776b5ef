"""Who may read a subagent's history: its own parent, under the mode that it was started in.

`subagent.history` names parent, child and mode and is answered like `session.history`.  The host
looks up the child's header and its descriptor (an event in the child's own log) and asks here:

| found | code here | on the wire |
|---|---|---|
| no such session, or one that is no subagent | `subagent_not_found` | `subagent-not-found` |
| another parent, or another mode | `subagent_unauthorized` | `subagent-unauthorized` |
| no descriptor, or one that cannot be read | `subagent_catalog_diagnostic` | `subagent-catalog-diagnostic` |

A pure function: nothing here reads a file (facts: session history, sections 1 and 4).
"""

from collections.abc import Mapping
from typing import Any, Literal

from histbench.errors import InvalidLog, Place, UsageError
from histbench.log import EventLog
from histbench.records import Plain

__all__ = ["WIRE_CODES", "SubagentMode", "authorise_subagent", "find_descriptor"]

SubagentMode = Literal["one-shot", "continuable"]

_MODES = ("one-shot", "continuable")
_DESCRIPTOR_TYPE = "subagent/descriptor"
_DESCRIPTOR_VERSION = 2

# Every code of a history request, ours to the wire's (facts: session history, section 4).
WIRE_CODES = {
    code: code.replace("_", "-")
    for code in (
        "session_not_found",
        "bad_request",
        "internal",
        "cancelled",
        "subagent_not_found",
        "subagent_unauthorized",
        "subagent_catalog_diagnostic",
    )
}


def find_descriptor(log: EventLog) -> Mapping[str, Any] | None:
    """The data of a child's descriptor event, the first one; None when its log has none."""
    for record in log.records():
        if isinstance(record, Plain) and record.type == _DESCRIPTOR_TYPE:
            data = record.event().get("data")
            return data if isinstance(data, dict) else {}
    return None


def authorise_subagent(
    *,
    parent_id: str,
    child_id: str,
    mode: str,
    header: Mapping[str, Any] | None,
    descriptor: Mapping[str, Any] | None,
) -> None:
    """Return if the parent may read the child's history.

    Args:
        parent_id: the session that asks.
        child_id: the session that is asked for.
        mode: how the parent says that it started the child.
        header: the child's header; None when there is no such session.
        descriptor: the data of the child's descriptor event; None when it has none.

    Raises:
        UsageError: `bad_request` (no such mode), `subagent_not_found`, `subagent_unauthorized`.
        InvalidLog: `subagent_catalog_diagnostic`.
    """
    if mode not in _MODES:
        raise UsageError("no such mode", code="bad_request", found=mode, expected=str(_MODES))
    where = Place(record=child_id)
    if header is None or header.get("id") != child_id or header.get("origin") != "subagent":
        raise UsageError("no such subagent", code="subagent_not_found", where=where)
    if header.get("parentSession") != parent_id:
        raise UsageError("the child of another session", code="subagent_unauthorized", where=where)
    version = None if descriptor is None else descriptor.get("version")
    if descriptor is None or version != _DESCRIPTOR_VERSION or descriptor.get("mode") not in _MODES:
        raise InvalidLog(
            "no descriptor that can be read",
            code="subagent_catalog_diagnostic",
            where=where,
            found=None if descriptor is None else dict(descriptor),
            expected=f"version {_DESCRIPTOR_VERSION} and a mode",
        )
    if descriptor["mode"] != mode:
        raise UsageError(
            "started in another mode",
            code="subagent_unauthorized",
            where=where,
            found=mode,
            expected=str(descriptor["mode"]),
        )
