"""What the daemon says of itself and of its sessions: health, capabilities, the list, its document."""

from functools import cache
from importlib.metadata import version
from typing import Any

from msgspec import UNSET

from histbench.history import FORMS
from histbench.serve import history
from histbench.serve.desk import Desk
from histbench.serve.message import Answer, Call, json_bytes
from histbench.serve.parameters import Parameter
from histbench.serve.sessions import Session
from histbench.serve.wire import Capabilities, Health, SessionList, SessionSummary

__all__ = ["FEATURES", "LIST_PARAMETERS", "capabilities", "health", "sessions"]

# A client asks for nothing that is not named here.
FEATURES = (
    "session_events",
    "session_events_resume",
    "session_history",
    "session_history_budgets",
    *(f"session_history_{name}" for name in FORMS if name != "packed"),
    "session_load",
    "session_transcript",
    "session_transcript_after_record",
    "session_transcript_pagination",
    "session_transcript_search",
    "session_turn_navigation",
    "workspace_transcript",
)

_CODINGS = ("br", "zstd", "gzip")

_MOST_SESSIONS = 10_000

LIST_PARAMETERS = (
    Parameter(
        name="limit",
        minimum=1,
        maximum=_MOST_SESSIONS,
        default=1000,
        description="How many sessions to name.",
    ),
)


def health(_desk: Desk, _call: Call) -> Answer:
    """That the daemon answers."""
    return Answer(body=json_bytes(Health()))


@cache
def _version() -> str:
    return version("histbench")


def capabilities(desk: Desk, _call: Call) -> Answer:
    """Features, forms, encodings and bounds."""
    settings = desk.settings
    plain = desk.shelf.offered is None
    return Answer(
        body=json_bytes(
            Capabilities(
                version=_version(),
                features=FEATURES if plain else (*FEATURES, "compression_dictionary"),
                forms=tuple(FORMS),
                encodings=_CODINGS if plain else ("dcz", *_CODINGS),
                limits={
                    "historyMaxEvents": history.MAX_EVENTS,
                    "historyMaxBytes": history.MAX_BYTES,
                    "pageSoftBytes": settings.page_soft,
                    "pageHardBytes": settings.page_hard,
                    "loadUpdates": settings.load_updates,
                    "loadBytes": settings.load_bytes,
                },
            )
        )
    )


def sessions(desk: Desk, call: Call) -> Answer:
    """The newest sessions.

    Raises:
        StorageError: the root cannot be read.
    """
    found, faults = desk.sessions.survey()
    limit = call.integer("limit") or 1
    listing = SessionList(
        sessions=tuple(map(_summary, found[:limit])),
        total=len(found),
        has_more=len(found) > limit,
        faults=faults,
    )
    return Answer(body=json_bytes(listing))


def _summary(session: Session) -> SessionSummary:
    header = session.header

    def text(name: str) -> Any:
        value = header.get(name)
        return value if isinstance(value, str) else UNSET

    return SessionSummary(
        session_id=session.session_id,
        kind=session.kind,
        workspace=session.workspace,
        file_bytes=session.file_bytes,
        modified_ms=session.modified_ns // 1_000_000,
        created_at=header.get("createdAt", UNSET),
        cwd=text("cwd"),
        parent_session=text("parentSession"),
        origin=text("origin"),
    )
