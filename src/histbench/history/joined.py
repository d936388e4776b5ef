"""The `joined` row: a run's texts as one string, its gaps as another.

    joined row = {type, seq0, time0, data}                 type: text-joined, reasoning-joined,
    data       = {turn, step, index, dt, [id], [name], text}     tool-call-joined
    text       = the members' texts with U+007F between neighbours
    dt         = the gaps between their times, as one string (`gap_maps`)

A parser meets two strings instead of thousands of values, and a token boundary stays next to the
text that it is almost a function of, which is why compressors like it better than lengths in a
column of their own (facts: alternatives, findings 1 and 2).  U+007F is legal raw in JSON and no
model writes it; a run in which some text holds it is sent as a packed row instead.

A row that was read keeps the gaps' text, and is written as it was read.  Rows are equal if their
texts are, so two spellings of the same gaps are rows that differ and that tell the same events.
"""

from msgspec import UNSET, Struct, UnsetType

from histbench.errors import InvalidRow, Place
from histbench.events import DELTA_KINDS, MAX_SAFE_INTEGER
from histbench.history.gap_maps import SignedRow, check_gaps, gaps_text
from histbench.jsontext import encode, js_number, merge_surrogates
from histbench.raw_columns import joined_content
from histbench.rows import Row, RowHead, numbers_json

__all__ = [
    "JOINED_TAGS",
    "SEPARATOR",
    "SEPARATOR_BYTE",
    "JoinedRow",
    "StoredJoined",
    "join_row",
    "joined_json",
    "joined_of_stored",
    "joined_text",
]

SEPARATOR = "\x7f"
SEPARATOR_BYTE = SEPARATOR.encode()

JOINED_TAGS = {kind.tag: f"{kind.tag.removesuffix('-chunks')}-joined" for kind in DELTA_KINDS}
_KIND_BY_TAG = {JOINED_TAGS[kind.tag]: kind for kind in DELTA_KINDS}


class JoinedRow(SignedRow, frozen=True, kw_only=True, gc=False):
    """A row whose columns are the two strings of the `joined` form."""

    joined: str

    def text_list(self) -> list[str]:
        """The members' texts."""
        return self.joined.split(SEPARATOR)

    def text(self) -> str:
        """All texts joined."""
        # In UTF-8 the separator's byte stands for nothing else, and bytes are deleted at the speed
        # of memory, which str.replace is far from where every third character goes.
        try:
            return self.joined.encode().translate(None, SEPARATOR_BYTE).decode()
        except UnicodeEncodeError:
            return merge_surrogates(self.joined.replace(SEPARATOR, ""))

    def first_text(self) -> str:
        """The first member's text."""
        return self.joined.partition(SEPARATOR)[0]


def join_row(row: RowHead) -> JoinedRow | None:
    """`row` in the joined spelling; None when a text holds the separator."""
    texts = row.text_list()
    joined = SEPARATOR.join(texts)
    if joined.count(SEPARATOR) != len(texts) - 1:
        return None
    return JoinedRow(
        kind=row.kind,
        seq0=row.seq0,
        time0=row.time0,
        turn=row.turn,
        step=row.step,
        index=row.index,
        call_id=row.call_id,
        name=row.name,
        count=row.count,
        gaps=gaps_text(row),
        joined=joined,
    )


def joined_text(row: RowHead) -> bytes | None:
    """What stands between the quotes of `text`; None when a text holds the separator."""
    if isinstance(row, Row) and SEPARATOR_BYTE not in row.texts:
        # A few passes over the raw array instead of a value for each member.
        found = joined_content(row.texts[2:-2], SEPARATOR_BYTE)
        if found is not None:
            return found[0]
    joined = row if isinstance(row, JoinedRow) else join_row(row)
    return None if joined is None else encode(joined.joined)[1:-1]


def joined_json(row: RowHead, text: bytes | None = None) -> bytes | None:
    """The wire text of `row` in the joined spelling; None when a text holds the separator.

    Args:
        row: in any spelling.
        text: its `joined_text`, if the caller has it.
    """
    if text is None:
        text = joined_text(row)
        if text is None:
            return None
    turn, step, index = numbers_json(row.turn, row.step, row.index)
    call = b"" if row.call_id is None else b',"id":' + encode(row.call_id)
    if row.name is not None:
        call += b',"name":' + encode(row.name)
    return b'{"type":"%b","seq0":%d,"time0":%d,"data":{"turn":%b,"step":%b,"index":%b,%b}}' % (
        JOINED_TAGS[row.kind.tag].encode(),
        row.seq0,
        row.time0,
        turn,
        step,
        index,
        b'"dt":"%b"%b,"text":"%b"' % (gaps_text(row).encode(), call, text),
    )


class _JoinedData(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    turn: int | float
    step: int | float
    index: int | float
    dt: str
    text: str
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class StoredJoined(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The wire shape of a joined row; `joined_of_stored` checks what types cannot."""

    type: str
    seq0: int
    time0: int
    data: _JoinedData


def joined_of_stored(stored: StoredJoined) -> JoinedRow:
    """The row of a parsed wire record.

    Raises:
        InvalidRow: with the code that the packed row's same rule has (`row_dt_length`, ...), or
            `row_tag`, or `row_dt` where a gap is spelled otherwise than the grammar does.
    """

    def refuse(rule: str, reason: str, found: object, expected: str) -> InvalidRow:
        return InvalidRow(
            f"malformed joined row: {reason}",
            code=f"row_{rule}",
            where=Place(seq=stored.seq0 if stored.seq0 >= 0 else None),
            found=found,
            expected=expected,
        )

    data = stored.data
    kind = _KIND_BY_TAG.get(stored.type)
    if kind is None:
        raise refuse("tag", "unknown tag", stored.type, ", ".join(_KIND_BY_TAG))
    if not 0 <= stored.seq0 <= MAX_SAFE_INTEGER:
        raise refuse("seq0", "bad seq0", stored.seq0, "a non-negative safe integer")
    if not -MAX_SAFE_INTEGER <= stored.time0 <= MAX_SAFE_INTEGER:
        raise refuse("time0", "bad time0", stored.time0, "a safe integer")
    if (data.id is UNSET) == kind.is_call or (data.name is not UNSET and not kind.is_call):
        raise refuse("data_keys", "wrong keys in data", stored.type, "id only on tool calls")
    # Half a surrogate pair takes three bytes here; only separators are counted.
    text = data.text.encode("utf-8", "surrogatepass")
    count = len(text) - len(text.translate(None, SEPARATOR_BYTE)) + 1
    if count - 1 > MAX_SAFE_INTEGER - stored.seq0:
        raise refuse("seq_range", "member seqs leave the safe integers", count, "safe integers")
    turn, step, index = js_number(data.turn), js_number(data.step), js_number(data.index)
    if turn is None or step is None or index is None:
        found = [data.turn, data.step, data.index]
        raise refuse("numbers", "bad turn, step or index", found, "numbers")
    row = JoinedRow(
        kind=kind,
        seq0=stored.seq0,
        time0=stored.time0,
        turn=turn,
        step=step,
        index=index,
        call_id=data.id if isinstance(data.id, str) else None,
        name=data.name if isinstance(data.name, str) else None,
        count=count,
        gaps=data.dt,
        joined=data.text,
    )
    check_gaps(row, refuse)
    return row
