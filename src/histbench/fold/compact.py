"""Compact inputs: at most two per row, for a reader that wants what was said and not each token.

A row becomes one or two inputs that keep its content, the time of its first token and, where that
is a later one, the time of its first visible member (facts: session history, section 5):

- no member carries a token: one input, the empty text, at the row's first time;
- the first token is visible, or nothing is: one input, all text, at the first token's time;
- otherwise: what comes before the first visible member at the first token's time, and the rest
  at the first visible member's.

A tool-call row is one input: calls are never visible.  What is lost is the number of members and
every other time and seq; the inputs' seqs are the members' they are dated by, so a window must not
be stitched by them.  Ordinary records pass through untouched.
"""

from collections.abc import Iterable

from msgspec import Struct

from histbench.events import DeltaKind
from histbench.fold.elided import ElidedEvent, FoldRecord
from histbench.jsontext import merge_surrogates
from histbench.records import Plain
from histbench.rows import RowHead

__all__ = ["CompactInput", "Input", "compact_inputs", "compact_row"]


class CompactInput(Struct, frozen=True, kw_only=True, gc=False):
    """Several deltas of one block as one; `time` in milliseconds."""

    kind: DeltaKind
    seq: int
    time: int
    turn: int | float
    step: int | float
    index: int | float
    text: str
    call_id: str | None = None
    name: str | None = None


Input = Plain | ElidedEvent | CompactInput


def compact_inputs(records: Iterable[FoldRecord]) -> list[Input]:
    """The inputs of these records, in order."""
    inputs: list[Input] = []
    for record in records:
        if isinstance(record, RowHead):
            inputs.extend(compact_row(record))
        else:
            inputs.append(record)
    return inputs


def compact_row(row: RowHead) -> list[CompactInput]:
    """The one or two inputs of a row."""
    token = row.first_token()
    visible = None if token is None else row.first_visible()
    if token is None or visible is None or visible == token:
        return [_input(row, token or 0, row.text())]
    texts = row.text_list()
    return [
        _input(row, token, merge_surrogates("".join(texts[:visible]))),
        _input(row, visible, merge_surrogates("".join(texts[visible:]))),
    ]


def _input(row: RowHead, member: int, text: str) -> CompactInput:
    """`text` as an input dated by one member of the row."""
    return CompactInput(
        kind=row.kind,
        seq=row.seq0 + member,
        time=row.time_of(member),
        turn=row.turn,
        step=row.step,
        index=row.index,
        text=text,
        call_id=row.call_id,
        name=row.name,
    )
