"""Every operation of the daemon, as one table; routing, checking and the document all read it."""

from histbench.serve.about import LIST_PARAMETERS, capabilities, health, sessions
from histbench.serve.dictionaries import dictionary
from histbench.serve.history import (
    HISTORY_PARAMETERS,
    SUBAGENT_PARAMETERS,
    history,
    subagent_history,
)
from histbench.serve.loading import load
from histbench.serve.message import Answer
from histbench.serve.openapi import document_text
from histbench.serve.parameters import Parameter
from histbench.serve.routing import Operation
from histbench.serve.transcripts import (
    SEARCH_PARAMETERS,
    TRANSCRIPT_PARAMETERS,
    TURN_PARAMETERS,
    search,
    transcript,
    turn_index,
)

__all__ = ["OPERATIONS"]

_ID = ("session_not_found", "session_conflict", "session_archived", "outside_root")

_TRANSCRIPT = (
    *_ID,
    "invalid_transcript_limit",
    "invalid_transcript_cursor",
    "transcript_snapshot_unavailable",
    "transcript_page_too_large",
)

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

OPERATIONS: tuple[Operation, ...] = (
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
        name="openapi",
        template="/openapi.json",
        summary="This document",
        returns="Document",
        answer=lambda _desk, _call: Answer(body=document_text(OPERATIONS).encode(), keep="frozen"),
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
        name="load",
        method="POST",
        template="/session/{id}/load",
        summary="The newest history, and where events go on behind it",
        returns="LoadAnswer",
        body="LoadBody",
        codes=(
            *_TRANSCRIPT,
            "invalid_compacted_replay_mode",
            "invalid_live_replay_mode",
            "body_too_large",
            "unsupported_media_type",
        ),
        answer=load,
    ),
    Operation(
        name="transcript",
        template="/session/{id}/transcript",
        summary="A page of a transcript, as session updates",
        returns="TranscriptAnswer",
        parameters=TRANSCRIPT_PARAMETERS,
        codes=(*_TRANSCRIPT, "invalid_turn_anchor"),
        answer=transcript,
    ),
    Operation(
        name="workspaceTranscript",
        template="/workspace/{workspace}/session/{id}/transcript",
        summary="The same, for the session in one workspace",
        returns="TranscriptAnswer",
        parameters=TRANSCRIPT_PARAMETERS,
        codes=(*_TRANSCRIPT, "invalid_turn_anchor", "workspace_not_found"),
        answer=transcript,
    ),
    Operation(
        name="turnIndex",
        template="/session/{id}/turn-index",
        summary="The turns of a session, each with a preview",
        returns="TurnIndexAnswer",
        parameters=TURN_PARAMETERS,
        codes=_TRANSCRIPT,
        answer=turn_index,
    ),
    Operation(
        name="search",
        template="/session/{id}/search",
        summary="The records that show a text, the newest first",
        returns="SearchAnswer",
        parameters=SEARCH_PARAMETERS,
        codes=(*_TRANSCRIPT, "empty_search"),
        answer=search,
    ),
    Operation(
        name="history",
        template="/session/{id}/history",
        summary="A page of a session log",
        returns="HistoryPage",
        parameters=HISTORY_PARAMETERS,
        codes=(*_ID, "history_not_found", "page_too_large"),
        answer=history,
        with_dictionary=True,
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
        with_dictionary=True,
    ),
    Operation(
        name="dictionary",
        template="/dictionary/{name}",
        summary="A dictionary for history pages, by its SHA-256 in hexadecimal",
        returns="Octets",
        codes=("dictionary_not_found",),
        answer=dictionary,
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
