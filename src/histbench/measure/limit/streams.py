r"""A log taken apart into streams that say different kinds of things, and put together again.

    marked   the texts of all deltas, each followed by U+007F; a U+007F inside a text is 0xFF,
             which UTF-8 never holds
    text     the same without what follows
    lengths  the UTF-8 bytes of each text, as numbers
    gaps     the time of each delta and event less that of the one before, as signed numbers
    rest     a line for each run and each other event

Numbers are varints, seven bits a byte and the lowest first; signs are folded (0, -1, 1, -2, ...).
`marked`, `gaps` and `rest` together are the log, which `join_streams` shows; `text` and `lengths`
tell the same as `marked`.

A line of `rest` begins with what it is:

    r  a run: [kind, count, turn, step, index, id, name]; its seq is the next one
    e  an event, as it is; newlines between tokens are 0xFF
    l  an event of the lean form: without what the texts tell anyway
    E  L  the same without the digits of seq, the next one, and time, which is in `gaps`

Deltas outside of runs are runs of one or two, if their JSON text is the canonical one.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from histbench.codec import MIN_RUN
from histbench.events import DELTA_KINDS, MAX_SAFE_INTEGER
from histbench.history import HistoryPage, decode_page, whole_page
from histbench.history.lean_encode import LeanEncoder
from histbench.jsontext import decode, encode
from histbench.log import EventLog
from histbench.records import Plain, delta_of_plain
from histbench.rows import ListRow, Row, RowHead

__all__ = ["Streams", "join_streams", "split_log"]

_MARK, _INSIDE = b"\x7f", b"\xff"

_HEAD = re.compile(rb'\{"type":"[^"\\]*+","seq":(?P<seq>\d*+),"time":(?P<time>-?\d*+),')
_KINDS = {kind.delta: number for number, kind in enumerate(DELTA_KINDS)}


class Streams(Struct, frozen=True, kw_only=True):
    """The streams of one log; `from_seq` is the only number that they lack.

    `gap_values` and `length_values` are what `gaps` and `lengths` hold.
    """

    from_seq: int
    marked: bytes
    gaps: bytes
    rest: bytes
    deltas: int
    gap_values: list[int]
    length_values: list[int]

    @property
    def text(self) -> bytes:
        """All texts, with nothing between them."""
        return self.marked.replace(_MARK, b"")

    @property
    def lengths(self) -> bytes:
        """The bytes of each text."""
        return _varints(self.length_values)


def split_log(log: EventLog) -> Streams:
    """The streams of a log.

    Raises:
        InvalidLog: the log is not dense (`seq_gap`).
    """
    page = whole_page(log)
    texts: list[bytes] = []
    gaps: list[int] = []
    lines: list[bytes] = []
    now = 0
    encoder = LeanEncoder(page)
    for record in page.records:
        sent = encoder.record(record)
        row = _row_of(record) if isinstance(record, Plain) else record
        if row is None:
            raw = sent.partition(b":")[2][:-1]
            lean = sent.startswith(b'{"lean"')
            line, time = _event_line(raw, lean=lean)
            times = [] if time is None else [time]
        else:
            line, times = _row_line(row), row.times()
            texts += [each.encode("utf-8", "surrogatepass") for each in row.text_list()]
        lines.append(line)
        for time in times:
            gaps.append(time - now)
            now = time
    return Streams(
        from_seq=log.from_seq,
        marked=b"".join([text.replace(_MARK, _INSIDE) + _MARK for text in texts]),
        gaps=_varints([2 * gap if gap >= 0 else -2 * gap - 1 for gap in gaps]),
        rest=b"".join([line + b"\n" for line in lines]),
        deltas=len(texts),
        gap_values=gaps,
        length_values=[len(text) for text in texts],
    )


def _row_of(record: Plain) -> RowHead | None:
    """A single delta as a run, where that gives its JSON text back."""
    row = delta_of_plain(record)
    return row if row is not None and row.event_jsons() == [record.raw] else None


def _row_line(row: RowHead) -> bytes:
    head = [_KINDS[row.kind.delta], row.count, row.turn, row.step, row.index]
    return b"r" + encode([*head, row.call_id, row.name])


def _event_line(raw: bytes, *, lean: bool) -> tuple[bytes, int | None]:
    head = _HEAD.match(raw)
    time = None if head is None else int(head["time"])
    # A `-0` would come back without its sign.
    if head is None or time is None or b"%d" % time != head["time"]:
        return (b"l" if lean else b"e") + raw.replace(b"\n", _INSIDE), None
    if abs(time) > MAX_SAFE_INTEGER:
        return (b"l" if lean else b"e") + raw.replace(b"\n", _INSIDE), None
    kept = (
        raw[: head.start("seq")],
        raw[head.end("seq") : head.start("time")],
        raw[head.end("time") :],
    )
    return (b"L" if lean else b"E") + b"".join(kept).replace(b"\n", _INSIDE), time


def join_streams(streams: Streams) -> EventLog:
    """The log whose streams these are, from `marked`, `gaps` and `rest` alone."""
    texts = iter(
        [text.replace(_INSIDE, _MARK) for text in streams.marked.split(_MARK)[: streams.deltas]]
    )
    gaps = _numbers(streams.gaps)
    seq, now = streams.from_seq, 0
    records: list[bytes] = []
    for line in streams.rest.split(b"\n")[:-1]:
        kind, content = line[:1], line[1:].replace(_INSIDE, b"\n")
        if kind == b"r":
            row, now = _row(content, seq, now, texts, gaps)
            records += _wire(row)
            seq = row.end_seq
            continue
        if kind in (b"E", b"L"):
            now += next(gaps)
            head = _HEAD.match(content)
            # The writer made the line from such a head.
            at_seq, at_time = head.span("seq")[0], head.span("time")[0]  # type: ignore[union-attr]
            content = b"%b%d%b%d%b" % (
                content[:at_seq],
                seq,
                content[at_seq:at_time],
                now,
                content[at_time:],
            )
        records.append(b'{"%b":%b}' % (b"lean" if kind in (b"l", b"L") else b"event", content))
        seq += 1
    page = _joined_page(records, streams.from_seq, seq)
    return EventLog.from_records(page.records)


def _row(
    content: bytes, seq: int, now: int, texts: Iterator[bytes], gaps: Iterator[int]
) -> tuple[Row, int]:
    head = decode(content)
    kind, count, turn, step, index, call_id, name = head
    time0 = now + next(gaps)
    between = list(islice(gaps, count - 1))
    row = ListRow(
        kind=DELTA_KINDS[kind],
        seq0=seq,
        time0=time0,
        turn=turn,
        step=step,
        index=index,
        call_id=call_id,
        name=name,
        count=count,
        gaps=between,
        texts=[text.decode("utf-8", "surrogatepass") for text in islice(texts, count)],
    )
    return Row.of(row), time0 + sum(between)


def _wire(row: Row) -> list[bytes]:
    if row.count < MIN_RUN:
        return [b'{"event":%b}' % each for each in row.event_jsons()]
    return [b'{"chunks":%b}' % row.json()]


def _joined_page(records: list[bytes], from_seq: int, to_seq: int) -> HistoryPage:
    page = b'{"records":[%b],"hasMore":false,"fromSeq":%d,"toSeq":%d}'
    return decode_page(page % (b",".join(records), from_seq, to_seq), "lean", max_bytes=None)


def _varints(values: Iterable[int]) -> bytes:
    out = bytearray()
    for value in values:
        left = value
        while left > 0x7F:
            out.append(left & 0x7F | 0x80)
            left >>= 7
        out.append(left)
    return bytes(out)


def _numbers(data: bytes) -> Iterator[int]:
    """The signed numbers whose folded varints these are."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value >> 1 if not value & 1 else -(value >> 1) - 1
            value = shift = 0
