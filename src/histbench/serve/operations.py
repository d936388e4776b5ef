"""Every operation of the daemon, as one table; routing, checking and the document all read it."""

from histbench.serve.about import LIST_PARAMETERS, capabilities, health, sessions
from histbench.serve.history import (
    HISTORY_PARAMETERS,
    SUBAGENT_PARAMETERS,
    history,
    subagent_history,
)
from histbench.serve.parameters import Parameter
from histbench.serve.routing import Operation

__all__ = ["OPERATIONS"]

_ID = ("session_not_found", "session_conflict", "session_archived", "outside_root")

_EVENT_PARAMETERS = (
    Parameter(
        name="lastEventId",
        kind="text",
        description="Where to go on; the header Last-Event-ID comes first.",
    ),
    Parameter(
        name="epoch",
        kind="text",
        description="The epoch of that id; the header X-Qwen-Event-Epoch comes first.",
    ),
)

OPERATIONS = (
    Operation(
        name="health",
        template="/health",
        summary="Whether the daemon answers",
        returns="Health",
        answer=health,
    ),
    Operation(
        name="capabilities",
        template="/capabilities",
        summary="What this daemon can do, and its bounds",
        returns="Capabilities",
        answer=capabilities,
    ),
    Operation(
        name="sessions",
        template="/sessions",
        summary="The sessions under the root, the newest change first",
        returns="SessionList",
        parameters=LIST_PARAMETERS,
        answer=sessions,
    ),
    Operation(
        name="history",
        template="/session/{id}/history",
        summary="A page of a session log",
        returns="HistoryPage",
        parameters=HISTORY_PARAMETERS,
        codes=(*_ID, "history_not_found", "page_too_large"),
        answer=history,
    ),
    Operation(
        name="subagentHistory",
        template="/session/{id}/subagent/{child}/history",
        summary="A page of the log of a subagent, for the session that started it",
        returns="HistoryPage",
        parameters=SUBAGENT_PARAMETERS,
        codes=(
            *_ID,
            "history_not_found",
            "page_too_large",
            "subagent_not_found",
            "subagent_unauthorized",
            "subagent_catalog_diagnostic",
        ),
        answer=subagent_history,
    ),
    Operation(
        name="events",
        template="/session/{id}/events",
        summary="What is appended to a session, as server-sent events",
        returns="EventStream",
        parameters=_EVENT_PARAMETERS,
        codes=(*_ID, "too_many_streams", "stopping"),
    ),
)
