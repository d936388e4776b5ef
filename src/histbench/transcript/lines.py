"""The records in one physical line: mostly one, and what else a torn or glued write leaves there.

A line is bytes without the line feed.  What is read of it covers it: every byte belongs to a
fragment, is white space, or lies in the range of an oddity.

    oddity            what was found
    ----------------  ----------------------------------------------------------------------------
    blank_line        nothing but white space
    crlf              the line ended with a carriage return too
    glued_records     several records, all of them used
    nul_run           NUL bytes, as a crash leaves them where a file grew before it was written
    junk              bytes that are no record: torn writes, among others
    invalid_utf8      a record with bytes that are no UTF-8; it is used, they are read as U+FFFD
    codes of records  one JSON value that is no record (`head.read_head`), or that nobody can hold

A torn record may be followed by a whole one, and no quote or brace of the first can be trusted.  So
after a fault the next record is looked for wherever an object may begin, `{"key":`.  The first that
is a record is taken, even if it was once part of a torn record's payload (`recovered`).  To look
again and again at long prefixes would take for ever on a hostile line, so the bytes looked at are
counted, and past `_EFFORT` times the line's length the rest of it is junk.
"""

import json
import re

import msgspec
from msgspec import Struct

from histbench.errors import InvalidJson, InvalidTranscript
from histbench.transcript.head import RecordHead, read_head

__all__ = ["Fragment", "LineOddity", "split_line"]

# A record inside a torn one costs one look for each level that was torn: far fewer than these.
_EFFORT = 64
# What is charged for an object that nests too deeply: how far it was looked at is not told.
_DEEP_BYTES = 1 << 16
# What is charged for any look, so that there are fewer looks than one for every eight bytes.
_LOOK_BYTES = 512
_ID_KEY = b'"uuid"'
_NUL_OR_SPACE = b"\0 \t\r"
# An object's first key; between two places where one may begin, no key is read twice.
_MAY_BEGIN = re.compile(rb'\{[ \t\r]*"(?:[^"\\]|\\.)*+"[ \t\r]*:')
_FAILED_AT = re.compile(r"\(byte ([0-9]+)\)")
_TRAILING = "trailing characters"

_skipping_decoder = msgspec.json.Decoder(msgspec.Raw)
_standard_decoder = json.JSONDecoder()


class Fragment(Struct, frozen=True):
    """One record's bytes `[start, end)` in the line; `recovered` when they stand beside junk."""

    start: int
    end: int
    head: RecordHead
    recovered: bool = False


class LineOddity(Struct, frozen=True):
    """What else is in the line, at bytes `[start, end)`; see the module for the codes."""

    code: str
    start: int
    end: int


def split_line(line: bytes) -> tuple[list[Fragment], list[LineOddity]]:
    r"""The records in a line, in order, and everything else that is in it.

    >>> [one], [] = split_line(b'{"uuid":"a","parentUuid":null,"type":"user"}')
    >>> one.head.record_id
    'a'
    >>> found, odd = split_line(b'{"uuid":"a","te{"uuid":"b","parentUuid":"a","type":"system"}')
    >>> [each.head.record_id for each in found], odd
    (['b'], [LineOddity(code='junk', start=0, end=15)])
    """
    end = len(line)
    oddities = []
    if line.endswith(b"\r"):
        end -= 1
        oddities.append(LineOddity("crlf", end, end + 1))
        line = line[:-1]
    try:
        head = read_head(line)
    except InvalidTranscript as error:
        return [], [LineOddity(error.code, 0, end), *oddities]
    except InvalidJson as error:
        if not line.strip(b" \t\r"):
            return [], [LineOddity("blank_line", 0, end), *oddities]
        fragments, found = _Resynchronisation(line).run(whole=error.code)
        return fragments, [*found, *oddities]
    if head.repaired:
        oddities.insert(0, LineOddity("invalid_utf8", 0, end))
    return [Fragment(0, end, head)], oddities


class _Resynchronisation:
    """Finding the records of a line that is not one JSON value."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.view = memoryview(line)
        self.effort_left = _EFFORT * len(line) + _DEEP_BYTES

    def run(self, *, whole: str) -> tuple[list[Fragment], list[LineOddity]]:
        """The fragments and oddities; `whole` is why the line is no JSON value."""
        found: list[tuple[int, int, RecordHead]] = []
        last_id = self.line.rfind(_ID_KEY)
        position = 0
        while self.effort_left > 0 and (match := _MAY_BEGIN.search(self.line, position)):
            start = match.start()
            if start > last_id:
                break
            position = start + 1
            end = self.object_end(start)
            if end is None:
                continue
            # Whether it is a record or not, nothing inside it is one.
            position = end
            if self.line.find(_ID_KEY, start, end) < 0:
                continue
            try:
                found.append((start, end, read_head(self.line[start:end])))
            except (InvalidJson, InvalidTranscript):
                continue
        return self.told(found, whole)

    def object_end(self, start: int) -> int | None:
        """Where the object that begins here ends; None where none does."""
        self.effort_left -= _LOOK_BYTES
        try:
            _skipping_decoder.decode(self.view[start:])
        except RecursionError:
            self.effort_left -= _DEEP_BYTES
            return None
        except msgspec.DecodeError as error:
            text = str(error)
            match = _FAILED_AT.search(text)
            looked_at = int(match[1]) if match else len(self.line) - start
            self.effort_left -= looked_at
            if _TRAILING in text:
                # Told is the byte after the first one that is too much; white space is not.
                return start + len(self.line[start : start + looked_at - 1].rstrip(b" \t\r"))
            if "escape" in text or "surrogate" in text:
                return self.end_with_surrogates(start)
            return None
        return len(self.line)

    def end_with_surrogates(self, start: int) -> int | None:
        """The same, past half surrogate pairs, which msgspec refuses."""
        try:
            # Latin 1, so that a place in the text is a place in the line.
            _, length = _standard_decoder.raw_decode(self.line[start:].decode("latin-1"))
        except (ValueError, RecursionError):
            self.effort_left -= len(self.line) - start
            return None
        self.effort_left -= length
        return start + length

    def told(
        self, found: list[tuple[int, int, RecordHead]], whole: str
    ) -> tuple[list[Fragment], list[LineOddity]]:
        oddities = []
        if len(found) > 1:
            oddities.append(LineOddity("glued_records", found[0][0], found[-1][1]))
        recovered = False
        at = 0
        for start, end, head in [*found, (len(self.line), len(self.line), None)]:
            between = self.line[at:start]
            if between.strip(_NUL_OR_SPACE):
                code = whole if not found and whole != "invalid_json" else "junk"
                oddities.append(LineOddity(code, at, start))
                recovered = True
            elif b"\0" in between:
                oddities.append(LineOddity("nul_run", at, start))
            if head is not None and head.repaired:
                oddities.append(LineOddity("invalid_utf8", start, end))
            at = end
        fragments = [Fragment(start, end, head, recovered) for start, end, head in found]
        return fragments, sorted(oddities, key=lambda each: each.start)
