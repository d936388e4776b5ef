r"""Archives: a log whose lines are lean pages, for what is kept and no longer written to.

    header  {"type":"session-archive","version":0,"form":"lean","session":"<the log's header line>"}
    page    {records, hasMore, fromSeq, toSeq}

The header has a type of its own, so that a reader that knows no archives says so at the first
line, and names the form, so that one that lacks it can say which.  The log's own header line is
inside as text, byte for byte.  Each page holds an interval of the log; where seqs are missing,
intervals end.  A page ends with a turn if it can, since markers name only what their page holds,
and in a compressed archive it is a frame of its own: so each can be read alone, and a page index
(`page_index`) says which ones to read.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, Place
from histbench.history.forms import decode_page, encode_page
from histbench.history.page import HistoryPage
from histbench.jsontext import check_utf8
from histbench.log import EventLog
from histbench.records import Plain, Record
from histbench.rows import Row
from histbench.store.batch import compress_frame
from histbench.store.lines import LineBlock

__all__ = [
    "ARCHIVE_FORM",
    "ARCHIVE_TYPE",
    "archive_chunks",
    "archived_blocks",
    "split_header",
]

ARCHIVE_FORM = "lean"
ARCHIVE_TYPE = "session-archive"

# An eighth smaller than level 3, for hardly any time; level 19 takes seconds for a sixteenth more.
_LEVEL = 12

# Packed bytes of a page: it ends with the first turn after so many, or anyway after four times that.
_PAGE_BYTES = 512 * 1024
_MOST_PAGE_BYTES = 4 * _PAGE_BYTES


class _Header(Struct, frozen=True, forbid_unknown_fields=True):
    type: Literal["session-archive"]
    version: int
    form: str
    session: str


_header = msgspec.json.Decoder(_Header)


def split_header(line: bytes) -> tuple[bytes, str | None]:
    """The log's own header line, and the form of an archive; None for a log that is none.

    Raises:
        InvalidLog: `archive_form`, an archive that this reader cannot read.
    """
    try:
        found = _header.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return line, None
    if found.version != 0 or found.form != ARCHIVE_FORM:
        raise InvalidLog(
            "the log is archived in a form that this reader does not know",
            code="archive_form",
            where=Place(line=1, byte=0),
            found=f"form {found.form}, version {found.version}",
            expected=f"form {ARCHIVE_FORM}, version 0",
        )
    return found.session.encode(), found.form


def archive_chunks(header_line: bytes, log: EventLog, *, compressed: bool) -> Iterator[bytes]:
    """The bytes of an archive that holds `log`.

    Raises:
        InvalidJson: the header line is not UTF-8 (`invalid_utf8`).
    """
    check_utf8(header_line)
    header = _Header("session-archive", 0, ARCHIVE_FORM, header_line.decode())
    yield _stored(msgspec.json.encode(header), compressed=compressed)
    for page in _pages(log.records()):
        yield _stored(encode_page(page, ARCHIVE_FORM), compressed=compressed)


def _stored(line: bytes, *, compressed: bool) -> bytes:
    return compress_frame(line + b"\n", level=_LEVEL) if compressed else line + b"\n"


def _pages(records: tuple[Record, ...]) -> Iterator[HistoryPage]:
    start = waiting = 0
    for number, record in enumerate(records):
        if waiting and (
            record.seq != records[number - 1].end_seq
            or waiting >= _MOST_PAGE_BYTES
            or (waiting >= _PAGE_BYTES and _begins_turn(record))
        ):
            yield _page(records[start:number])
            start, waiting = number, 0
        waiting += len(record.raw) if isinstance(record, Plain) else len(record.texts)
        waiting += 1
    if waiting:
        yield _page(records[start:])


def _begins_turn(record: Record) -> bool:
    return isinstance(record, Plain) and record.type == "turn/start"


def _page(records: tuple[Record, ...]) -> HistoryPage:
    from_seq, to_seq = records[0].seq, records[-1].end_seq
    return HistoryPage(records=records, has_more=from_seq > 0, from_seq=from_seq, to_seq=to_seq)


class _PageLines(LineBlock, frozen=True):
    """The lines that a page stands for; all lie where the page does."""

    def place(self, index: int, *, exact: bool) -> Place:  # noqa: ARG002 - as every block
        return Place(line=self.first, byte=self.byte)


def archived_blocks(block: LineBlock, *, exact: bool) -> Iterator[LineBlock]:
    """The lines of a log that the lines of its archive stand for.

    Raises:
        InvalidPage, InvalidRow, InvalidEvent, InvalidJson, LimitExceeded: a line is no page; with
            line and byte.
    """
    for index, line in enumerate(block.lines):
        place = block.place(index, exact=exact)
        try:
            page = decode_page(line, ARCHIVE_FORM)
        except HistbenchError as error:
            error.where.byte = place.byte
            error.at(line=place.line)
            raise
        lines = [
            record.raw if isinstance(record, Plain) else Row.of(record).json()
            for record in page.records
        ]
        # Where a reader may start is where the page does.
        aligned = exact or (block.aligned and index == 0)
        yield _PageLines(place.line or 1, place.byte or 0, lines, aligned=aligned)
