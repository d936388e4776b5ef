"""The canonical form of a session log that is kept under version control as a test's fixture.

    canonical text = the header line as it is, byte for byte
                     the records that packing all its events gives, one JSON text a line
                     a newline at the end

There are two forms of it.  A *stamped* fixture keeps `seq` and `time`; a *projected* one has them
taken out of every body record, so that recording it again gives the same text.  A fixture is
canonical in its own form; neither is turned into the other.

Rendering proves itself before anybody writes the result: the events must be the same as before,
and rendering again must change nothing.  Blank lines and a missing last newline, as people leave
them, are read; what is no record is refused with its line.  (Facts: session history, "Fixture
canonical layout"; note 004.)
"""

from msgspec import Struct

from histbench.errors import HistbenchError, InvalidLog, Place
from histbench.jsontext import decode, encode
from histbench.log import Diagnostic, EventLog, LogBuilder
from histbench.records import Plain, record_json
from histbench.store.header import is_header
from histbench.store.lines import LineBlock
from histbench.store.reading import BodyReader
from histbench.store.stamps import project

__all__ = ["Fixture", "first_difference", "is_fixture", "render_fixture"]

# One file name of a form each, as the reports print them.
STAMPED, PROJECTED = "stamped", "projected"


class Fixture(Struct, frozen=True, kw_only=True):
    """A fixture's canonical `text`, its form, and how many events it holds."""

    text: bytes
    form: str
    events: int
    diagnostics: tuple[Diagnostic, ...]


def is_fixture(head: bytes) -> bool:
    """Whether a file with these first bytes is a session fixture, by its first line with text.

    >>> is_fixture(b'{"type":"session","id":"a"}'), is_fixture(b'{"name":"x"}'), is_fixture(b"")
    (True, False, False)
    """
    lines = [line for line in head.split(b"\n") if line.strip()]
    try:
        return bool(lines) and is_header(decode(lines[0]))
    except HistbenchError:
        return False


def render_fixture(content: bytes) -> Fixture:
    """The canonical text of the fixture `content`.

    Raises:
        InvalidLog: `not_a_log`, `second_header`, `mixed_stamps`; `render_changed_events` or
            `render_not_idempotent` if the rendering itself were wrong.
        InvalidJson, InvalidRow, InvalidEvent: a line is no record.
    """
    header, log = _read(content)
    text = _render(header, log)
    again_header, again = _read(text)
    if again != log or again_header != header:
        raise InvalidLog("rendering changed the events", code="render_changed_events")
    if _render(again_header, again) != text:
        raise InvalidLog("rendering twice changes the text", code="render_not_idempotent")
    return Fixture(
        text=text,
        form=PROJECTED if _is_projected(log) else STAMPED,
        events=len(log),
        diagnostics=log.diagnostics,
    )


def first_difference(found: bytes, expected: bytes) -> tuple[int, bytes, bytes]:
    """The number of the first line that differs, as it is and as it should be."""
    ours, theirs = found.split(b"\n"), expected.split(b"\n")
    for number, (line, wanted) in enumerate(zip(ours, theirs, strict=False), 1):
        if line != wanted:
            return number, line, wanted
    shorter = min(len(ours), len(theirs))
    return shorter + 1, b"".join(ours[shorter : shorter + 1]), b"".join(theirs[shorter:][:1])


def _read(content: bytes) -> tuple[bytes, EventLog]:
    lines = content.split(b"\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    header = b"" if first is None else lines[first]
    if first is None or not is_fixture(header):
        raise InvalidLog(
            "the first line is not a session header",
            code="not_a_log",
            where=Place(line=1),
            found=header,
        )
    if not lines[-1]:
        lines.pop()
    builder = LogBuilder()
    body = BodyReader(builder, strict=False, exact=True)
    byte = sum(len(line) + 1 for line in lines[: first + 1])
    body.read(LineBlock(first + 2, byte, lines[first + 1 :]))
    return header, builder.build(diagnostics=body.diagnostics)


def _is_projected(log: EventLog) -> bool:
    return any(diagnostic.code == "synthesised_seq" for diagnostic in log.diagnostics)


def _render(header: bytes, log: EventLog) -> bytes:
    codes = {diagnostic.code for diagnostic in log.diagnostics}
    without = tuple(
        name
        for name, code in (("seq", "synthesised_seq"), ("time", "synthesised_clock"))
        if code in codes
    )
    lines = [header]
    for record in log.records():
        if without:
            lines.append(encode(project(decode(record_json(record)), without)))
        else:
            lines.append(encode(record.event()) if isinstance(record, Plain) else record.json())
    return b"\n".join(lines) + b"\n"
