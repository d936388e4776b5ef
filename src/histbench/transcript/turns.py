"""The turns of a conversation that people jump to, each with a preview of what was asked.

A turn is told by the id of its first record (`head.RecordHead.navigation` says which those are); an
ordinal counts them from 0 and holds in one snapshot only.  Its preview is made of that record's
shown text alone (`parts.shown_text`), so no thought, argument or result is ever in one:

    label     the text on one line, at most 160 code points
    detail    what comes after those, at most 240; empty where the label holds everything
"""

from msgspec import Struct

from histbench.transcript.head import Navigation
from histbench.transcript.parts import has_attachment, parts_of, shown_text
from histbench.transcript.record import TranscriptRecord
from histbench.transcript.text import cut, one_line

__all__ = [
    "DETAIL_CHARACTERS",
    "LABEL_CHARACTERS",
    "TurnPreview",
    "preview_turn",
]

LABEL_CHARACTERS, DETAIL_CHARACTERS = 160, 240

# Stands for a prompt without words.
_ATTACHMENT = "[attachment]"


class TurnPreview(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One turn of a list of turns."""

    ordinal: int
    turn_id: str
    kind: Navigation
    prompt_id: str | None = None
    timestamp: str | None = None
    label: str
    detail: str


def preview_turn(record: TranscriptRecord, *, ordinal: int, kind: Navigation) -> TurnPreview:
    """The preview of the turn that a record begins, which its head calls a turn of this kind."""
    text = one_line(shown_text(record.value))
    if not text and has_attachment(parts_of(record.value)):
        text = _ATTACHMENT
    label = cut(text, LABEL_CHARACTERS)
    # The ellipsis stands in the label for what the detail goes on with.
    rest = text[len(label) - 1 :] if len(text) > LABEL_CHARACTERS else ""
    prompt_id = record.value.get("promptId")
    return TurnPreview(
        ordinal=ordinal,
        turn_id=record.record_id,
        kind=kind,
        prompt_id=one_line(prompt_id) if isinstance(prompt_id, str) else None,
        timestamp=record.timestamp,
        label=label,
        detail=cut(rest.strip(), DETAIL_CHARACTERS),
    )
